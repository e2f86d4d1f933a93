"""Row sources: anything with ``.shape`` and row slices, read block by block as float64."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from numbers import Real
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.errors import InputError

FloatArray: TypeAlias = NDArray[np.floating[Any]]

LARGEST = 1e75
"""Spreads and parameters between this and its inverse have fourth powers in double precision."""

LARGEST_VALUE = 1e76
"""Numbers beyond it cannot be reckoned with: their fourth powers are not in double precision."""

LARGEST_SINGLE = 1e9
"""The same for single precision."""

BLOCK_ELEMENTS = 2**21
"""Elements of the widest intermediate array in one block: 16 MiB in float64."""

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called as ``progress(stage, done, total)`` from within long loops."""


class RowSource(Protocol):
    """An array, a memory map, an HDF5 dataset: rows that are read by slices."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(n_samples, n_features)."""

    def __getitem__(self, rows: slice, /) -> Any:
        """Rows as an array."""


def silent(stage: str, done: int, total: int) -> None:
    """Report no progress."""


def as_rows(X: Any, *, least: int = 1) -> RowSource:
    """Check that `X` is a stack of rows, without reading it.

    Parameters
    ----------
    X : array_like or RowSource, shape (n_samples, n_features)
        Numbers, one sample a row.
    least : int
        The fewest rows that make sense.

    Raises
    ------
    InputError
        If `X` has another number of dimensions, too few rows, rows of several lengths, no columns,
        or holds no real numbers; if it is sparse, or some of its numbers are masked.
    """
    try:
        source: RowSource = X if hasattr(X, "shape") else np.asarray(X)
    except ValueError as error:
        raise InputError(f"{row_name(X)} has rows of several lengths: give one") from error
    if hasattr(source, "toarray"):  # a sparse matrix
        raise InputError(f"{row_name(X)} is a sparse matrix: give X.toarray()")
    if np.ma.is_masked(source):
        raise InputError(
            f"{row_name(X)} has masked numbers, and what the mask hides would be taken for data: "
            "fill them in, or leave their rows out"
        )
    shape = tuple(source.shape)
    if len(shape) != 2:
        remedy = "X.reshape(1, -1) for a single sample"
        if len(shape) > 2:
            remedy = "X.reshape(len(X), -1) for samples of more dimensions"
        raise InputError(
            f"{row_name(X)} has shape {shape}, not (n_samples, n_features). Reshape your data, one "
            f"sample a row: {remedy}"
        )
    dtype = np.dtype(getattr(source, "dtype", np.float64))
    if isinstance(source, np.ndarray) and dtype.kind == "O":
        source = _numbers_of(source, row_name(X))
    elif dtype.kind == "c":
        raise InputError(
            f"{row_name(X)} holds complex numbers. Complex data not supported: give real and "
            "imaginary parts side by side"
        )
    elif dtype.kind not in "fiub":
        raise InputError(f"{row_name(X)} does not hold real numbers (dtype {dtype})")
    if hasattr(source, "columns"):
        source = _checked_frame(source)
    if shape[0] < least:
        raise InputError(
            f"{row_name(X)} has {_count(shape[0], 'row')}: at least {least} are needed here "
            f"(n_samples = {shape[0]})"
        )
    if shape[1] < 1:
        lacks = f"has no columns: 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        raise InputError(f"{row_name(X)} {lacks}")
    return source


def _numbers_of(objects: NDArray[np.object_], name: str) -> FloatArray:
    """Return Python's numbers (n, p) as an array of them.

    Raises
    ------
    InputError
        If something is no real number.
    """
    for place, value in np.ndenumerate(objects):
        if not isinstance(value, Real | Decimal):
            where = f"row {place[0] + 1}, column {place[1] + 1}"
            raise InputError(f"{name} does not hold real numbers alone: {where} is {value!r:.40}")
    return objects.astype(np.float64)


def _checked_frame(frame: Any) -> RowSource:
    """Return a data frame, of pandas or polars, as numbers, missing ones as NaN.

    Raises
    ------
    InputError
        If a column holds no real numbers.
    """
    for name, dtype in zip(frame.columns, frame.dtypes, strict=True):
        numeric = getattr(dtype, "is_numeric", None)
        if not (numeric() if callable(numeric) else getattr(dtype, "kind", "f") in "fiub"):
            raise InputError(
                f"{row_name(frame)}: column {name!r} does not hold real numbers ({dtype}): leave "
                "it out, or turn it into numbers"
            )
    nullable = any(hasattr(dtype, "na_value") for dtype in frame.dtypes)  # pandas' NA is no number
    rows: RowSource = frame.to_numpy(np.float64, na_value=np.nan) if nullable else frame
    return rows


def check_width(X: RowSource, n_features: int) -> None:
    """Refuse rows that are not as wide as those the model was fitted on."""
    if X.shape[1] != n_features:
        raise InputError(
            f"{row_name(X)} has {_count(X.shape[1], 'column')}{_in_file(X)} but the model was "
            f"fitted on {n_features}: give rows of the same kind as the training data"
            + (_turned(X) if X.shape[0] == n_features else "")
        )


