"""A denoiser of recordings and pictures: one of rows, for the windows cut from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np

from ikpca_cli.data.row_source import (
    FloatArray,
    Progress,
    RowSource,
    as_rows,
    row_name,
    unchecked_blocks,
)
from ikpca_cli.errors import InputError
from ikpca_cli.estimators.denoiser import Denoiser
from ikpca_cli.noise.treatment import CleanedBlock
from ikpca_cli.recordings.beats.band import band_and_noise, narrow, widen
from ikpca_cli.recordings.beats.cut import StretchOfBeats, cut_stretches
from ikpca_cli.recordings.beats.events import LENGTH
from ikpca_cli.recordings.beats.phases import clean_stretch
from ikpca_cli.recordings.canvases.canvas import Canvas, in_memory
from ikpca_cli.recordings.colour import roots
from ikpca_cli.recordings.cutting import Cutting
from ikpca_cli.recordings.plain_values import of_plain, plain_of
from ikpca_cli.recordings.recording import Blocks, Recording, recording_of
from ikpca_cli.recordings.suitability import SAME, level_of, repaired
from ikpca_cli.recordings.wavelets.combination import Combination
from ikpca_cli.recordings.window_risk import Risk, measure
from ikpca_cli.recordings.windows import cleaned_blocks, training_windows, within

ALIKE = 1.1
"""Ratio of the noise levels of channels up to which they are one."""


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
    >>> from ikpca_cli.recordings.fitting import fit_windows
    >>> clean = np.sin(np.arange(2000.0)[:, None] / 20)
    >>> noisy = clean + np.random.default_rng(0).normal(0, 0.3, clean.shape)
    >>> found = fit_windows(Mixture(), [noisy], window=(64,)).denoise(noisy)
    >>> bool(np.mean((found - clean) ** 2) < 0.3**2 / 20)
    True
    """

    replicates_ = False  # windows do not all show one signal
    feature_names_ = None

    def __init__(self, model: Denoiser, cutting: Cutting) -> None:
        self.model, self.cutting = model, cutting
        self.risk: Risk | None = None
        self.stretching = 1.0
        self.colour: tuple[float, ...] = ()
        self.withheld: str | None = None
        self.most: float | None = None
        self.level_given = False
        self.seen = ""  # fingerprints of the recordings of the fit, with blanks between them
        self.combination: Combination | None = None
        self.level: float | None = None  # that of a file, where it is not that of the fit

    def _training(self, canvases: Sequence[RowSource], seed: int) -> FloatArray:
        """Return the windows to learn from."""
        return self._white(training_windows(canvases, self.cutting, seed, self.model.method))

    def _white(self, windows: FloatArray, *, back: bool = False) -> FloatArray:
        """Return windows (n, p) with white noise, or with the noise that they had."""
        if not self.colour:
            return windows
        cutting = self.cutting
        white: FloatArray = windows @ roots(self.colour, cutting.height, cutting.width)[int(back)]
        return white

    def learn(self, canvases: Sequence[Canvas], levels: FloatArray, progress: Progress) -> None:
        """Fit the model to the rows of canvases, whose channels have these noise levels."""
        level = float(np.sqrt(np.mean(levels**2)))
        asked = self.model.noise_std
        if asked != "auto":
            level, self.level_given = float(asked), True
        if self.cutting.kind == "beats":
            parts = [(in_memory(one) / self.cutting.scales, row_name(one)) for one in canvases]
            found = cut_stretches(parts, self.cutting.fs, self.cutting.apart)
            rows = np.concatenate([part.rows() for part in found])
            band, self.stretching = band_and_noise(found, rows, level, self.model.seed)
            self.cutting = replace(self.cutting, band=band)
            rows = narrow(rows, band, LENGTH)
        else:
            rows = self._training(canvases, self.model.seed)
        if level > 0.0:
            self.model.set_params(noise_std=level * self.stretching)
        self.model.fit(rows, progress=progress)

    def withhold(self, reason: str, most: float | None = None) -> None:
        """Promise no error, say why, and what mean squared error it is about at most, if known."""
        self.risk, self.withheld, self.most = None, reason, most

    def to_plain(self) -> dict[str, float | int | str]:
        """Return all but the model of the windows as plain values, for a model file."""
        return plain_of(**vars(self))

    @classmethod
    def from_plain(cls, model: Denoiser, plain: Mapping[str, Any]) -> Self:
        """Return what `to_plain` was called on, from its model.

        Raises
        ------
        ValueError
            If the values are not those of windows as wide as the model's rows.
        """
        cutting, own = of_plain(plain, model.n_features_in_)
        made = cls(model, cutting)
        vars(made).update(own)
        return made

    @property
    def n_features_in_(self) -> int:
        """Numbers in a window."""
        return self.cutting.n_features

    @property
    def reading_(self) -> Mapping[str, str | int]:
        """How text tables are read, as `Denoiser.reading_`."""
        return self.model.reading_

    @property
    def noise_std_(self) -> float | None:
        """Standard deviation of the noise, where it is known: root mean square over channels."""
        level = self.model.noise_std_
        return None if level is None else level / self.stretching

    def channel_levels(self) -> list[float] | None:
        """Return the noise level of each channel, where they differ and are known."""
        level, scales = self.noise_std_, self.cutting.scales
        if level is None or not scales or max(scales) < ALIKE * min(scales):
            return None
        return [level * scale for scale in scales]

    def estimate(
        self,
        canvases: Sequence[Canvas],
        *,
        trained: bool = False,
        noise_std: float | None = None,
    ) -> Risk:
        """Estimate the error before and after cleaning, see `measure`.

        The noise is that of the fit unless `noise_std` is given.
        """
        return measure(self, canvases, trained=trained, noise_std=noise_std).risk()

    def again(self, canvases: Sequence[FloatArray]) -> Self:
        """Return the same fit of other canvases."""
        model = type(self.model)(**self.model.fitted_params_ | {"noise_std": self.noise_std_})
        model.fit(self._training(canvases, model.seed))
        return self._with(model)

    def denoise(self, X: Any, sample_shape: tuple[int, ...] = ()) -> FloatArray:
        """Return a recording or picture cleaned, columns of times as they were.

        Parameters
        ----------
        X : array_like or RowSource, shape (n_samples, n_channels) or (height, width)
        sample_shape : tuple of int, that of a row in the file, for stacks of pictures

        Returns
        -------
        ndarray

        Raises
        ------
        InputError
            If windows of the model cannot be cut from it.
        """
        recording = self.recording(as_rows(X), sample_shape)
        suited = self.suited(recording)
        return np.concatenate([block for _, block in recording.cleaned(suited.clean_canvas)])

    def recording(self, rows: RowSource, sample_shape: tuple[int, ...] = ()) -> Recording:
        """Return the canvases of a file, checked for the model's windows."""
        recording = recording_of(rows, self.cutting.kind, sample_shape)
        recording = recording.without(self.cutting.still)
        recording.check(self.cutting)
        return repaired(self, recording)

    def suited(self, recording: Recording) -> Self:
        """Return what cleans a file by its own noise level, where that is another than the fit's.

        Windows of a mixture are weighed by how much of them is noise; with other methods, and where
        the levels hardly differ, it is the same as for any file.
        """
        own, fitted = level_of(self, recording), self.noise_std_
        at_level = getattr(self.model, "at_noise_level", None)
        if own is None or fitted is None or at_level is None or SAME < own / fitted < 1.0 / SAME:
            return self
        other = self._with(at_level(own * self.stretching))
        other.level = own
        return other

    def _with(self, model: Denoiser) -> Self:
        """Return the same of another model."""
        other = copy(self)
        other.model = model
        return other

    def flagged_blocks(self, recording: Recording) -> Iterator[CleanedBlock]:
        """Yield blocks of rows of a file, before and after, none of which is unlike others.

        Raises
        ------
        InputError
            As `denoise` does.
        """
        for part, cleaned in recording.cleaned(self.suited(recording).clean_canvas):
            noisy = np.asarray(recording.rows[part], dtype=np.float64)
            yield CleanedBlock(part, noisy, cleaned, np.zeros(len(cleaned), dtype=bool))

    def clean_canvas(self, canvas: Canvas) -> Blocks:
        """Yield (slice, clean rows) of a canvas."""
        every, level = slice(0, int(canvas.shape[0])), self.level or self.noise_std_
        is_short = self.cutting.kind != "beats" and every.stop < self.cutting.shortest
        if level is None or is_short:  # no noise is known, or it is a stretch between leaps
            yield from unchecked_blocks(canvas, int(canvas.shape[1]))
            return
        if self.cutting.kind == "beats":
            try:
                yield every, self.clean_array(in_memory(canvas), name=row_name(canvas))
            except InputError:
                if not getattr(canvas, "is_part", False):
                    raise
                yield every, in_memory(canvas)
            return

        def clean(windows: FloatArray) -> tuple[FloatArray, FloatArray]:
            white = self._white(windows)
            cleaned = self._white(self.model.denoise_as_fitted(white), back=True)
            return within(cleaned, windows, self.cutting, level), self.model.noise_left(white)

        for part, cleaned in cleaned_blocks(canvas, self.cutting, clean):
            if self.combination is not None:
                stds = level * np.array(self.cutting.scales)
                added = self.combination.added
                cleaned = added(canvas, part.start, cleaned, stds, self.colour)
            yield part, cleaned

    def clean_array(
        self, canvas: FloatArray, like: FloatArray | None = None, name: str = "the array"
    ) -> FloatArray:
        """Return a whole canvas `name`, clean; beats are where they are in `like`, if given."""
        if self.cutting.kind == "beats":
            fs, apart, band = self.cutting.fs, self.cutting.apart, self.cutting.band
            shown = None if like is None else like / self.cutting.scales
            part = StretchOfBeats.of(canvas / self.cutting.scales, fs, apart, name, like=shown)

            def clean(rows: FloatArray) -> FloatArray:
                cleaned = self.model.denoise_as_fitted(narrow(rows, band, LENGTH))
                return widen(cleaned.astype(np.float64), band, LENGTH)

            # Another method is what was asked for, and cleans alone.
            level = (self.level or self.noise_std_) if self.model.method == "mixture" else None
            return clean_stretch(part, clean, fs, level, self.model.seed) * self.cutting.scales
        return np.concatenate([block for _, block in self.clean_canvas(canvas)])

    def is_useless(self) -> bool:
        """Tell whether the fit was not expected to lower the error."""
        return self.risk is not None and self.risk.mse >= self.risk.mse_noisy

    def summary(self) -> dict[str, Any]:
        """Return what the model is, as that of its windows says, with the error of recordings."""
        risk = self.risk
        return self.model.summary() | {
            "noise_std": self.noise_std_,
            "noise_std_channels": self.channel_levels(),
            "window": self.cutting.text,
            "hop": self.cutting.hop,
            **({"noise_model": "correlated"} if self.colour else {}),
            "noise_correlation": self.colour[0] if self.colour else None,
            "channels": 1 if self.cutting.kind == "image" else self.cutting.width,
            "no_estimate_because": self.withheld,
            "estimated_mse_at_most": self.most,
            "estimated_mse": None if risk is None else risk.mse,
            "estimated_mse_error": None if risk is None else risk.error,
            "wavelet_share": self.combination and self.combination.share,
            **dict.fromkeys(("rough_mse", "rough_mse_error")),
        }
