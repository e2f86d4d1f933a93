"""Whether a file is one that a model of windows was fitted for: its noise, and what is removed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from ikpca_cli.data.row_source import RowSource
from ikpca_cli.errors import InputError, Note, about
from ikpca_cli.recordings.colour import own_level
from ikpca_cli.recordings.guesses.lone_spikes import spikes
from ikpca_cli.recordings.recording import Recording
from ikpca_cli.recordings.window_risk import Risk
from ikpca_cli.recordings.windows import reach, training_windows

RESAMPLED = "beats are brought to one length, and no estimate sees what that loses"
"""Why no error is promised of beats."""

STRUCK = "single samples stand out like spikes, of which most stay"
"""Why no error is promised where there are spikes."""

COUNTS = 0.2
"""Of the estimated error: what spikes may add to the noise without a word."""

ENOUGH = 500
"""Numbers of a file from which its own noise level is known well enough."""

SAME, QUIETER = 0.8, 0.6
"""Ratios of noise levels that are the same for cleaning, and that need no word."""

_HASHED = 1 << 12  # samples at either end

FEW_UNLIKE, _SOME = 0.25, 500
"""Share of windows, of so many that are looked at, that may be unlike those of the fit."""

MORE = 1.15
"""Of the noise level: more than that is not removed where noise alone is."""


def level_of(model: Any, recording: Recording) -> float | None:
    """Return the noise level of a file, over the scales of its channels; None if unknown.

    It is that of the fit of `model`, a `Windowed`, where this was given, or the file is short.
    """
    if model.level_given or sum(int(np.prod(one.shape)) for one in recording.canvases) < ENOUGH:
        level: float | None = model.noise_std_
        return level
    return own_level(recording.canvases, model.cutting.kind, model.cutting.scales)


def repaired(model: Any, recording: Recording) -> Recording:
    """Return a recording without its spikes, where noise is known that tells them."""
    if model.cutting.kind != "signal" or model.colour:
        return recording
    level = level_of(model, recording)
    if not level:
        return recording
    return recording.without_spikes(level * np.array(model.cutting.scales))


def is_struck(model: Any, canvases: Sequence[RowSource], risk: Risk) -> bool:
    """Tell whether spikes, which a level that was read leaves out, are more than the error."""
    if model.level_given:
        return False
    level = model.level or model.noise_std_
    stds = level * np.array(model.cutting.scales)
    return spikes(canvases, stds) > COUNTS * max(risk.mse, 0.0)


def fingerprint(recording: Recording) -> str:
    """Return what tells a recording or picture from others: its numbers at both ends, hashed."""
    longest = recording.longest
    length = int(longest.shape[0])
    found = hashlib.blake2b(repr(longest.shape).encode(), digest_size=8)
    for part in (slice(0, _HASHED), slice(max(0, length - _HASHED), length)):
        found.update(np.ascontiguousarray(longest[part], dtype="<f8").tobytes())
    return found.hexdigest()


def remarks(model: Any, recording: Recording) -> tuple[str, ...]:
    """Return what is to be said of a file before it is cleaned by a `Windowed`."""
    own, fitted = level_of(model, recording), model.noise_std_
    lines = recording.remarks(model.cutting)
    if own is None or fitted is None or QUIETER < own / fitted < 1.0 / QUIETER:
        return lines
    adapts = hasattr(model.model, "at_noise_level")
    if adapts:
        done = "it is cleaned for its own level"
    else:
        done = f"too {'much' if own < fitted else 'little'} of it may be removed"
    if own < fitted:
        done += ", but the fit did not see what was below its noise"
    level = f"its noise level, {own:.3g}, is not that of the fit, {fitted:.3g}"
    line = f"{level}: {done}; a fit on files like it may be better"
    return (*lines, about(recording.name, Note(line) if adapts else line))


def flaw(model: Any, recording: Recording, removed_rms: float) -> str | None:
    """Return what is odd about what a `Windowed` removed from a file, if anything.

    Parameters
    ----------
    model : Windowed
    recording : Recording
    removed_rms : float
        Root mean square over the numbers of its channels.
    """
    own = level_of(model, recording) or model.noise_std_
    if own is None:
        return None
    share = _share_unlike(model, recording, own)
    if share > FEW_UNLIKE:
        return (
            f"{recording.name}: of {share:.0%} of its windows more than noise was to go: signal "
            "went, too, at most as much as noise, as they are unlike those of the fit; fit a model "
            "on files like it"
        )
    own *= float(np.sqrt(np.mean(np.square(model.cutting.scales or 1.0))))
    if removed_rms < MORE * own or recording.spikes:
        return None
    return (
        f"{recording.name}: more was removed, RMS {removed_rms:.3g}, than its noise, {own:.3g}: "
        "signal went, too, as its windows are unlike those of the fit; fit a model on files like it"
    )


def _share_unlike(model: Any, recording: Recording, level: float) -> float:
    """Return the share of some windows of a signal that a model would move farther than noise."""
    if model.cutting.kind != "signal" or model.colour:
        return 0.0
    usable = [one for one in recording.canvases if int(one.shape[0]) >= model.cutting.height]
    if not usable:
        return 0.0
    try:
        windows = training_windows(usable, model.cutting, 0)
    except InputError:  # all alike
        return 0.0
    windows = windows[:: 1 + len(windows) // _SOME]
    moves = model.suited(recording).model.denoise_as_fitted(windows) - windows
    far = np.linalg.norm(moves, axis=1) > level * reach(model.cutting.n_features)
    return float(far.mean())
