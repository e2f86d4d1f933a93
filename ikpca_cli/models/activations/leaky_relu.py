"""The leaky rectifier, which loses nothing."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.activations.activation import Activation

SLOPE = 0.1
"""Of negative angles; an error in their features grows by its inverse on the way back."""


class LeakyReLU(Activation):
    """``max(alpha, SLOPE * alpha)``, which has an inverse everywhere."""

    def forward(self, half_turns: FloatArray) -> None:
        """Replace angles, (n, k) in half turns, by the activation of them in radians."""
        half_turns *= half_turns.dtype.type(np.pi)
        np.maximum(half_turns, SLOPE * half_turns, out=half_turns)

    def inverse(self, half_turns: FloatArray, beta_hat: FloatArray) -> FloatArray:
        """Return ``min(beta_hat, beta_hat / SLOPE)``, in radians, whatever the noisy angle."""
        np.minimum(beta_hat, beta_hat / SLOPE, out=beta_hat)
        return beta_hat
