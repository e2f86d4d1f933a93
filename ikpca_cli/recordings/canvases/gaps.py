"""Recordings with missing values: short gaps are bridged by straight lines, long ones left out.

A logger that loses a sample or two leaves a gap that a line bridges well enough for the windows
around it. Over a longer one no window should span: the recording is cut there, as at a leap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray, RowSource, row_name
from ikpca_cli.errors import InputError

LONG = 8
"""Samples from which on a gap is long: half of the shortest window that "auto" compares."""

_BLOCK = 1 << 18  # numbers read together

Runs: TypeAlias = NDArray[np.intp]
"""Where values are missing of a column: from the first to before the second, (n, 2)."""


class Bridged:
    """Rows whose missing values lie on straight lines between their neighbours in a column.

    Before the first value and after the last they are these.

    Parameters
    ----------
    rows : RowSource, shape (n, p)
        Values that are missing are NaN.

    Raises
    ------
    InputError
        If there is a column without values.
    """

    def __init__(self, rows: RowSource) -> None:
        self.rows, self.shape = rows, (int(rows.shape[0]), int(rows.shape[1]))
        self.runs, self._knots = self._look()

    def __getattr__(self, name: str) -> Any:
        """Return what the rows themselves have: a name, a layout, a kind of numbers."""
        return getattr(self.rows, name)

    def __getitem__(self, part: slice) -> FloatArray:
        """Return the rows of a slice with step 1."""
        start, stop, _ = part.indices(self.shape[0])
        block = np.array(self.rows[start:stop], dtype=np.float64)
        for column, (places, values) in self._knots.items():
            missing = np.flatnonzero(np.isnan(block[:, column]))
            if len(missing):
                block[missing, column] = np.interp(start + missing, places, values)
        return block

    def gaps(self, columns: Sequence[int] | NDArray[np.intp]) -> list[slice]:
        """Return the long gaps of all of some columns at once, as slices of rows."""
        common = self.runs[int(columns[0])]
        for column in columns[1:]:
            common = _both(common, self.runs[int(column)])
        return [slice(start, stop) for start, stop in common.tolist() if stop - start > LONG]

    def _look(self) -> tuple[list[Runs], dict[int, tuple[FloatArray, FloatArray]]]:
        """Return the runs of each column, and the values beside them with their places."""
        length, width = self.shape
        step = max(1, _BLOCK // width)
        edges: list[list[int]] = [[] for _ in range(width)]
        beside: list[dict[int, float]] = [{} for _ in range(width)]
        last = np.full((1, width), np.nan)
        for start in range(0, length, step):
            block = np.asarray(self.rows[start : start + step], dtype=np.float64)
            block = np.concatenate([last, block])
            missing = np.isnan(block)
            if start == 0:
                missing[0] = False
            for column in np.flatnonzero(missing.any(axis=0)).tolist():
                changes = np.flatnonzero(np.diff(missing[:, column]))
                edges[column] += (start + changes).tolist()
                for change in changes:
                    known = change + missing[change, column]
                    beside[column][start + int(known) - 1] = float(block[known, column])
            last = block[-1:]
        runs, knots = [], {}
        for column in range(width):
            some = edges[column] + [length] * (len(edges[column]) % 2)
            runs.append(np.array(some, dtype=np.intp).reshape(-1, 2))
            if some:
                knots[column] = self._known(column, beside[column])
        return runs, knots

    def _known(self, column: int, beside: dict[int, float]) -> tuple[FloatArray, FloatArray]:
        places = sorted(place for place in beside if place >= 0)
        if not places:
            raise InputError(
                f"{row_name(self.rows)}: column {column + 1} has no value at all; leave it out"
            )
        return np.array(places, dtype=float), np.array([beside[place] for place in places])


class BridgedRows:
    """Rows that are recordings or pictures of their own: each is bridged by itself.

    Parameters
    ----------
    rows : RowSource, shape (n, p)
        Values that are missing are NaN.
    """

    def __init__(self, rows: RowSource) -> None:
        self.rows, self.shape = rows, (int(rows.shape[0]), int(rows.shape[1]))

    def __getattr__(self, name: str) -> Any:
        """Return what the rows themselves have."""
        return getattr(self.rows, name)

    def __getitem__(self, part: slice) -> FloatArray:
        """Return the rows of a slice with step 1.

        Raises
        ------
        InputError
            If a row has no value.
        """
        block = np.array(self.rows[part], dtype=np.float64)
        places = np.arange(self.shape[1])
        for place, row in enumerate(block, part.indices(self.shape[0])[0]):
            missing = np.isnan(row)
            if missing.all():
                raise InputError(
                    f"{row_name(self.rows)}: row {place + 1} has no value at all; leave it out"
                )
            row[missing] = np.interp(places[missing], places[~missing], row[~missing])
        return block


def _both(some: Runs, others: Runs) -> Runs:
    """Return where two sets of runs overlap."""
    found = []
    for start, stop in some:
        first = int(np.searchsorted(others[:, 1], start, side="right"))
        last = int(np.searchsorted(others[:, 0], stop, side="left"))
        near = others[first:last]
        found.append(np.column_stack([np.maximum(near[:, 0], start), np.minimum(near[:, 1], stop)]))
    return np.concatenate(found) if found else some[:0]
