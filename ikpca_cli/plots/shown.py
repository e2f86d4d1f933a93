"""The rows that a picture or a preview shows, before and after cleaning."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray, pick_rows
from ikpca_cli.errors import UsageError
from ikpca_cli.plots.axis_scale import Scale

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ikpca_cli.estimators.denoiser import Denoiser
    from ikpca_cli.formats.file_rows import Rows

MOST, FEW = 2000, 8
"""Rows that a picture of all of them looks at, spread evenly over the file, and one of some."""

SHORT = 3
"""Rows of up to this many numbers are drawn as points."""

CHANNELS, LONGER = 16, 4
"""Samples of two dimensions with at most so many channels that are so many times as long are
signals of several channels, and no images."""


@dataclass(frozen=True)
class Shown:
    """Some rows of a file, in order.

    Attributes
    ----------
    noisy, cleaned : ndarray, shape (m, p)
    clean : ndarray, shape (m, p) or None
        What the rows should have become, where that is known.
    places : ndarray of int, shape (m,)
        Their places in the file, counted from 1.
    total : int
        Number of rows there.
    name : str
        What the file is called.
    noun : str
        What it calls a sample: "row" or "column".
    sample_shape : tuple of int
        The shape of one sample; its product is p.
    columns : tuple of str or None
        Names of the p numbers.
    scale : Scale
        Where they lie, and what the axes are called.
    asked : bool
        Whether the shape of an image was asked for.
    estimate : mapping or None
        What is known of the error without clean rows, as ``ikpca evaluate`` prints it.
    """

    noisy: FloatArray
    cleaned: FloatArray
    clean: FloatArray | None
    places: NDArray[np.intp]
    total: int
    name: str
    noun: str
    sample_shape: tuple[int, ...]
    columns: tuple[str, ...] | None
    scale: Scale = field(default_factory=Scale)
    asked: bool = False
    estimate: Mapping[str, Any] | None = None

    @classmethod
    def of(
        cls,
        rows: Rows,
        model: Denoiser,
        *,
        clean: Rows | None = None,
        most: int | None = None,
        image: tuple[int, int] | None = None,
    ) -> Self:
        """Read some rows, spread evenly, and clean them.

        Parameters
        ----------
        rows : Rows, shape (n, p)
        model : Denoiser
            Fitted.
        clean : Rows, shape (n, p), optional
            The same rows without noise.
        most : int, optional
            The most rows; by default what `ikpca_cli.plots.rows.draw_rows` can draw.
        image : (int, int), optional
            Height and width of the image that a row is, where the file does not say.
        """
        if most is None:
            most = FEW if clean is None and rows.shape[1] > SHORT else MOST
        chosen = evenly(len(rows), most)
        noisy = pick_rows(rows, chosen)
        layout, names = rows.layout, rows.feature_names
        return cls(
            noisy,
            model.denoise(noisy),
            None if clean is None else pick_rows(clean, chosen),
            (chosen if rows.kept is None else rows.kept[chosen]) + 1,
            len(rows),
            PurePath(rows.name).name,
            "column" if layout.transposed else "row",
            image or layout.sample_shape,
            names,
            Scale.of(layout, names),
            image is not None,
        )

    def __len__(self) -> int:
        return len(self.noisy)

    def pick(self, chosen: NDArray[np.intp]) -> Self:
        """Return the rows at some indices."""
        return replace(
            self,
            noisy=self.noisy[chosen],
            cleaned=self.cleaned[chosen],
            clean=None if self.clean is None else self.clean[chosen],
            places=self.places[chosen],
        )

    def some(self, count: int) -> Self:
        """Return at most `count` rows: spread evenly, by error where the clean rows are known."""
        order = np.arange(len(self))
        if self.clean is not None:
            order = np.argsort(self.errors()[1], kind="stable")
        return self.pick(order[evenly(len(self), count)])

    def errors(self) -> tuple[FloatArray, FloatArray]:
        """Return each row's mean squared error before and after cleaning, (m,) both.

        Raises
        ------
        ValueError
            If the clean rows are not known.
        """
        if self.clean is None:
            raise ValueError("without clean rows there are no errors")
        before: FloatArray = np.mean((self.noisy - self.clean) ** 2.0, axis=1)
        after: FloatArray = np.mean((self.cleaned - self.clean) ** 2.0, axis=1)
        return before, after

    @property
    def is_image(self) -> bool:
        """Whether a sample is an image."""
        return (
            len(self.sample_shape) == 2 and min(self.sample_shape) > 1 and self.channel_axis is None
        )

    @property
    def channel_axis(self) -> int | None:
        """The axis of a sample along which its channels lie; None where it has none."""
        if len(self.sample_shape) != 2 or self.asked:
            return None
        short, long = sorted(self.sample_shape)
        if not 1 < short <= CHANNELS or long < LONGER * short:
            return None
        return self.sample_shape.index(short)

    def labelled(self, x_label: str | None, y_label: str | None) -> Self:
        """Return the same with labels of the axes that were asked for."""
        return replace(self, scale=self.scale.named(x_label, y_label))

    def label(self, index: int) -> str:
        """Return what a picture calls the row at `index`."""
        return f"{self.noun} {self.places[index]}"

    def count(self) -> str:
        """Return how many rows there are, of how many in the file."""
        if len(self) == self.total:
            return f"all {self.total} {self.noun}s" if self.total > 1 else f"1 {self.noun}"
        return f"{len(self)} of {self.total} {self.noun}s"


def image_shape(text: str | None, n_features: int) -> tuple[int, int] | None:
    """Return height and width from ``16x16``, None for no text.

    Raises
    ------
    UsageError
        If the text is no such pair, or rows have another number of pixels.
    """
    if text is None:
        return None
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise UsageError(f"--image {text}: give height and width, as in 16x16")
    height, width = map(int, parts)
    if height * width != n_features:
        raise UsageError(
            f"--image {text}: has {height * width} pixels, but the rows have {n_features} numbers"
        )
    return height, width


def evenly(total: int, most: int) -> NDArray[np.intp]:
    """Return at most `most` of `total` places, spread evenly, the first and the last among them."""
    return np.linspace(0, total - 1, max(1, min(most, total))).round().astype(np.intp)
