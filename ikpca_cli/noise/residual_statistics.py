"""Whether what lies in directions without signal is like noise of one level.

Rough signal makes plateaus in spectra as noise does, above all after a transform that evens them.
But peaks, edges and bursts are somewhere in a row, and in some rows more than in others. What is
noise of one level has a normal number's kurtosis, rows whose squared lengths vary as chi-square,
and columns of equal variance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.kernels.kernel import Gaussian
from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.low_rank import LowRank

_EVEN, _EVEN_WITH_ODD = 3.0, 4.0  # times what squared lengths of most rows, and of all, may vary
_FREE = 0.1  # share of a number's noise that a residual must hold to tell it
_SURELY = 3.0  # standard errors
_MOST_SPREAD = 0.12  # of the true variances of columns, relative to their mean
_MOST_ROWS = 0.1  # of the variance of squared lengths, beyond that of chi-square
_KURTOSIS = 0.3  # what it may differ by from 3
_CORE = 0.9  # share of the rows that a few odd ones are not among
_CORE_VARIANCE = 0.62  # of so many of the lowest of normal numbers
_HEAVY, _UNLIKE, _UNEVEN = 3.8, 4.5, 0.2  # what no such noise has of these three


@dataclass(frozen=True)
class ResidualStatistics:
    """How what is left of rows without their signal compares to noise.

    Attributes
    ----------
    shape : tuple of int
        Of the rows, (n, p).
    kurtosis, core_kurtosis : float
        3 for normal numbers; of all rows, and without the longest tenth of them.
    rows, core_rows : float
        Variance of the squared lengths of rows over that of noise: 1; again of all rows, and
        without the longest tenth of them.
    columns : float
        Variance of the columns' mean squares over that of noise: 1.
    """

    shape: tuple[int, int]
    kurtosis: float
    core_kurtosis: float
    rows: float
    core_rows: float
    columns: float

    @classmethod
    def of(cls, X: FloatArray, spectrum: Eigenvalues | None = None) -> ResidualStatistics:
        """Return that of centred rows (n, p), without all directions above the plateau.

        `spectrum` is theirs, if it is known.
        """
        spectrum = Eigenvalues.of(X) if spectrum is None else spectrum
        tiny = np.finfo(float).tiny
        rank = len(spectrum.variances) - spectrum.plateau()
        found = LowRank.of(X, rank, spectrum)
        free = np.outer(1.0 - found.row_leverage, 1.0 - found.column_leverage)
        squares = found.residual**2 / np.maximum(free, _FREE)
        squares /= max(float(squares.mean()), tiny)
        lengths, means = squares.mean(axis=1), squares.mean(axis=0)
        n_samples, n_features = X.shape
        directions = max(n_features - rank, 1)
        is_core = lengths <= np.quantile(lengths, _CORE)
        core, short = squares[is_core], lengths[is_core]
        return cls(
            X.shape,
            float(np.mean(squares**2)),
            float(np.mean(core**2) / max(float(core.mean()) ** 2, tiny)),
            float(lengths.var()) * directions / 2.0,
            float(short.var() / max(float(short.mean()) ** 2, tiny))
            * directions
            / (2.0 * _CORE_VARIANCE),
            float(means.var()) * max(n_samples - 1 - rank, 1) / 2.0,
        )

    def is_even(self) -> bool:
        """Tell whether rows may have noise of one level, as a promised error needs."""
        return self.core_rows < _EVEN and self.rows < _EVEN_WITH_ODD

    def is_noise(self) -> bool:
        """Tell whether this is noise of one level for sure, but for chance."""
        n_samples, n_features = self.shape
        rows = 1.0 + _MOST_ROWS + _SURELY * (2.0 / n_samples) ** 0.5
        columns = 1.0 + _SURELY * (2.0 / n_features) ** 0.5 + _MOST_SPREAD**2 * n_samples / 2.0
        is_normal = abs(self.kurtosis - 3.0) < self._chance_of_kurtosis()
        return bool(is_normal and self.rows < rows and self.columns < columns)

    def _chance_of_kurtosis(self) -> float:
        chance: float = _KURTOSIS + _SURELY * (24.0 / (self.shape[0] * self.shape[1])) ** 0.5
        return chance

    def has_uneven_rows(self) -> bool:
        """Tell whether most rows, not only a few odd ones, are of other levels than noise is."""
        return self.core_rows > _EVEN

    def may_be_noise(self, *, by_column: bool = True) -> bool:
        """Tell whether this may be noise of one level with a little signal left in it.

        Parameters
        ----------
        by_column : bool
            Whether columns have to be of one level, too.
        """
        n_samples, n_features = self.shape
        columns = 1.0 + _SURELY * (2.0 / n_features) ** 0.5 + _UNEVEN**2 * n_samples / 2.0
        is_even = not by_column or self.columns < columns
        return self.core_kurtosis < _HEAVY and self.core_rows < _UNLIKE and is_even


def shared_with_neighbours(X: FloatArray) -> float:
    """Return the share of what is left of centred rows (n, p) that their nearest ones have, too.

    Beyond that of noise, of which an approximation takes the more from two rows in common the
    nearer they are: ``-h_ij`` of what it leaves, on the average ``1 - h_ii``, h being the matrix
    that projects on it and on the mean. Signal that bends stays in all directions, and is in what
    is left of rows as far as it is in that of rows which are near them.
    """
    found = LowRank.of(X)
    distances = Gaussian().distance(found.rows, found.rows)
    np.fill_diagonal(distances, np.inf)
    nearest = distances.argmin(axis=1)
    total = max(float(np.mean(found.residual**2)), np.finfo(float).tiny)
    shared = float(np.mean(found.residual * found.residual[nearest])) / total
    codes = found.rows @ found.directions.T
    codes /= np.maximum(np.sqrt((codes**2).sum(axis=0)), np.finfo(float).tiny)
    taken = float(np.mean(np.einsum("ij,ij->i", codes, codes[nearest]))) + 1.0 / len(X)
    left = 1.0 - float(found.row_leverage.mean()) - 1.0 / len(X)
    return shared + taken / max(left, _FREE)
