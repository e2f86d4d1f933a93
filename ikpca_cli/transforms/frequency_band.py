"""Rows brought to more numbers than they were measured at: they are cleaned at as many as hold all.

Their noise has no more frequencies than were measured. In the lowest cosine coefficients (DCT-II)
it is white; an inverse transform of their number makes rows of them, so that neighbours stay
neighbours. What is beyond holds no signal that stands out of the noise, and is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.transforms.protocol import OneForAll, State


@dataclass(frozen=True)
class FrequencyBand(OneForAll):
    """The lowest frequencies of each channel of rows, over the noise level there.

    Attributes
    ----------
    width : int
        Number of columns of rows, p; channels take turns along them.
    band : int
        Number of frequencies that are kept of a channel, fewer than it has.
    stds : tuple of float
        Noise level of a coefficient in the band, positive, of each channel.
    beyond : float
        Variance of what is left out, for each coefficient of the band, over that of noise there.
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = {"frequency_band": ("three and channels",)}

    width: int
    band: int
    stds: tuple[float, ...]
    beyond: float

    def columns(self, n_features: int) -> int:
        """Return how many columns rows have in the band."""
        return self.band * len(self.stds)

    def forward(self, X: FloatArray) -> FloatArray:
        """Return rows (n, band * channels) with noise of variance 1 for rows (n, p)."""
        Z = at_samples(self._by_channel(X), self.band) / np.array(self.stds)
        flat: FloatArray = Z.reshape(len(X), -1)
        return flat

    def inverse(self, Z: FloatArray) -> FloatArray:
        """Return rows (n, p) in the units of the data, without frequencies beyond the band."""
        X = at_samples(self._by_channel(Z) * np.array(self.stds), self.width // len(self.stds))
        flat: FloatArray = X.reshape(len(Z), -1)
        return flat

    def levels(self, Z: FloatArray) -> FloatArray:
        """Return the noise level of each number of rows (n, p): one for all of a channel."""
        length = self.width // len(self.stds)
        share = self.band / length * (1.0 + self.beyond)
        levels: FloatArray = np.tile(self.stds, length) * share**0.5
        return np.broadcast_to(levels, (len(Z), self.width))

    def noise(self, Z: FloatArray, E: FloatArray) -> FloatArray:
        """Return white noise E (n, band * channels) in the units of the data, (n, p)."""
        return self.inverse(E)

    def state(self) -> State:
        """Return the numbers by name: levels of further channels stand behind the others."""
        numbers = [self.width, self.band, self.stds[0], self.beyond, *self.stds[1:]]
        return {"frequency_band": np.array(numbers, dtype=float)}

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Return the transform of its numbers.

        Raises
        ------
        ValueError
            If there is no such band.
        """
        numbers = state["frequency_band"]
        if numbers.ndim != 1 or len(numbers) < 4 or not np.isfinite(numbers).all():
            raise ValueError("its band of frequencies is none")
        width, band, first, beyond, *others = numbers.tolist()
        stds = (first, *others)
        length = width / len(stds)
        if not (0 < band < length < 2**31 and band % 1 == length % 1 == 0):
            raise ValueError("its band of frequencies is none")
        if min(stds) <= 0.0 or beyond < 0.0:
            raise ValueError("the noise level in its band of frequencies is none")
        return cls(int(width), int(band), stds, beyond)

    def _by_channel(self, rows: FloatArray) -> FloatArray:
        return rows.reshape(len(rows), -1, len(self.stds))


def at_samples(rows: FloatArray, count: int) -> FloatArray:
    """Return rows (n, p, ...) at another number of samples, with the same cosine coefficients.

    Without those that there is no room for. What has no others keeps its length as a vector.
    """
    from scipy.fft import dct, idct

    coefficients = dct(rows, norm="ortho", axis=1)[:, :count]
    found: FloatArray = idct(coefficients, n=count, norm="ortho", axis=1)
    return found
