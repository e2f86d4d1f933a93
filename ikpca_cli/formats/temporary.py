"""Files under a name of their own until they are complete, of which killed processes leave none.

Each is locked as long as its process lives, whatever ends it. The next output in the same folder
takes away those that nobody locks any more.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import BinaryIO, cast

_PATTERN = ".ikpca-*.tmp"
_PATIENCE = 1.0  # seconds; a folder of a network that is gone may hold the lock

_tidied: set[Path] = set()
_unfinished: set[Path] = set()
_making = Lock()


@contextmanager
def temporary_file(folder: Path, mode: int | None) -> Iterator[tuple[BinaryIO, Path]]:
    """Open a new file in a folder, which is gone afterwards unless it got another name.

    Parameters
    ----------
    folder
        Where it is made.
    mode
        Its permissions; None for what the umask says.

    Yields
    ------
    BinaryIO
        Open for writing and reading.
    Path
        Its name, which owes nothing to the target's: that may be as long as a name can be.

    Raises
    ------
    OSError
        If there can be no new file.
    """
    if folder not in _tidied:
        _tidied.add(folder)
        remove_leftovers(folder)
    permissions = 0o666 if mode is None else mode & 0o600
    while True:
        path = folder / _PATTERN.replace("*", secrets.token_hex(8))
        try:
            with _making:
                _unfinished.add(path)
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, permissions)
            # By its path, not its number: some writers ask a file for its name.
            with open(path, "w+b", opener=lambda *_, number=descriptor: number) as file:
                with suppress(OSError):  # a file system without locks, where none is taken away
                    fcntl.flock(file, fcntl.LOCK_EX)
                if not _is_at(path, descriptor):
                    continue  # taken for a leftover before it was locked
                yield cast(BinaryIO, file), path
            return
        finally:
            path.unlink(missing_ok=True)
            _unfinished.discard(path)


def discard_unfinished() -> None:
    """Remove the files that are being written; only to end the process, as no more can be made."""
    _making.acquire(timeout=_PATIENCE)  # never given back: threads go on until the process ends
    for path in tuple(_unfinished):
        with suppress(OSError):
            path.unlink()


def remove_leftovers(folder: Path) -> None:
    """Remove files that processes which were killed have left in a folder."""
    with suppress(OSError):
        for path in folder.glob(_PATTERN):
            with suppress(OSError), path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_at(path, file.fileno()):
                    path.unlink()


def _is_at(path: Path, descriptor: int) -> bool:
    """Tell whether a name is still that of an open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
