"""How much of the power at high frequencies is white noise, beside signal that falls as a power.

Rows that are one process may look like noise at their highest frequencies: what falls as the square
of the frequency, as random walks do, falls by a third only from three quarters of the highest to
that. Over a wider band a power law is told from white noise. Both are fitted by Whittle's
likelihood ("Estimation and information in stationary time series", 1953).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.smoothing.order import RowOrder

FEWEST_COLUMNS = 20
"""Shorter rows have too few frequencies."""

_LOWEST, _TOP = 0.25, 0.25  # of the frequencies: below what is looked at, and at the top
_BINS = 24
_FALLS = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 9.0, 14.0, 20.0)  # powers of frequency
_PASSES = 4  # of reweighting, after which the strength of signal does not change
_LIKELY = 2.0  # less of the log likelihood: two standard errors
_LEAST = 0.3  # share that is noise for sure, of which as much as is likely is not too much
_MOSTLY = 0.5
_MISFIT = 3.0  # deviance of a bin, which is 1 by chance
_NEAR = 0.08  # root mean square of what logs of the power may be off, however many rows show it
_SHARES, _NOTHING = np.linspace(0.0, 1.2, 97), 1e-3


def _powers(coefficients: FloatArray) -> FloatArray:
    """Return the mean power of each coefficient (n, p) of centred rows, (p,)."""
    powers: FloatArray = np.mean(coefficients**2, axis=0)
    return powers * len(coefficients) / (len(coefficients) - 1)


@dataclass(frozen=True)
class WhiteShare:
    """White noise in the power of the highest quarter of frequencies.

    Attributes
    ----------
    std, error : float
        Level of the noise, and its relative standard error.
    likely, expected, least : float
        Its likeliest share of that power, the mean of all by their likelihood, and what it has at
        least, but for two standard errors. Beside signal that falls slowly many shares are nearly
        as likely, and the likeliest is chance.
    fits : bool
        Whether a power law and white noise describe the spectrum; where they do not, as those of
        heart beats, nothing here tells anything.
    """

    std: float
    error: float
    likely: float
    expected: float
    least: float
    fits: bool

    @classmethod
    def of(cls, X: FloatArray) -> WhiteShare:
        """Return that in centred rows (n, p), of `FEWEST_COLUMNS` at least."""
        from scipy.fft import dct

        n_samples, n_features = X.shape
        frequencies = np.sin(np.pi / 2.0 * np.arange(n_features) / n_features)
        return cls._of_powers(_powers(dct(X, norm="ortho", axis=1)), frequencies, n_samples)

    @classmethod
    def of_picture(cls, X: FloatArray, order: RowOrder) -> WhiteShare:
        """Return that in pictures, centred rows (n, p), by frequencies of both directions."""
        frequencies = order.roughness**0.25  # the root of what both directions add up to
        return cls._of_powers(_powers(order.forward(X)), frequencies, len(X))

    @classmethod
    def _of_powers(cls, powers: FloatArray, frequencies: FloatArray, n_samples: int) -> WhiteShare:
        """Return that in mean powers (p,) of coefficients of rising frequencies (p,)."""
        n_features = len(powers)
        top = float(powers[-max(1, int(_TOP * n_features)) :].mean())
        first = max(1, int(_LOWEST * n_features))
        bins = np.array_split(np.arange(first, n_features), min(_BINS, n_features - first))
        found = np.array([powers[some].mean() / top for some in bins])
        logs = np.array([np.log(frequencies[some]).mean() for some in bins])
        falls = np.exp(-np.multiply.outer(_FALLS, logs - logs[-1]))
        counts = (n_samples - 1) / 2.0 * np.array([len(some) for some in bins])
        expected = np.broadcast_to(found, (len(_SHARES), *falls.shape))
        for _ in range(_PASSES):
            weights = counts / expected**2
            excess = (falls * weights * (found - _SHARES[:, None, None])).sum(axis=2)
            strengths = np.maximum(excess / (falls**2 * weights).sum(axis=2), 0.0)
            expected = _SHARES[:, None, None] + strengths[:, :, None] * falls
            expected = np.maximum(expected, _NOTHING)
        likelihoods = -((np.log(expected) + found / expected) @ counts)
        best = np.max(likelihoods, axis=1)
        nearest = expected[np.unravel_index(int(likelihoods.argmax()), likelihoods.shape)]
        gaps = found / nearest
        deviance = 2.0 * float(counts @ (gaps - 1.0 - np.log(gaps)))
        off = float(np.average(np.log(gaps) ** 2, weights=counts)) ** 0.5
        likely = float(_SHARES[int(best.argmax())])
        weights = np.exp(best - best.max())
        least = float(_SHARES[int(np.argmax(best >= best.max() - _LIKELY))])
        error = (1.0 - (least / likely) ** 0.5) / 2.0 if likely else 1.0
        fits = deviance < _MISFIT * len(bins) or off < _NEAR
        mean = float(_SHARES @ weights / weights.sum())
        return cls((likely * top) ** 0.5, error, likely, mean, least, fits)

    def may_be(self, share: float) -> bool:
        """Tell whether as much of the power is noise, half of it for sure if that is not likely."""
        return max(self.likely, min(self.expected, 2.0 * self.least)) >= share

    @property
    def is_noise(self) -> bool:
        """Whether enough of the power is noise for sure."""
        return self.least >= _LEAST

    @property
    def is_mostly_noise(self) -> bool:
        """Whether noise is half of the power for sure: the level of the whole does no harm then."""
        return self.least > _MOSTLY
