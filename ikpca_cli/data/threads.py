"""How many threads work, and that they are all: the one place that owns both.

Work is cut into chunks whose borders do not depend on the number of threads, each tile is computed
by one thread, and results are joined in the chunks' order. The linear algebra library underneath
is held to one thread meanwhile: it would cut its work by the number of threads and round
accordingly. So any number of threads gives the same bits, and never more of them run than allowed.
The command line sees to that before numpy is loaded; other programs need threadpoolctl for it, or
the threads are left to that library alone.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from ikpca_cli.errors import UsageError

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")

CONTROL_GROUP = Path("/sys/fs/cgroup")
"""Where Linux tells a container's limits."""

CACHED = 2**18
"""The numbers in an array that a thread goes over again and again: 2 MiB in float64."""

LEAST_ROWS = 256
"""With fewer rows than these at a time, products are slow and what they share is copied often."""

_JOBS: ContextVar[int | None] = ContextVar("jobs", default=None)


def allowed_cores() -> int:
    """Return the cores that this process may use: those it is bound to, or its container's share.

    The number in the environment variable OMP_NUM_THREADS lowers it.
    """
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if wanted.isdigit() and int(wanted) > 0:
        cores = min(cores, int(wanted))
    return max(1, min(cores, _container_cores(cores)))


def _container_cores(most: int) -> int:
    """Return the whole cores of the control group's processor time, `most` if it has no limit."""
    group = CONTROL_GROUP
    try:
        quota, period = (group / "cpu.max").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        try:
            quota = (group / "cpu/cpu.cfs_quota_us").read_text(encoding="ascii")
            period = (group / "cpu/cpu.cfs_period_us").read_text(encoding="ascii")
        except OSError:
            return most
    try:
        return max(1, int(quota) // int(period)) if int(quota) > 0 else most
    except (ValueError, ZeroDivisionError):  # "max"
        return most


def thread_count() -> int:
    """Return the number of threads that work started from here may use."""
    return _JOBS.get() or (allowed_cores() if _libraries_are_held() else 1)


@cache
def _libraries_are_held() -> bool:
    """Return whether linear algebra starts no threads beside ours, which would slow each other."""
    told = os.environ.get("OPENBLAS_NUM_THREADS") == "1"
    return told or find_spec("threadpoolctl") is not None


@contextmanager
def jobs(count: int | None) -> Iterator[None]:
    """Let what runs inside use `count` threads, all cores that are allowed for None.

    Raises
    ------
    UsageError
        If `count` is below 1.
    """
    if count is not None and count < 1:
        raise UsageError(f"{count} jobs are not possible: use 1 or more")
    token = _JOBS.set(count)
    try:
        yield
    finally:
        _JOBS.reset(token)


def parallel_map(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield ``function(item)`` for each item, in order, computed by as many threads as allowed.

    Only a few results are waiting at any time. Inside `function`,
    `parallel_map` uses no further threads.
    The caller iterates to the end and holds `one_blas_thread`.
    """
    threads = thread_count()
    if threads == 1:
        yield from map(function, items)
        return
    pool = _pool(threads)
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def parallel_for(function: Callable[[Item], object], items: Iterable[Item]) -> None:
    """Call ``function(item)`` for each item, as `parallel_map` does."""
    for _ in parallel_map(function, items):
        pass


def chunks(total: int, size: int) -> list[slice]:
    """Return slices of at most `size` that cover ``range(total)``."""
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]


def cached_rows(total: int, width: int) -> list[slice]:
    """Return slices of rows with which a core's cache holds arrays of this width."""
    return chunks(total, max(LEAST_ROWS, CACHED // width))


class _OneBlasThread:
    """Holds the linear algebra libraries to one thread from the first entry to the last exit.

    Those that are loaded at the first entry: `at_work` loads scipy's before where it is needed.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._restore: Callable[[], object] = int

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                # The libraries that are loaded change only when scipy comes in.
                controller = _controller("scipy.linalg" in sys.modules)
                if controller is not None:
                    self._restore = controller.limit(limits=1).restore_original_limits

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._restore()


one_blas_thread = _OneBlasThread()
"""Context in which linear algebra runs on the calling thread alone; may be entered from several."""


@contextmanager
def at_work(*, with_scipy: bool = False) -> Iterator[None]:
    """Hold `one_blas_thread`, and ask once instead of for each tile how many threads there are.

    Parameters
    ----------
    with_scipy : bool
        Whether the work needs scipy's linear algebra, which has a library and threads of its own.
    """
    if with_scipy:
        import scipy.linalg  # noqa: F401
    with jobs(thread_count()), one_blas_thread:
        yield


@cache
def _controller(with_scipy: bool) -> ThreadpoolController | None:
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return a pool whose threads start no others."""
    return ThreadPoolExecutor(threads, "ikpca", initializer=_JOBS.set, initargs=(1,))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork
