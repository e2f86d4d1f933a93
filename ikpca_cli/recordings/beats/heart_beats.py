"""R peaks of an ECG: where the energy of a band is high, that of sharp complexes or of wide ones.

After Pan and Tompkins, "A real-time QRS detection algorithm" (1985), in two bands at once. In the
higher one a QRS complex stands out from its T wave; where noise fills that band it counts for less.
In the lower one complexes do that are wide: paced beats, bundle-branch blocks, ventricular beats.
T waves are there, too: they follow a complex soon, and are less sharp than it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray

_SHARP, _WIDE = (5.0, 20.0), (3.0, 10.0)  # Hz, of complexes
_TOGETHER = 0.1  # seconds whose energy is one event's
_APART = 0.25  # seconds between heart beats, at the least
_AFTER, _BLUNTER = 0.4, 0.5  # seconds after a beat in which what has less than this share is its T
_USUAL = 2.0  # seconds in each of which a beat is expected
_AROUND, _FAINTEST = 15, 0.05  # such times that tell the usual beat; of that of all, at the least
_NOISE = 4.0  # highest energy of noise in that time, over its median
_SHARE, _WIDE_SHARE = 0.3, 0.5  # of a usual beat's energy, in the higher and the lower band
_LOWER = 0.2  # weight of the lower band where there is no noise
_LEAST = 1e-6  # of the largest number
_NEAR, _FAR = 0.05, 0.12  # seconds from the middle of a complex to its peak, sharp or wide
_SMOOTH = 0.012  # seconds
_OPPOSITE = 1.3  # height of a peak the other way, over that of one the usual way, that is the peak


@dataclass(frozen=True)
class HeartBeats:
    """Beats of a recording.

    Attributes
    ----------
    peaks : ndarray of int, shape (n,)
        In samples.
    wide : ndarray of bool, shape (n,)
        Whether only the lower band told it.
    upward : ndarray of bool, shape (n,)
    bands : tuple of ndarray, shape (length,)
        The channel that shows beats best, in the higher and the lower band.
    """

    peaks: NDArray[np.intp]
    wide: NDArray[np.bool_]
    upward: NDArray[np.bool_]
    bands: tuple[FloatArray, FloatArray]


def find_heart_beats(fast: FloatArray, fs: float) -> HeartBeats:
    """Return the beats of an ECG without baseline, (length, channels), of `fs` samples a second."""
    from scipy.ndimage import gaussian_filter1d

    bands = [_band(fast, fs, edges) for edges in (_SHARP, _WIDE)]
    powers = [over_usual(band) ** 2 for band in bands]
    places, wide = _complexes([power.sum(axis=1) for power in powers], fs)
    power = powers[0][places] + powers[1][places] if len(places) else powers[0][:1]
    channel = int(np.argmax(np.sqrt(power).mean(axis=0)))
    smooth = gaussian_filter1d(fast[:, channel], _SMOOTH * fs)
    peaks, upward = _peaks(smooth, places, wide, fs)
    return HeartBeats(peaks, wide, upward, (bands[0][:, channel], bands[1][:, channel]))


def over_usual(band: FloatArray) -> FloatArray:
    """Return channels (length, c) over their usual size, which is 0 where most of one is."""
    sizes = np.abs(band)
    least = np.maximum(_LEAST * sizes.max(axis=0), np.finfo(float).tiny)
    found: FloatArray = band / np.maximum(np.median(sizes, axis=0), least)
    return found


def _band(fast: FloatArray, fs: float, edges: tuple[float, float]) -> FloatArray:
    from scipy.signal import butter, sosfiltfilt

    high = min(edges[1], 0.45 * fs)
    sections = butter(2, (min(edges[0], 0.5 * high), high), "bandpass", fs=fs, output="sos")
    found: FloatArray = sosfiltfilt(sections, fast, axis=0)
    return found


def _complexes(powers: list[FloatArray], fs: float) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return where complexes are, and which of them are wide, by the power of both bands."""
    from scipy.ndimage import maximum_filter1d, uniform_filter1d
    from scipy.signal import find_peaks

    together, least, after, usual = (
        max(1, round(seconds * fs)) for seconds in (_TOGETHER, _APART, _AFTER, _USUAL)
    )
    energies, shares = [], []
    for power in powers:
        energy = uniform_filter1d(power, together)
        energies.append(energy / _usual_level(energy, min(usual, len(energy))))
        shares.append(max(0.0, 1.0 - _NOISE * float(np.median(energies[-1]))))
    sharp, wide = energies
    weight = shares[0] if shares[0] > _SHARE else 0.0
    both = weight * sharp + max(_WIDE_SHARE, 1.0 - weight) * wide
    places, _ = find_peaks(both, distance=together)
    around = together // 2 * 2 + 1
    sharp, wide = (maximum_filter1d(energy, around)[places] for energy in (sharp, wide))
    is_sharp = sharp >= 1.0 - weight + (weight * _SHARE or np.inf)
    seen = is_sharp | (wide >= _WIDE_SHARE)
    places, sharp, wide, is_sharp = (some[seen] for some in (places, sharp, wide, is_sharp))
    alone = _strongest(places, weight * sharp + max(_LOWER, 1.0 - weight) * wide, least)
    edges = sharp if weight else wide
    kept: list[int] = []
    for place in np.flatnonzero(alone).tolist():
        before = kept[-1] if kept else place
        soon = 0 < places[place] - places[before] < after
        if not (soon and edges[place] < _BLUNTER * edges[before]):
            kept.append(place)
    return places[kept], ~is_sharp[kept]


def _usual_level(energy: FloatArray, usual: int) -> FloatArray:
    """Return the energy of a usual beat of those around each sample, (n,): contacts get worse."""
    from scipy.ndimage import maximum_filter1d, rank_filter

    highest = maximum_filter1d(energy, usual)[usual // 2 :: usual]
    least = max(_FAINTEST * float(np.median(highest)), float(np.finfo(float).tiny))
    # A strong beat may be in two of three of these times.
    weak = rank_filter(highest, _AROUND // 3 - 1, _AROUND, mode="reflect")
    around = np.maximum(weak, least)
    at = usual // 2 + usual * np.arange(len(around))
    level: FloatArray = np.interp(np.arange(len(energy)), at, around)
    return level


def _strongest(places: NDArray[np.intp], energy: FloatArray, least: int) -> NDArray[np.bool_]:
    """Tell which places are the strongest among those less than so many samples away."""
    alone = np.ones(len(places), dtype=bool)
    for place in np.argsort(-energy, kind="stable"):
        if alone[place]:
            first, last = np.searchsorted(
                places, (places[place] - least + 1, places[place] + least)
            )
            alone[first:last] = False
            alone[place] = True
    return alone


def _peaks(
    smooth: FloatArray, places: NDArray[np.intp], wide: NDArray[np.bool_], fs: float
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the peaks of complexes, and which point upwards: those that stand out most do so."""
    reach = max(1, round(_FAR * fs))
    steps = np.arange(-reach, reach + 1)
    around = np.clip(places[:, None] + steps, 0, len(smooth) - 1)
    nearness = np.exp(-0.5 * (steps / (_NEAR * fs)) ** 2)
    values = smooth[around] * np.where(wide[:, None], 1.0, nearness)
    high, low = values.max(axis=1, initial=0.0), -values.min(axis=1, initial=0.0)
    if np.median(high - low) > 0.0 if len(places) else True:
        upward = low <= _OPPOSITE * high
    else:
        upward = high > _OPPOSITE * low
    at = np.where(upward[:, None], values, -values).argmax(axis=1)
    return around[np.arange(len(places)), at], upward
