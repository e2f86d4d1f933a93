"""How rows are cut from a recording or a picture: what a model of windows has to remember."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from ikpca_cli.data.row_source import FloatArray

Kind: TypeAlias = Literal["signal", "image", "beats"]

LARGEST_WINDOW = 1 << 14
"""Numbers in a window."""


@dataclass(frozen=True)
class Cutting:
    """Windows of a canvas: an array of two axes, time by channels or rows by columns.

    Attributes
    ----------
    kind : {"signal", "image", "beats"}
        Windows of a signal are as wide as it has channels, and lose the mean of each channel;
        those of an image lose their mean. Beats are windows as long as they come, resampled.
    height, width : int
        Of a window: samples and channels, or pixels. Of beats, the samples that they are
        resampled to.
    hop : int
        Samples, or pixels in both directions, from one window to the next.
    scales : tuple of float
        What each channel is divided by, so that the noise is as strong in all; empty for an image.
    fs : float
        Samples a second, for heart beats; 0 where it does not matter.
    apart : int
        Samples from one event to the next, about, for events that are no heart beats; 0 where it
        is for the recording to tell.
    step : float
        From one sample to the next of the recordings fitted on, by their times; 0 where they have
        none.
    band : int
        Lowest frequencies of a beat that the model knows, see `narrow`; 0 where it knows all.
    still : tuple of int
        Channels beside these, counted from 0 among all, that hold no noise and stay as they are.
    """

    kind: Kind
    height: int
    width: int
    hop: int = 1
    scales: tuple[float, ...] = ()
    fs: float = 0.0
    apart: int = 0
    step: float = 0.0
    band: int = 0
    still: tuple[int, ...] = ()

    @property
    def shortest(self) -> int:
        """Samples of a canvas below which nothing is cut from it."""
        return 2 if self.kind == "beats" else self.height

    @property
    def n_features(self) -> int:
        """Numbers that the model gets of a window."""
        return (self.band or self.height) * self.width

    @property
    def text(self) -> str:
        """The window as an option says it."""
        if self.kind == "beats":
            return "beats"
        return f"{self.height}x{self.width}" if self.kind == "image" else str(self.height)

    def level(self, windows: FloatArray) -> FloatArray:
        """Return what windows (..., height, width) lose, to be added to them again."""
        axes = (-2, -1) if self.kind == "image" else -2
        level: FloatArray = windows.mean(axis=axes, keepdims=True)
        return level

    def to_plain(self) -> dict[str, float | int | str]:
        """Return plain values for a model file."""
        plain = asdict(self)
        plain |= {f"scale{place}": scale for place, scale in enumerate(plain.pop("scales"))}
        return plain | {
            f"still{place}": channel for place, channel in enumerate(plain.pop("still"))
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], n_features: int) -> Self:
        """Return what `to_plain` gave, checked for a model of rows of a width.

        Raises
        ------
        ValueError
            If it is something else.
        """
        names = {"kind", "height", "width", "hop", "fs", "apart", "step", "band"}
        others = plain.keys() - names
        count = sum(name.startswith("still") for name in others)
        scales: list[Any] = [plain.get(f"scale{place}") for place in range(len(others) - count)]
        still: list[Any] = [plain.get(f"still{place}") for place in range(count)]
        numbers = [plain.get(name) for name in ("height", "width", "hop")]
        if plain.get("kind") not in ("signal", "image", "beats"):
            raise ValueError("what its rows are cut from is not known to this version of ikpca")
        if not all(type(number) is int and 1 <= number <= LARGEST_WINDOW for number in numbers):
            raise ValueError("the size of its windows is not one")
        apart = plain.get("apart")
        if type(apart) is not int or not 0 <= apart < 1 << 40:
            raise ValueError("its events do not lie apart by a number of samples")
        band = plain.get("band", 0)  # models of the first version have none
        most = plain["height"] if plain["kind"] == "beats" else 0
        if type(band) is not int or not 0 <= band <= most:
            raise ValueError("the band of its beats is none")
        channels = all(type(channel) is int and channel >= 0 for channel in still)
        if not channels or still != sorted(set(still)):
            raise ValueError("its channels without noise are none")
        step = plain.get("step", 0.0)
        floats = [plain.get("fs"), step, *scales]
        if not all(type(value) is float and np.isfinite(value) for value in floats):
            raise ValueError("the scales of its channels, or its rate, are not numbers")
        high, wide, hop = (int(plain[name]) for name in ("height", "width", "hop"))
        form = (tuple(scales), plain["fs"], apart, step, band, tuple(still))
        made = cls(plain["kind"], high, wide, hop, *form)
        due = 0 if made.kind == "image" else made.width
        if len(scales) != due or any(not scale > 0.0 for scale in made.scales):
            raise ValueError("the scales of its channels are not one for each")
        if made.n_features != n_features or made.fs < 0.0 or step < 0.0:
            raise ValueError(f"its windows have {made.n_features} numbers, its rows {n_features}")
        return made
