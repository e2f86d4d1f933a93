"""What a search over expansions compares: gammas, and the best expansion at them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.preimage import Iteration, Preimage


class LowPass(NamedTuple):
    """A gamma for rows of which only the cosine coefficients of lowest frequency are looked at."""

    n_coefficients: int
    gamma: float


LOW_FREQUENCIES = "low frequencies"
"""What a stage is called that tries gammas for them."""

Bandwidth: TypeAlias = float | LowPass
"""A gamma for rows as they are, or for their low frequencies."""


Fit: TypeAlias = Callable[[NDArray[np.intp], float], Preimage[Any]]
"""Maps places of rows and a gamma to what learned from the rows at these places."""

Fits: TypeAlias = Callable[[FloatArray, FloatArray, float], Fit]
"""Maps centred rows (n, p), their squared distances (n, n) and the noise variance to a `Fit`."""


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
    near : ndarray of int, or None
        Held-out rows that decided about the weights; None for all.
    linear : bool
        Whether principal components alone take part.
    """

    gammas: tuple[Bandwidth, ...]
    weights: tuple[dict[Iteration, float], ...]
    risk: float
    error: float
    smoothing: FloatArray | None = None
    near: NDArray[np.intp] | None = None
    linear: bool = False

    def as_array(self, ways: Sequence[Iteration]) -> FloatArray:
        """Return the weights of some iterations as one array, those of smoothers last."""
        weights = np.array([part.get(way, 0.0) for part in self.weights for way in ways])
        return weights if self.smoothing is None else np.concatenate([weights, self.smoothing])

    def saves(self, share: float, other: Expansion) -> bool:
        """Tell whether all gammas are of use, and save a share of the other's risk.

        Being an estimate, a risk may be negative.
        """
        return all(self.weights) and self.risk < other.risk - share * abs(other.risk)
