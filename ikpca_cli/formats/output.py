"""Outputs that are either whole or not there: written beside the target, then renamed."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import BinaryIO, TypeAlias

from ikpca_cli.errors import OutputError
from ikpca_cli.formats.temporary import temporary_file

STDOUT = "-"


class ExistsError(OutputError):
    """There is a file already, or one came meanwhile, that must not be replaced."""


Identity: TypeAlias = tuple[int, int, int, int]
"""What a file is as it stands: device, inode, time of the last change, and length."""


def identity(path: str) -> Identity | None:
    """Return what tells a file from any that is put in its place; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


@contextmanager
def atomic_write(
    target: str, *, force: bool, replaces: Identity | None = None
) -> Iterator[BinaryIO]:
    """Write a file so that the target is complete, or as it was before.

    The bytes go to a temporary file in the target's folder, which is flushed to the disk and then
    renamed. A symbolic link is followed, a device or a named pipe
    is written to directly, and ``"-"`` is the standard output. A file that is replaced hands on
    its permissions and, where that is allowed, its owner; a new one has those of the umask.

    Parameters
    ----------
    target
        Where the output belongs.
    force
        Whether an existing file may be replaced.
    replaces
        The one file that may be replaced, as `identity` saw it; any if None.

    Yields
    ------
    BinaryIO
        Open for writing and reading.

    Raises
    ------
    ExistsError
        If the target exists without `force`, or is no longer the file that it replaces.
    OutputError
        If anything in the block fails to write. Any other exception passes through; after either
        nothing is left of it.
    """
    if target == STDOUT:
        yield from _standard_output()
        return
    check_target(target, inputs=(), force=force)
    with _plain_errors(target):
        if _is_special(target):
            with Path(target).open("wb") as device:
                yield device
            return
        final = os.path.realpath(target)
        folder = Path(final).parent
        mode = stat.S_IMODE(os.stat(final).st_mode) if os.path.exists(final) else None
        with temporary_file(folder, mode) as (handle, temporary):
            yield handle
            handle.flush()
            _take_over(handle.fileno(), final)
            os.fsync(handle.fileno())
            _publish(temporary, final, force=force, replaces=replaces)
        new_names.settle(folder)


def _standard_output() -> Iterator[BinaryIO]:
    """Yield the standard output; a reader that is gone is told by `BrokenPipeError`."""
    with _plain_errors("standard output"):
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()


def _take_over(descriptor: int, final: str) -> None:
    """Give a file the permissions and owner of the one that it will replace."""
    try:
        old = os.stat(final)
    except FileNotFoundError:
        return
    with suppress(OSError):  # to give a file away takes rights that few have
        os.fchown(descriptor, -1, old.st_gid)
    with suppress(OSError):
        os.fchown(descriptor, old.st_uid, -1)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


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
            if path.parent.exists() and not path.parent.is_dir():
                raise OutputError(f"{target}: {path.parent} is a file, no folder; name another")
            raise OutputError(f"{target}: the folder {folder} does not exist; create it first")
        final = Path(os.path.realpath(target))
        if final != path and not final.parent.is_dir():
            raise OutputError(
                f"{target}: is a link into {final.parent}, which does not exist; create it"
            )
        if path.exists() and not force and not _is_special(target):
            raise ExistsError(f"{target}: exists already; use --force to overwrite it")


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


def _publish(temporary: Path, final: str, *, force: bool, replaces: Identity | None) -> None:
    """Give the finished file its name, without overwriting one that came meanwhile."""
    if replaces is not None:
        _swap(temporary, final, replaces)
        return
    if force:
        temporary.replace(final)
        return
    try:
        os.link(temporary, final)
    except FileExistsError:
        raise ExistsError(f"{final}: exists already; use --force to overwrite it") from None
    except OSError:
        # No hard links on this file system: a check and a rename are the best there is.
        if Path(final).exists():
            raise ExistsError(f"{final}: exists already; use --force to overwrite it") from None
        temporary.replace(final)


def _swap(temporary: Path, final: str, replaces: Identity) -> None:
    """Replace the one file that was meant, or refuse."""
    with suppress(FileNotFoundError), open(final, "rb") as old:
        # Whoever else would replace the same file waits here, and then finds another one.
        with suppress(OSError):  # a file system without locks: a look is the best there is
            fcntl.flock(old, fcntl.LOCK_EX)
        if identity(final) == replaces:
            temporary.replace(final)
            return
    raise ExistsError(
        f"{final}: was changed by someone else meanwhile, so this update of it is not written; "
        "run it again"
    )


class _NewNames:
    """Makes the names of new files survive a power cut, where the file system lets us.

    From the first entry to the last exit it only notes the folders, to wait for the disk once a
    folder instead of once a file.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._folders: set[Path] = set()

    def settle(self, folder: Path) -> None:
        """Make the names in a folder safe, now or at the last exit."""
        with self._lock:
            self._folders.add(folder)
        self._settle()

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
        self._settle()

    def _settle(self) -> None:
        with self._lock:
            folders = set() if self._inside else self._folders
            self._folders = self._folders - folders
        for folder in folders:
            with suppress(OSError):
                descriptor = os.open(folder, os.O_RDONLY)
                try:
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)


new_names = _NewNames()
"""Context for writing many files; may be entered from several threads."""


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
