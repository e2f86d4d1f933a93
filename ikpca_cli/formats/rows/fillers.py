"""Numbers that instruments and programs write where there is none, and those too long to keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ikpca_cli.formats.rows.class_column import class_column

_LARGEST = tuple(2**bits - below for bits in (15, 16, 23, 31, 32, 63) for below in (0, 1))
_NINES = (999, 9999, 99999, 999999, 999.9, 9999.9, 99999.9, 99.99, 999.99, 9999.99)
_ODD = (
    *(6999.0, 7999.0),  # Campbell's loggers
    *(999.25, 9.9e37, 9.91e37),
    9.969209968386869e36,  # netCDF's default
    1.70141e38,  # Surfer's
    *(3.4028234663852886e38, 1.7976931348623157e308),  # the largest of single and double precision
)
_POWERS = tuple(10.0**exponent for exponent in range(20, 39))
_FILLERS = np.array([*_NINES, *_LARGEST, *_ODD, *_POWERS])
_BAD_FLAG = -9.99e-29
"""What Sea-Bird's programs write, which is a number near zero for all others."""

_SAME = 1e-6
"""How closely single precision keeps them."""

_FAR = 3.0
"""How many times all others such a number is."""

FAR = (
    "holds {:g}, far from all others: if that stands for a missing value, put NaN in its place and "
    "give --missing"
)

EXACT = 2.0**53
"""Whole numbers up to here are kept by double precision."""

LONG = "holds {:.4g}: whole numbers from 2^53 on are rounded to double precision, about 16 digits"

_PIECES, _NUMBERS = 16, 1 << 13
"""Pieces of a long array that are looked at, and how many numbers they hold together."""


def filler(values: npt.NDArray[Any]) -> tuple[int, int] | None:
    """Return the row and column of a number that may stand for a missing value, if there is one.

    It is one of those that are usual, and far from all others, or from those of its column: those
    of other columns may be as large.

    Parameters
    ----------
    values : ndarray of shape (n, p)
    """
    bad = np.argwhere(np.isclose(values, _BAD_FLAG, rtol=_SAME, atol=0.0))
    if len(bad):
        return int(bad[0][0]), int(bad[0][1])
    size = np.abs(values, dtype=np.float64)
    size[~np.isfinite(size)] = 0.0
    largest = size.max(axis=0, initial=0.0)
    others = size.max(axis=0, initial=0.0, where=size < (1.0 - _SAME) * largest)
    most = float(largest.max(initial=0.0))
    rest = float(size.max(initial=0.0, where=size < (1.0 - _SAME) * most))
    far = (largest == most) & (most >= _FAR * rest)
    far |= (largest >= _FAR * others) & (others > 0.0)
    low = values.min(axis=0, initial=np.inf, where=np.isfinite(values))
    above = values.min(axis=0, initial=np.inf, where=values > low)
    alone = (low < 0.0) & (above >= 0.0) & (above < np.inf)  # below zero, as no other is
    is_filler = (size == largest) & far & _is_usual(largest)
    is_filler |= (values == low) & _is_usual(np.where(alone, -low, 0.0))
    if not is_filler.any():
        return None
    row, column = np.argwhere(is_filler)[0]
    return int(row), int(column)


def _is_usual(numbers: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Tell which numbers (p,) are among those that stand for missing ones."""
    usual = np.isclose(numbers[:, None], _FILLERS, rtol=_SAME, atol=0.0)
    return np.asarray(usual.any(axis=1))


def too_long(values: npt.NDArray[Any]) -> tuple[int, int] | None:
    """Return the row and column of a whole number that double precision may have rounded.

    Parameters
    ----------
    values : ndarray of shape (n, p)
        Whole numbers, or NaN.
    """
    size = np.nan_to_num(np.abs(values))
    row, column = np.unravel_index(int(size.argmax()), size.shape)
    return (int(row), int(column)) if size[row, column] >= EXACT else None


def doubts_of_array(
    load: Callable[[int, int], npt.NDArray[Any]],
    shape: tuple[int, int],
    name_place: Callable[[int, int], str],
    *,
    whole: bool,
    flat: bool,
) -> list[str]:
    """Return lines about numbers that the user should check.

    Parameters
    ----------
    load
        Returns rows. A long array is not read to its end.
    shape
        Of all rows, (n, p).
    name_place
        Names a row and a column.
    whole
        Whether the file has whole numbers.
    flat
        Whether rows have one axis, in which a column may be of another kind.
    """
    parts = _looked_at(*shape)
    values = np.concatenate([load(part.start, part.stop) for part in parts])
    found, said = filler(values), FAR
    if found is None and whole:
        found, said = too_long(values), LONG
    lines = []
    if found is not None:
        places = np.concatenate([np.arange(part.start, part.stop) for part in parts])
        row = int(places[found[0]])
        lines.append(f"{name_place(row, found[1])} {said.format(float(values[found]))}")
    classes = class_column(values) if flat else None
    if classes is not None:
        lines.append(
            f"column {classes[0] + 1} holds {classes[1]} whole numbers, where the others have "
            "decimals; it was read as data. If it is the class of each row, take it out"
        )
    return lines


def _looked_at(n_rows: int, n_columns: int) -> list[slice]:
    """Return the rows of an array that are looked at: all, or pieces from its start to its end."""
    count = max(1, _NUMBERS // max(1, n_columns))
    if n_rows <= count:
        return [slice(0, n_rows)]
    length = max(1, count // _PIECES)
    # Not from the first on: readers take that for the beginning of reading all, and read ahead.
    starts = np.linspace(1, n_rows - length, min(_PIECES, count)).astype(int)
    return [slice(int(start), int(start) + length) for start in starts]
