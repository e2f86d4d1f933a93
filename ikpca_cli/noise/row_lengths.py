"""The noise level by the lengths of rows, less their leading directions.

In d directions the squared length of white noise follows chi-square. Where rows are of many kinds,
smooth ones beside rough ones, the roughness of some hides in the spectrum of all; the short rows
hold hardly more than noise, so that a low quantile of the lengths is a lower and truer bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.estimate import Reading

LOW, LESS_LOW = 0.1, 0.25
"""Quantiles that hold noise alone where a tenth, or a quarter, of the rows are smooth."""

_MOST_LEVERAGE = 0.9  # of a row that still tells something
_UNLIKE_NOISE = (0.7, 2.0)  # variance of squared lengths, over that of noise
_UNIFORM = 0.4  # that of noise which is spread evenly between two limits; less has none
_SURELY, _CLEARLY, _LIKELY = 4.0, 3.0, 2.0  # standard errors
_LEAST_SPREAD = 0.5  # of the squared lengths of signal that passes for noise, over their mean
_SAME = 0.01  # what low quantiles may differ by, beyond chance


@dataclass(frozen=True)
class RowLengths:
    """Squared lengths of rows without their leading directions.

    Attributes
    ----------
    squares : ndarray, shape (k,)
        Of rows that the leading directions leave something of, corrected for what they took.
    directions : int
        Number of directions that are left.
    """

    squares: FloatArray
    directions: int

    @classmethod
    def of(cls, X: FloatArray, spectrum: Eigenvalues, signal: int) -> RowLengths:
        """Return those of centred rows (n, p) without their `signal` leading directions."""
        n_samples, n_features = X.shape
        leverage = np.full(n_samples, 1.0 / n_samples)  # how much of a row its own fit takes off it
        if signal:
            leading = spectrum.vectors[:, -signal:]
            if spectrum.of_columns:
                codes = X @ leading
                X = X - codes @ leading.T
                rows = codes / np.sqrt((codes**2).sum(axis=0))
            else:
                rows = leading
                X = X - rows @ (rows.T @ X)
            leverage += np.einsum("ij,ij->i", rows, rows)
        free = leverage < _MOST_LEVERAGE
        squares = np.einsum("ij,ij->i", X[free], X[free]) / (1.0 - leverage[free])
        return cls(squares, n_features - signal)

    def low_reading(self, share: float) -> Reading:
        """Return the level by a low quantile of the lengths."""
        from scipy.special import gammaincinv, gammaln, xlogy

        half = self.directions / 2.0  # squared lengths are twice a gamma variable of this shape
        quantile = float(gammaincinv(half, share))
        expected = 2.0 * quantile
        variance = float(np.quantile(self.squares, share)) / expected if len(self.squares) else 0.0
        density = float(np.exp(xlogy(half, quantile) - quantile - gammaln(half)))
        error = (share * (1.0 - share) / max(len(self.squares), 1)) ** 0.5 / max(density, 1e-300)
        return Reading(max(variance, 0.0) ** 0.5, error)  # two errors of a root are one of a square

    def are_mixed(self) -> bool:
        """Tell whether a low quantile is well below the mean, and a less low one agrees with it."""
        mean = self.mean_reading()
        low, less = self.low_reading(LOW), self.low_reading(LESS_LOW)
        if not 0.0 < low.std < mean * (1.0 - 1.5 * low.doubt):
            return False
        return less.std < low.std * (1.0 + float(np.hypot(low.doubt, less.doubt)) + _SAME)

    def mean_reading(self) -> float:
        """Return the level by the mean of the squared lengths."""
        return float(self.squares.mean() / self.directions) ** 0.5 if len(self.squares) else 0.0

    def vary_as_noise(self) -> bool:
        """Tell whether the lengths vary as those of noise do.

        Squared lengths of noise have a variance of 2 / d times their squared mean. Signal that
        fills the space evenly looks like noise to a spectrum, but not here: on a sphere, say, all
        rows are nearly of one length.
        """
        if not self.squares.any():
            return False
        low, high = _UNLIKE_NOISE
        if low < self._spread() < high:
            return True
        error = self._chance()
        return bool(abs(np.log(max(self._spread(), np.finfo(float).tiny))) < _SURELY * error)

    def are_more_even(self) -> bool:
        """Tell whether the lengths vary less than those of normal noise, for sure."""
        if not self.squares.any():
            return False
        return bool(self._spread() < np.exp(-_CLEARLY * self._chance()))

    def are_too_even(self) -> bool:
        """Tell whether the lengths vary less than those of any noise: these rows are signal."""
        if not self.squares.any():
            return False
        return bool(self._spread() < _UNIFORM * np.exp(-_LIKELY * self._chance()))

    def hidden_share(self) -> float:
        """Return the share of the mean squared length that may be signal, by how lengths vary.

        Signal that has the spectrum of noise comes in doses, one row more than another. If these
        vary by half of their mean at least, as much as lengths vary beyond those of noise tells
        how much signal there can be. Where lengths vary less than those of noise all may be.
        """
        if not self.squares.any() or self._spread() < _UNLIKE_NOISE[0]:
            return 1.0
        beyond = max(self._spread() - 1.0, 0.0) + _LIKELY * self._chance()
        return float(min((beyond * 2.0 / self.directions) ** 0.5 / _LEAST_SPREAD, 1.0))

    def _spread(self) -> float:
        """Return the variance of squared lengths over that of noise."""
        return float((self.squares / self.squares.mean()).var()) * self.directions / 2.0

    def _chance(self) -> float:
        """Return the relative standard error of the variance of squared lengths."""
        # The kurtosis of chi-square is 12 / d.
        return float(((2.0 + 12.0 / self.directions) / len(self.squares)) ** 0.5)
