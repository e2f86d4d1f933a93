"""The error that cleaning a recording or picture leaves, estimated without the clean one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.recordings.colour import coloured
from ikpca_cli.recordings.cutting import Cutting
from ikpca_cli.recordings.recording import Canvas

REFIT_NUMBERS = 1 << 16
"""Numbers up to which a model follows the noise of what it was fitted on."""

STEP, REFIT_STEP = 0.01, 0.1
"""Moves along the random direction, in units of the noise, with the same fit and with another."""

_LEVEL_ERROR = 4.0  # of a variance, times the root of the numbers that tell it
_LEVEL_DOUBT = {"signal": 0.01, "beats": 0.01, "image": 0.02}
"""Relative error that a level has at least: it is not alike everywhere, and texture is like it."""

_PARTS = 32  # of a canvas, which tell the error of an estimate


@dataclass(frozen=True)
class Risk:
    """An estimate of the mean squared error after cleaning, and its standard error."""

    mse_noisy: float
    mse: float
    error: float


def estimate_risk(
    model: Any, canvases: Sequence[Canvas], *, trained: bool, noise_std: float | None
) -> Risk:
    """Return what `Windowed.estimate` does, of such a model."""
    noise_std = noise_std or model.noise_std_
    assert noise_std is not None
    seed = model.model.fitted_params_["seed"]
    rng = model_rng(seed, Stream.EVALUATION_PROBE)
    again = trained and sum(int(np.prod(canvas.shape)) for canvas in canvases) <= REFIT_NUMBERS
    longest = max(canvases, key=lambda canvas: int(canvas.shape[0]))
    parts = [_middle(c, model.cutting) for c in (canvases if again else [longest])]
    probes = [coloured(rng.standard_normal(part.shape), model.colour) for part in parts]
    stds = noise_std * np.array(model.cutting.scales or 1.0)
    step = REFIT_STEP if again else STEP
    moved = [part + step * stds * probe for part, probe in zip(parts, probes, strict=True)]
    other = model.again(moved) if again else model
    risks = []
    for part, more, probe in zip(parts, moved, probes, strict=True):
        cleaned = model.clean_array(part)
        divergence = probe * (other.clean_array(more, like=part) - cleaned) / (step * stds)
        errors = (cleaned - part) ** 2 + stds**2 * (2.0 * divergence - 1.0)
        risks += [
            some.mean() for some in np.array_split(errors.mean(axis=1), min(_PARTS, len(errors)))
        ]
    error = float(np.std(risks) / np.sqrt(len(risks)))
    before = float(np.mean(stds**2))
    risk = float(np.mean(risks))
    if not model.level_given:
        doubt = _LEVEL_DOUBT[model.cutting.kind]
        if model.colour:
            # The level of such noise is known from fewer differences, and less well.
            count = sum(int(np.prod(canvas.shape)) for canvas in canvases)
            doubt = float(np.hypot(doubt, _LEVEL_ERROR / np.sqrt(count) / 2.0))
        level = NoiseLevel(np.sqrt(before), certain=True, error=doubt)
        error = level.risk_error(risk, error)
    return Risk(before, risk, error)


def _middle(canvas: Canvas, cutting: Cutting) -> FloatArray:
    """Return the middle of a canvas, or all of it where it is small."""
    length, width = canvas.shape
    rows = min(length, max(REFIT_NUMBERS // width, 2 * cutting.height))
    start = (length - rows) // 2
    return np.asarray(canvas[start : start + rows], dtype=np.float64)
