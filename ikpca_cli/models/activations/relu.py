"""The rectifier, which loses the negative angles: these go round the projection."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.activations.activation import Activation


class ReLU(Activation):
    """``max(alpha, 0)``; the inverse adds ``min(alpha, 0)`` of the noisy angle."""

    def forward(self, half_turns: FloatArray) -> None:
        """Replace angles, (n, k) in half turns, by their positive part in radians."""
        half_turns *= half_turns.dtype.type(np.pi)
        np.maximum(half_turns, 0.0, out=half_turns)

    def inverse(self, half_turns: FloatArray, beta_hat: FloatArray) -> FloatArray:
        """Return ``beta_hat + min(alpha, 0)``, in radians."""
        beta_hat += np.minimum(half_turns, 0.0) * half_turns.dtype.type(np.pi)
        return beta_hat
