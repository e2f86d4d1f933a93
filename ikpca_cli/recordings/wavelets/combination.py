"""A signal cleaned by its windows, and by wavelet shrinkage where that does better.

A window loses its mean before it is cleaned, and has it back with all its noise; what changes more
slowly than a window is known to the longest scales of a wavelet. With f the signal cleaned by
windows, y as it came, and w cleaned by one wavelet or another, the clean signal is

    f + sum_k a_k (w_k - f) + sum_k b_k S(w_k - y)

where S is a moving average over about two windows, which takes the slow part from w_k.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np

from ikpca_cli.data.row_source import FloatArray, RowSource
from ikpca_cli.recordings.wavelets.continued import read_continued
from ikpca_cli.recordings.wavelets.undecimated import (
    FILTERS,
    level_stds,
    reach,
    shrunk,
    smoothed,
)
from ikpca_cli.recordings.windows import read_reflected

Colour: TypeAlias = tuple[float, ...]

PREFIX = "wavelet_"
"""How names of plain values begin."""

FARTHEST = 1 << 14
"""Samples on either side that a wavelet looks at, at most."""

_SHARE = 0.75  # of the universal threshold: what shrinks gradually may begin earlier
_DEEPEST = 16


@dataclass(frozen=True)
class Combination:
    """Weights of wavelet shrinkage beside windows, and its settings.

    Attributes
    ----------
    threshold : float
        In standard deviations of the noise at each scale.
    haar_depth, sym8_depth : int
        Scales of each wavelet.
    slow_depth : int
        The moving average is over this power of two samples, twice.
    haar, sym8, slow_haar, slow_sym8 : float
        Weights a and b of the first channel: none below 0, in all at most 1.
    others : tuple of tuple of float
        Those of each other channel, as `weights`; none where all channels have the same.
    """

    threshold: float
    haar_depth: int
    sym8_depth: int
    slow_depth: int
    haar: float = 1.0
    sym8: float = 1.0
    slow_haar: float = 1.0
    slow_sym8: float = 1.0
    others: tuple[tuple[float, ...], ...] = ()

    @classmethod
    def for_length(cls, length: int, window: int) -> Self:
        """Return one whose weights are all 1, for recordings and windows of so many samples."""
        farthest = min(length, FARTHEST)
        haar, sym8 = (
            max(1, *(depth for depth in range(_DEEPEST) if reach(name, depth) <= farthest))
            for name in FILTERS
        )
        slow = min(window.bit_length() - 1, _DEEPEST)
        return cls(_SHARE * float(np.sqrt(2.0 * np.log(length))), haar, sym8, slow)

    @property
    def weights(self) -> tuple[float, ...]:
        """Weights a and b of each wavelet, in the first channel: (a, b, a, b)."""
        return self.haar, self.slow_haar, self.sym8, self.slow_sym8

    @property
    def by_channel(self) -> FloatArray:
        """Weights as in `weights`, (4, channels), or (4, 1) for all of them."""
        return np.array([self.weights, *self.others]).T

    @property
    def share(self) -> float:
        """How much wavelets count beside windows: mean over channels, at most 1."""
        return float(self.by_channel.sum(axis=0).mean())

    def weighted(self, weights: FloatArray) -> Self:
        """Return the same with other weights (4, channels), in their order."""
        first, *others = (tuple(own) for own in weights.T.tolist())
        names = ("haar", "slow_haar", "sym8", "slow_sym8")
        return replace(self, **dict(zip(names, first, strict=True)), others=tuple(others))

    @property
    def reach(self) -> int:
        """Samples on either side that take part in one."""
        deepest = max(reach(name, depth) for name, depth in self._depths())
        return deepest + reach("haar", self.slow_depth)

    def terms(
        self, canvas: RowSource, start: int, cleaned: FloatArray, stds: FloatArray, colour: Colour
    ) -> Iterator[FloatArray]:
        """Yield w - f and S(w - y) of each wavelet, (n, c), 0 where it has no weight.

        Parameters
        ----------
        canvas : RowSource, shape (length, c)
        start : int
            Where in the canvas the part is.
        cleaned : ndarray, shape (n, c)
            The part, cleaned by windows.
        stds : ndarray, shape (c,)
            Noise level of each channel.
        colour : tuple of float
            Correlations of the noise, none if it is white.
        """
        slow = reach("haar", self.slow_depth)
        first, stop = start - slow, start + len(cleaned) + slow
        weights = self.by_channel
        for place, (name, depth) in enumerate(self._depths()):
            if not weights[2 * place : 2 * place + 2].any():
                yield np.zeros_like(cleaned)
                yield np.zeros_like(cleaned)
                continue
            margin = reach(name, depth)
            # A smooth wavelet sees a kink where Haar's sees none.
            places = first - margin, stop + margin
            rows = (
                read_continued(canvas, *places, stds)
                if name == "sym8"
                else read_reflected(canvas, *places)
            )
            thresholds = self.threshold * level_stds(name, depth, colour)[:, None] * stds
            found = shrunk(rows, name, thresholds)
            yield found[slow : slow + len(cleaned)] - cleaned
            yield smoothed(found - rows[margin : margin + len(found)], self.slow_depth)

    def added(
        self, canvas: RowSource, start: int, cleaned: FloatArray, stds: FloatArray, colour: Colour
    ) -> FloatArray:
        """Return a part of a canvas that was cleaned by windows, (n, c), combined with wavelets.

        Parameters are those of `terms`.
        """
        terms = self.terms(canvas, start, cleaned, stds, colour)
        total = cleaned
        for weight, term in zip(self.by_channel, terms, strict=True):
            total = total + weight * term
        return total

    def to_plain(self) -> dict[str, float | int]:
        """Return plain values for a model file."""
        plain = {PREFIX + name: value for name, value in asdict(self).items() if name != "others"}
        for channel, weights in enumerate(self.others, 1):
            plain |= {f"{PREFIX}{channel}_{place}": one for place, one in enumerate(weights)}
        return plain

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self | None:
        """Return what `to_plain` gave, from values among which it may be; None if it is not.

        Raises
        ------
        ValueError
            If it is something else.
        """
        own = {name.removeprefix(PREFIX): value for name, value in plain.items() if own_name(name)}
        if not own:
            return None
        kinds = {"haar_depth": int, "sym8_depth": int, "slow_depth": int}
        names = cls.__dataclass_fields__.keys() - {"others"}
        channels = range(1, (len(own) - len(names)) // 4 + 1)
        more = [[f"{channel}_{place}" for place in range(4)] for channel in channels]
        if own.keys() != names.union(*more) or any(
            type(value) is not kinds.get(name, float) for name, value in own.items()
        ):
            raise ValueError("the weights of its wavelets are not all there")
        others = tuple(tuple(own.pop(name) for name in some) for some in more)
        made = cls(**own, others=others)
        depths = [made.slow_depth, *(depth for _, depth in made._depths())]
        if not all(0 <= depth <= _DEEPEST for depth in depths) or made.reach > 1 << 20:
            raise ValueError("the scales of its wavelets are none")
        weights = made.by_channel
        sound = bool(((weights >= 0.0) & (weights <= 1.0)).all())
        if not sound or not (weights.sum(axis=0) <= 1.0 + 1e-6).all():
            raise ValueError("the weights of its wavelets are not between 0 and 1")
        if not 0.0 <= made.threshold < 100.0:
            raise ValueError("the threshold of its wavelets is none")
        return made

    def _depths(self) -> tuple[tuple[str, int], ...]:
        return ("haar", self.haar_depth), ("sym8", self.sym8_depth)


def own_name(name: str) -> bool:
    """Tell whether a plain value of a model file is one of a combination."""
    return name.startswith(PREFIX)
