"""Beats cleaned in the recording they are in, where windows at one place beside a peak are alike.

Intervals that are resampled to one length have their waves at other places as they are longer or
shorter, for most waves follow their peak by a time of their own. Windows of the samples as they
are, all at one distance from the nearest peak, need no resampling: a mixture for each distance
cleans them, and they are put back by overlap-add, each weighted by its estimated error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.ppca_mixture import fit_mixture
from ikpca_cli.recordings.beats.cut import StretchOfBeats, put_back
from ikpca_cli.recordings.wavelets.undecimated import level_stds, reach, shrunk
from ikpca_cli.recordings.window_risk import REFIT_STEP, signs
from ikpca_cli.recordings.windows import read_reflected

OVERLAP = 8
"""Windows that a sample lies in."""

FEWEST = 40
"""Windows of a mixture: those of neighbouring distances are joined up to it."""

COMPONENTS, EACH = 4, 50
"""Components of a mixture at most, and windows for each of them."""

LEARNED, ITERATIONS = 10_000, 10
"""Windows that a mixture learns from at most, and how often: more windows are worth more than more
iterations, for beats at one phase are alike."""

_LONGEST = 256  # numbers in a window
_WINDOW = 0.5  # of the usual interval
_BEYOND = 1.25  # usual intervals before the first peak and after the last
_LEAST_SHARE = 0.5  # of what is cleaned by phase
_SCALES, _BLOCK = 6, 1 << 18  # of drift, slower ones being left whole; samples cleaned together
_SLOWEST = 8  # waves of the slowest kind in a stretch
_SURE = 4.0  # standard deviations of a squared length
_SHARE = 0.75  # of the universal threshold, as `Combination` has it


def clean_stretch(
    part: StretchOfBeats,
    clean: Callable[[FloatArray], FloatArray],
    fs: float,
    level: float | None,
    seed: int,
) -> FloatArray:
    """Return a stretch of a recording, (length, channels), clean.

    It is cleaned by the model of its beats, and by their phase with and without what is slower than
    beats. The result is the weighted mean of these that Stein's estimate finds best. That of the
    model is too low where it was fitted to these beats, so that it weighs no more than half.

    Parameters
    ----------
    part : StretchOfBeats
    clean : callable
        Maps beats, one a row, to clean ones.
    fs : float
        Samples a second; 0 where that does not matter.
    level : float or None
        Standard deviation of the noise in every channel. Without it the model alone cleans.
    seed : int
    """
    if level is None or not level > 0.0 or part.beats is None:
        return put_back([part], clean(part.rows()))[0]
    peaks = part.beats.found

    def ways(one: StretchOfBeats) -> list[FloatArray]:
        values = one.fast + one.baseline
        fast = put_back([one], clean(one.rows()))[0] - one.baseline
        slow = _drift(values - fast, int(np.median(np.diff(peaks))), level)
        steady = cleaned_by_phase(values - slow, peaks, level, seed) + slow
        return [fast + slow, steady, cleaned_by_phase(values, peaks, level, seed)]

    values = part.fast + part.baseline
    probe = signs(values.shape, model_rng(seed, Stream.PHASE_PROBE))
    by_model, steady, whole = ways(part)
    moved = [
        (other - one) / (REFIT_STEP * level)
        for one, other in zip(
            (by_model, steady, whole),
            ways(part.moved(REFIT_STEP * level * probe, fs)),
            strict=True,
        )
    ]

    def share(first: FloatArray, gap: FloatArray, slope: FloatArray) -> float:
        """Return how much of a gap to add to `first`, for the least estimated error."""
        gain = np.vdot(values - first, gap) - level**2 * np.vdot(probe, slope)
        return float(np.clip(gain / max(float(np.vdot(gap, gap)), 1e-300), 0.0, 1.0))

    part_whole = share(steady, whole - steady, moved[2] - moved[1])
    phased = steady + part_whole * (whole - steady)
    slope = moved[1] + part_whole * (moved[2] - moved[1])
    gap = phased - by_model
    return by_model + max(_LEAST_SHARE, share(by_model, gap, slope - moved[0])) * gap


def cleaned_by_phase(canvas: FloatArray, peaks: FloatArray, level: float, seed: int) -> FloatArray:
    """Return a recording (length, channels) whose beats are cleaned by mixtures of their own.

    Parameters
    ----------
    canvas : ndarray
        Without what wanders from beat to beat.
    peaks : ndarray, shape (n,)
        In samples.
    level : float
        Standard deviation of the noise in every channel.
    seed : int
        Seeds where the mixtures begin.
    """
    length, width = canvas.shape
    high = int(np.clip(_WINDOW * np.median(np.diff(peaks)), 2, max(2, _LONGEST // width)))
    high = min(high, length)
    total, weight = np.zeros(canvas.shape), np.zeros(canvas.shape)
    for starts in _joined(_starts(np.round(peaks).astype(np.intp), length, high)):
        places = starts[:, None] + np.arange(high)
        windows = canvas[places].reshape(len(starts), -1)
        mean = windows.mean(axis=0)
        windows -= mean
        some = windows[:: len(windows) // LEARNED + 1]
        count = int(np.clip(len(some) // EACH, 1, COMPONENTS))
        rng = model_rng(seed, Stream.PHASES)
        model = fit_mixture(some, level**2, count, rng, iterations=ITERATIONS)
        share = 1.0 / (model.noise_left(windows) + 1.0 / len(starts))
        cleaned = model.denoise(windows)
        # A beat like no other loses more than noise, and stays as it is.
        unlike = np.sum((windows - cleaned) ** 2, axis=1) > _unlike(windows.shape[1]) * level**2
        cleaned[unlike], share[unlike] = windows[unlike], 1.0
        cleaned = (cleaned + mean) * share
        np.add.at(total, places, cleaned.reshape(*places.shape, width))
        np.add.at(weight, places, share.reshape(*places.shape, width))
    known = weight > 0.0
    return np.where(known, total / np.where(known, weight, 1.0), canvas)


def _unlike(numbers: int) -> float:
    """Return the squared length that noise of variance 1 in so many numbers hardly ever has."""
    return numbers + _SURE * float(np.sqrt(2.0 * numbers))


def _starts(peaks: NDArray[np.intp], length: int, high: int) -> Iterator[NDArray[np.intp]]:
    """Yield where windows begin whose middle is as far from the nearest peak, for each distance."""
    steps = np.diff(peaks)
    before = -(np.append(0, steps) // 2)
    after = np.append(steps, 0) - np.append(steps, 0) // 2
    beyond = int(_BEYOND * np.median(steps))
    before[0], after[-1] = (-min(beyond, room + high) for room in (peaks[0], peaks[-1] - length))
    after[-1] = min(beyond, length - peaks[-1] + high)
    hop = max(1, high // OVERLAP)
    for distance in range(int(before.min()) // hop * hop, int(after.max()) + hop, hop):
        own = peaks[(before <= distance) & (distance < after)] + distance - high // 2
        inside = own[(own > -high) & (own < length)]
        if len(inside):
            yield np.clip(inside, 0, length - high)


def _joined(groups: Iterator[NDArray[np.intp]]) -> list[NDArray[np.intp]]:
    """Return groups of at least `FEWEST`, neighbours joined."""
    joined: list[NDArray[np.intp]] = []
    for group in groups:
        if joined and min(len(joined[-1]), len(group)) < FEWEST and len(joined[-1]) < FEWEST:
            joined[-1] = np.append(joined[-1], group)
        else:
            joined.append(group)
    if len(joined) > 1 and len(joined[-1]) < FEWEST:
        joined[-2:] = [np.append(joined[-2], joined[-1])]
    return joined


def _drift(rest: FloatArray, usual: int, level: float) -> FloatArray:
    """Return what of a recording (length, channels) without its beats is slower than these."""
    length = len(rest)
    fastest = max(1, usual.bit_length() - 1)  # details of scale j change in 2^(j+1) samples
    depth = max(1, min(fastest + _SCALES, (length // _SLOWEST).bit_length() - 1))
    threshold = _SHARE * np.sqrt(2.0 * np.log(length)) * level
    thresholds = threshold * level_stds("sym8", depth, ())
    thresholds[:fastest] = np.inf
    margin = reach("sym8", depth)
    step = max(_BLOCK, margin)
    parts = [
        shrunk(
            read_reflected(rest, start - margin, min(start + step, length) + margin),
            "sym8",
            thresholds[:, None],
        )
        for start in range(0, length, step)
    ]
    return np.concatenate(parts)