def _turned(X: Any) -> str:
    """Return the remedy for rows that are as many as columns are asked for."""
    if getattr(getattr(X, "layout", None), "transposed", False):
        return " (without --transpose if samples are rows)"
    return " (--transpose if samples are columns)"


def row_blocks(X: RowSource, width: int) -> Iterator[tuple[slice, FloatArray]]:
    """Yield (slice, rows as float64) so that a block by `width` stays within `BLOCK_ELEMENTS`.

    Raises
    ------
    InputError
        At the first value that is not finite, or beyond `LARGEST_VALUE`, named by row and column
        (counted from 1).
    """
    for rows, block in unchecked_blocks(X, width):
        check_quickly(X, rows, block)
        yield rows, block


def unchecked_blocks(X: RowSource, width: int) -> Iterator[tuple[slice, FloatArray]]:
    """Yield what `row_blocks` does, for callers that find out themselves what is not finite."""
    n_samples = X.shape[0]
    step = max(1, BLOCK_ELEMENTS // max(width, X.shape[1]))
    for start in range(0, n_samples, step):
        rows = slice(start, min(start + step, n_samples))
        yield rows, np.ascontiguousarray(X[rows], dtype=np.float64)


def check_quickly(X: RowSource, rows: slice, block: FloatArray) -> None:
    """Do what `check_finite` does, without a second array where all is well."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        squares = np.vdot(block, block)
    if not squares <= LARGEST_VALUE**2:
        check_finite(X, rows, block)


def check_finite(X: RowSource, rows: slice, block: FloatArray) -> None:
    """Refuse a block of rows that are not all finite numbers, as `row_blocks` says."""
    fine = np.abs(block) <= LARGEST_VALUE
    if not fine.all():
        row, column = np.argwhere(~fine)[0]
        value = block[row, column]
        remedy = "remove or fill in missing values first"
        if np.isfinite(value):
            remedy = "such numbers cannot be reckoned with; mend it, or rescale the rows"
        raise InputError(
            f"{row_name(X)} row {rows.start + row + 1}, column {column + 1} is "
            f"{'NaN' if np.isnan(value) else value}: {remedy}"
        )


def read_all(X: RowSource) -> FloatArray:
    """Return every row as one float64 array (n_samples, n_features), checked as in `row_blocks`."""
    values = np.empty(X.shape)
    for rows, block in row_blocks(X, X.shape[1]):
        values[rows] = block
    return values


def column_means(X: RowSource) -> FloatArray:
    """Return the mean of each column, (n_features,), in one pass over row blocks."""
    # Differences from a row of the data itself keep a large common offset exact.
    pivot = np.asarray(X[0:1], dtype=np.float64)[0]
    total = np.zeros(X.shape[1])
    for _, block in row_blocks(X, X.shape[1]):
        total += (block - pivot).sum(axis=0)
    means: FloatArray = pivot + total / X.shape[0]
    return means


def sample_rows(X: RowSource, most: int, rng: np.random.Generator) -> FloatArray:
    """Return at most `most` rows in random order, read in sorted order so that files seek forward.

    Parameters
    ----------
    X : RowSource, shape (n_samples, n_features)
    most : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (min(n_samples, most), n_features)
    """
    n_samples = X.shape[0]
    if n_samples <= most:
        return read_all(X)[rng.permutation(n_samples)]
    chosen = np.sort(rng.choice(n_samples, size=most, replace=False))
    return pick_rows(X, chosen)[rng.permutation(most)]


def pick_rows(X: RowSource, places: NDArray[np.intp]) -> FloatArray:
    """Return the rows at some places, ascending and counted from 0, (len(places), n_features).

    What lies between them is not read.

    Raises
    ------
    InputError
        At a value that is not finite, or beyond `LARGEST_VALUE`.
    """
    if isinstance(X, np.ndarray):
        picked = X[places]
    else:
        runs = np.split(places, np.flatnonzero(np.diff(places) != 1) + 1)
        picked = np.concatenate([np.asarray(X[run[0] : run[-1] + 1]) for run in runs])
    values = np.ascontiguousarray(picked, dtype=np.float64)
    for row in np.flatnonzero(~(np.abs(values) <= LARGEST_VALUE).all(axis=1)):
        check_finite(X, slice(places[row], places[row] + 1), values[row : row + 1])
    return values


def row_name(X: Any) -> str:
    """Return what messages call some rows."""
    name = getattr(X, "name", None)
    return name if isinstance(name, str) else "the array"  # a row of a data frame has a number


def _in_file(X: Any) -> str:
    """Say what samples are in their file, where they have more than one axis there."""
    shape = getattr(getattr(X, "layout", None), "sample_shape", ())
    if len(shape) < 2:
        return ""
    return f" (samples of {' x '.join(map(str, shape))}; cut them, or fit a model on such ones)"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
