"""Beats, or any event that comes again and again: found, cut to one length, and put back.

The preparation of Gedon et al. (2023, section 5.2): the baseline that wanders is taken off by a
high-pass filter, R peaks are found, and each R-R interval becomes one row with its peak at one
place. The row of a peak reaches back over a share of the interval before it, and forward over the
rest of the one after, so that rows tile the recording and can be put back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.errors import InputError
from ikpca_cli.recordings.beats.heart_beats import HeartBeats, find_heart_beats, over_usual

LENGTH, PEAK = 512, 150
"""Samples of a row, and the place of its peak, as in the paper."""

FEWEST = 3
"""Peaks without which there is no interval on both sides of one."""

_BASELINE = 0.5  # Hz: below is baseline wander
_NEAR = 0.08  # seconds within which beats of one kind are alike
_SHARE, _LEAST_SHARE = 0.3, 0.1  # of a usual peak's energy: an event's, and a missed one's
_FAR, _STEPS = 1.5, 9  # usual steps between which one was missed; steps that tell the usual one
_AS_LIKE = 0.6  # of the highest correlation: that of one period
_PERIODS, _LIKE = (1, 2, 3, 4), 0.5  # of the energy in a wave; of all power, that comes again
_JITTER = 0.1  # of an interval, by which others differ
_SLOW = 4  # of the period: what is wider is no event, and at twice the period hardly left
_ROUND = 8  # of the period: what is narrower is no event


@dataclass(frozen=True)
class Beats:
    """Where the beats of a recording are.

    Attributes
    ----------
    peaks : ndarray, shape (n,)
    edges : ndarray, shape (n + 1,)
        Where the beat of each peak begins, and the last one ends; in samples.
    length : int
        Samples of the recording.
    found : ndarray, shape (m,)
        All its peaks, also those whose beats reach beyond it.
    """

    peaks: FloatArray
    edges: FloatArray
    length: int
    found: FloatArray

    @classmethod
    def at(cls, peaks: FloatArray, length: int, name: str) -> Beats:
        """Return the beats of peaks, without those that reach beyond the recording.

        Raises
        ------
        InputError
            If there are fewer than `FEWEST`.
        """
        share = PEAK / LENGTH
        if len(peaks) >= FEWEST:
            steps = np.diff(peaks)
            steps = np.concatenate([steps[:1], steps, steps[-1:]])
            starts = peaks - share * steps[:-1]
            stop = peaks[-1] + (1.0 - share) * steps[-1]
            edges = np.append(starts, stop)
            whole = (edges[:-1] >= 0.0) & (edges[1:] <= length - 1)
            kept = np.flatnonzero(whole)
            if len(kept):
                some = slice(kept[0], kept[-1] + 1)
                return cls(peaks[some], edges[kept[0] : kept[-1] + 2], length, peaks)
        raise InputError(
            f"{name}: {len(peaks)} beat{'s were' if len(peaks) != 1 else ' was'} found, too few to "
            "cut; check the rate (--fs), or give a longer recording"
        )

    def places(self, finer: int = 1) -> Iterator[FloatArray]:
        """Yield the samples that the numbers of each row lie at, (finer * LENGTH,)."""
        parts = finer * PEAK, finer * (LENGTH - PEAK)
        for peak, start, stop in zip(self.peaks, self.edges[:-1], self.edges[1:], strict=True):
            before = np.linspace(start, peak, parts[0], endpoint=False)
            yield np.concatenate([before, np.linspace(peak, stop, parts[1], endpoint=False)])

    def cut(self, canvas: FloatArray) -> FloatArray:
        """Return the rows of a recording (length, channels): (n, LENGTH * channels).

        A number of beats that are longer is the mean of the samples around it: no sample is lost,
        and noise is averaged.
        """
        from scipy.interpolate import CubicSpline
        from scipy.ndimage import uniform_filter1d

        curve = CubicSpline(np.arange(float(self.length)), canvas)
        samples = float(self.edges[-1] - self.edges[0]) / len(self.peaks)
        finer = max(1, round(samples / LENGTH)) | 1  # odd, so that a mean lies where its number is
        means = (
            uniform_filter1d(curve(at), finer, axis=0, mode="nearest")[::finer]
            for at in self.places(finer)
        )
        return np.stack([row.ravel() for row in means])

    def put_back(self, canvas: FloatArray, rows: FloatArray) -> FloatArray:
        """Return a recording (length, channels) with its beats replaced by rows."""
        from scipy.interpolate import CubicSpline

        values = rows.reshape(-1, canvas.shape[1])
        at = np.append(np.concatenate(list(self.places())), self.edges[-1])
        # A row ends where the next begins; the last one at its own last number.
        curve = CubicSpline(at, np.concatenate([values, values[-1:]]))
        inside = np.arange(int(np.ceil(self.edges[0])), int(np.floor(self.edges[-1])) + 1)
        restored = canvas.copy()
        restored[inside] = curve(inside)
        return restored


def without_baseline(canvas: FloatArray, fs: float) -> tuple[FloatArray, FloatArray]:
    """Split a recording (length, channels) into what varies fast, and its baseline.

    Without a rate (0) the baseline is the median.
    """
    from scipy.signal import butter, sosfiltfilt

    if fs <= 0.0:
        baseline = np.broadcast_to(np.median(canvas, axis=0), canvas.shape)
        return canvas - baseline, baseline
    sections = butter(2, _BASELINE, "highpass", fs=fs, output="sos")
    fast: FloatArray = sosfiltfilt(sections, canvas, axis=0)
    return fast, canvas - fast


def find_peaks(fast: FloatArray, fs: float, apart: int = 0) -> FloatArray:
    """Return the peaks, in samples, of a recording without baseline, (length, channels).

    With a rate they are R peaks; without one (0), those of whatever comes again, about every
    `apart` samples or, if that is 0, as often as the recording is most like itself.
    """
    from scipy.ndimage import gaussian_filter1d, uniform_filter1d

    if fs > 0.0:
        return _kinds_aligned(find_heart_beats(fast, fs), max(1, round(_NEAR * fs)))
    period = apart or _period(fast)
    narrow, wide = (gaussian_filter1d(fast, period / part, axis=0) for part in (_ROUND**2, _SLOW))
    shaped = narrow - wide
    parts = (_ROUND, _ROUND, 2, 2)
    near, together, least, after = (max(1, period // part) for part in parts)
    usual = 2 * period
    power = over_usual(shaped)
    # What swings goes up and down in each period: the way that goes farther tells the event.
    one_way = np.maximum(power * np.sign((power**3).mean(axis=0)), 0.0)
    energy = uniform_filter1d((one_way**2).sum(axis=1), together)
    found = _events(energy, min(usual, len(energy)), least, after)
    # The channel that shows the events best, and the direction in which they point there.
    main = (
        shaped[:, int(np.argmax(np.abs(power[found]).mean(axis=0)))] if len(found) else shaped[:, 0]
    )
    around = np.clip(found[:, None] + np.arange(-near, near + 1), 0, len(main) - 1)
    values = main[around]
    sign = np.sign(np.median(values.max(axis=1) + values.min(axis=1))) if len(found) else 1.0
    peaks = np.unique(around[np.arange(len(found)), (sign * values).argmax(axis=1)])
    return _aligned(main, peaks, near) if len(peaks) >= FEWEST else peaks.astype(np.float64)


def _events(energy: FloatArray, usual: int, least: int, after: int) -> NDArray[np.intp]:
    """Return the samples of events: high peaks, and the highest between two that lie far apart.

    Parameters
    ----------
    energy : ndarray, shape (n,)
    usual : int
        Samples in which an event is expected.
    least, after : int
        Samples between two events, and between one and a weaker one after it, at the least.
    """
    from scipy.ndimage import maximum_filter1d, median_filter
    from scipy.signal import find_peaks as find_peaks_of

    level = float(np.median(maximum_filter1d(energy, usual)[usual // 2 :: usual]))
    places, known = find_peaks_of(energy, height=_LEAST_SHARE * level, distance=least)
    high = known["peak_heights"] >= _SHARE * level
    found, low = places[high], places[~high]
    steps = np.diff(found)
    usual_steps = median_filter(steps, _STEPS, mode="nearest") if len(steps) else steps
    missed = []
    for place in np.flatnonzero(steps > _FAR * usual_steps):
        inside = (found[place] + after, found[place + 1] - least)
        between = low[slice(*np.searchsorted(low, inside))]
        if len(between):
            missed.append(between[np.argmax(energy[between])])
    return np.sort(np.append(found, missed).astype(np.intp))


def _kinds_aligned(beats: HeartBeats, near: int) -> FloatArray:
    """Return peaks (n,) of heart beats, those of a kind aligned with each other, see `_aligned`."""
    found = []
    for wide in (False, True):
        for upward in (False, True):
            own = beats.peaks[(beats.wide == wide) & (beats.upward == upward)]
            enough = len(own) >= FEWEST
            found.append(_aligned(beats.bands[int(wide)], own, near) if enough else own)
    peaks: FloatArray = np.sort(np.concatenate(found).astype(np.float64))
    return peaks


def _aligned(main: FloatArray, peaks: NDArray[np.intp], near: int) -> FloatArray:
    """Return peaks (n,) moved to where what surrounds them is most like their mean.

    Noise moves the highest number of a peak by a sample or two, the best fit of a whole complex by
    a fraction of one, which a parabola through the three best fits tells.
    """
    reach = np.arange(-2 * near, 2 * near + 1)
    lags = np.arange(-near // 2, near // 2 + 1)
    last = len(main) - 1
    around = main[np.clip(peaks[:, None] + reach, 0, last)]
    template = around.mean(axis=0)
    fits = np.stack(
        [main[np.clip(peaks[:, None] + reach + lag, 0, last)] @ template for lag in lags], axis=1
    )
    if fits.shape[1] < 3:
        return peaks.astype(np.float64)
    best = np.clip(fits.argmax(axis=1), 1, len(lags) - 2)
    left, middle, right = (fits[np.arange(len(peaks)), best + step] for step in (-1, 0, 1))
    bend = left - 2.0 * middle + right
    shift = np.where(bend < 0.0, 0.5 * (left - right) / np.where(bend < 0.0, bend, 1.0), 0.0)
    moved: FloatArray = peaks + lags[best] + np.clip(shift, -0.5, 0.5)
    # Two that were one event come together, and one is enough.
    single: FloatArray = moved[np.append(True, np.diff(moved) > 1.0)]
    return single


def _period(fast: FloatArray) -> int:
    """Return the samples from one event to the next, where its energy is most like itself.

    Energy, for what rings in an event does so many times; and the first lag that is as good as
    the best beyond those at which an event is like itself, for two periods are as like as one.
    """
    from scipy.signal import find_peaks as find_peaks_of

    moves = np.diff(fast, axis=0, prepend=fast[:1])
    energy = sum(
        (one**2 / np.maximum(np.mean(one**2, axis=0), 1e-300)).sum(axis=1) for one in (fast, moves)
    )
    likeness = _over_near_lags(_autocorrelation(energy[:, None]))
    other = np.flatnonzero(likeness < 0.0)
    first = int(other[0]) if len(other) else 1
    rest = likeness[first:]
    good, _ = find_peaks_of(rest, height=_AS_LIKE * float(rest.max()))
    period = max(4, first + int(good[0] if len(good) else np.argmax(rest)))
    return period * _halves(_autocorrelation(fast), period)


def _halves(likeness: FloatArray, period: int) -> int:
    """Return in how many periods of the energy a wave comes again: up and down are two of a sine.

    It is 1 where no wave is like those before.
    """
    reach = max(1, round(_JITTER * period))
    around = [likeness[count * period - reach : count * period + reach + 1] for count in _PERIODS]
    best = np.array([part.max(initial=0.0) for part in around]) / max(float(likeness[0]), 1e-300)
    again = best >= _AS_LIKE * best.max()
    return _PERIODS[int(np.argmax(again))] if best.max() >= _LIKE else 1


def _autocorrelation(rows: FloatArray) -> FloatArray:
    """Return the autocovariance of rows (n, channels) up to a lag of n / 2, summed."""
    length = len(rows)
    spectrum = np.abs(np.fft.rfft(rows - rows.mean(axis=0), 2 * length, axis=0)) ** 2
    found: FloatArray = np.fft.irfft(spectrum.sum(axis=1))[: length // 2]
    return found


def _over_near_lags(likeness: FloatArray) -> FloatArray:
    """Return sums of numbers (n,) over lags that differ as intervals do, over their noise."""
    lags = np.arange(len(likeness))
    low = np.floor(lags * (1.0 - _JITTER)).astype(np.intp)
    high = np.minimum(np.ceil(lags * (1.0 + _JITTER)).astype(np.intp), len(likeness) - 1) + 1
    sums = np.concatenate([[0.0], np.cumsum(likeness)])
    found: FloatArray = (sums[high] - sums[low]) / np.sqrt(high - low)
    return found
