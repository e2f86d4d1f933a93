"""Noise whose variance grows with the signal, as that of counts does: the Anscombe transform.

For a variance of ``gain x + floor`` at signal x, ``(2 / gain) sqrt(gain x + 3/8 gain^2 + floor)``
has noise of variance 1 (Anscombe, "The transformation of Poisson, binomial and negative-binomial
data", 1948; Starck, Murtagh and Bijaoui 1998 with gain and floor). Their mean is not the transform
of the mean; the inverse is the exact unbiased one (Makitalo and Foi, "Optimal inversion of the
generalized Anscombe transformation for Poisson-Gaussian noise", 2013, in closed form).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.transforms.growing import FARTHEST, GrowingNoise
from ikpca_cli.transforms.protocol import State

_LOWEST = 2.0 * (3.0 / 8.0) ** 0.5  # the transform of a count of 0


@dataclass(frozen=True)
class SquareRoot(GrowingNoise):
    """The generalised Anscombe transform.

    Attributes
    ----------
    gain : float
        Variance for each unit of signal, positive.
    floor : float
        Variance where the signal is 0; below 0 where the zero of the counts is offset.
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = {"gain_and_floor": ("two",)}

    gain: float
    floor: float

    @property
    def lowest(self) -> float:
        """The lowest value that any signal with such noise is likely to have."""
        # At u gains above where the variance is 0 the noise is sqrt(u) gains: the least of
        # u - k sqrt(u) is at u = k^2 / 4.
        return -self.floor / self.gain - self.gain * FARTHEST**2 / 4.0

    def forward(self, X: FloatArray) -> FloatArray:
        """Return rows with noise of variance 1."""
        gain = self.gain
        inside = gain * X + 0.375 * gain**2 + self.floor
        rows: FloatArray = (2.0 / gain) * np.sqrt(np.maximum(inside, 0.0))
        return rows

    def inverse(self, Z: FloatArray) -> FloatArray:
        """Return the means of numbers whose transforms have these means."""
        # Below what nothing at all becomes, the closed form turns up again.
        D = np.maximum(Z, _LOWEST)
        root = 1.5**0.5
        counts = D**2 / 4.0 - 0.125 + root / (4.0 * D) - 11.0 / (8.0 * D**2)
        counts += 5.0 * root / (8.0 * D**3)
        rows: FloatArray = self.gain * counts - self.floor / self.gain
        return rows

    def levels(self, Z: FloatArray) -> FloatArray:
        """Return the noise level of each number, (n, p)."""
        signal = self.inverse(Z)
        variance = self.gain * signal + self.floor
        level: FloatArray = np.sqrt(np.maximum(variance, 0.0))
        return level

    def state(self) -> State:
        """Return gain and floor by name."""
        return {"gain_and_floor": np.array([self.gain, self.floor])}

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Return the transform of a gain and a floor.

        Raises
        ------
        ValueError
            If the gain is not positive.
        """
        numbers = state["gain_and_floor"]
        if numbers.shape != (2,) or numbers[0] <= 0.0:
            raise ValueError("its gain is not a positive number")
        return cls(float(numbers[0]), float(numbers[1]))
