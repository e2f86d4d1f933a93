"""Leading directions of rows that single values, however far off, do not turn."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.low_rank import LowRank

_MAD = 0.6744897501960817  # median absolute deviation of a standard normal number
_DRAWN_IN = 2.5  # robust standard deviations
_ROUNDS = 12
_MOST_ROUNDS, _STILL = 500, 0.01  # of a row, and least step, in the mean scale of a column
_GROWTH = 1.7  # of how many directions there may be, from round to round
_COUNTED = (3, 6, 9)  # rounds that count how many stand out
_ENOUGH_ROWS = 500
_FEW = 12.0  # values that a direction is of, if it is one of spikes
_LEAST = 1e-9  # of the largest deviation, for the scale of a column


@dataclass(frozen=True)
class RobustDirections:
    """Directions that rows differ in, by most of their values.

    Attributes
    ----------
    centre : ndarray, shape (p,)
    vectors : ndarray, shape (k, p)
        Orthonormal directions.
    scales : ndarray, shape (p,)
        Robust standard deviations of what they leave of each column.
    """

    centre: FloatArray
    vectors: FloatArray
    scales: FloatArray

    @classmethod
    def of(cls, X: FloatArray) -> RobustDirections:
        """Return those of rows (n, p), as many as stand out of a plateau of equal variances.

        Strong ones first: until these are known, spikes cannot be told from them.
        """
        X = X[:_ENOUGH_ROWS]
        most = enough = min(X.shape) // 4
        centre = np.median(X, axis=0)
        least = _LEAST * max(float(np.abs(X - centre).max()), np.finfo(float).tiny)
        explained = np.broadcast_to(centre, X.shape)
        for step in range(_ROUNDS):
            left = X - explained
            scales = np.maximum(np.median(np.abs(left), axis=0) / _MAD, least)
            drawn = explained + _drawn_in(left, scales)
            centre = drawn.mean(axis=0)
            drawn -= centre
            spectrum = Eigenvalues.of(drawn)
            if step in _COUNTED:
                most = min(len(spectrum.variances) - spectrum.plateau(), enough)
            vectors = _leading(drawn, min(most, math.ceil(_GROWTH**step)), spectrum)
            explained = centre + drawn @ vectors.T @ vectors
        return cls(centre, vectors, scales)

    def scaled(self, by: float) -> RobustDirections:
        """Return them for rows that are less off, or more, by a factor."""
        return replace(self, scales=by * self.scales)

    def quietness(self, X: FloatArray) -> float:
        """Return how much less most rows (n, p) are off than the ones these are of; at most 1."""
        expected, _ = self.explain(X)
        typical = float(np.median(np.abs(X - expected) / self.scales)) / _MAD
        return min(1.0, typical) if typical > 0.0 else 1.0

    def explain(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what directions make of rows (n, p), and how many times more these are off.

        It is Huber's regression on the directions, by rounds of least squares (Huber, "Robust
        Statistics", 1981).

        Returns
        -------
        expected : ndarray, shape (n, p)
        scale : ndarray, shape (n, 1)
            Robust standard deviation of what is left of a row, in units of `scales`; at least 1.
        """
        expected = np.tile(self.centre, (len(X), 1))
        moving = np.arange(len(X))
        for _ in range(_MOST_ROUNDS):  # rows far from the centre take more of them
            drawn = expected[moving] - self.centre
            drawn += _drawn_in(X[moving] - expected[moving], self.scales)
            found = self.centre + drawn @ self.vectors.T @ self.vectors
            steps = np.abs(found - expected[moving]).max(axis=1, initial=0.0)
            expected[moving] = found
            moving = moving[steps > _STILL * float(self.scales.mean())]
            if not len(moving):
                break
        return expected, _row_scale(X - expected, self.scales)


def _leading(drawn: FloatArray, rank: int, spectrum: Eigenvalues) -> FloatArray:
    """Return leading directions of centred rows (n, p) without those of a few single values."""
    vectors = LowRank.of(drawn, rank, spectrum).directions
    values = _effective(drawn @ vectors.T) * _effective(vectors.T)
    kept: FloatArray = vectors[values > _FEW]
    return kept


def _effective(weights: FloatArray) -> FloatArray:
    """Return how many entries columns (n, k) have, as equal ones of the same kurtosis; (k,)."""
    squares = weights**2
    least = np.finfo(float).tiny
    count: FloatArray = squares.sum(axis=0) ** 2 / np.maximum((squares**2).sum(axis=0), least)
    return count


def _drawn_in(left: FloatArray, scales: FloatArray) -> FloatArray:
    """Return what is left of rows (n, p) within a few of its row's and column's deviations."""
    most = _DRAWN_IN * scales * _row_scale(left, scales)
    drawn: FloatArray = np.clip(left, -most, most)
    return drawn


def _row_scale(left: FloatArray, scales: FloatArray) -> FloatArray:
    """Return the robust standard deviations of what is left of rows (n, p), at least 1; (n, 1)."""
    medians = np.median(np.abs(left) / scales, axis=1, keepdims=True)
    scale: FloatArray = np.maximum(medians / _MAD, 1.0)
    return scale
