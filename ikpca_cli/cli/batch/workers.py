"""Processes that clean many small files, where threads would mostly wait for one another.

Each has a pipe to the one that began it. When that closes, because the batch is over or its process
is gone, they undo what they are at and end; nothing else is shared, so nothing else can go wrong.
"""

from __future__ import annotations

import os
import signal
import threading
import traceback
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ikpca_cli.cli.batch.cleaning import Job, Outcome, Stopped, clean
from ikpca_cli.cli.sources import split_source
from ikpca_cli.data.signals import on_request_to_end
from ikpca_cli.errors import IkpcaError

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

Chunk: TypeAlias = Sequence[Job]
Answer: TypeAlias = list[Outcome] | BaseException

MANY_FILES = 400
"""Fewer are done before processes of their own have begun."""

SMALL_FILE = 2**20
"""Bytes in a file, on average, up to which most of the time is Python's and the file system's."""

LARGEST_MODEL = 2**28
"""Bytes in a model of which each process may have its own."""

_SOME = 50  # files whose size is is_read at
_CHUNK = 8  # files that a process is given at a time
_SAFE_PATH = "PYTHONSAFEPATH"


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
    OSError
        At once, if no two processes can be started.
    IkpcaError
        In the course of it, if a process was ended from outside.
    """
    chunks = [files[start : start + _CHUNK] for start in range(0, len(files), _CHUNK)]
    started: list[_Worker] = []
    with _current_folder_left_out():
        try:
            while len(started) < min(workers, len(chunks)):
                started.append(_Worker())
        except OSError:
            if len(started) < 2:
                _end(started)
                raise
    return _outcomes(chunks, started)


class _Worker:
    """A process, and this end of the pipe to it."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(target=_work, args=(theirs,), daemon=True)
        try:
            self.process.start()
        except OSError:
            self.pipe.close()
            raise
        finally:
            theirs.close()


def _outcomes(
    chunks: Sequence[Chunk], workers: Sequence[_Worker]
) -> Generator[Outcome, None, None]:
    """Hand out chunks of files, and yield what became of each file, in order."""
    todo = iter(enumerate(chunks))
    done: dict[int, Answer] = {}
    pipes = [worker.pipe for worker in workers]

    def hand_out(pipe: Connection) -> None:
        numbered = next(todo, None)
        if numbered is not None:
            pipe.send(numbered)

    try:
        for pipe in 2 * pipes:  # so that none waits for the next
            hand_out(pipe)
        for place in range(len(chunks)):
            while place not in done:
                for ready in wait(pipes):
                    pipe = cast(Connection, ready)
                    number, answer = pipe.recv()
                    done[number] = answer
                    hand_out(pipe)
            answer = done.pop(place)
            if isinstance(answer, BaseException):
                raise answer
            yield from answer
    except (EOFError, ConnectionError):
        raise IkpcaError(
            "a process that cleans files ended before its work was done, killed for want of memory "
            "perhaps: go on with --skip-existing, and --jobs 1 if it happens again"
        ) from None
    finally:
        _end(workers)


def _end(workers: Sequence[_Worker]) -> None:
    """Let processes undo what they are at, and wait for them."""
    for worker in workers:
        worker.pipe.close()
    for worker in workers:
        worker.process.join()


@contextmanager
def _current_folder_left_out() -> Iterator[None]:
    """Let processes that start meanwhile not look for Python's own modules in the current folder.

    They would run a file there that has the name of one: signal.py, say.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0  # cleaning it says why


# In a process of its own ------------------------------------------------------------------------


def _work(pipe: Connection) -> None:
    """Clean chunks of files from a pipe until it closes, and answer each."""
    warnings.simplefilter("ignore")
    over = threading.Event()
    chunks: SimpleQueue[tuple[int, Chunk] | None] = SimpleQueue()

    def stop(*_: object) -> None:
        over.set()
        chunks.put(None)

    def receive() -> None:
        with suppress(EOFError, OSError):
            while True:
                chunks.put(pipe.recv())
        stop()

    # An interrupt reaches all processes of a terminal; the one in front tells the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    on_request_to_end(stop)
    # Read when numpy comes in, which is later: this process is one of as many as there are cores.
    os.environ["OMP_NUM_THREADS"] = "1"
    from ikpca_cli.data.memory import keep_freed_memory

    keep_freed_memory()
    threading.Thread(target=receive, daemon=True).start()
    with suppress(Stopped, OSError):
        while (numbered := chunks.get()) is not None:
            number, chunk = numbered
            pipe.send((number, _answer(chunk, over)))


def _answer(chunk: Chunk, over: threading.Event) -> Answer:
    """Return what becomes of some files, or what went wrong for no reason that is known."""
    from ikpca_cli.data.threads import jobs
    from ikpca_cli.formats.output import names_confirmed_together

    def check(*_: Any) -> None:
        if over.is_set():
            raise Stopped

    try:
        with jobs(1), names_confirmed_together():
            return [clean(job, check) for job in chunk]
    except Stopped:
        raise
    except Exception as error:
        error.add_note("".join(traceback.format_exception(error)))  # a pickle loses it
        return error
