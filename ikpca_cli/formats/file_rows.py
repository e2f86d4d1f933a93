"""The samples of one file, as the numeric core sees them: a shape, and slices of rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from ikpca_cli.data.feature_names import order_of
from ikpca_cli.errors import IkpcaError, InputError, UsageError
from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.rows.row_slices import BLOCK, Array, Source, first_not_finite, plain_reason

MISSING = ("error", "drop", "mean", "fill", "keep")
LEFT = MISSING[3:]
"""What leaves missing values to a model, so that rows come with NaN."""


class Rows:
    """Samples of a file, one per row.

    Parameters
    ----------
    source
        The numbers.
    name
        What messages call them.
    layout
        The form they have in the file.
    missing
        What to do with NaN: one of `MISSING`.
    warnings
        Lines that the user should see.
    close
        Called once when the file is no longer needed.

    Attributes
    ----------
    shape : tuple of int
        Samples and features, (n, p).
    name : str
        The path, and the dataset where one was named.
    layout : Layout
        What a writer needs to mirror the file.
    warnings : tuple of str
        Plain lines for stderr.
    kept : ndarray of int, or None
        The samples' places in the file, counted from 0, where some were dropped.
    has_holes : bool
        Whether values are missing that a model has to fill in, so that samples come with NaN.
    """

    def __init__(
        self,
        source: Source,
        name: str,
        layout: Layout,
        *,
        missing: str = "error",
        warnings: tuple[str, ...] = (),
        close: Callable[[], None] | None = None,
    ) -> None:
        self.name = name
        self.layout = layout
        self.warnings = warnings
        self.kept: npt.NDArray[np.intp] | None = None
        self.shape = (source.shape[0], math.prod(source.shape[1:]))
        self._source = source
        self._means: Array | None = None
        self._fill: Callable[[Array], Array] | None = None
        self.has_holes = False
        self._order: list[int] | None = None
        self._close = close
        single = source.dtype.kind == "f" and source.dtype.itemsize == 4
        self.dtype = np.dtype(np.float32 if single else np.float64)
        try:
            if missing not in MISSING:
                raise UsageError(f"--missing {missing}: give one of {', '.join(MISSING)}")
            if missing != "error":
                self._treat_missing(missing)
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> Array:
        """Return some samples.

        Parameters
        ----------
        rows
            A slice with step 1.

        Returns
        -------
        ndarray of shape (k, p)
            Native float64 (float32 where the file holds float32), in C order, finite. It may be a
            read-only view. Values to be filled in by a model are NaN until `fill_by` is called.

        Raises
        ------
        InputError
            If a number is NaN or infinite, naming the file, the row and the column, or the file
            cannot be read.
        """
        start, stop, step = rows.indices(self.shape[0])
        if step != 1:
            raise ValueError("samples are read in order: the step of a slice must be 1")
        if stop <= start:
            return np.empty((0, self.shape[1]), self.dtype)
        block = self._select(start, stop)
        if self._means is not None:
            holes = np.isnan(block)
            if holes.any():
                block = np.where(holes, self._means, block).astype(self.dtype, copy=False)
        bad = first_not_finite(block, with_nan=self.has_holes)
        if bad is not None:
            self._refuse(start + bad[0], bad[1], block[bad])
        if self._order is not None:
            block = np.ascontiguousarray(block[:, self._order])
        return block if self._fill is None else self._fill(block).astype(self.dtype, copy=False)

    def fill_by(self, fill: Callable[[Array], Array]) -> None:
        """Have a function fill in samples (k, p) with NaN, in the order of columns as read."""
        self._fill = fill

    def holes(self, rows: slice) -> npt.NDArray[np.bool_]:
        """Return which values of some samples are missing, (k, p), columns as in the file."""
        start, stop, _ = rows.indices(self.shape[0])
        return np.isnan(self._select(start, stop))

    def read(self) -> Array:
        """Return all samples, of shape (n, p), as `__getitem__` does."""
        return self[:]

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """What the file calls the columns, in the order in which they are read."""
        names = self.layout.feature_names
        if names is None or self._order is None:
            return names
        return tuple(names[place] for place in self._order)

    def match(self, names: Sequence[str] | None) -> None:
        """Read the columns in the order of the same names elsewhere, as in a model.

        Parameters
        ----------
        names
            The names, if there are any.

        Raises
        ------
        InputError
            If some of the names stand for other columns here.
        """
        own = self.layout.feature_names
        if names is None or own is None:
            return
        self._order, warning = order_of(own, names, self.name)
        if warning is not None:
            self.warnings += (warning,)

    def in_file_order(self, values: Array) -> Array:
        """Return values (k, p) with columns as read, with columns as they are in the file."""
        if self._order is None:
            return values
        placed = np.empty_like(values)
        placed[:, self._order] = values
        return placed

    def keep(self, places: npt.NDArray[np.intp]) -> None:
        """Use only some samples, as those of a file that belongs to one with samples dropped.

        Parameters
        ----------
        places
            Their places in the file, counted from 0, ascending.

        Raises
        ------
        InputError
            If the file has fewer samples.
        """
        if int(places[-1]) >= self.shape[0]:
            raise InputError(
                f"{self.name}: has {self.shape[0]} samples, but sample {int(places[-1]) + 1} of it "
                "is needed; give a file of the same samples"
            )
        self.kept = places
        self.shape = (len(places), self.shape[1])

    def close(self) -> None:
        """Close the file; what has been read stays valid."""
        close, self._close = self._close, None
        if close is not None:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _select(self, start: int, stop: int) -> Array:
        """Return samples `start` to `stop` of those kept."""
        if self.kept is None:
            return self._load(start, stop)
        places = self.kept[start:stop]
        first = int(places[0])
        return self._load(first, int(places[-1]) + 1)[places - first]

    def _load(self, start: int, stop: int) -> Array:
        """Return samples of the file as a plain matrix, NaN and all."""
        try:
            block = np.asarray(self._source[start:stop])
        except IkpcaError:
            raise
        except Exception as error:  # a damaged chunk, a file that was cut short meanwhile
            reason = plain_reason(error)
            raise InputError(f"{self.name}: cannot be read further: {reason}") from error
        with np.errstate(over="ignore"):  # long double: an overflow is refused as not finite
            block = np.ascontiguousarray(block, self.dtype)
        return block.reshape(stop - start, self.shape[1])

    def _treat_missing(self, missing: str) -> None:
        """Find the samples with NaN, and drop them or find the means to fill in."""
        n, p = self.shape
        whole = np.empty(n, bool)
        total, present = np.zeros(p), np.zeros(p, np.intp)
        size = max(1, BLOCK // p)
        for start in range(0, n, size):
            block = self._load(start, min(n, start + size))
            there = ~np.isnan(block)
            whole[start : start + size] = there.all(axis=1)
            total += np.where(there, block, 0).sum(axis=0, dtype=np.float64)
            present += there.sum(axis=0)
        if whole.all():
            return
        if missing in LEFT:
            self.has_holes = True
            done = "filled in by the model" + ", missing in the output" * (missing == "keep")
            self._warn(_missing_values(n * p - int(present.sum()), done))
            return
        if missing == "mean":
            empty = np.flatnonzero(present == 0)
            if empty.size:
                raise InputError(
                    f"{self.name}: feature {empty[0] + 1} has no value at all, so no mean; "
                    "leave it out"
                )
            self._means = total / present
            count = n * p - int(present.sum())
            self._warn(_missing_values(count, "replaced by the feature's mean"))
            return
        self.kept = np.flatnonzero(whole)
        if self.kept.size == 0:
            raise InputError(f"{self.name}: every sample has a missing value; none is left")
        self.shape = (int(self.kept.size), p)
        self.layout = self.layout.keep(whole)
        gone = np.flatnonzero(~whole) + 1
        listed = ", ".join(map(str, gone[:10])) + (", ..." if gone.size > 10 else "")
        kind = "column" if self.layout.transposed else "row"
        self._warn(
            f"{gone.size} of {n} samples dropped for missing values, and not in the output: "
            f"{kind} {listed}"
        )

    def _warn(self, text: str) -> None:
        self.warnings += (f"{self.name}: {text}",)

    def _refuse(self, row: int, column: int, value: float) -> None:
        """Say where a number is not finite."""
        if self.kept is not None:
            row = int(self.kept[row])
        place = self._place(row, column)
        if math.isnan(value):
            raise InputError(
                f"{self.name}: {place} is missing (NaN); mend it, or give --missing drop, mean or "
                "fill"
            )
        raise InputError(f"{self.name}: {place} is infinite; mend it or leave its row out")

    def _place(self, row: int, column: int) -> str:
        """Name a number's place as the file has it, counted from 1."""
        shape = self.layout.sample_shape
        if len(shape) > 1:
            within = ", ".join(str(int(i) + 1) for i in np.unravel_index(column, shape))
            return f"row {row + 1}, column {column + 1} (element {within} of the sample)"
        for part in self.layout.parts:
            if row < part.count:
                return f"row {row + 1}, column {column + 1} of {part.dataset}"
            row -= part.count
        if self.layout.transposed:
            row, column = column, row
        return f"row {row + 1}, column {column + 1}"


def _missing_values(count: int, done: str) -> str:
    return f"{count} missing value{'s' * (count != 1)} {done}"
