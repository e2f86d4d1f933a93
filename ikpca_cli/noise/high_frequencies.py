"""The noise level by the highest frequencies along rows, where smooth rows have none but noise.

Rows may be too few, or of too many shapes, for a spectrum of all rows to have directions without
signal. If they are smooth, each of them has frequencies without signal. A cosine transform (DCT-II)
keeps white noise white, so that coefficients of noise have one variance, from one row to the next
as well as from one frequency to the next; those of signal fall with the frequency, or are strong in
some rows. Donoho and Johnstone ("Ideal spatial adaptation by wavelet shrinkage", 1994) read the
level off the finest wavelets for the same reason.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.estimate import Reading

FEWEST = 24
"""Coefficients that a band must have."""

PART = 0.7
"""Share of the level of the highest frequencies that is taken for noise where signal may go on so
far."""

_SHARES = (0.5, 0.25)  # of the coefficients, from the highest frequency down
_HIGHEST = 1.0 / 16.0  # of them, whose power tells how strong white noise may be
_SURELY, _LIKELY = 3.0, 2.0  # standard errors
_SLOPE = 0.02  # relative difference of two halves that is no matter
_MOST_ROWS = 0.1  # variance of squared lengths beyond that of chi-square, over it
_KURTOSIS = 0.15  # what it may differ by from 3
_PARTS = 4  # of a band, as wide as what is looked at below it
_MOST_FALL = 0.75  # of signal from one part to the next
_UNSURE = 0.5  # of what signal is taken to be in a band: of the level that is a quarter
_FEWEST_NUMBERS = 300  # in a band, for a level within some per cent


def high_reading(X: FloatArray) -> Reading | None:
    """Return the level by high frequencies of centred rows (n, p), None if these hold signal."""
    from scipy.fft import dct

    return reading_of(dct(X, norm="ortho", axis=1))


def reading_of(Z: FloatArray) -> Reading | None:
    """Return the level by the highest of cosine coefficients (n, p) of rows, as `high_reading`."""
    for share in _SHARES:
        reading, is_signal = _band_reading(Z, int(share * Z.shape[1]))
        if reading is not None or is_signal:
            return reading
    return None


def most_white(X: FloatArray) -> float:
    """Return the highest level that white noise may have on centred rows (n, p), but for chance.

    It is as strong at any frequency, so that none has less power; infinite for few columns.
    """
    highest = highest_reading(X)
    if highest is None:
        return np.inf
    return float((len(X) / (len(X) - 1.0)) ** 0.5 * highest.at_most)


def highest_reading(X: FloatArray) -> Reading | None:
    """Return the level of all that rows (n, p) hold at their highest frequencies.

    It is that of white noise, or more; None for few columns.
    """
    from scipy.fft import dct

    n_samples, n_features = X.shape
    count = max(int(_HIGHEST * n_features), FEWEST)
    if n_features < 2 * FEWEST:
        return None
    highest = dct(X, norm="ortho", axis=1)[:, -count:]
    return Reading(float(np.mean(highest**2)) ** 0.5, 2.0 * (2.0 * n_samples * count) ** -0.5)


def powers_read(powers: FloatArray) -> list[float]:
    """Return the mean powers of the bands that `high_reading` looks at, of those by frequency."""
    counts = [int(share * len(powers)) for share in _SHARES]
    return [float(powers[-count:].mean()) for count in counts if count >= FEWEST]


def _band_reading(Z: FloatArray, count: int) -> tuple[Reading | None, bool]:
    """Return the level by the last coefficients of Z (n, p), None where they are not alike.

    And whether they cannot be noise, as numbers that are spread less than normal ones are not; of
    fewer of them one would see less of it.
    """
    from scipy.fft import idct

    n_samples = len(Z)
    if count < FEWEST or n_samples * count < _FEWEST_NUMBERS:
        return None, False
    band = Z[:, -count:]
    squares = band**2 * (n_samples / (n_samples - 1.0))
    variance = float(squares.mean())
    if variance <= 0.0:
        return None, False
    squares /= variance
    by_frequency, by_row = squares.mean(axis=0), squares.mean(axis=1)
    # The variance of a squared normal number is 2.
    frequencies = float(by_frequency.var()) * (n_samples - 1) / 2.0
    rows = float(by_row.var()) * count / 2.0
    half = count // 2
    slope = float(by_frequency[:half].mean() - by_frequency[half:].mean())
    error = (8.0 / ((n_samples - 1) * count)) ** 0.5
    filtered = np.zeros_like(Z)
    filtered[:, -count:] = band
    fourth = float(np.mean((idct(filtered, norm="ortho", axis=1) ** 2) ** 2))
    kurtosis = fourth / (variance * (1.0 - 1.0 / n_samples) * count / Z.shape[1]) ** 2
    is_flat = abs(slope) < _SLOPE + _SURELY * error
    chance = _MOST_ROWS + _SURELY * (2.0 / n_samples) ** 0.5
    is_even = frequencies < 1.0 + _SURELY * (2.0 / count) ** 0.5 and abs(rows - 1.0) < chance
    chance = _KURTOSIS + _SURELY * (24.0 / (n_samples * count)) ** 0.5
    if not (is_flat and is_even and abs(kurtosis - 3.0) < chance):
        return None, kurtosis < 3.0 - chance
    beyond = _signal_beyond(Z[:, :-count], variance, count)
    doubt = float(np.hypot(2.0 * (2.0 * n_samples * count) ** -0.5, _UNSURE * beyond))
    return Reading((variance / (1.0 + beyond)) ** 0.5, doubt), False


def _signal_beyond(Z: FloatArray, variance: float, count: int) -> float:
    """Return the variance of signal in a band, over that of noise, by what is below the band.

    What two parts below it hold beyond noise falls from one to the next; it is taken to fall on
    in that proportion.

    Parameters
    ----------
    Z : ndarray, shape (n, k)
        Coefficients below the band.
    variance : float
        Of the noise.
    count : int
        Coefficients in the band.
    """
    part = count // _PARTS
    if Z.shape[1] < 2 * part:
        return 0.0
    low, high = (
        float(np.mean(some**2)) / variance - 1.0 for some in (Z[:, -2 * part : -part], Z[:, -part:])
    )
    chance = (2.0 / (len(Z) * part)) ** 0.5
    if high < _LIKELY * chance or low < _SURELY * chance:  # signal holds more in the lower one
        return 0.0
    fall = min(high / max(low, high), _MOST_FALL)
    return high * fall / (1.0 - fall) / _PARTS
