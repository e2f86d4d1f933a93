"""Noise that multiplies the signal: its logarithm has noise that is added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.transforms.growing import FARTHEST, GrowingNoise
from ikpca_cli.transforms.protocol import State


@dataclass(frozen=True)
class Logarithm(GrowingNoise):
    """Logarithms over the relative noise level, for ``variance = (relative x signal)^2``.

    The mean of ``log(x (1 + relative e))`` is below the logarithm of x by half the square of the
    relative level, to second order, which the inverse makes up for.

    Attributes
    ----------
    relative : float
        Noise over signal, positive.
    least : float
        The least value that is told from 0, positive.
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = {"relative_and_least": ("two",)}

    relative: float
    least: float

    @property
    def lowest(self) -> float:
        """The lowest value that any signal with such noise is likely to have."""
        return self.least * max(1.0 - FARTHEST * self.relative, 0.0)

    def forward(self, X: FloatArray) -> FloatArray:
        """Return rows with noise of variance 1."""
        rows: FloatArray = np.log(np.maximum(X, self.least)) / self.relative
        return rows

    def inverse(self, Z: FloatArray) -> FloatArray:
        """Return the means of numbers whose transforms have these means."""
        rows: FloatArray = np.exp(np.minimum(Z * self.relative + self.relative**2 / 2.0, 300.0))
        return rows

    def levels(self, Z: FloatArray) -> FloatArray:
        """Return the noise level of each number, (n, p)."""
        level: FloatArray = self.relative * self.inverse(Z)
        return level

    def state(self) -> State:
        """Return the numbers by name."""
        return {"relative_and_least": np.array([self.relative, self.least])}

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Return the transform of its numbers.

        Raises
        ------
        ValueError
            If one of them is not positive.
        """
        numbers = state["relative_and_least"]
        if numbers.shape != (2,) or not np.all(numbers > 0.0):
            raise ValueError("its relative noise level is not a positive number")
        return cls(float(numbers[0]), float(numbers[1]))
