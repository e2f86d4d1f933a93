"""The error that cleaning a recording or picture leaves, estimated without the clean one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.recordings.canvases.canvas import Canvas, planes_of
from ikpca_cli.recordings.colour import coloured
from ikpca_cli.recordings.cutting import Cutting
from ikpca_cli.recordings.roughness import texture

REFIT_NUMBERS = 1 << 16
"""Numbers up to which a model follows the noise of what it was fitted on."""

STEP, REFIT_STEP = 0.01, 0.1
"""Moves along the random direction, in units of the noise, with the same fit and with another."""

_LEVEL_ERROR, _COLOURED_ERROR = 1.13, 2.0
"""Relative error of the level of white and other noise, times the root of the numbers."""

_LEVEL_DOUBT = {"signal": 0.01, "beats": 0.01, "image": 0.02}
"""Relative error that a level has at least: it is not alike everywhere, and texture is like it."""

SURE_ENOUGH = 6.0
"""Standard errors that an error which is promised, or estimated, has to be."""

_BANDS = 4  # of a picture, no part of which is like all of it

_PARTS = 32  # of a canvas, which tell the error of an estimate


@dataclass(frozen=True)
class Risk:
    """An estimate of the mean squared error after cleaning, and its standard error."""

    mse_noisy: float
    mse: float
    error: float


@dataclass
class Measured:
    """Recordings before and after cleaning, as they came and moved in random directions.

    Attributes
    ----------
    parts, cleaned : list of ndarray, shape (n, c)
    stds : ndarray, shape (c,)
        Noise level of each channel.
    probes, moved, after : list of list of ndarray
        For each part the directions, the part moved along each, and that cleaned.
    steps : list of float
        How far, in units of the noise; every second time it is the other way round.
    step : float
    again : bool
        Whether the model is fitted again to what was moved.
    rng : numpy.random.Generator
    level_error : float
        Relative error of the noise level; 0 where it was given.
    n_numbers : float
        As many as told the level, if they are these; else infinite.
    """

    parts: list[FloatArray]
    cleaned: list[FloatArray]
    stds: FloatArray
    probes: list[list[FloatArray]]
    moved: list[list[FloatArray]]
    after: list[list[FloatArray]]
    steps: list[float]
    step: float
    again: bool
    rng: np.random.Generator
    level_error: float
    n_numbers: float = np.inf

    def look(self, model: Any, count: int) -> None:
        """Clean what is moved in random directions, until there are so many of them."""
        while len(self.steps) < count:
            step = self.step * (-1.0) ** len(self.steps)
            draw = signs if model.cutting.kind != "image" else _normal
            probes = [coloured(draw(part.shape, self.rng), model.colour) for part in self.parts]
            moved = [
                part + step * self.stds * probe
                for part, probe in zip(self.parts, probes, strict=True)
            ]
            other = model.again(moved) if self.again else model
            for place, (part, more) in enumerate(zip(self.parts, moved, strict=True)):
                self.probes[place].append(probes[place])
                self.moved[place].append(more)
                self.after[place].append(other.clean_array(more, like=part))
            self.steps.append(step)

    def versions(self, place: int) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield (rows, cleaned) of a part: as it came, and moved along each direction."""
        yield self.parts[place], self.cleaned[place]
        yield from zip(self.moved[place], self.after[place], strict=True)

    def moved_by(self, added: Sequence[Sequence[FloatArray]]) -> Self:
        """Return the same with something added to all that was cleaned, in order of `versions`."""
        return replace(
            self,
            cleaned=[one + more[0] for one, more in zip(self.cleaned, added, strict=True)],
            after=[
                [one + own for one, own in zip(some, more[1:], strict=True)]
                for some, more in zip(self.after, added, strict=True)
            ],
        )

    def shares(self, *, scaled: bool = False) -> list[FloatArray]:
        """Return the mean estimated error in some stretches of each part.

        It is over the noise variance of each channel if `scaled`.
        """
        found, units = [], self.stds**2 if scaled else 1.0
        for place, part in enumerate(self.parts):
            cleaned = self.cleaned[place]
            directions = zip(self.probes[place], self.after[place], self.steps, strict=True)
            slopes = [
                probe * (after - cleaned) / (step * self.stds) for probe, after, step in directions
            ]
            divergence = np.mean(slopes, axis=0)
            errors = (cleaned - part) ** 2 + self.stds**2 * (2.0 * divergence - 1.0)
            means = (errors / units).mean(axis=1)
            stretches = np.array_split(means, min(_PARTS, len(errors)))
            found.append(np.array([some.mean() for some in stretches]))
        return found

    def risk(self, *, scaled: bool = False) -> Risk:
        """Return the estimated error, and its own, in the units of `shares`."""
        risks = np.concatenate(self.shares(scaled=scaled))
        error = float(np.std(risks) / np.sqrt(len(risks)))
        before = 1.0 if scaled else float(np.mean(self.stds**2))
        risk = float(np.mean(risks))
        if self.level_error:
            level = NoiseLevel(np.sqrt(before), certain=True, error=self.level_error)
            error = level.risk_error(risk, error, self.n_numbers)
        return Risk(before, risk, error)


