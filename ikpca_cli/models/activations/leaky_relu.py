"""The leaky rectifier, which makes negative angles small: most of them goes round."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.activations.activation import Activation

SLOPE = 0.1
"""Of negative angles; an inverse that divided by it would magnify the errors of features."""


class LeakyReLU(Activation):
    """``max(alpha, SLOPE * alpha)``; what this takes off is added by the inverse."""

    def forward(self, half_turns: FloatArray) -> None:
        """Replace angles, (n, k) in half turns, by the activation of them in radians."""
        half_turns *= half_turns.dtype.type(np.pi)
        np.maximum(half_turns, SLOPE * half_turns, out=half_turns)

    def inverse(self, half_turns: FloatArray, beta_hat: FloatArray) -> FloatArray:
        """Return ``beta_hat + (1 - SLOPE) min(alpha, 0)``, in radians."""
        beta_hat += np.minimum(half_turns, 0.0) * half_turns.dtype.type((1.0 - SLOPE) * np.pi)
        return beta_hat
