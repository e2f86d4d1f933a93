"""Outputs that are either whole or not there: written beside the target, then renamed."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO, cast

from ikpca_cli.errors import OutputError

STDOUT = "-"

_LATER: ContextVar[set[Path] | None] = ContextVar("later", default=None)

_UNFINISHED: set[Path] = set()


def discard_unfinished() -> None:
    """Remove the temporary files of outputs that are being written; only to end the process."""
    for temporary in tuple(_UNFINISHED):
        temporary.unlink(missing_ok=True)


@contextmanager
def atomic_write(target: str, *, force: bool) -> Iterator[BinaryIO]:
    """Write a file so that the target is complete, or as it was before.

    The bytes go to a temporary file in the target's folder, which is flushed to the disk and then
    renamed. A symbolic link is followed, a device or a named pipe is written to directly, and
    ``"-"`` is the standard output. Permissions are what the umask says.

    Parameters
    ----------
    target
        Where the output belongs.
    force
        Whether an existing file may be replaced.

    Yields
    ------
    BinaryIO
        Open for writing and reading; its ``name`` is the temporary file's path.

    Raises
    ------
    OutputError
        If the target exists without `force`, or anything in the block fails to write. Any other
        exception passes through; after either the temporary file is gone.
    """
    if target == STDOUT:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    check_target(target, inputs=(), force=force)
    with _plain_errors(target):
        if _is_special(target):
            with Path(target).open("wb") as device:
                yield device
            return
        final = os.path.realpath(target)
        folder = Path(final).parent
        # The name owes nothing to the target's, which may be as long as a name can be.
        temporary = folder / f".ikpca-{secrets.token_hex(8)}.tmp"
        _UNFINISHED.add(temporary)
        try:
            with temporary.open("x+b") as handle:
                yield cast(BinaryIO, handle)
                handle.flush()
                os.fsync(handle.fileno())
            _publish(temporary, final, force=force)
        finally:
            temporary.unlink(missing_ok=True)
            _UNFINISHED.discard(temporary)
        later = _LATER.get()
        if later is None:
            _sync_folder(folder)
        else:
            later.add(folder)


@contextmanager
def names_confirmed_together() -> Iterator[None]:
    """Have the disk confirm the names of outputs at the end, once a folder, not after each."""
    folders: set[Path] = set()
    token = _LATER.set(folders)
    try:
        yield
    finally:
        _LATER.reset(token)
        for folder in folders:
            _sync_folder(folder)


def check_target(target: str, *, inputs: Sequence[str], force: bool) -> None:
    """Refuse a target that cannot or should not be written, before any work is done.

    Parameters
    ----------
    target
        Where the output belongs; ``"-"`` is always right.
    inputs
        The files that are read; none of them is ever overwritten, under whatever name.
    force
        Whether an existing file may be replaced.

    Raises
    ------
    OutputError
        If the target is one of the inputs, a folder, in no folder, or exists without `force`.
    """
    if target == STDOUT:
        return
    if not target:
        raise OutputError("an output has an empty name; name a file")
    with _plain_errors(target):
        for source in inputs:
            if source != STDOUT and _same_file(source, target):
                raise OutputError(
                    f"{target}: is the input {source} itself; choose another output file"
                )
        path = Path(target)
        if path.is_dir():
            raise OutputError(f"{target}: is a folder; name a file in it")
        if target.endswith("/") or not path.parent.is_dir():
            folder = target if target.endswith("/") else path.parent
            raise OutputError(f"{target}: the folder {folder} does not exist; create it first")
        final = Path(os.path.realpath(target))
        if final != path and not final.parent.is_dir():
            raise OutputError(f"{target}: is a link into {final.parent}, which does not exist")
        if path.exists() and not force and not _is_special(target):
            raise OutputError(f"{target}: exists already; use --force to overwrite it")


def write_at(descriptor: int, data: memoryview, place: int) -> None:
    """Write all of `data` at a place of a file; OSError if it is refused."""
    while data:
        count = os.pwrite(descriptor, data, place)
        data, place = data[count:], place + count


def _same_file(source: str, target: str) -> bool:
    """Tell whether two names are one file, through links of both kinds."""
    try:
        return os.path.samefile(source, target) and not _is_special(target)
    except OSError:
        return False


def _is_special(target: str) -> bool:
    """Tell whether the target is a device or pipe, which must never be renamed over."""
    try:
        mode = os.stat(target).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _publish(temporary: Path, final: str, *, force: bool) -> None:
    """Give the finished file its name, without overwriting one that came meanwhile."""
    if force:
        temporary.replace(final)
        return
    try:
        os.link(temporary, final)
    except FileExistsError:
        raise OutputError(f"{final}: exists already; use --force to overwrite it") from None
    except OSError:
        # No hard links on this file system: a check and a rename are the best there is.
        if Path(final).exists():
            raise OutputError(f"{final}: exists already; use --force to overwrite it") from None
        temporary.replace(final)


def _sync_folder(folder: Path) -> None:
    """Make the new name itself survive a power cut, where the file system lets us."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _plain_errors(target: str) -> Iterator[None]:
    """Turn the operating system's refusals into one line about the target."""
    try:
        yield
    except OutputError:
        raise
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {_reason(error)}") from error


def _reason(error: OSError) -> str:
    """Say why in the system's words, also where a library wrapped them (h5py keeps no errno)."""
    if error.errno is not None:
        return os.strerror(error.errno).lower()
    text = str(error)
    for code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
        if f"errno = {code}," in text:
            return os.strerror(code).lower()
    return " ".join(text.split())
