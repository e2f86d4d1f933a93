"""The noise level by the spectrum of rows: the law of Marchenko and Pastur, and a plateau.

The eigenvalues of noise follow Marchenko and Pastur; those above the upper edge of their law are
signal (as in Veraart et al., "Denoising of diffusion MRI using random matrix theory", 2016). Signal
in every direction leaves eigenvalues that fall on and on. Noise leaves a plateau: the lowest of
them are equal but for chance, which Bartlett's likelihood-ratio test of a sphere tells (Bartlett,
"A note on the multiplying factors for various chi-square approximations", 1954).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.estimate import Reading

SHARES = (1.0, 0.5, 0.25)
"""Shares of the noise spectrum that are looked at, from its low end."""

_CHANCE, _LOW = 0.43, 0.3
"""Standard error of the sum of the lowest eigenvalues, in units of the highest of them and of the
root of the ratio of the sides, and how many of these it is too low on the average. Measured on
noise of ratios from 0.05 to 1 and 30 to 240 directions: for eigenvalues keep to their places to
within so many places."""

_NOTHING, _FEW = 1e-13, 0.1
"""Variance, over the highest, of directions that hold nothing but rounding, as rows have that were
brought to a mean of 0 or had a trend taken off; and share of all that such directions may be."""

_SURELY = 3.0  # standard errors beyond which eigenvalues are not equal
_LAST = 4  # steps from one direction of signal to the next, that tell how it falls
_UNEVEN = 0.3  # least standard deviation of such steps in logarithms
_ALMOST_ALWAYS = 1.0  # more of them, which five draws of six are beyond


@dataclass(frozen=True)
class Eigenvalues:
    """The spectrum of centred rows.

    Attributes
    ----------
    variances : ndarray, shape (short,)
        Eigenvalues of ``X'X / long``, ascending, without those that centring makes zero, and a few
        others that are zero.
    vectors : ndarray, shape (p, short) or (n, short)
        Their directions, among the columns or, where these are more, among the rows.
    long : int
        The longer side of the rows, the shorter being ``len(variances)``.
    of_columns : bool
        Whether the directions are combinations of columns.
    empty : int
        How many others are zero.
    """

    variances: FloatArray
    vectors: FloatArray
    long: int
    of_columns: bool
    empty: int = 0

    @classmethod
    def of(cls, X: FloatArray, *, alone: bool = False) -> Eigenvalues:
        """Return those of centred rows (n, p), `alone` without their directions."""
        n_samples, n_features = X.shape
        freedom = n_samples - 1
        short, long = min(freedom, n_features), max(freedom, n_features)
        of_columns = n_features <= freedom
        matrix = X.T @ X if of_columns else X @ X.T
        if alone:
            values, vectors = np.linalg.eigvalsh(matrix), np.empty((len(matrix), 0))
        else:
            values, vectors = np.linalg.eigh(matrix)
        empty = int(np.count_nonzero(values[-short:] <= _NOTHING * values[-1]))
        constant = int(np.count_nonzero(np.diagonal(matrix) == 0.0)) if of_columns else 0
        empty = empty if empty - constant <= _FEW * (short - constant) and empty < short else 0
        kept = values[empty - short :] / long
        return cls(np.maximum(kept, 0.0), vectors[:, empty - short :], long, of_columns, empty)

    @cached_property
    def signal(self) -> int:
        """Directions above the edge of noise."""
        return self.reading(1.0)[1]

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
            edge = variance * scale * _edge(size - signal, long - signal)
            above = int((variances > edge).sum())
            if above <= signal or signal >= size - 1:
                doubt = 2.0 * (2.0 * long * (size - signal)) ** -0.5
                if low < size - signal:
                    chance = _CHANCE * ratio**0.5 * float(expected[low] / expected[:low].sum())
                    variance *= 1.0 + _LOW * min(chance, 1.0)
                    doubt = float(np.hypot(doubt, chance))
                return Reading(variance**0.5, doubt), signal
            signal = min(size - 1, signal + max(1, (above - signal) // 2))

    def signal_beyond(self, signal: int, std: float) -> tuple[float, float]:
        """Return the variance of signal below the edge of noise, over that of the noise there.

        What the last directions above the edge hold beyond noise falls from one to the next. If it
        falls on in that proportion, this is the likely variance. A power law falls less and less,
        and is as much as there may be. There is none if the next one would be seen, but by how much
        steps differ; what may be is multiplied by the root of that chance, which makes it an error.

        Parameters
        ----------
        signal : int
            Directions above the edge.
        std : float
            The noise level.

        Returns
        -------
        tuple of float
            What is likely, and its standard error.
        """
        from scipy.special import ndtr

        steps = min(signal - 1, _LAST)
        if steps < 1:
            return 0.0, 0.0
        size = len(self.variances)
        ratio = size / self.long
        found = np.log(_signal(self.variances[-signal:][: steps + 1] / std**2, ratio))
        seen = np.log(_signal(np.array(_edge(size, self.long)), ratio))
        fall = float(found[0] - found[-1]) / steps
        power = fall * steps / np.log(signal / (signal - steps))
        if fall >= 0.0:
            return 0.0, 0.0
        after = np.arange(1, size - signal + 1)
        uneven = max(float(np.std(np.diff(found))), _UNEVEN)
        falls = fall * after, power * np.log1p(after / signal)
        likely, most = (float(np.exp(np.minimum(found[0] + down, seen)).mean()) for down in falls)
        chances = [float(ndtr((seen - found[0] - down[0]) / uneven)) for down in falls]
        most = likely if steps == 1 else most  # one step tells no power
        return likely * min(2.0 * chances[0], 1.0), most * chances[1] ** 0.5

    def plateau(self) -> int:
        """Return how many of the lowest eigenvalues are equal but for chance, at least 1."""
        size = len(self.variances)
        if size == 1 or self.variances[0] <= np.finfo(float).tiny or self.long <= size:
            return 1
        counts = np.arange(2, size + 1)
        logs, sums = np.cumsum(np.log(self.variances))[1:], np.cumsum(self.variances)[1:]
        means, stds = self._evenness(counts)
        uneven = means - (logs - counts * np.log(sums / counts)) > _SURELY * stds
        return 1 + int(np.argmax(np.append(uneven, True)))

    def chance(self, count: int) -> float:
        """Return how likely it is that so many of the lowest eigenvalues look equal by chance.

        That is if logs of variances lay anywhere between the lowest and the highest, independently:
        so many of them as near to each other as those of noise are, and the others beyond the gap
        that there is. Of all of them it is 0.
        """
        size, variances = len(self.variances), self.variances
        if count == size or variances[0] <= np.finfo(float).tiny:
            return 0.0
        span = float(np.log(variances[-1] / variances[0]))
        near = min(float(np.log(self.scatter(count))) / span, 1.0)
        beyond = float(np.log(variances[-1] / variances[count])) / span
        others = size - count - 1  # the highest is where it is
        return min(comb(size - 1, count - 1) * near ** (count - 1) * beyond**others, 1.0)

    def would_show_a_slope(self, count: int) -> bool:
        """Tell whether a plateau would not be seen if the spectrum fell on as it does above it.

        Signal in all of few directions has a spectrum that falls on and on, and few rows do not
        tell its last steps from equal ones.
        """
        above = self.variances[count - 1 :]
        if len(above) == 1 or above[0] <= np.finfo(float).tiny:  # no noise in a direction: no slope
            return True
        fall = float(np.log(above[-1] / above[0])) / (len(above) - 1) * np.arange(count)
        uneven = count * float(np.log(np.mean(np.exp(fall)))) - float(fall.sum())
        return uneven > (_SURELY + _ALMOST_ALWAYS) * float(self._evenness(np.array([count]))[1][0])

    def _evenness(self, counts: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        """Return means and standard deviations of Bartlett's statistic of so many directions, (k,).

        It is the log of the determinant over the power of the trace, for white noise.
        """
        from scipy.special import digamma, polygamma

        # One direction more is one degree of freedom more, beside the same as before.
        freedom = self._freedom(0) + np.arange(1, int(counts.max()) + 1)
        numbers = freedom[counts - 1] * counts / 2.0
        logs = np.cumsum(digamma(freedom / 2.0))[counts - 1]
        squares = np.cumsum(polygamma(1, freedom / 2.0))[counts - 1]
        means = logs + counts * (np.log(counts) - digamma(numbers))
        variances = squares - counts**2 * polygamma(1, numbers)
        return means, np.sqrt(np.maximum(variances, 0.0))

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


def _edge(short: int, long: int) -> float:
    """Return above what an eigenvalue is none of noise of variance 1.

    The largest of finitely many lies a little above the edge (Tracy and Widom), and columns of
    different noise have some that are farther above it.
    """
    return float((1.0 + (short / long) ** 0.5) ** 2 * (1.0 + 2.0 * short ** (-2.0 / 3.0)))


def _signal(variances: FloatArray, ratio: float) -> FloatArray:
    """Return the signal that is seen as such eigenvalues (Baik and Silverstein, 2006)."""
    half = (variances + 1.0 - ratio) / 2.0
    root = np.sqrt(np.maximum(half**2 - variances, 0.0))
    found: FloatArray = np.maximum(half + root - 1.0, np.finfo(float).eps)
    return found


@cache
def _half_circle() -> tuple[FloatArray, FloatArray]:
    angle = (np.arange(4000) + 0.5) / 4000 * np.pi
    return np.cos(angle), np.sin(angle) ** 2


def _marchenko_pastur(ratio: float, probabilities: FloatArray) -> FloatArray:
    """Return quantiles of the eigenvalues of noise of variance 1, whose sides have this ratio."""
    low, high = (1.0 - ratio**0.5) ** 2, (1.0 + ratio**0.5) ** 2
    cosines, squared_sines = _half_circle()
    values = (low + high) / 2.0 - (high - low) / 2.0 * cosines
    shares = np.cumsum(squared_sines / values)
    quantiles: FloatArray = np.interp(probabilities, shares / shares[-1], values)
    return quantiles
