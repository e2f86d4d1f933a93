"""Count, mean and covariance of features, gathered block by block and from several places.

Blocks are joined by the parallel variance formula (Chan, Golub and LeVeque 1979): the products are
always of differences from the mean so far, so a large mean costs no digits, and sums over slices
of the rows, made anywhere, merge into those over all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.data.threads import chunks, parallel_for, parallel_map

FEW_FEATURES = 1024
"""Up to this number threads share out rows, and above it the products of features."""

CHUNK_ELEMENTS = 2**19
"""Features of the rows that a thread works on at once."""

PIVOT_ROWS = 32
"""Rows whose median is typical enough."""

TILE = 256
"""Rows and columns of a matrix of products that a thread adds to at once."""


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
        Sum over the rows of the products of differences from the mean; its lower triangle.
    """

    count: int
    mean: FloatArray
    scatter: FloatArray

    @classmethod
    def empty(cls, n_rff: int) -> FeatureSums:
        """Return the sums over no rows of `n_rff` features."""
        return cls(0, np.zeros(n_rff), np.zeros((n_rff, n_rff)))

    @property
    def covariance(self) -> FloatArray:
        """The 1/n covariance of the features, (r, r)."""
        return mirror(self.scatter / self.count)

    def add(self, features: FloatArray) -> None:
        """Add the features (k, r) of some rows, k at least 1; they are overwritten.

        They may be in single precision; the sums are always in double.
        """
        mean = features.mean(axis=0, dtype=np.float64)
        features -= mean.astype(features.dtype, copy=False)
        add_products(self.scatter, features.T, self._join(mean, len(features)))

    def merge(self, other: FeatureSums) -> None:
        """Add the sums over other rows."""
        if other.count:
            shift = self._join(other.mean, other.count)
            self.scatter += other.scatter
            self.scatter += np.outer(shift, shift)

    def _join(self, mean: FloatArray, count: int) -> FloatArray:
        """Take in count and mean of other rows; return u (r,), the scatter between being uu'."""
        total, step = self.count + count, mean - self.mean
        shift: FloatArray = step * np.sqrt(self.count * (count / total))
        self.mean = self.mean + step * (count / total)
        self.count = total
        return shift


def tiled_sums(
    block: FloatArray, features: Callable[[FloatArray], FloatArray] | None, n_rff: int
) -> FeatureSums:
    """Return the sums over a block of rows, of which each thread takes some at a time.

    Parameters
    ----------
    block : ndarray, shape (k, p)
    features : callable or None
        Returns the features (m, n_rff) of some of the rows in an array of its own; None if the
        features are the rows.
    n_rff : int
        Number of features.

    Returns
    -------
    FeatureSums
    """
    parts = chunks(len(block), max(1, CHUNK_ELEMENTS // max(n_rff, block.shape[1])))
    # Products of differences from a typical row lose no digits to a large mean.
    typical = block[:PIVOT_ROWS]
    typical = typical if features is None else features(typical)
    pivot = typical[0] + np.median(typical - typical[0], axis=0)
    if features is None and np.abs(pivot).max() <= np.abs(typical - pivot).mean():
        pivot = np.zeros_like(pivot)  # the mean is small, and rows need no copy

    def products(part: slice) -> tuple[FloatArray, FloatArray]:
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            some = block[part] if features is None else features(block[part])
            if pivot.any():
                some = np.subtract(some, pivot, out=None if features is None else some)
            return some.sum(axis=0, dtype=np.float64), some.T @ some

    total, scatter = np.zeros(n_rff), np.zeros((n_rff, n_rff))
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for more, product in parallel_map(products, parts):
            total += more
            scatter += product
        offset = total / len(block)
        scatter -= np.outer(total, offset)
    return FeatureSums(len(block), pivot.astype(np.float64) + offset, scatter)


def add_products(total: FloatArray, A: FloatArray, u: FloatArray | None = None) -> None:
    """Add ``A A' + u u'`` to the lower triangle of `total` (m, m), for `A` (m, k) and `u` (m,)."""
    sides = chunks(len(A), TILE)

    def add(place: tuple[slice, slice]) -> None:
        rows, columns = place
        total[place] += A[rows] @ A[columns].T
        if u is not None:
            total[place] += np.outer(u[rows], u[columns])

    lower = [(rows, columns) for rows in sides for columns in sides if columns.start <= rows.start]
    parallel_for(add, lower)


def mirror(total: FloatArray) -> FloatArray:
    """Copy the lower triangle of `total` (m, m) to the upper one, and return it."""
    for columns in chunks(len(total), TILE):
        total[columns, columns.stop :] = total[columns.stop :, columns].T
    return total
