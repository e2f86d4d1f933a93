"""Columns of different noise: each is divided by its own level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.transforms.protocol import OneForAll, State


@dataclass(frozen=True)
class ColumnScale(OneForAll):
    """Division of columns by their noise levels.

    Attributes
    ----------
    stds : ndarray, shape (p,)
        Noise level of each column, positive.
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = {"column_stds": ("p",)}

    stds: FloatArray

    @property
    def width(self) -> int | None:
        """Number of columns that rows must have, None for any."""
        return len(self.stds)

    def columns(self, n_features: int) -> int:
        """Return how many columns rows of so many have with white noise."""
        return n_features

    def forward(self, X: FloatArray) -> FloatArray:
        """Return rows whose columns have noise of variance 1."""
        scaled: FloatArray = X / self.stds
        return scaled

    def inverse(self, Z: FloatArray) -> FloatArray:
        """Return rows in the units of the data."""
        rows: FloatArray = Z * self.stds
        return rows

    def levels(self, Z: FloatArray) -> FloatArray:
        """Return the noise level of each number, (n, p)."""
        return np.broadcast_to(self.stds, Z.shape)

    def noise(self, Z: FloatArray, E: FloatArray) -> FloatArray:
        """Return white noise E (n, p) in the units of the data."""
        return self.inverse(E)

    def state(self) -> State:
        """Return the levels by name."""
        return {"column_stds": self.stds}

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Return the transform of some levels.

        Raises
        ------
        ValueError
            If a level is not positive.
        """
        if not np.all(state["column_stds"] > 0.0):
            raise ValueError("its noise levels of columns are not all positive")
        return cls(state["column_stds"])
