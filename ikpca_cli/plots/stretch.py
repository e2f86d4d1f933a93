"""The stretch of a recording, or the crop of a picture, that is shown before and after cleaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.plots.shown import Shown

LONGEST, LARGEST = 600, 128
"""Samples of a stretch; height and width of a crop."""


@dataclass(frozen=True)
class Stretch:
    """The middle of a recording or picture.

    Attributes
    ----------
    noisy, cleaned : ndarray, shape (length, channels) or (height, width)
    start : int
        Place of the first sample, or row, counted from 1.
    total : int
        Number of samples, or rows.
    is_image : bool
    name : str
    times : ndarray, shape (length,), or None
        What the samples of a stretch lie at, instead of their places.
    channels : tuple of str or None
        What its channels are called.
    x_label, y_label : str or None
        What the axes of a stretch are called, instead of "sample" and "value".
    clean : ndarray, shape (length, channels) or (height, width), or None
        What it should be, where that is known.
    errors : (float, float) or None
        Root mean squared errors of the whole before and after cleaning, where these are known.
    """

    noisy: FloatArray
    cleaned: FloatArray
    start: int
    total: int
    is_image: bool
    name: str
    times: FloatArray | None = None
    channels: tuple[str, ...] | None = None
    x_label: str | None = None
    y_label: str | None = None
    clean: FloatArray | None = None
    errors: tuple[float, float] | None = None

    def labelled(self, x_label: str | None, y_label: str | None) -> Self:
        """Return the same with names for its axes."""
        return replace(self, x_label=x_label or self.x_label, y_label=y_label)

    def scored(self, score: Mapping[str, Any]) -> Self:
        """Return the same with the errors of a score of `evaluate_windows`, where it has them."""
        before, after = score.get("rms_noisy"), score.get("rms")
        return self if before is None or after is None else replace(self, errors=(before, after))

    def as_rows(self) -> Shown:
        """Return a crop as one row, or each channel as one."""
        count = 1 if self.is_image else self.noisy.shape[1]
        one = (1, -1)
        noisy = self.noisy.reshape(one) if self.is_image else self.noisy.T
        cleaned = self.cleaned.reshape(one) if self.is_image else self.cleaned.T
        shape = self.noisy.shape if self.is_image else self.noisy.shape[:1]
        places = np.arange(1, count + 1)
        noun = "picture" if self.is_image else "channel"
        return Shown(noisy, cleaned, None, places, count, self.name, noun, shape, None)