def measure(
    model: Any, canvases: Sequence[Canvas], *, trained: bool, noise_std: float | None = None
) -> Measured:
    """Clean recordings as they came and moved in a random direction, for Stein's risk estimate.

    (Ramani, Blu and Unser 2008.) If the model was `trained` on these canvases it follows their
    noise, too: where they are small enough for that to matter, it is fitted again for the
    derivative (Ye, "On measuring and correcting the effects of data mining and model selection",
    1998).

    Parameters
    ----------
    model : Windowed
    canvases : sequence of Canvas
    trained : bool
    noise_std : float, optional
        Noise level; by default that of the fit.
    """
    noise_std = noise_std or model.noise_std_
    assert noise_std is not None
    seed = model.model.fitted_params_["seed"]
    count = sum(int(np.prod(canvas.shape)) for canvas in canvases)
    again = trained and count <= REFIT_NUMBERS
    longest = max(canvases, key=lambda canvas: int(canvas.shape[0]))
    is_image = model.cutting.kind == "image"
    parts = [
        part
        for canvas in (canvases if again else planes_of(canvases, longest))
        for part in _parts(canvas, model.cutting, _BANDS if is_image and not again else 1)
    ]
    doubt = _LEVEL_DOUBT[model.cutting.kind]
    if is_image:
        doubt = max(doubt, texture(canvases))
    is_white = not is_image and not model.colour
    chance = _COLOURED_ERROR if model.colour else _LEVEL_ERROR
    doubt = float(np.hypot(doubt, chance / np.sqrt(count)))
    found = Measured(
        parts=parts,
        cleaned=[model.clean_array(part) for part in parts],
        stds=noise_std * np.array(model.cutting.scales or 1.0),
        probes=[[] for _ in parts],
        moved=[[] for _ in parts],
        after=[[] for _ in parts],
        steps=[],
        step=REFIT_STEP if again else STEP,
        again=again,
        rng=model_rng(seed, Stream.EVALUATION_PROBE),
        level_error=0.0 if model.level_given else doubt,
        n_numbers=count if is_white and sum(part.size for part in parts) == count else np.inf,
    )
    found.look(model, 1)
    return found


def signs(shape: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Return the rows (n, c) whose Haar coefficients are 1 or -1 by chance.

    They are uncorrelated, of variance 1, and have the same power at every scale and place: a
    divergence that they tell varies half as much as by normal numbers.
    """
    length, width = shape
    rows = rng.choice([-1.0, 1.0], (1, width))
    while len(rows) < length:
        details = rng.choice([-1.0, 1.0], rows.shape)
        pairs = np.stack([rows + details, rows - details], axis=1) * 0.5**0.5
        rows = pairs.reshape(-1, width)
    return rows[:length]


def _normal(shape: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    return rng.standard_normal(shape)


def _parts(canvas: Canvas, cutting: Cutting, count: int) -> list[FloatArray]:
    """Return bands that lie evenly over a canvas, or all of it where it is small."""
    length, width = canvas.shape
    most = min(length, max(REFIT_NUMBERS // width, 2 * cutting.height))
    count = max(1, min(count, most // (2 * cutting.height))) if most < length else 1
    rows = most // count
    starts = [(2 * place + 1) * length // (2 * count) - rows // 2 for place in range(count)]
    return [np.asarray(canvas[start : start + rows], dtype=np.float64) for start in starts]
