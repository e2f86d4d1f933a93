"""What a search over expansions compares: gammas, and the best expansion at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.preimage import Iteration


class LowPass(NamedTuple):
    """A gamma for rows of which only the cosine coefficients of lowest frequency are looked at."""

    n_coefficients: int
    gamma: float


Bandwidth: TypeAlias = float | LowPass
"""A gamma for rows as they are, or for their low frequencies."""


@dataclass(frozen=True)
class Expansion:
    """The best expansion of iterations at one gamma or several, and of smoothers.

    Attributes
    ----------
    gammas : tuple of Bandwidth
        The main one comes first.
    weights : tuple of dict
        For each gamma, iteration to its weight; empty where none lowers the risk.
    risk, error : float
        Estimated mean squared error after cleaning, and its standard error.
    smoothing : ndarray, shape (k,), or None
        Weights of the smoothers, in the order of `SmoothingFit.names`.
    """

    gammas: tuple[Bandwidth, ...]
    weights: tuple[dict[Iteration, float], ...]
    risk: float
    error: float
    smoothing: FloatArray | None = None

    def saves(self, share: float, other: Expansion) -> bool:
        """Tell whether all gammas are of use, and save a share of the other's risk.

        Being an estimate, a risk may be negative.
        """
        return all(self.weights) and self.risk < other.risk - share * abs(other.risk)
