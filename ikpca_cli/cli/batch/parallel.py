"""Many files at once, by joblib: in threads, or wherever its active backend runs things."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ikpca_cli.cli.batch.cleaning import clean
from ikpca_cli.cli.batch.job import Job, Outcome, Stopped

if TYPE_CHECKING:
    from ikpca_cli.data.row_source import Progress


def clean_all(files: Sequence[Job], workers: int | None, progress: Progress) -> Iterator[Outcome]:
    """Clean files, and yield what became of them in their order.

    Threads share the model and start at once; with thousands of small files they take as long as
    processes. A backend that is active in joblib (``joblib.parallel_config``) takes over.

    Parameters
    ----------
    files
        What to do.
    workers
        Files at a time; None for as many as there are cores that this process may use.
    progress
        Told of the rows of a single file, or of files.
    """
    if len(files) < 2 or workers == 1 or any(_is_stream(job) for job in files):
        from ikpca_cli.data.row_source import silent
        from ikpca_cli.data.threads import jobs

        alone = len(files) == 1
        for done, job in enumerate(files, start=1):
            with jobs(workers):
                outcome = clean(job, progress if alone else silent)
            if not alone:  # what is left is told by files, not by the rows of each
                progress("files", done, len(files))
            yield outcome
        return
    from ikpca_cli.data.threads import thread_count

    with closing(_clean_by_joblib(files, workers or thread_count())) as outcomes:
        for done, outcome in enumerate(outcomes, start=1):
            progress("files", done, len(files))
            yield outcome


def _clean_by_joblib(files: Sequence[Job], workers: int) -> Generator[Outcome, None, None]:
    from joblib import Parallel, delayed

    from ikpca_cli.data.threads import one_blas_thread

    runner = _Runner()
    parallel = Parallel(workers, prefer="threads", return_as="generator", batch_size=1)
    try:
        with one_blas_thread:  # once, not anew for each block of each file
            yield from parallel(delayed(runner)(job) for job in files)
    finally:
        runner.stop()


class _Runner:
    """Cleans files until told to stop, then waits for what is under way to clean up.

    A copy in another process is never told: backends have ways of their own.
    """

    def __init__(self) -> None:
        self._stopped = False
        self._running = 0
        self._change = threading.Condition()

    def __call__(self, job: Job) -> Outcome:
        with self._change:
            self._check()
            self._running += 1
        from ikpca_cli.data.threads import jobs

        try:
            with jobs(1):
                return clean(job, self._check)
        finally:
            with self._change:
                self._running -= 1
                self._change.notify_all()

    def __reduce__(self) -> Any:
        return _Runner, ()

    def stop(self) -> None:
        """Let no file begin or go on."""
        with self._change:
            self._stopped = True
            self._change.wait_for(lambda: self._running == 0)

    def _check(self, *_: Any) -> None:
        if self._stopped:
            raise Stopped


def _is_stream(job: Job) -> bool:
    """Tell whether only this process can read or write what a job names."""
    return "-" in (job.source, job.target, job.residual) or Path(job.source).is_fifo()
