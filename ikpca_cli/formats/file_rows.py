"""The samples of one file, as the numeric core sees them: a shape, and slices of rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from ikpca_cli.data.feature_names import TRAINING
from ikpca_cli.data.matching import Match, match_names
from ikpca_cli.errors import IkpcaError, InputError, UsageError
from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.rows.fillers import doubts_of_array
from ikpca_cli.formats.rows.missing import MISSING, UNTREATED, Missing
from ikpca_cli.formats.rows.row_slices import Array, Source, first_not_finite, plain_reason


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
        What to do with NaN: one of `MISSING`, or `UNTREATED`.
    names
        What the features are called, where that is not in the layout.
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
        names: tuple[str, ...] | None = None,
        warnings: tuple[str, ...] = (),
        close: Callable[[], None] | None = None,
    ) -> None:
        self.name = name
        self.layout = layout
        self.warnings = warnings
        self.kept: npt.NDArray[np.intp] | None = None
        self._width = math.prod(source.shape[1:])
        self.shape = (source.shape[0], self._width)
        self._source = source
        self._means: Array | None = None
        self._fill: Callable[[Array], Array] | None = None
        self.has_holes = False
        self._match, self._known = Match(), names or layout.feature_names
        self._close = close
        single = source.dtype.kind == "f" and source.dtype.itemsize == 4
        self.dtype = np.dtype(np.float32 if single else np.float64)
        try:
            if missing not in (*MISSING, UNTREATED):
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
        block = self._present(start, stop)
        bad = first_not_finite(block, with_nan=self.has_holes)
        if bad is not None:
            self._refuse(start + bad[0], bad[1], block[bad])
        block = self._match.forward(block)
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
        """What the columns are called, in the order in which they are read."""
        return self._known

    def match(
        self, names: Sequence[str] | None, *, resample: bool = False, whose: str = TRAINING
    ) -> None:
        """Read the columns in the order of the same names elsewhere, as in a model.

        Parameters
        ----------
        names
            The names, if there are any.
        resample
            Whether signals of another axis are brought to the one that the names are.
        whose
            What messages call what has the names.

        Raises
        ------
        InputError
            If some of the names stand for other columns here, or are another axis.
        """
        own = self.layout.feature_names
        if names is None or own is None:
            return
        self._match = match_names(own, names, self.name, whose=whose, resample=resample)
        if self._match.warning is not None:
            self.warnings += (self._match.warning,)
        if self._match.resampling is not None and self.has_holes:
            raise InputError(
                f"{self.name}: signals with missing values are not resampled: give --missing drop "
                "or mean"
            )
        if self._match.order is not None:
            self._known = tuple(own[place] for place in self._match.order)
        if self._match.resampling is not None:
            self._known = tuple(names)
            self.shape = (self.shape[0], len(names))

    def in_file_order(self, values: Array, rows: slice | None = None) -> Array:
        """Return values (k, p) with columns as read, with columns as they are in the file.

        Where the file has more than the axis that its rows were brought to, they are what these
        `rows` of it have there, or 0.
        """
        beyond = None
        if self._match.resampling is not None and rows is not None:
            beyond = self._present(rows.start, rows.stop)
        return self._match.back(values, beyond)

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

    def warn_of_numbers(self) -> None:
        """Warn of numbers that may stand for none, or a class, or are too long to be kept."""
        whole, flat = self.layout.dtype.kind in "iu", len(self.layout.sample_shape) == 1
        flat = flat and not self.layout.transposed
        for line in doubts_of_array(self._select, self.shape, self._place, whole=whole, flat=flat):
            self._warn(line)

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

    def _present(self, start: int, stop: int) -> Array:
        """Return samples with means for what is missing, where these are to be filled in."""
        block = self._select(start, stop)
        if self._means is None or not (holes := np.isnan(block)).any():
            return block
        return np.where(holes, self._means, block).astype(self.dtype, copy=False)

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
            raise InputError(
                f"{self.name}: cannot be read further: {reason}; copy it again"
            ) from error
        with np.errstate(over="ignore"):  # long double: an overflow is refused as not finite
            block = np.ascontiguousarray(block, self.dtype)
        return block.reshape(stop - start, self._width)

    def _treat_missing(self, missing: str) -> None:
        """Find the samples with NaN, and drop them or find the means to fill in."""
        found = Missing.of(self._load, self.shape)
        if found.whole.all():
            return
        if missing == "drop":
            self.kept = found.kept(self.name)
            self.shape = (int(self.kept.size), self.shape[1])
            self.layout = self.layout.keep(found.whole)
            self._warn(found.dropped(self.layout))
            return
        if missing == "mean":
            self._means = found.means(self.name)
        else:
            self.has_holes = True
        if missing != UNTREATED:
            self._warn(found.replaced(missing))

    def _warn(self, text: str) -> None:
        self.warnings += (f"{self.name}: {text}",)

    def _place(self, row: int, column: int) -> str:
        """Name the place in the file of a number of these samples."""
        return self.layout.place(row if self.kept is None else int(self.kept[row]), column)

    def _refuse(self, row: int, column: int, value: float) -> None:
        """Say where a number is not finite."""
        place = self._place(row, column)
        if math.isnan(value):
            raise InputError(
                f"{self.name}: {place} is missing (NaN); mend it, or give --missing drop, mean or "
                "fill (for a recording, keep or fill)"
            )
        raise InputError(f"{self.name}: {place} is infinite; mend it or leave its row out")
