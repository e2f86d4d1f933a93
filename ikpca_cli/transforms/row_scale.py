"""Rows of different noise: each is divided by its own level, which the row itself tells.

What is left of a row without its mean and the directions that hold signal is noise. Signal of a
kind that no other row has is left as well, and only ever adds, so that the level is no more than
what second differences along the row say. Where columns have no order these are not smaller, so
that no row counts as far louder than those of the fit were, unless the file is as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.transforms.protocol import State

_DIFFERENCES = 6.0  # variance of second differences of white noise of variance 1
_MEDIAN = 0.6745  # of the size of a normal number
_CLEARLY, _CLEARLY_OF_MEDIAN = 2.0, 3.3  # two relative errors of what they tell, times sqrt(p)
_NEARLY_ALL, _LOUDER = 0.98, 1.6  # share of rows, and how much louder the others may be
_LEAST = 1e-9  # of a row's length, that its noise has: none would be divided by


@dataclass(frozen=True)
class RowScale:
    """Division of rows, less their mean, by their noise levels.

    Attributes
    ----------
    mean : ndarray, shape (p,)
        Of the training rows.
    directions : ndarray, shape (r, p)
        Orthonormal ones that hold their signal, fewer than columns.
    usual, most : float
        Median level of the training rows, and the most that a row is taken to have.
    stds : ndarray, shape (n,), or None
        Levels of the rows in question; None for those that each row tells by itself.
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = {"row_directions": ("r", "p")}
    BY_ROW: ClassVar[bool] = True

    mean: FloatArray
    directions: FloatArray
    usual: float = 1.0
    most: float = np.inf
    stds: FloatArray | None = None

    @property
    def width(self) -> int | None:
        """Number of columns that rows must have, None for any."""
        return len(self.mean)

    def columns(self, n_features: int) -> int:
        """Return how many columns rows of so many have with white noise."""
        return n_features

    def of_rows(self, X: FloatArray) -> Self:
        """Return the transform with the levels of rows (n, p)."""
        return replace(self, stds=np.minimum(self.levels_of(X), self.most))

    def of_file(self, X: FloatArray) -> Self:
        """Return the transform for a file of which X (n, p) are some rows: it may be louder."""
        times = float(np.median(self.levels_of(X))) / self.usual
        return replace(self, most=self.most * max(times, 1.0))

    def with_levels_of(self, X: FloatArray) -> Self:
        """Return the transform for rows like X (n, p), whose levels are the usual ones."""
        levels = self.levels_of(X)
        most = _LOUDER * float(np.quantile(levels, _NEARLY_ALL))
        return replace(self, usual=float(np.median(levels)), most=most)

    def levels_of(self, X: FloatArray) -> FloatArray:
        """Return the noise levels of rows (n, p), (n,)."""
        rows = X - self.mean
        left = rows - rows @ self.directions.T @ self.directions
        free = len(self.mean) - len(self.directions)
        levels = np.sqrt(np.einsum("ij,ij->i", left, left) / free)
        bends = np.diff(X, 2, axis=1) / _DIFFERENCES**0.5
        rough = np.sqrt(np.einsum("ij,ij->i", bends, bends) / bends.shape[1])
        middle = np.median(np.abs(bends), axis=1) / _MEDIAN  # which few jumps do not change
        for reading, doubt in ((rough, _CLEARLY), (middle, _CLEARLY_OF_MEDIAN)):
            lower = reading < levels * (1.0 - doubt / len(self.mean) ** 0.5)
            levels = np.where(lower, reading, levels)
        lengths = np.sqrt(np.mean(rows**2, axis=1))
        floor = np.where(lengths > 0.0, _LEAST * lengths, 1.0)
        found: FloatArray = np.maximum(levels, floor)
        return found

    def _scales(self, n_samples: int) -> FloatArray:
        """Return what so many rows are divided by, (n, 1)."""
        return np.ones((n_samples, 1)) if self.stds is None else self.stds[:, None]

    def forward(self, X: FloatArray) -> FloatArray:
        """Return rows with noise of variance 1, less their mean."""
        by = self.of_rows(X) if self.stds is None else self
        rows: FloatArray = (X - self.mean) / by._scales(len(X))
        return rows

    def inverse(self, Z: FloatArray) -> FloatArray:
        """Return rows in the units of the data; of level 1 where their levels are not known."""
        rows: FloatArray = Z * self._scales(len(Z)) + self.mean
        return rows

    def levels(self, Z: FloatArray) -> FloatArray:
        """Return the noise level of each number, (n, p)."""
        return np.broadcast_to(self._scales(len(Z)), Z.shape)

    def noise(self, Z: FloatArray, E: FloatArray) -> FloatArray:
        """Return white noise E (n, p) in the units of the data."""
        noise: FloatArray = self._scales(len(E)) * E
        return noise

    def state(self) -> State:
        """Return the mean, a line of the usual level and of the most, and directions, by name."""
        levels = np.full((2, len(self.mean)), [[self.usual], [self.most]])
        return {"row_directions": np.vstack([self.mean, levels, self.directions])}

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Return the transform of what `state` returned.

        Raises
        ------
        ValueError
            If it has no levels, or directions that are not orthonormal, or as many as columns.
        """
        parts = state["row_directions"]
        if len(parts) < 3 or not np.all(parts[1:3] > 0.0):
            raise ValueError("its noise levels of rows are not all positive")
        mean, directions = parts[0], parts[3:]
        inner = directions @ directions.T
        if not (len(directions) < len(mean) and np.allclose(inner, np.eye(len(inner)), atol=1e-4)):
            raise ValueError("its directions of signal are none")
        return cls(mean, directions, float(parts[1, 0]), float(parts[2, 0]))
