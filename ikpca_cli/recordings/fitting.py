"""Fitting a denoiser of recordings: the window, the noise level, and the model of its rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ikpca_cli.data.row_source import FloatArray, Progress, as_rows, silent
from ikpca_cli.errors import IkpcaWarning, InputError, Note, about, tell
from ikpca_cli.estimators.decisions.reasons import Reason
from ikpca_cli.estimators.denoiser import Denoiser
from ikpca_cli.noise.estimate import is_impossible
from ikpca_cli.recordings.beats.events import LENGTH
from ikpca_cli.recordings.canvases.canvas import Canvas
from ikpca_cli.recordings.colour import ROUGH, UNKNOWN, correlations, is_level, passes_for_noise
from ikpca_cli.recordings.cutting import Cutting, Kind
from ikpca_cli.recordings.recording import Recording, recording_of
from ikpca_cli.recordings.roughness import at_limits, channel_noise
from ikpca_cli.recordings.suitability import RESAMPLED, STRUCK, fingerprint, is_struck
from ikpca_cli.recordings.times import column_name
from ikpca_cli.recordings.wavelets.wavelet_weights import combine
from ikpca_cli.recordings.window_risk import SURE_ENOUGH, measure
from ikpca_cli.recordings.windowed import Windowed

SIGNAL_WINDOWS, IMAGE_WINDOWS = (16, 32, 64, 128, 256), (6, 8)
"""Windows that "auto" compares."""

FEWEST_WINDOWS = 8
"""Times that a window has to fit into a recording to be one of them."""

LONGEST = 256
"""Numbers in a window of several channels up to which it is one of them."""

BOUND = 2.0
"""Standard errors above an estimate that the error hardly ever is."""

EVERY_OFFSET = 1 << 17
"""Numbers in a recording or picture up to which there is a window at every offset."""

MOST_SEEN = 1000
"""Recordings of a fit that are known again."""

OVERLAP = 8
"""Windows that a number lies in, in each direction, where there is not."""


_COSTLY = 64  # numbers in a window that take as long as all that is the same for any window
_TICKS = 1000  # of the progress of several fits


def fit_windows(
    model: Denoiser,
    files: Sequence[Any],
    *,
    kind: Kind = "signal",
    window: tuple[int, ...] | None = None,
    hop: int | None = None,
    shapes: Sequence[tuple[int, ...]] = (),
    progress: Progress = silent,
) -> Windowed:
    """Learn from the windows of recordings or pictures.

    Parameters
    ----------
    model : Denoiser
        Its noise level, where "auto", is read from the recordings.
    files : sequence of array_like or RowSource, shape (n, p)
        See `recording_of`.
    kind : {"signal", "image"}
    window : (int,) or (int, int), optional
        Samples, or height and width; by default that of the least estimated error.
    hop : int, optional
        From one window to the next when cleaning; by default 1, more where there is much.
    shapes : sequence of tuple of int
        The shape that a row of each file had there; for stacks of pictures.
    progress : callable

    Returns
    -------
    Windowed

    Raises
    ------
    InputError
        If windows cannot be cut from a file, or are all alike.
    """
    recordings = _recordings(files, kind, shapes or [()] * len(files))
    recordings, still, levels = _noisy(recordings, kind)
    canvases = _canvases(recordings)
    step = recordings[0].times.step
    told = correlations(canvases) if kind == "signal" else ((), 1.0)
    colour, ratio = told or ((), 1.0)
    if colour and not is_level(model.noise_std, levels * ratio):
        colour, ratio = (), 1.0
    levels = levels * ratio
    if kind == "signal" and not colour and (told is not None or model.noise_std != "auto"):
        given = model.noise_std
        stds = levels if given == "auto" else float(given) * np.array(_scales(levels, kind))
        if stds.all():
            recordings = [recording.without_spikes(stds) for recording in recordings]
            canvases = _canvases(recordings)
    sizes = [window] if window is not None else _candidates(recordings, kind)
    numbers = max(int(np.prod(canvas.shape)) for canvas in canvases)
    found = []
    parts = _shared(progress, [1.0 + np.prod(size) / _COSTLY for size in sizes])
    for size, part in zip(sizes, parts, strict=True):
        high, wide = (size[0], size[-1]) if kind == "image" else (size[0], recordings[0].width)
        every = max(1, min(high, wide if kind == "image" else high) // OVERLAP)
        moves = hop or (1 if numbers <= EVERY_OFFSET else every)
        scales = _scales(levels, kind)
        cutting = Cutting(kind, high, wide, moves, scales, step=step, still=still)
        for recording in recordings:
            recording.check(cutting)
        windowed = Windowed(type(model)(**model.get_params()), cutting)
        windowed.colour = colour
        windowed.learn(canvases, levels, part)
        measured = None
        if windowed.noise_std_ is not None:
            measured = measure(windowed, canvases, trained=True)
            windowed.risk = measured.risk()
        found.append((windowed, measured))
    best, measured = min(found, key=lambda one: np.inf if one[0].risk is None else one[0].risk.mse)
    best.seen = " ".join(fingerprint(recording) for recording in recordings[:MOST_SEEN])
    known = told is not None or best.level_given
    if kind == "signal" and measured is not None and known:
        best.risk = combine(best, measured).risk()
    _say(recordings, best.cutting)
    doubt = best.model.noise_doubt_
    if best.noise_std_ is None and isinstance(doubt, Note):
        tell(str(doubt), stacklevel=2)  # a recording that stays as it is is worth more than a note
    if best.risk is not None and is_impossible(best.risk.mse, best.risk.error):
        warnings.warn(
            f"the noise level {best.noise_std_:.3g} cannot be right, the error would be below "
            "zero, and none is promised: give the true noise_std (--noise-std) if you know it",
            IkpcaWarning,
            stacklevel=2,
        )
        best.withhold("the noise level cannot be right")
    limit = at_limits(canvases, kind)
    if limit is not None:
        best.withhold(limit)
    elif (told is None or colour) and not best.level_given:
        tell(about(recordings[0].name, passes_for_noise(colour)), stacklevel=2)
        best.withhold(ROUGH if colour else UNKNOWN)
    elif kind == "signal" and best.risk is not None and is_struck(best, canvases, best.risk):
        best.withhold(STRUCK)
    elif best.risk is not None and best.risk.error > best.risk.mse / SURE_ENOUGH:
        most = max(best.risk.mse, 0.0) + BOUND * best.risk.error
        known = most < best.risk.mse_noisy
        best.withhold(Reason.UNSURE.words, most if known else None)
    return best


def fit_beats(
    model: Denoiser,
    files: Sequence[Any],
    *,
    fs: float = 0.0,
    apart: int = 0,
    progress: Progress = silent,
) -> Windowed:
    """Learn from the heart beats of recordings, or from other events that come again.

    Parameters
    ----------
    model : Denoiser
        As for `fit_windows`.
    files : sequence of array_like or RowSource, shape (n, p)
        See `recording_of`. A recording is held in memory.
    fs : float
        Samples a second of an ECG; 0 for other events.
    apart : int
        Samples from one of these to the next, about; 0 for as many as the recording tells.
    progress : callable

    Returns
    -------
    Windowed

    Raises
    ------
    InputError
        If too few beats are found.
    """
    recordings = _recordings(files, "beats", [()] * len(files))
    recordings, still, levels = _noisy(recordings, "beats")
    canvases = _canvases(recordings)
    scales, step = _scales(levels, "beats"), recordings[0].times.step
    cutting = Cutting("beats", LENGTH, len(scales), 1, scales, fs, apart, step, still=still)
    _say(recordings, cutting)
    found = Windowed(type(model)(**model.get_params()), cutting)
    found.learn(canvases, levels, progress)
    found.withhold(RESAMPLED)
    return found


def _shared(progress: Progress, costs: Sequence[float]) -> list[Progress]:
    """Return what several fits, that cost so much, report to: their part of one whole."""
    if len(costs) == 1:
        return [progress]

    def part(begin: float, cost: float) -> Progress:
        def report(stage: str, done: int, total: int) -> None:
            if stage == "fitting" and total:
                progress(stage, round(_TICKS * (begin + cost * done / total) / sum(costs)), _TICKS)

        return report

    begins = np.cumsum([0.0, *costs[:-1]])
    return [part(float(begin), cost) for begin, cost in zip(begins, costs, strict=True)]


def _recordings(
    files: Sequence[Any], kind: Kind, shapes: Sequence[tuple[int, ...]]
) -> list[Recording]:
    """Return the recordings of files, all of as many channels.

    Raises
    ------
    InputError
        If a file is of another number of channels than the first.
    """
    found: list[Recording] = []
    for rows, shape in zip(files, shapes, strict=True):
        one = recording_of(as_rows(rows), kind, shape)
        if kind != "image" and found and one.width != found[0].width:
            raise InputError(
                f"{one.name} has {one.width} channels but {found[0].name} has {found[0].width}: "
                "give recordings of the same channels"
            )
        found.append(one)
    return found


def _canvases(recordings: Sequence[Recording]) -> list[Canvas]:
    return [canvas for recording in recordings for canvas in recording.canvases]


def _noisy(
    recordings: list[Recording], kind: Kind
) -> tuple[list[Recording], tuple[int, ...], FloatArray]:
    """Return recordings without channels that hold no noise beside others, these, and the levels.

    Marks of events, flags and counts are such: cleaned like signals they would be others.
    """
    levels = channel_noise(_canvases(recordings), kind)
    if kind == "image" or levels.all() or not levels.any():
        return recordings, (), levels
    still = tuple(np.flatnonzero(levels == 0.0).tolist())
    first = recordings[0]
    named = (column_name(first.rows, int(first.columns[channel])) for channel in still)
    told = ", ".join(one.removeprefix("column ") for one in named)
    warnings.warn(
        f"{first.name}: column{'s' * (len(still) > 1)} {told}: most numbers go on as those before, "
        "without noise, and are left as they are",
        IkpcaWarning,
        stacklevel=3,
    )
    return [one.without(still) for one in recordings], still, levels[levels > 0.0]


def _say(recordings: Sequence[Recording], cutting: Cutting) -> None:
    """Warn of what is odd about the times of recordings."""
    for recording in recordings:
        for line in recording.remarks(cutting):
            tell(line, stacklevel=3)


def _scales(levels: FloatArray, kind: Kind) -> tuple[float, ...]:
    """Return what channels are divided by: noise over its root mean square, 1 where unknown."""
    if kind == "image":
        return ()
    level = float(np.sqrt(np.mean(levels**2)))
    return tuple(float(one / level) if one > 0.0 else 1.0 for one in levels)


def _candidates(recordings: Sequence[Recording], kind: Kind) -> list[tuple[int, ...]]:
    """Return the windows to compare: those that fit several times into the shortest file."""
    length = min(int(recording.longest.shape[0]) for recording in recordings)
    width = min(recording.width for recording in recordings)
    if kind == "image":
        shortest = min(length, width)
        return [(size, size) for size in IMAGE_WINDOWS if 2 * size <= shortest] or [(shortest,) * 2]
    fitting: list[tuple[int, ...]] = [
        (size,)
        for size in SIGNAL_WINDOWS
        if FEWEST_WINDOWS * size <= length
        and (size * width <= LONGEST or size == SIGNAL_WINDOWS[0])
    ]
    return fitting or [(max(1, length // 2),)]
