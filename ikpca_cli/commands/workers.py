"""Processes that clean many small files, where threads would mostly wait for one another.

They end what they have begun, or undo it, whatever ends: the batch, its process, or they.
"""

from __future__ import annotations

import os
import signal
import threading
import warnings
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING, Any, NoReturn

from ikpca_cli.commands.cleaning import Job, Outcome, clean
from ikpca_cli.commands.sources import split_source
from ikpca_cli.errors import IkpcaError

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event

MANY_FILES = 400
"""Fewer are done before processes of their own have begun."""

SMALL_FILE = 2**20
"""Bytes in a file, on average, up to which most of the time is Python's and the file system's."""

LARGEST_MODEL = 2**28
"""Bytes in a model of which each process may have its own."""

_SOME = 50  # files whose size is looked at
_CHUNK = 8  # files that a process is given at a time

_stopped: Event


def are_worth_it(files: Sequence[Job]) -> bool:
    """Tell whether files are so many and so small that processes clean them sooner than threads."""
    if len(files) < MANY_FILES:
        return False
    some = files[:: len(files) // _SOME]
    sizes = [_size(split_source(job.source)[0]) for job in some]
    return sum(sizes) <= SMALL_FILE * len(some) and _size(files[0].model) <= LARGEST_MODEL


def clean_in_processes(files: Sequence[Job], workers: int) -> Generator[Outcome, None, None]:
    """Clean files, and return what becomes of them in their order.

    Raises
    ------
    ImportError, OSError
        At once, where the system has nothing by which processes could be told to stop.
    IkpcaError
        In the course of it, if a process was ended from outside.
    """
    context = get_context("spawn")
    stopped = context.Event()
    return _outcomes(files, stopped, ProcessPoolExecutor(workers, context, _begin, (stopped,)))


def _outcomes(
    files: Sequence[Job], stopped: Event, pool: ProcessPoolExecutor
) -> Generator[Outcome, None, None]:
    try:
        yield from pool.map(_clean, files, chunksize=_CHUNK)
    except BrokenProcessPool:
        raise IkpcaError(
            "a process that cleans files was ended from outside, for want of memory perhaps: "
            "go on with --skip-existing, and --jobs 1 if it happens again"
        ) from None
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0  # cleaning it says why


def _begin(stopped: Event) -> None:
    """Set a new process up."""
    global _stopped
    _stopped = stopped
    warnings.simplefilter("ignore")
    # An interrupt reaches all processes of a terminal; the one in front tells the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _leave)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Read when numpy comes in, which is later: this process is one of as many as there are cores.
    os.environ["OMP_NUM_THREADS"] = "1"
    from ikpca_cli.core.memory import keep_freed_memory

    keep_freed_memory()


def _clean(job: Job) -> Outcome:
    from ikpca_cli.core.threads import jobs

    try:
        with jobs(1):
            return clean(job, _check)
    except SystemExit:
        os._exit(1)  # all is undone; the pool would go on with the next


class _Stopped(Exception):
    """Raised in a process when the batch is over."""


def _check(*_: Any) -> None:
    if _stopped.is_set():
        raise _Stopped


def _leave(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(1)


def _end_with_parent() -> None:
    """Leave when the process that began this one was killed and cannot say so."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
