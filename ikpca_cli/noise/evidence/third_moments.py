"""How much signal is in the quietest directions of rows, by their third moments.

Gaussian noise that is independent of the signal adds nothing to third moments, whichever three
directions they are of. Of directions that are scaled to one variance, those of direction k with all
others have a sum of squares that signal alone makes, and that falls with its share of k. Rows that
are spread evenly about their mean, as those of a normal law, have none and tell nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import Eigenvalues

_GROUPS = 16
_FEWEST_ROWS = 4 * _GROUPS
_SURELY = 3.0  # standard errors beyond which there are third moments at all


@dataclass(frozen=True)
class ThirdMoments:
    """Those of the quietest directions over those of the louder half.

    Attributes
    ----------
    ratio : float
        Mean sum of squares in the quietest directions, over the mean in the louder half.
    error : float
        Its standard error.
    quiet, quiet_error : float
        The mean in the quietest directions, and its standard error. Signal in curves or groups has
        about 1; heavy tails have as much as one likes where they are loud, and less where not.
    are_seen : bool
        Whether the louder half has any for sure; otherwise the ratio tells nothing.
    """

    ratio: float = 1.0
    error: float = np.inf
    quiet: float = 1.0
    quiet_error: float = np.inf
    are_seen: bool = False

    @classmethod
    def of(cls, X: FloatArray, spectrum: Eigenvalues, quiet: int) -> ThirdMoments:
        """Return those of the `quiet` quietest directions of centred rows (n, p), in random order.

        Products of moments of different groups of rows have no bias; leaving out one group after
        the other tells the error (Efron, "The jackknife", 1982).
        """
        n_samples, size = len(X), len(spectrum.variances)
        if n_samples < _FEWEST_ROWS or spectrum.variances[0] <= 0.0:
            return cls()
        Z = X @ spectrum.vectors / np.sqrt(spectrum.variances)
        moments = np.empty((_GROUPS, size, size**2))
        for number, rows in enumerate(np.array_split(Z, _GROUPS)):
            pairs = (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
            moments[number] = rows.T @ pairs / len(rows)
        products = np.einsum("gki,hki->ghk", moments, moments, optimize=True)
        products[np.arange(_GROUPS), np.arange(_GROUPS)] = 0.0
        halves = np.stack(
            [products[..., :quiet].mean(axis=2), products[..., size // 2 :].mean(axis=2)], axis=2
        )
        total, with_one = halves.sum(axis=(0, 1)), halves.sum(axis=1)
        low, high = total / (_GROUPS * (_GROUPS - 1))
        left = (total - 2.0 * with_one) / ((_GROUPS - 1) * (_GROUPS - 2))
        covariance = np.cov(left.T, bias=True) * (_GROUPS - 1)
        if high <= _SURELY * covariance[1, 1] ** 0.5:
            return cls()
        ratio = float(low / high)
        slopes = np.array([1.0, -ratio])
        error = float(slopes @ covariance @ slopes) ** 0.5 / float(high)
        return cls(ratio, error, float(low), float(covariance[0, 0]) ** 0.5, are_seen=True)

    def least(self, errors: float) -> float:
        """Return the ratio less so many standard errors."""
        return self.ratio - errors * self.error

    def most(self, errors: float) -> float:
        """Return the ratio, or the mean if that is more, with so many standard errors."""
        return max(self.ratio + errors * self.error, self.quiet + errors * self.quiet_error)
