"""A first column that is nearly an axis: it rises from row to row, but for some misplaced rows.

As a channel it would be changed, and as a part of samples of two numbers, too. Rows that are few
are told by that; others by the numbers of the axis, which are evenly spaced once they are sorted.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import RowSource
from ikpca_cli.recordings.times import LOOKED_AT, column_name, time_columns

_FEWEST = 16  # rows that tell an order
_RISING = 0.9  # share of the steps that rise, at least
_MOST_FALLS = 0.01  # share of the steps that fall, at most
_FEW_FALLS = 2  # that may be misplaced in any file
_NEAR, _FAR = 0.3, 1.7  # of the usual step, what rounded times are from one to the next


def disorder_of(rows: RowSource) -> str:
    """Say where the first column of rows (n, p) is out of order; "" where it is not, or no axis."""
    n_rows, n_columns = rows.shape
    if n_rows < _FEWEST or not 2 <= n_columns < n_rows:
        return ""
    first = np.asarray(rows[:LOOKED_AT], dtype=np.float64)[:, 0]
    steps, gaps = np.diff(first), np.diff(np.sort(first))
    falls, usual = np.flatnonzero(steps < 0.0), float(np.median(gaps))
    few = len(falls) <= max(_FEW_FALLS, int(_MOST_FALLS * len(steps)))
    few &= bool(np.mean(steps > 0.0) >= _RISING)
    even = gaps.min() > _NEAR * usual and np.mean(gaps < _FAR * usual) >= _RISING
    if not falls.size or not (few or (even and np.mean(steps > 0.0) > 0.5)):
        return ""
    if 0 in time_columns(rows):
        return ""
    return (
        f"{column_name(rows, 0)} rises from row to row, as times or an axis do, but falls at row "
        f"{falls[0] + 2}: put the rows in its order"
    )
