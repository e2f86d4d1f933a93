"""The noise level by the spectrum of rows: the law of Marchenko and Pastur, and a plateau.

The eigenvalues of noise follow Marchenko and Pastur; those above the upper edge of their law are
signal (as in Veraart et al., "Denoising of diffusion MRI using random matrix theory", 2016). Signal
in every direction leaves eigenvalues that fall on and on. Noise leaves a plateau: the lowest of
them are equal but for chance, which Bartlett's likelihood-ratio test of a sphere tells (Bartlett,
"A note on the multiplying factors for various chi-square approximations", 1954).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.estimate import Reading

SHARES = (1.0, 0.5, 0.25)
"""Shares of the noise spectrum that are looked at, from its low end."""

_SURELY = 3.0  # standard errors beyond which eigenvalues are not equal


@dataclass(frozen=True)
class Eigenvalues:
    """The spectrum of centred rows.

    Attributes
    ----------
    variances : ndarray, shape (short,)
        Eigenvalues of ``X'X / long``, ascending, without those that centring makes zero.
    vectors : ndarray, shape (p, short) or (n, short)
        Their directions, among the columns or, where these are more, among the rows.
    long : int
        The longer side of the rows, the shorter being ``len(variances)``.
    of_columns : bool
        Whether the directions are combinations of columns.
    """

    variances: FloatArray
    vectors: FloatArray
    long: int
    of_columns: bool

    @classmethod
    def of(cls, X: FloatArray) -> Eigenvalues:
        """Return those of centred rows (n, p)."""
        n_samples, n_features = X.shape
        freedom = n_samples - 1
        short, long = min(freedom, n_features), max(freedom, n_features)
        of_columns = n_features <= freedom
        values, vectors = np.linalg.eigh(X.T @ X if of_columns else X @ X.T)
        return cls(np.maximum(values[-short:] / long, 0.0), vectors[:, -short:], long, of_columns)

    def reading(self, share: float) -> tuple[Reading, int]:
        """Read the noise off a share of the lowest eigenvalues, and count directions of signal."""
        variances, long = self.variances, self.long
        size, signal = len(variances), 0
        while True:
            ratio, scale = (size - signal) / (long - signal), (long - signal) / long
            places = (np.arange(size - signal) + 0.5) / (size - signal)
            expected = scale * _marchenko_pastur(ratio, places)
            low = max(1, int(share * (size - signal)))
            variance = float(variances[:low].sum() / expected[:low].sum())
            # The largest of finitely many lies a little above the edge (Tracy and Widom).
            edge = variance * scale * (1.0 + ratio**0.5) ** 2
            edge *= 1.0 + 2.0 * (size - signal) ** (-2.0 / 3.0)
            above = int((variances > edge).sum())
            if above <= signal or signal >= size - 1:
                return Reading(variance**0.5, 2.0 * (2.0 * long * low) ** -0.5), signal
            signal = min(size - 1, signal + max(1, (above - signal) // 2))

    def plateau(self) -> int:
        """Return how many of the lowest eigenvalues are equal but for chance, at least 1."""
        from scipy.special import digamma, polygamma

        size = len(self.variances)
        if self.variances[0] <= np.finfo(float).tiny:
            return 1
        logs, sums = np.cumsum(np.log(self.variances)), np.cumsum(self.variances)
        count = 1
        for more in range(2, size + 1):
            freedom = self.long - (size - more)
            if freedom <= more:
                break
            halves = (freedom - np.arange(more)) / 2.0
            # Of white noise the determinant over the power of the trace has these moments.
            mean = digamma(halves).sum() - more * digamma(freedom * more / 2.0)
            mean += more * np.log(more)
            variance = polygamma(1, halves).sum()
            variance -= more**2 * polygamma(1, freedom * more / 2.0)
            found = logs[more - 1] - more * np.log(sums[more - 1] / more)
            if mean - found > _SURELY * max(float(variance), 0.0) ** 0.5:
                break
            count = more
        return count

    def gap(self, count: int) -> float:
        """Return the next eigenvalue over the highest that noise of this plateau has."""
        if count == len(self.variances):
            return np.inf
        freedom = self._freedom(count)
        edge = (1.0 + float(count / freedom) ** 0.5) ** 2
        highest = float(self.variances[:count].mean()) * edge
        return float(self.variances[count] / highest) if highest > 0.0 else np.inf

    def scatter(self, count: int) -> float:
        """Return the highest over the lowest eigenvalue that noise in so many directions has."""
        root = min(float(count / self._freedom(count)) ** 0.5, 0.99)
        highest: float = ((1.0 + root) / (1.0 - root)) ** 2
        return highest

    def _freedom(self, count: int) -> int:
        return self.long - (len(self.variances) - count)


def _marchenko_pastur(ratio: float, probabilities: FloatArray) -> FloatArray:
    """Return quantiles of the eigenvalues of noise of variance 1, whose sides have this ratio."""
    low, high = (1.0 - ratio**0.5) ** 2, (1.0 + ratio**0.5) ** 2
    angle = (np.arange(4000) + 0.5) / 4000 * np.pi
    values = (low + high) / 2.0 - (high - low) / 2.0 * np.cos(angle)
    shares = np.cumsum(np.sin(angle) ** 2 / values)
    quantiles: FloatArray = np.interp(probabilities, shares / shares[-1], values)
    return quantiles
