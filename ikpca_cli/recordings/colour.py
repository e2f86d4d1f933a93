"""Noise whose neighbouring samples are alike, or opposite: how much, and how it is made white.

Second differences over L samples have the variance 6 r(0) - 8 r(L) + 2 r(2L), r being the
autocovariance of the noise, as long as the signal hardly bends over L samples. For white noise it
is the same for every L. Noise with a short memory comes to that level once L is longer than it;
what grows on and on is signal, and tells nothing, nor do correlations beyond 1, as hum makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ikpca_cli.data.row_source import FloatArray, RowSource
from ikpca_cli.errors import Note
from ikpca_cli.recordings.cutting import Kind
from ikpca_cli.recordings.roughness import changes, channel_noise

UNKNOWN = "its noise cannot be told from a signal that changes from sample to sample"
"""Why no error is promised where differences over more samples are ever larger."""

ROUGH = "rough signal may pass for noise that is alike from sample to sample"
"""Why no error is promised where correlated noise is known from the recordings alone."""

LAGS = (1, 2, 3, 4, 6, 8, 12)
"""Samples over which differences are taken."""

WHITE, _CHANCE = 1.12, 2.0
"""Ratio of noise levels at different lags up to which noise counts as white, and what is added to
it over the root of the samples."""

_OTHER = 1.25  # ratio of a level that is given to that of correlated noise: it is not that noise's

_SHORTEST = 500
"""Samples from which the correlations of noise are looked at."""

_LEVEL = 1.1  # ratio of levels up to which they are one
_LEAST = 0.05  # of the mean power, at any frequency


def correlations(canvases: Sequence[RowSource]) -> tuple[tuple[float, ...], float] | None:
    """Return the correlations of noise, from one sample to the next on, and its level's ratio.

    Returns
    -------
    tuple of (tuple of float, float) or None
        None of the first for white noise; the second is the noise level over what second
        differences of neighbours say. None if nothing can be told.
    """
    canvases = [canvas for canvas in canvases if int(canvas.shape[0]) >= _SHORTEST]
    if not canvases or (channel_noise(canvases, "signal") < changes(canvases, "signal", 1)).any():
        return (), 1.0
    first, second = _powers(canvases, LAGS[:2])
    if not first > 0.0:
        return (), 1.0
    ratio = float(np.sqrt(second / first))
    samples = sum(int(canvas.shape[0]) for canvas in canvases)
    if max(ratio, 1.0 / max(ratio, 1e-9)) < WHITE + _CHANCE / samples**0.5:
        return (), 1.0  # most noise is white, which two lags tell
    powers = np.array([first, second, *_powers(canvases, LAGS[2:])])
    levels = np.sqrt(powers / first)
    for start in range(1, len(LAGS) - 2):
        three = levels[start : start + 3]
        if three.max() <= _LEVEL * three.min():
            break
    else:
        return None
    total = float(np.mean(powers[start : start + 3]))
    # From the longest lag down, where that of twice the lag is known, or is none.
    found = dict.fromkeys(range(LAGS[start], 2 * LAGS[-1] + 1), 0.0)
    for lag in range(LAGS[start] - 1, 0, -1):
        power = np.interp(lag, LAGS, powers)
        found[lag] = float((6.0 * (total - power) + 2.0 * found[2 * lag]) / 8.0)
    kept = tuple(found[lag] / total for lag in range(1, LAGS[start]))
    if any(abs(one) > 1.0 for one in kept):
        return None  # no noise has such correlations: hum, or other signal, makes the differences
    return kept, float(np.sqrt(total / first))


def passes_for_noise(colour: tuple[float, ...]) -> str:
    """Say what may be removed as noise of these correlations, or of unknown ones."""
    remedy = "if there may be any, give noise_std (--noise-std)"
    if colour:
        return (
            "noise that is alike from sample to sample is removed; signal as rough looks the same "
            f"and goes with it: {remedy}"
        )
    return Note(f"signal that changes from sample to sample may be taken for noise: {remedy}")


def is_level(given: Any, levels: FloatArray) -> bool:
    """Tell whether a noise level is "auto", or what was read of the channels (c,) all the same."""
    if given == "auto":
        return True
    level = float(np.sqrt(np.mean(levels**2)))
    return level < _OTHER * float(given) and float(given) < _OTHER * level


def _powers(canvases: Sequence[RowSource], lags: Sequence[int]) -> list[float]:
    """Return the mean square of second differences over some lags."""
    return [float(np.mean(changes(canvases, "signal", lag) ** 2)) for lag in lags]


def own_level(canvases: Sequence[RowSource], kind: Kind, scales: Sequence[float]) -> float | None:
    """Return the noise level of recordings or pictures, over `scales` by channel.

    The root mean square over channels; None if it cannot be told.
    """
    told = correlations(canvases) if kind != "image" else ((), 1.0)
    levels = channel_noise(canvases, "image" if kind == "image" else "signal")
    level = float(np.sqrt(np.mean((levels / np.array(scales or 1.0)) ** 2)))
    return level * told[1] if told is not None and level > 0.0 else None


@lru_cache(maxsize=4)
def roots(colour: tuple[float, ...], length: int, width: int) -> tuple[FloatArray, FloatArray]:
    """Return what makes windows of noise white, and what undoes it: (p, p) both.

    Windows are ``length`` samples of ``width`` channels, flattened; all channels are alike.
    """
    from scipy.linalg import toeplitz

    row = np.zeros(length)
    known = np.array([1.0, *colour])[:length]
    row[: len(known)] = known
    values, vectors = np.linalg.eigh(toeplitz(row))
    half = np.sqrt(np.maximum(values, _LEAST))
    one = np.eye(width)
    return np.kron((vectors / half) @ vectors.T, one), np.kron((vectors * half) @ vectors.T, one)


def coloured(noise: FloatArray, colour: tuple[float, ...]) -> FloatArray:
    """Return white noise (n, channels) with the correlations of other noise."""
    if not colour:
        return noise
    length = len(noise)
    row = np.zeros(length)
    row[0] = 1.0
    row[1 : 1 + len(colour)] = colour
    row[-1 : -1 - len(colour) : -1] = colour
    power = np.maximum(np.fft.rfft(row).real, _LEAST)
    spectrum = np.fft.rfft(noise, axis=0) * np.sqrt(power)[:, None]
    found: FloatArray = np.fft.irfft(spectrum, length, axis=0)
    return found
