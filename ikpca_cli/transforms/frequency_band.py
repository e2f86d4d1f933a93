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
    """The lowest frequencies of rows, over the noise level there.

    Attributes
    ----------
    width : int
        Number of columns of rows, p.
    band : int
        Number of frequencies that are kept, below p.
    std : float
        Noise level of a coefficient in the band, positive.
    beyond : float
        Variance of what is left out, for each coefficient of the band, over that of noise there.
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = {"frequency_band": ("four",)}

    width: int
    band: int
    std: float
    beyond: float

    def columns(self, n_features: int) -> int:
        """Return how many columns rows have in the band."""
        return self.band

    def forward(self, X: FloatArray) -> FloatArray:
        """Return rows (n, band) with noise of variance 1 for rows (n, p)."""
        return at_samples(X, self.band) / self.std

    def inverse(self, Z: FloatArray) -> FloatArray:
        """Return rows (n, p) in the units of the data, without frequencies beyond the band."""
        return at_samples(Z, self.width) * self.std

    def levels(self, Z: FloatArray) -> FloatArray:
        """Return the noise level of each number of rows (n, p): about the same for all."""
        share = self.band / self.width * (1.0 + self.beyond)
        return np.broadcast_to(np.array(self.std * share**0.5), (len(Z), self.width))

    def noise(self, Z: FloatArray, E: FloatArray) -> FloatArray:
        """Return white noise E (n, band) in the units of the data, (n, p)."""
        return self.inverse(E)

    def state(self) -> State:
        """Return the numbers by name."""
        return {"frequency_band": np.array([self.width, self.band, self.std, self.beyond])}

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Return the transform of its numbers.

        Raises
        ------
        ValueError
            If there is no such band.
        """
        numbers = state["frequency_band"]
        if numbers.shape != (4,) or not np.isfinite(numbers).all():
            raise ValueError("its band of frequencies is none")
        width, band, std, beyond = numbers.tolist()
        if not (0 < band < width < 2**31 and band % 1 == width % 1 == 0):
            raise ValueError("its band of frequencies is none")
        if std <= 0.0 or beyond < 0.0:
            raise ValueError("the noise level in its band of frequencies is none")
        return cls(int(width), int(band), std, beyond)


def at_samples(rows: FloatArray, count: int) -> FloatArray:
    """Return rows (n, p, ...) at another number of samples, with the same cosine coefficients.

    Without those that there is no room for. What has no others keeps its length as a vector.
    """
    from scipy.fft import dct, idct

    coefficients = dct(rows, norm="ortho", axis=1)[:, :count]
    found: FloatArray = idct(coefficients, n=count, norm="ortho", axis=1)
    return found
