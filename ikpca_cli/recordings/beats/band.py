"""Beats without what no beat holds: each a row of fewer samples, whose noise is white again.

A beat resampled to more numbers than it had samples holds noise in as many directions as it had,
and signal in fewer: its cosine coefficients beyond some frequency are noise alone. Those below it
are a row again, by an inverse transform of their number, so that neighbours stay neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.recordings.beats.cut import StretchOfBeats
from ikpca_cli.recordings.roughness import channel_noise
from ikpca_cli.transforms.frequency_band import FrequencyBand, at_samples

_COST = 0.04
"""What a coefficient of noise alone leaves in a cleaned beat, over its variance; as measured on
synthetic heart beats, 70 to 700 of them (.03 to .07)."""

_NARROWEST = 8


def narrow(rows: FloatArray, band: int, length: int) -> FloatArray:
    """Return rows (n, length * channels) by their lowest frequencies, (n, band * channels).

    0 leaves them as they are.
    """
    return _resized(rows, length, band) if band else rows


def widen(rows: FloatArray, band: int, length: int) -> FloatArray:
    """Return rows (n, band * channels) at as many samples as `narrow` had: (n, length * channels).

    With no other frequencies than they have.
    """
    return _resized(rows, band, length) if band else rows


def band_and_noise(
    found: Sequence[StretchOfBeats], rows: FloatArray, level: float, seed: int
) -> tuple[int, float]:
    """Return the band of beats, and how strong noise is in its numbers.

    Numbers between samples are not new ones: their noise is that of fewer, and stronger.

    Parameters
    ----------
    found : sequence of StretchOfBeats
    rows : ndarray, shape (n, LENGTH * channels)
        All their beats.
    level : float
        Standard deviation of the noise in the samples.
    seed : int

    Returns
    -------
    band : int
        See `band_of`.
    stretching : float
        Standard deviation of noise in a number of the band, over that in a sample.
    """
    powers = _powers_in_beats(found, seed)
    band = band_of(rows, powers * level**2)
    return band, float(np.sqrt(powers[:band].mean()))


def noise_of_beats(found: Sequence[StretchOfBeats], seed: int = 0) -> FrequencyBand | None:
    """Return the noise of beats as they are cut, (n, LENGTH * channels), by that of the samples.

    None where some channel has no noise.

    Parameters
    ----------
    found : sequence of StretchOfBeats
        With beats in one of them, at least.
    seed : int
    """
    levels = channel_noise([part.fast for part in found], "signal")
    if not (levels > 0.0).all():
        return None
    rows = np.concatenate([part.cut(part.fast / levels) for part in found])
    powers = _powers_in_beats(found, seed)
    band = min(band_of(rows, powers), len(powers) - 1)
    power = float(powers[:band].mean())
    beyond = float(powers[band:].sum()) / (band * power)
    return FrequencyBand(rows.shape[1], band, tuple(levels * power**0.5), beyond)


def _powers_in_beats(found: Sequence[StretchOfBeats], seed: int) -> FloatArray:
    """Return the mean square of each cosine coefficient that noise of variance 1 has in beats."""
    rng = model_rng(seed, Stream.BEATS)
    noise = [part.cut(rng.normal(size=(len(part.fast), 1))) for part in found]
    return noise_by_frequency(np.concatenate(noise))


def noise_by_frequency(noise: FloatArray) -> FloatArray:
    """Return the mean square of each cosine coefficient of rows (n, length) cut from noise."""
    from scipy.fft import dct

    powers: FloatArray = np.mean(dct(noise, norm="ortho", axis=1) ** 2, axis=0)
    return powers


def band_of(rows: FloatArray, noise: FloatArray) -> int:
    """Return how many of the lowest coefficients of beats hold signal.

    Parameters
    ----------
    rows : ndarray, shape (n, length * channels)
    noise : ndarray, shape (length,)
        The variance that noise has in each coefficient.

    Returns
    -------
    int
        For the least sum of what is left out and what noise is kept.
    """
    from scipy.fft import dct

    length = len(noise)
    shaped = rows.reshape(len(rows), length, -1)
    powers = np.mean(dct(shaped, norm="ortho", axis=1) ** 2, axis=(0, 2))
    kept = np.append(0.0, np.cumsum(powers - (1.0 + _COST) * noise))
    least = min(_NARROWEST, length)
    return least + int(np.argmax(kept[least:]))


def _resized(rows: FloatArray, old: int, new: int) -> FloatArray:
    """Return rows (n, old * channels) as rows (n, new * channels)."""
    return at_samples(rows.reshape(len(rows), old, -1), new).reshape(len(rows), -1)
