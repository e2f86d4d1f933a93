"""Passes over slices of rows, each run where joblib's active backend says, also on other machines.

What travels is how to open the rows, not the rows, and what comes back is what was made of a slice.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from typing import Any, TypeAlias

from ikpca_cli.data.row_source import Progress, RowSource, row_name
from ikpca_cli.data.threads import chunks, jobs, one_blas_thread

Opener: TypeAlias = Callable[[], RowSource]
"""Opens the rows anew, in whatever process; it can be pickled."""

FEWEST_ROWS = 2**16
"""Rows of a slice at least, so that opening a file costs little beside reading it."""


class Part:
    """Some of the rows of a source."""

    def __init__(self, rows: RowSource, start: int, stop: int) -> None:
        self._rows = rows
        self._start = start
        self.name = row_name(rows)
        self.shape = (stop - start, rows.shape[1])

    def __getitem__(self, rows: slice) -> Any:
        """Return rows by their places in this part."""
        return self._rows[slice(self._start + rows.start, self._start + rows.stop)]


def slices_of(n_samples: int, width: int) -> list[slice]:
    """Return slices of rows that are worth sending a result of `width` x `width` numbers.

    They depend on nothing else, so that any number of machines gives the same sums.
    """
    step = max(FEWEST_ROWS, 64 * width)
    return chunks(n_samples, step)


def over_slices(
    function: Callable[..., Any],
    opener: Opener,
    slices: list[slice],
    *args: Any,
    ticks: tuple[str, Progress],
) -> Iterator[Any]:
    """Yield ``function(part, start, *args)`` for each slice, in order.

    Parameters
    ----------
    function : callable
        One of a module, so that other processes can find it. It takes a `Part`, and the place of
        the part's first row.
    opener : Opener
    slices : list of slice
    *args
        The same for each.
    ticks : str and callable
        A stage, and what is told of the rows that are done at it.
    """
    from joblib import Parallel, delayed

    # In bytes: Dask keeps larger objects on one worker alone, and they are lost with it.
    task = pickle.dumps((function, opener, args))
    parallel = Parallel(return_as="generator", batch_size=1)
    stage, progress = ticks
    found = parallel(delayed(_run)(task, part.start, part.stop) for part in slices)
    for part, result in zip(slices, found, strict=True):
        yield result
        progress(stage, part.stop, slices[-1].stop)


def _run(task: bytes, start: int, stop: int) -> Any:
    function, opener, args = pickle.loads(task)
    rows = opener()
    with jobs(1), one_blas_thread, closing(rows) if hasattr(rows, "close") else nullcontext():
        return function(Part(rows, start, stop), start, *args)
