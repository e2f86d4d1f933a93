"""What transforms of single numbers share, where the noise grows with the signal."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.transforms.protocol import OneForAll

FARTHEST = 5.0
"""Standard deviations of noise that no value is farther from its signal."""


class GrowingNoise(OneForAll, ABC):
    """Part of a `Transform` that turns each number by itself, whatever its column."""

    @property
    def width(self) -> int | None:
        """Number of columns that rows must have, None for any."""
        return None

    def columns(self, n_features: int) -> int:
        """Return how many columns rows of so many have with white noise."""
        return n_features

    @property
    @abstractmethod
    def lowest(self) -> float:
        """The lowest value that any signal with such noise is likely to have."""

    @abstractmethod
    def levels(self, Z: FloatArray) -> FloatArray:
        """Return the noise level of each number of clean rows Z, (n, p)."""

    def noise(self, Z: FloatArray, E: FloatArray) -> FloatArray:
        """Return what white noise E (n, p) on clean rows Z (n, p) is in the units of the data."""
        noise: FloatArray = self.levels(Z) * E
        return noise
