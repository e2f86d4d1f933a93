"""How much cleaning changed the rows of a file, from a sample of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray

LOOKED_AT = 1 << 22
"""Numbers that are looked at, in rows spread evenly over the file."""


class Change:
    """Sums over rows before and after cleaning, block by block.

    Parameters
    ----------
    shape : (int, int)
        Of the file.
    columns : ndarray of int, optional
        Those that are cleaned; all by default.
    """

    def __init__(self, shape: tuple[int, int], columns: NDArray[np.intp] | None = None) -> None:
        self._columns = columns
        shape = shape if columns is None else (shape[0], len(columns))
        self._step = max(1, math.ceil(shape[0] * shape[1] / LOOKED_AT))
        self._count = 0
        self._removed = self._squares = 0.0
        self._sums = np.zeros(shape[1])
        self._origin: FloatArray | None = None

    def add(self, part: slice, noisy: FloatArray, cleaned: FloatArray) -> None:
        """Take in the rows of a block, (m, p) both."""
        some = slice(-part.start % self._step, None, self._step)
        before, after = noisy[some], cleaned[some]
        if self._columns is not None:
            before, after = before[:, self._columns], after[:, self._columns]
        if not len(before):
            return
        if self._origin is None:  # near the rows, so that no digits are lost far from zero
            self._origin = before[0].astype(np.float64)
        moved = before - self._origin
        removed = np.subtract(before, after, dtype=np.float64)
        self._removed += float(np.vdot(removed, removed))
        self._squares += float(np.vdot(moved, moved))
        self._sums += moved.sum(axis=0)
        self._count += len(before)

    def record(self) -> dict[str, float | None]:
        """Return what was removed.

        Returns
        -------
        dict
            removed_rms: its root mean square, in the unit of the data. removed_db: its power as
            a share of the rows' variance about their column means, in decibels; None if no share.
        """
        size = self._count * len(self._sums)
        variance = self._squares - float(self._sums @ self._sums) / max(self._count, 1)
        share = self._removed / variance if variance > 0.0 else 0.0
        return {
            "removed_rms": math.sqrt(self._removed / size) if size else 0.0,
            "removed_db": 10.0 * math.log10(share) if share > 0.0 else None,
        }
