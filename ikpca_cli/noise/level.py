"""The standard deviation of white noise, estimated from noisy rows alone.

Signal only ever adds variance, so each of several readings is an upper bound. The most precise one
comes first, and a less precise one is believed only where it is clearly lower.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.row_source import FloatArray, without_duplicates
from ikpca_cli.linalg.eigen import leading_eigenpairs
from ikpca_cli.noise.local import thickness

FEW_COLUMNS = 8
"""Up to this width signal fills the space, and only small neighbourhoods tell it from noise."""

FEW_ROWS = 8
"""Fewer different rows than this tell nothing."""

_SHARES = (1.0, 0.5, 0.25)  # of the noise spectrum that is is_read at, from its low end
_PRECISE = 0.03  # relative error above which quiet columns say nothing against the spectrum
_QUIET = 0.1  # share of the columns that may hold little signal
_ARGUMENTS = (0.75, 1.75)  # of characteristic functions, over the noise
_UNLIKE_NOISE = (0.7, 2.0)  # variance of squared lengths, over that of noise
_SURELY = 4.0  # standard errors
_MOST_LEVERAGE = 0.9  # of a row that still tells something
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
    if X.shape[1] < 2:
        return NoiseLevel(None, certain=False)
    X = without_duplicates(X)  # nor has a row beside its duplicate
    n_samples, n_features = X.shape
    if n_samples < FEW_ROWS:
        return NoiseLevel(None, certain=False)
    readings = _estimates(X)
    best = readings[0]
    for reading in readings[1:]:
        if reading.std < best.std * (1.0 - reading.doubt):
            best = reading
    if n_features <= FEW_COLUMNS:
        white = readings[0].signal == 0
        surface = thickness(X, white=white)
        # Where the rows as a whole have more directions without signal than were seen across the
        # surface, the variance across it is the smallest of several.
        more = 0 if white else n_features - readings[0].signal - surface.across
        lowest = 1.0 - (max(more, 0) / surface.count) ** 0.5
        if 0.0 < surface.std < _CLEARLY_LOWER * lowest * best.std:
            certain = surface.saturation < _SATURATED and surface.is_steady
            return NoiseLevel(surface.std, certain)
    if best.std == 0.0:
        return NoiseLevel(None, certain=False)
    certain = not best.of_spectrum or _has_lengths_of_noise(X, readings[0].signal)
    return NoiseLevel(best.std, certain)


@dataclass(frozen=True)
class _Estimate:
    """An estimate, and by which share it has to be lower than others.

    One of the spectrum counts the directions with signal.
    """

    std: float
    doubt: float
    signal: int = 0
    of_spectrum: bool = False


def _estimates(X: FloatArray) -> list[_Estimate]:
    """Return estimates, the most precise first."""
    n_samples, n_features = X.shape
    freedom = n_samples - 1
    short, long = min(freedom, n_features), max(freedom, n_features)
    products = X.T @ X if n_features <= freedom else X @ X.T
    variances = np.maximum(np.linalg.eigvalsh(products)[-short:] / long, 0.0)
    found = [_from_spectrum(variances, long, share) for share in _SHARES]
    if n_samples > 30:
        quiet = _from_quiet_columns(X)
        if quiet.doubt < _PRECISE:
            found.append(quiet)
    return found


def _from_spectrum(variances: FloatArray, long: int, share: float) -> _Estimate:
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
            doubt = 2.0 * (2.0 * long * low) ** -0.5  # two standard errors
            return _Estimate(variance**0.5, doubt, signal, of_spectrum=True)
        signal = min(size - 1, signal + max(1, (above - signal) // 2))


def _has_lengths_of_noise(X: FloatArray, signal: int) -> bool:
    """Tell whether the lengths of centred rows, without their signal, vary as those of noise do.

    In d directions the squared length of white noise has a variance of 2 / d times its squared
    mean. Signal that fills the space evenly looks like noise to a spectrum, but not here: on a
    sphere, say, all rows are nearly of one length.

    Parameters
    ----------
    X : ndarray, shape (n_samples, n_features)
    signal : int
        Number of leading directions to leave out.
    """
    n_samples, n_features = X.shape
    leverage = np.full(n_samples, 1.0 / n_samples)  # how much of a row its own fit takes off it
    if signal:
        if n_features > n_samples:
            rows = leading_eigenpairs(X @ X.T, signal)[1]
            X = X - rows @ (rows.T @ X)
        else:
            values, columns = leading_eigenpairs(X.T @ X, signal)
            codes = X @ columns
            X = X - codes @ columns.T
            rows = codes / np.sqrt(values)
        leverage += np.einsum("ij,ij->i", rows, rows)
    free = leverage < _MOST_LEVERAGE
    squares = np.einsum("ij,ij->i", X[free], X[free]) / (1.0 - leverage[free])
    if not squares.any():
        return False
    directions = n_features - signal
    ratio = float((squares / squares.mean()).var()) * directions / 2.0
    low, high = _UNLIKE_NOISE
    if low < ratio < high:
        return True
    # The kurtosis of chi-square is 12 / d.
    error = ((2.0 + 12.0 / directions) / len(squares)) ** 0.5
    return bool(abs(np.log(max(ratio, np.finfo(float).tiny))) < _SURELY * error)


def _marchenko_pastur(ratio: float, probabilities: FloatArray) -> FloatArray:
    """Return quantiles of the eigenvalues of noise of variance 1, whose sides have this ratio."""
    low, high = (1.0 - ratio**0.5) ** 2, (1.0 + ratio**0.5) ** 2
    angle = (np.arange(4000) + 0.5) / 4000 * np.pi
    values = (low + high) / 2.0 - (high - low) / 2.0 * np.cos(angle)
    shares = np.cumsum(np.sin(angle) ** 2 / values)
    quantiles: FloatArray = np.interp(probabilities, shares / shares[-1], values)
    return quantiles


def _from_quiet_columns(X: FloatArray) -> _Estimate:
    """Read the noise off quiet columns: found in one half of the rows, read in the other.

    A quiet column is constant but for a few rows. The modulus of its characteristic function is
    that of the noise, exp(-s^2 t^2 / 2), times the share of the other rows, which its fall from
    one t to another is free of (Jin and Cai, "Estimating the null and the proportion of nonnull
    effects", 2007).
    """
    n_samples, n_features = X.shape
    count = max(1, round(_QUIET * n_features))
    columns = []
    for half in (0, 1):
        quiet = np.argsort(X[half::2].var(axis=0))[:count]
        columns.append(X[1 - half :: 2][:, quiet])
    deviations = np.concatenate([np.abs(some - np.median(some, axis=0)) for some in columns])
    rough = float(np.median(deviations)) / _MAD
    if rough == 0.0:
        return _Estimate(0.0, np.inf)
    powers = [np.mean([_power(some, at / rough) for some in columns]) for at in _ARGUMENTS]
    if not powers[0] > powers[1] > 0.0:
        return _Estimate(0.0, np.inf)
    low, high = _ARGUMENTS
    std = rough * float(np.log(powers[0] / powers[1]) / (high**2 - low**2)) ** 0.5
    step = float(np.median([_steps(some) for some in columns]))
    return _Estimate(std, float(np.hypot((0.7 * n_samples * count) ** -0.5, step / (2.0 * std))))


def _power(columns: FloatArray, argument: float) -> float:
    """Return the mean squared modulus of the columns' characteristic functions, without bias."""
    count = len(columns)
    squares = np.abs(np.exp(1j * argument * columns).mean(axis=0)) ** 2
    return float((count * squares.mean() - 1.0) / (count - 1.0))


def _steps(columns: FloatArray) -> FloatArray:
    """Return the least step between the numbers of each column: a median is no finer than that."""
    gaps = np.diff(np.sort(columns, axis=0), axis=0)
    gaps[gaps <= 1e-9 * np.ptp(columns, axis=0)] = np.inf  # equal but for rounding
    steps: FloatArray = gaps.min(axis=0)
    return np.where(np.isfinite(steps), steps, 0.0)
