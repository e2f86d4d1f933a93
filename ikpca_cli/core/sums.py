"""Count, mean and covariance of features, gathered block by block and from several places.

Blocks are joined by the parallel variance formula (Chan, Golub and LeVeque 1979): the products are
always of differences from the mean so far, so a large mean costs no digits, and sums over slices
of the rows, made anywhere, merge into those over all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ikpca_cli.core.rows import FloatArray


@dataclass
class FeatureSums:
    """What the primal route needs to know of some rows' features, whatever their number.

    Attributes
    ----------
    count : int
        Rows that were added.
    mean : ndarray, shape (r,)
        Mean of their features.
    scatter : ndarray, shape (r, r)
        Sum over the rows of the products of differences from the mean.
    """

    FIELDS: ClassVar[tuple[str, ...]] = ("count", "mean", "scatter")

    count: int
    mean: FloatArray
    scatter: FloatArray

    @classmethod
    def empty(cls, n_rff: int) -> FeatureSums:
        """Return the sums over no rows of `n_rff` features."""
        return cls(0, np.zeros(n_rff), np.zeros((n_rff, n_rff)))

    @classmethod
    def of_state(cls, state: dict[str, FloatArray | int]) -> FeatureSums:
        """Return the sums that `state` was taken from."""
        return cls(**{name: state[name] for name in cls.FIELDS})  # type: ignore[arg-type]

    @property
    def state(self) -> dict[str, FloatArray | int]:
        """The sums as plain arrays and a number, by name."""
        return {name: getattr(self, name) for name in self.FIELDS}

    @property
    def covariance(self) -> FloatArray:
        """The 1/n covariance of the features, (r, r)."""
        return self.scatter / self.count

    def add(self, features: FloatArray) -> None:
        """Add the features (k, r) of some rows, k at least 1; they are overwritten."""
        mean = features.mean(axis=0)
        features -= mean
        self.merge(FeatureSums(len(features), mean, features.T @ features))

    def merge(self, other: FeatureSums) -> None:
        """Add the sums over other rows."""
        if other.count == 0:
            return
        count = self.count + other.count
        step = other.mean - self.mean
        self.scatter += other.scatter
        if self.count:
            self.scatter += np.outer(step * (self.count * other.count / count), step)
        self.mean = self.mean + step * (other.count / count)
        self.count = count
