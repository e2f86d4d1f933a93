"""The standard deviation of white noise, estimated from noisy rows alone.

Signal only ever adds variance, so each of several readings is an upper bound. The most precise one
comes first, and a less precise one is believed only where it is clearly lower.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ikpca_cli.core.kernels import Gaussian
from ikpca_cli.core.rows import FloatArray

FEW_COLUMNS = 8
"""Up to this width signal fills the space, and only small neighbourhoods tell it from noise."""

_SHARES = (1.0, 0.5, 0.25)  # of the noise spectrum that is looked at, from its low end
_PRECISE = 0.05  # relative error above which quiet columns say nothing against the spectrum
_QUIET = 0.1  # share of the columns that may hold little signal
_CENTRES = 400
_CLEARLY_LOWER = 0.8
_SATURATED = 0.7  # variance across a neighbourhood, as a share of its window's
_MAD = 0.6744897501960817  # median absolute deviation of a standard normal number


@dataclass(frozen=True)
class NoiseLevel:
    """An estimate of the noise.

    Attributes
    ----------
    std : float or None
        Standard deviation in the units of the data; None where nothing looks like noise.
    certain : bool
        False where the signal may be as rough as the noise, so that the two cannot be told apart.
    """

    std: float | None
    certain: bool


def estimate_noise(X: FloatArray) -> NoiseLevel:
    """Estimate the standard deviation of white noise on rows.

    Parameters
    ----------
    X : ndarray, shape (n_samples, n_features)
        Centred rows in random order.

    Returns
    -------
    NoiseLevel
    """
    X = X[:, np.ptp(X, axis=0) > 0.0]  # a constant column has no noise
    n_samples, n_features = X.shape
    if n_features < 2 or n_samples < 3:
        return NoiseLevel(None, certain=False)
    readings = _readings(X)
    best = np.inf
    for reading in readings:
        if reading.std < best * (1.0 - 2.0 * reading.error):
            best = reading.std
    certain = True
    if n_features <= FEW_COLUMNS:
        std, saturation, count = _from_neighbourhoods(X)
        across = n_features - readings[len(_SHARES) - 1].signal
        # Of several directions without signal the smallest eigenvalue lies at the lower edge of
        # their law: a reading as low as that says nothing against the spectrum's.
        lowest = 1.0 - np.sqrt((across - 1.0) / count) if across > 2 else 1.0
        if std < _CLEARLY_LOWER * lowest * best:
            best, certain = std, saturation < _SATURATED
    return NoiseLevel(float(best), certain) if 0.0 < best < np.inf else NoiseLevel(None, False)


@dataclass(frozen=True)
class _Reading:
    """An estimate, its relative error, and how many directions hold signal according to it."""

    std: float
    error: float
    signal: int = 0


def _readings(X: FloatArray) -> list[_Reading]:
    """Return estimates, the most precise first."""
    from scipy.linalg import eigvalsh

    n_samples, n_features = X.shape
    freedom = n_samples - 1
    short, long = min(freedom, n_features), max(freedom, n_features)
    products = X.T @ X if n_features <= freedom else X @ X.T
    variances = np.maximum(eigvalsh(products)[-short:] / long, 0.0)
    found = [_from_spectrum(variances, long, share) for share in _SHARES]
    if n_samples > 30:
        quiet = _from_quiet_columns(X)
        if quiet.error < _PRECISE:
            found.append(quiet)
    return found


def _from_spectrum(variances: FloatArray, long: int, share: float) -> _Reading:
    """Read the noise off the lowest eigenvalues (ascending), which follow Marchenko and Pastur.

    Eigenvalues above the upper edge of their law are signal, whose number is found by iteration
    (as in Veraart et al., "Denoising of diffusion MRI using random matrix theory", 2016).
    """
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
            return _Reading(variance**0.5, (2.0 * long * low) ** -0.5, signal)
        signal = min(size - 1, signal + max(1, (above - signal) // 2))


def _marchenko_pastur(ratio: float, probabilities: FloatArray) -> FloatArray:
    """Return quantiles of the eigenvalues of noise of variance 1, whose sides have this ratio."""
    low, high = (1.0 - ratio**0.5) ** 2, (1.0 + ratio**0.5) ** 2
    angle = (np.arange(4000) + 0.5) / 4000 * np.pi
    values = (low + high) / 2.0 - (high - low) / 2.0 * np.cos(angle)
    shares = np.cumsum(np.sin(angle) ** 2 / values)
    quantiles: FloatArray = np.interp(probabilities, shares / shares[-1], values)
    return quantiles


def _from_quiet_columns(X: FloatArray) -> _Reading:
    """Read the noise off quiet columns: found in one half of the rows, read in the other."""
    n_samples, n_features = X.shape
    count = max(1, round(_QUIET * n_features))
    deviations, steps = [], []
    for half in (0, 1):
        quiet = np.argsort(X[half::2].var(axis=0))[:count]
        columns = X[1 - half :: 2][:, quiet]
        deviations.append(np.abs(columns - np.median(columns, axis=0)).ravel())
        steps.append(_steps(columns))
    std = float(np.median(np.concatenate(deviations))) / _MAD
    # A median of half of the rows has an error of its own, pi / n of the variance.
    std *= float(np.sqrt(n_samples / (n_samples - np.pi)))
    if std == 0.0:
        return _Reading(std, np.inf)
    error = float(np.hypot((0.74 * n_samples * count) ** -0.5, np.median(steps) / (2.0 * std)))
    return _Reading(std, error)


def _steps(columns: FloatArray) -> FloatArray:
    """Return the least step between the numbers of each column: a median is no finer than that."""
    gaps = np.diff(np.sort(columns, axis=0), axis=0)
    gaps[gaps <= 1e-9 * np.ptp(columns, axis=0)] = np.inf  # equal but for rounding
    steps: FloatArray = gaps.min(axis=0)
    return np.where(np.isfinite(steps), steps, 0.0)


def _from_neighbourhoods(X: FloatArray) -> tuple[float, float, float]:
    """Return the thickness of the surface that rows lie on, and how far the window sets it, 0 to 1.

    The smallest eigenvalue v of the covariance under a Gaussian window of variance h^2, on average
    over some centres. The window shrinks noise of variance s^2 to v = s^2 h^2 / (s^2 + h^2), so
    s^2 = v / (1 - v / h^2). It is as wide as a covariance needs and no wider; the number of rows
    in it comes third.
    """
    n_samples, n_features = X.shape
    centres = np.arange(0, n_samples, max(1, n_samples // _CENTRES))
    squares = Gaussian().distance(X[centres], X)
    squares[np.arange(len(centres)), centres] = np.inf  # a row is not its own neighbour
    wanted = float(np.clip(n_samples / 36, 15, 55))
    high = 10.0 * float(X.std(axis=0).max())
    low = 1e-5 * high
    for _ in range(40):
        width = (low * high) ** 0.5
        weights = np.exp(squares / (-2.0 * width**2))
        total = weights.sum(axis=1)
        count = total**2 / np.maximum((weights**2).sum(axis=1), np.finfo(float).tiny)
        low, high = (width, high) if np.median(count) < wanted else (low, width)
    enough = count > n_features + 2
    if not enough.any():
        return np.inf, 1.0, wanted
    weights, count = weights[enough] / total[enough, None], count[enough]
    means = weights @ X
    moments = np.einsum("ki,ia,ib->kab", weights, X, X, optimize=True)
    moments -= means[:, :, None] * means[:, None, :]
    smallest = np.linalg.eigvalsh(moments)[:, 0] * count / (count - 1.0)
    saturation = float(np.mean(smallest)) / width**2
    if not 0.0 < saturation < 1.0:
        return np.inf, 1.0, wanted
    return float(width * np.sqrt(saturation / (1.0 - saturation))), saturation, wanted
