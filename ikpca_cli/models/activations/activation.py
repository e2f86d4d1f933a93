"""An activation: random features are ``s(alpha)`` of angles ``alpha = w'x + b``.

Gedon et al. 2023, section 3.3, go back from a projected feature with the help of the noisy row's
own angle, which knows what the activation has lost. The function takes angles in
half turns, as `ikpca_cli.linalg.sines` has them; the inverse takes them in radians.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.activations.activation_names import ACTIVATIONS
from ikpca_cli.registry import load_named


class Activation(ABC):
    """A function of angles, and its inverse near known angles."""

    normalised: bool = False
    """Whether ``2 s(alpha)'s(alpha')`` is on average a kernel that is 1 for a row and itself."""

    @abstractmethod
    def forward(self, half_turns: FloatArray) -> None:
        """Replace angles, (n, k) in half turns, by ``s(alpha)``."""

    @abstractmethod
    def inverse(self, half_turns: FloatArray, beta_hat: FloatArray) -> FloatArray:
        """Return the angles, (n, k) in radians, at which the activation is `beta_hat`.

        If ``beta_hat = s(alpha)`` these are alpha.

        Parameters
        ----------
        half_turns : ndarray, shape (n, k)
            Angles alpha of the noisy rows over pi.
        beta_hat : ndarray, shape (n, k)
            Projected features. Overwritten, and returned.
        """


def load_activation(name: str) -> Activation:
    """Return the activation called `name`.

    Raises
    ------
    UsageError
        If no activation has that name.
    """
    activation: Activation = load_named(ACTIVATIONS, "activation", name)()
    return activation
