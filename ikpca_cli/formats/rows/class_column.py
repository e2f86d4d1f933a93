"""Columns that may be the class of each row, as archives have it beside the numbers of a series."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_WIDE, _CLASSES, _TOLD = 8, 20, 10_000
"""Columns from which one may be another kind of thing, classes at most, and rows looked at."""


def class_column(
    values: npt.NDArray[Any], fine: npt.NDArray[np.bool_] | None = None
) -> tuple[int, int] | None:
    """Return a column at an end that may be the class of each row, and how many classes it has.

    It holds few whole numbers, where all others that vary have fractions.

    Parameters
    ----------
    values : ndarray of shape (n, p)
    fine : ndarray of shape (p,), optional
        Which columns are written with enough decimals for that to be no chance; all by default.
    """
    some, width = values[:_TOLD], values.shape[1]
    if width < _WIDE or not len(some):
        return None
    whole = (some == np.rint(some)).all(axis=0)
    varies = (some != some[:1]).any(axis=0)
    fractions = varies & ~whole if fine is None else varies & ~whole & fine
    for place, inner in ((0, slice(1, None)), (width - 1, slice(None, -1))):
        others, odd = fractions[inner], (varies & ~fractions)[inner]
        if not (whole[place] and varies[place] and others.any()) or odd.any():
            continue
        count = len(np.unique(some[:, place]))
        if count <= max(2, min(_CLASSES, len(values) // 4)):
            return place, count
    return None
