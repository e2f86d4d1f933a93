"""A denoiser of recordings and pictures: one of rows, for the windows cut from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import (
    FloatArray,
    Progress,
    RowSource,
    as_rows,
    row_name,
)
from ikpca_cli.errors import InputError
from ikpca_cli.estimators.denoiser import Denoiser
from ikpca_cli.recordings.cutting import Cutting
from ikpca_cli.recordings.events import LENGTH, Beats, find_peaks, without_baseline
from ikpca_cli.recordings.recording import Blocks, Canvas, Recording, recording_of
from ikpca_cli.recordings.windows import cleaned_blocks, training_windows

REFIT_NUMBERS = 1 << 16
"""Numbers up to which a model follows the noise of what it was fitted on."""

STEP, REFIT_STEP = 0.01, 0.1
"""Moves along the random direction, in units of the noise, with the same fit and with another."""

_PARTS = 32  # of a canvas, which tell the error of an estimate


@dataclass(frozen=True)
class Risk:
    """An estimate of the mean squared error after cleaning, and its standard error."""

    mse_noisy: float
    mse: float
    error: float


class Windowed:
    """Cleans recordings and pictures by their windows.

    Parameters
    ----------
    model : Denoiser
        For the windows, less their levels.
    cutting : Cutting
        How they are cut.

    Examples
    --------
    >>> import numpy as np
    >>> from ikpca_cli.estimators.mixture import Mixture
    >>> time = np.arange(2000.0)
    >>> noisy = np.sin(time / 20) + np.random.default_rng(0).normal(0, 0.3, 2000)
    >>> from ikpca_cli.recordings.fitting import fit_windows
    >>> found = fit_windows(Mixture(), [noisy[:, None]], window=(64,))
    >>> clean = found.denoise(noisy[:, None])[:, 0]
    >>> bool(np.mean((clean - np.sin(time / 20)) ** 2) < 0.3**2 / 20)
    True
    """

    def __init__(self, model: Denoiser, cutting: Cutting) -> None:
        self.model, self.cutting = model, cutting
        self.risk: Risk | None = None
        self.stretching = 1.0

    def _training(self, canvases: Sequence[RowSource], seed: int) -> FloatArray:
        """Return the rows to learn from."""
        if self.cutting.kind != "beats":
            return training_windows(canvases, self.cutting, seed)
        return np.concatenate([self.cut_beats(canvas)[2] for canvas in canvases])

    def cut_beats(
        self, canvas: RowSource, like: FloatArray | None = None
    ) -> tuple[Beats, FloatArray, FloatArray, FloatArray]:
        """Return the beats of a recording, what varies fast in it, their rows, and its baseline.

        Peaks are those of `like`, (length, channels), if given.
        """
        cutting = self.cutting
        values = _whole(canvas) / cutting.scales
        fast, baseline = without_baseline(values, cutting.fs)
        shown = fast
        if like is not None:
            shown = without_baseline(like / cutting.scales, cutting.fs)[0]
        peaks = find_peaks(shown, cutting.fs, cutting.apart)
        beats = Beats.at(peaks, len(values), row_name(canvas))
        return beats, fast, beats.cut(fast), baseline

    def learn(self, canvases: Sequence[Canvas], levels: FloatArray, progress: Progress) -> None:
        """Fit the model to the rows of canvases, whose channels have these noise levels."""
        level = float(np.sqrt(np.mean(levels**2)))
        asked = self.model.noise_std
        rows = self._training(canvases, self.model.seed)
        self.stretching = 1.0
        if self.cutting.kind == "beats":
            # Numbers between samples are not new ones: their noise is that of fewer, and stronger.
            used = sum(int(canvas.shape[0]) for canvas in canvases) / len(rows)
            self.stretching = max(1.0, (LENGTH / used) ** 0.5)
        if asked != "auto":
            level = float(asked)
        if level > 0.0:
            self.model.set_params(noise_std=level * self.stretching)
        self.model.fit(rows, progress=progress)

    def to_plain(self) -> dict[str, float | int | str]:
        """Return all but the model of the windows as plain values, for a model file."""
        risk = {} if self.risk is None else asdict(self.risk)
        return self.cutting.to_plain() | risk | {"stretching": self.stretching}

    @classmethod
    def from_plain(cls, model: Denoiser, plain: Mapping[str, Any]) -> Self:
        """Return what `to_plain` was called on, from its model.

        Raises
        ------
        ValueError
            If the values are not those of windows as wide as the model's rows.
        """
        names = [field.name for field in fields(Risk)]
        risk = {name: plain[name] for name in names if name in plain}
        rest = {name: value for name, value in plain.items() if name not in {*risk, "stretching"}}
        stretching = plain.get("stretching")
        if type(stretching) is not float or not 1.0 <= stretching < LENGTH:
            raise ValueError("the length of its rows over that of its beats is not one")
        if risk and (
            len(risk) < len(names) or any(type(one) is not float for one in risk.values())
        ):
            raise ValueError("the error that it promises is not one")
        made = cls(model, Cutting.from_plain(rest, model.n_features_in_))
        made.risk = Risk(**risk) if risk else None
        made.stretching = stretching
        return made

    @property
    def n_features_in_(self) -> int:
        """Numbers in a window."""
        return self.cutting.n_features

    @property
    def replicates_(self) -> bool:
        """Whether all rows show one signal, which windows do not."""
        return False

    @property
    def feature_names_(self) -> None:
        """Names of a window's numbers, which have none."""
        return

    @property
    def noise_std_(self) -> float | None:
        """Standard deviation of the noise, where it is known: root mean square over channels."""
        level = self.model.noise_std_
        return None if level is None else level / self.stretching

    def estimate(self, canvases: Sequence[Canvas], *, trained: bool = False) -> Risk:
        """Estimate the error before and after cleaning by Stein's unbiased risk estimate.

        By one random direction (Ramani, Blu and Unser 2008). If the model was `trained` on these
        canvases it follows their noise, too: where they are small enough for that to matter, it is
        fitted again for the derivative (Ye, "On measuring and correcting the effects of data mining
        and model selection", 1998).
        """
        noise_std = self.noise_std_
        assert noise_std is not None
        seed = self.model.fitted_params_["seed"]
        rng = model_rng(seed, Stream.EVALUATION_PROBE)
        again = trained and sum(int(np.prod(canvas.shape)) for canvas in canvases) <= REFIT_NUMBERS
        parts = [_middle(c, self.cutting) for c in (canvases if again else canvases[:1])]
        probes = [rng.standard_normal(part.shape) for part in parts]
        stds = noise_std * np.array(self.cutting.scales or 1.0)
        step = REFIT_STEP if again else STEP
        moved = [part + step * stds * probe for part, probe in zip(parts, probes, strict=True)]
        other = self._again(moved) if again else self
        risks = []
        for part, more, probe in zip(parts, moved, probes, strict=True):
            cleaned = self.clean_array(part)
            divergence = probe * (other.clean_array(more, like=part) - cleaned) / (step * stds)
            errors = (cleaned - part) ** 2 + stds**2 * (2.0 * divergence - 1.0)
            risks += [some.mean() for some in np.array_split(errors.mean(axis=1), _PARTS)]
        error = float(np.std(risks) / np.sqrt(len(risks)))
        return Risk(float(np.mean(stds**2)), float(np.mean(risks)), error)

    def _again(self, canvases: Sequence[FloatArray]) -> Windowed:
        """Return the same fit of other canvases."""
        model = type(self.model)(**self.model.fitted_params_ | {"noise_std": self.noise_std_})
        seed = model.seed
        model.fit(self._training(canvases, seed))
        return Windowed(model, self.cutting)

    def denoise(self, X: Any, sample_shape: tuple[int, ...] = ()) -> FloatArray:
        """Return a recording or picture (n, p) cleaned, columns of times as they were.

        Raises
        ------
        InputError
            If windows of the model cannot be cut from it.
        """
        recording = self.recording(as_rows(X), sample_shape)
        return np.concatenate([block for _, block in recording.cleaned(self.clean_canvas)])

    def recording(self, rows: RowSource, sample_shape: tuple[int, ...] = ()) -> Recording:
        """Return the canvases of a file, checked for the model's windows."""
        recording = recording_of(rows, self.cutting.kind, sample_shape)
        recording.check(self.cutting)
        return recording

    def flagged_blocks(
        self, rows: RowSource, sample_shape: tuple[int, ...] = ()
    ) -> Iterator[tuple[slice, FloatArray, FloatArray, NDArray[np.bool_]]]:
        """Yield (slice, rows, cleaned rows, none of which is flagged) of a file.

        Raises
        ------
        InputError
            As `denoise` does.
        """
        for part, cleaned in self.recording(rows, sample_shape).cleaned(self.clean_canvas):
            noisy = np.asarray(rows[part], dtype=np.float64)
            yield part, noisy, cleaned, np.zeros(len(cleaned), dtype=bool)

    def clean_canvas(self, canvas: Canvas) -> Blocks:
        """Yield (slice, clean rows) of a canvas."""
        if self.cutting.kind == "beats":
            yield slice(0, int(canvas.shape[0])), self.clean_array(_whole(canvas))
            return

        def clean(windows: FloatArray) -> tuple[FloatArray, FloatArray]:
            if not np.isfinite(windows).all():
                raise InputError("the recording holds numbers that are not finite; mend them first")
            cleaned = self.model.denoise_as_fitted(windows).astype(np.float64, copy=False)
            return cleaned, self.model.noise_left(windows)

        yield from cleaned_blocks(canvas, self.cutting, clean)

    def clean_array(self, canvas: FloatArray, like: FloatArray | None = None) -> FloatArray:
        """Return a whole canvas, clean; beats are where they are in `like`, if given."""
        if self.cutting.kind == "beats":
            beats, fast, rows, baseline = self.cut_beats(canvas, like)
            cleaned = beats.put_back(fast, self.model.denoise_as_fitted(rows).astype(np.float64))
            return (cleaned + baseline) * self.cutting.scales
        return np.concatenate([block for _, block in self.clean_canvas(canvas)])

    def is_useless(self) -> bool:
        """Tell whether the fit was not expected to lower the error."""
        return self.risk is not None and self.risk.mse >= self.risk.mse_noisy

    def summary(self) -> dict[str, Any]:
        """Return what the model is, as that of its windows says, with the error of recordings."""
        risk = self.risk
        return self.model.summary() | {
            "window": self.cutting.text,
            "hop": self.cutting.hop,
            "channels": 1 if self.cutting.kind == "image" else self.cutting.width,
            "estimated_mse": None if risk is None else risk.mse,
            "estimated_mse_error": None if risk is None else risk.error,
        }


def _middle(canvas: Canvas, cutting: Cutting) -> FloatArray:
    """Return the middle of a canvas, or all of it where it is small."""
    length, width = canvas.shape
    rows = min(length, max(REFIT_NUMBERS // width, 2 * cutting.height))
    start = (length - rows) // 2
    return np.asarray(canvas[start : start + rows], dtype=np.float64)


def _whole(canvas: RowSource) -> FloatArray:
    """Return a canvas in memory."""
    return np.asarray(canvas[0 : int(canvas.shape[0])], dtype=np.float64)
