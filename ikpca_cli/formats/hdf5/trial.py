"""Damaged HDF5 files can crash the library that reads them, or keep it busy without end.

Neither can be caught, so a file with structures through which that is known to happen is opened in
a process of its own first, which may die in our place. One such process serves for all files.
"""

from __future__ import annotations

import atexit
import pickle
import subprocess
import sys
import threading
from contextlib import suppress

from ikpca_cli.errors import InputError
from ikpca_cli.formats.format import Input
from ikpca_cli.formats.read_options import ReadOptions

SECONDS = 30.0
"""What looking through the headers of a file may take; whole files take milliseconds."""

DONE = b"."
"""What the other process says when it has begun, and after each file."""

_SCANNED = 2**24  # bytes; for larger files a trial costs nothing next to reading them
_SUPERBLOCK = b"\x89HDF\r\n\x1a\n"
# A global heap, and the names of what makes the library look for one that damage has hidden.
_DOUBTFUL = (b"GCOL", b"DIMENSION_LIST", b"DIMENSION_LABELS", b"REFERENCE_LIST")
_PROGRAM = (
    "import sys; sys.path[:] = {path!r}; "
    "from ikpca_cli.formats.hdf5.trial_process import serve; serve()"
)


def is_plain(file: Input) -> bool:
    """Tell whether a file has only structures that the library reads safely, damaged or not.

    Those are the ones of the first version of the format (superblock 0 or 1), which h5py and
    MATLAB write by default, without a global heap: that is where virtual datasets, texts of any
    length and references to dimension scales are kept.
    """
    if file.length() > _SCANNED:
        return False
    with file.open() as opened:
        content = opened.read()
    start = content.find(_SUPERBLOCK) + len(_SUPERBLOCK)
    if content[start : start + 1] not in (b"\x00", b"\x01"):
        return False
    return not any(mark in content for mark in _DOUBTFUL)


def try_out(file: Input, options: ReadOptions) -> None:
    """Open a file in another process.

    Raises
    ------
    InputError
        If that crashes or does not end. Any other reason to refuse the file is found again, and
        told, where it is opened.
    """
    if not _TRIALS.survives(file, options, SECONDS):
        raise InputError(
            f"{file.name}: is damaged: the HDF5 library crashes or never ends on it; write it again"
        )


class _Trials:
    """The other process, begun when it is first needed and again when it has died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def survives(self, file: Input, options: ReadOptions, seconds: float) -> bool:
        with self._lock:
            try:
                if self._process is None and not self._begin():
                    return True  # where no process can begin there is no trial either
                survived = self._ask((file, options, seconds))
            except BaseException:  # an interrupt: the next answer would be that of this file
                self.end()
                raise
            if not survived:
                self.end()
            return survived

    def _begin(self) -> bool:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        began = self._process.stdout.read(1) == DONE
        if not began:
            self.end()
        return began

    def _ask(self, request: tuple[Input, ReadOptions, float]) -> bool:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):
            pickle.dump(request, process.stdin)
            process.stdin.flush()
        return process.stdout.read(1) == DONE

    def end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(BrokenPipeError):
                process.communicate()


_TRIALS = _Trials()
atexit.register(_TRIALS.end)
