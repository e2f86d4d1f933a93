"""Whether rows that are numbered are samples of a recording, or those of a table of cases.

Of both a number in each row may be all that stands beside them. In a recording most channels have
an order from sample to sample (their von Neumann ratio is not 1), which no other column explains.
Cases have none, but for that of their kinds where they are sorted by these, or have words that
differ from row to row: states of a recording last.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ikpca_cli.data.row_source import FloatArray, RowSource
from ikpca_cli.formats.csv.form.row_numbers import is_number_of_rows

ORDERED = 1.0 / 3.0
"""Share of the columns, at most, that have an order in a table."""

_WEAK, _SURE = 0.1, 3.0
"""How far from 1 the ratio of a column in order is at least; that, over its error by chance."""

_LAGS = (1, 2, 3, 4)  # at one of which differences of a channel are others than of any two samples
_EACH = 8  # rows to a word that may be a kind, at least
_SHORT = 8.0  # rows that words of a table last, at most

Codes = npt.NDArray[np.intp]


def number_of_rows(rows: RowSource) -> str | None:
    """Return the name of the labels of rows that number them, "" for an index; None if none do."""
    table: Any = getattr(getattr(rows, "layout", None), "table", None)
    if table is None or not table.labels or not table.label_names:
        return None
    for place, name in enumerate(table.label_names):
        cells = [row[place].strip().strip("\"'") for row in table.labels]
        if is_number_of_rows(name, cells):
            return str(name)
    return None


def are_cases(rows: RowSource, some: slice) -> bool:
    """Tell whether numbered rows are cases of a table, and no samples of a recording.

    Parameters
    ----------
    rows : RowSource, shape (n, p)
    some : slice
        The rows that are looked at.
    """
    words = _words(rows, some)
    if any(_run(codes) <= _SHORT for codes in words):
        return True
    kinds = None
    for codes in words:
        kinds = codes if kinds is None else _together(kinds, codes)
    if kinds is not None and len(kinds) < _EACH * (int(kinds.max()) + 1):
        kinds = None
    values = np.asarray(rows[some], dtype=np.float64)
    columns = [column for column in values.T if np.ptp(column) > 0.0]
    ordered = sum(_is_ordered(column, kinds) for column in columns)
    return bool(columns) and ordered <= ORDERED * len(columns)


def _is_ordered(column: FloatArray, kinds: Codes | None) -> bool:
    """Tell whether neighbours in a column (n,) differ otherwise than any two of one kind."""
    from scipy.stats import rankdata

    ranks: FloatArray = rankdata(column)
    ranks -= ranks.mean()
    if kinds is not None:
        ranks -= (np.bincount(kinds, ranks) / np.maximum(np.bincount(kinds), 1))[kinds]
    spread = 2.0 * float(ranks.var())
    if spread <= 1e-9:
        return False
    ratios = [float(np.mean((ranks[lag:] - ranks[:-lag]) ** 2)) / spread for lag in _LAGS]
    far = max(abs(ratio - 1.0) for ratio in ratios)
    return far > max(_WEAK, _SURE / float(np.sqrt(len(ranks))))


def _words(rows: Any, some: slice) -> list[Codes]:
    """Return the labels of rows that are one of a few words, as places in a list of these."""
    labels = rows.layout.table.labels[some]
    found = []
    for cells in zip(*labels, strict=True):
        known, codes = np.unique([cell.strip() for cell in cells], return_inverse=True)
        letters = all(any(sign.isalpha() for sign in word) for word in known)
        if letters and 1 < len(known) <= len(cells) / _EACH:
            found.append(codes)
    return found


def _run(codes: Codes) -> float:
    """Return how many rows a word lasts on the average."""
    return len(codes) / (1.0 + np.count_nonzero(np.diff(codes)))


def _together(first: Codes, second: Codes) -> Codes:
    """Return the places of pairs in the list of all pairs that are there."""
    codes: Codes = np.unique(first * (int(second.max()) + 1) + second, return_inverse=True)[1]
    return codes
