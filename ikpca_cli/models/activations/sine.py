"""The sine, whose features are those of a shift-invariant kernel."""

from __future__ import annotations

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.linalg.sines import angles_on_branch, sines
from ikpca_cli.models.activations.activation import Activation


class Sine(Activation):
    """``sin(alpha)``; the noisy angle says on which branch of the arcsine to go back."""

    normalised = True

    def forward(self, half_turns: FloatArray) -> None:
        """Replace angles, (n, k) in half turns, by their sines."""
        sines(half_turns)

    def inverse(self, half_turns: FloatArray, beta_hat: FloatArray) -> FloatArray:
        """Return the angles with these sines, see `angles_on_branch`."""
        return angles_on_branch(half_turns, beta_hat)
