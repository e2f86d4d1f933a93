"""Noise that is correlated along the row: it is made white by the root of its covariance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.linalg.centrosymmetric import halves, joined
from ikpca_cli.transforms.protocol import OneForAll, State

_LEAST = 1e-10  # share of the largest variance below which a direction has no noise to speak of


@dataclass(frozen=True)
class Whitening(OneForAll):
    """Multiplication by ``C^{-1/2}``, C being the covariance of the noise.

    The symmetric root leaves rows as near to what they were as a white noise allows, so that smooth
    rows stay smooth.

    Attributes
    ----------
    covariance : ndarray, shape (p, p)
        Symmetric, without negative eigenvalues.
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = {"noise_covariance": ("p", "p")}

    covariance: FloatArray

    @property
    def width(self) -> int | None:
        """Number of columns that rows must have, None for any."""
        return len(self.covariance)

    @cached_property
    def _eigenpairs(self) -> tuple[list[tuple[FloatArray, FloatArray]], float]:
        """The eigenpairs of the covariance on its halves, and the least eigenvalue that counts."""
        parts = halves(self.covariance.astype(np.float64, copy=False))
        pairs = [(found.eigenvalues, found.eigenvectors) for found in map(np.linalg.eigh, parts)]
        return pairs, _LEAST * max(float(values[-1]) for values, _ in pairs)

    def _power(self, exponent: float) -> FloatArray:
        """Return a power of the covariance, (p, p)."""
        pairs, least = self._eigenpairs
        return joined([(V * np.maximum(values, least) ** exponent) @ V.T for values, V in pairs])

    @cached_property
    def _root(self) -> FloatArray:
        return self._power(0.5)

    @cached_property
    def _inverse_root(self) -> FloatArray:
        return self._power(-0.5)

    def columns(self, n_features: int) -> int:
        """Return how many columns rows of so many have with white noise."""
        return n_features

    def forward(self, X: FloatArray) -> FloatArray:
        """Return rows with white noise of variance 1."""
        rows: FloatArray = X @ self._inverse_root
        return rows

    def inverse(self, Z: FloatArray) -> FloatArray:
        """Return rows in the units of the data."""
        rows: FloatArray = Z @ self._root
        return rows

    def levels(self, Z: FloatArray) -> FloatArray:
        """Return the noise level of each number, (n, p)."""
        return np.broadcast_to(np.sqrt(np.diag(self.covariance)), Z.shape)

    def noise(self, Z: FloatArray, E: FloatArray) -> FloatArray:
        """Return white noise E (n, p) in the units of the data."""
        return self.inverse(E)

    def state(self) -> State:
        """Return the covariance by name."""
        return {"noise_covariance": self.covariance}

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Return the transform of a covariance.

        Raises
        ------
        ValueError
            If it is not symmetric, or has no variance.
        """
        covariance = state["noise_covariance"]
        diagonal = np.diag(covariance)
        if not (np.all(diagonal > 0.0) and np.allclose(covariance, covariance.T)):
            raise ValueError("its noise covariance is not one")
        return cls(covariance)
