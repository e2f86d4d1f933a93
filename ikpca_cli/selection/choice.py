"""What a choice of parameters is: values for a fit, and what they promise.

Two searches make one, as there are two kinds of candidates. In `grid` each gamma, ridge and number
of components is another denoiser, which has to be run to know its risk. In `expansion` candidates
are displacements that are added up: the risk is a quadratic form in their weights, so the best of
all sums is found without running any of them. Both keep what was given, choose by the risk of rows
that were held out of the fits (`held_out`), and give one answer for one seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray, Progress, RowSource
from ikpca_cli.models.preimage import Iteration
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.noise.estimate import is_impossible
from ikpca_cli.selection.outcome import LowPass
from ikpca_cli.selection.stages import Grid, Stage

Auto: TypeAlias = Literal["auto"]
"""The value of a parameter that is to be chosen."""


@dataclass(frozen=True)
class ChosenExpansion:
    """Iterations to add up, and smoothers and a model of low frequencies beside them.

    Attributes
    ----------
    gammas : tuple of float
        The main one comes first.
    weights : tuple of dict
        For each gamma, iteration to its weight.
    noise_variance : float
        What the risk was estimated with.
    rows : ndarray, shape (k, n_features)
        Some of the centred rows, in random order and without duplicates.
    varying : ndarray of bool, shape (n_features,)
        Columns that are not constant.
    order : RowOrder or None
        Order along the rows.
    smoothing : ndarray or None
        Weights of the smoothers, where there is an order.
    low_pass : tuple or None
        How many coefficients of lowest frequency, the gamma for them, and weights of iterations.
    windows : float
        Weight of what windows say; 0 for none.
    """

    gammas: tuple[float, ...]
    weights: tuple[Mapping[Iteration, float], ...]
    noise_variance: float
    rows: FloatArray
    varying: NDArray[np.bool_]
    order: RowOrder | None = None
    smoothing: FloatArray | None = None
    low_pass: tuple[LowPass, Mapping[Iteration, float]] | None = None
    windows: float = 0.0


@dataclass(frozen=True)
class Choice:
    """Parameters for a fit, and what they promise.

    Attributes
    ----------
    n_components : int or None
        None for as many as are of use.
    gamma, second_gamma, ridge : float or None
        None for a method without one.
    noise_std : float or None
        Noise level that components are weighed by; None where none are.
    expansion : ChosenExpansion or None
        For a pre-image that is one.
    risk, error : float or None
        Estimated mean squared error after cleaning, and its standard error; None where nothing was
        chosen.
    tried : tuple of Choice
        What was compared.
    """

    n_components: int | None = None
    gamma: float | None = None
    second_gamma: float | None = None
    ridge: float | None = None
    noise_std: float | None = None
    expansion: ChosenExpansion | None = None
    risk: float | None = None
    error: float | None = None
    tried: tuple[Choice, ...] = ()

    @property
    def is_impossible(self) -> bool:
        """Whether the estimated risk is below zero by more than chance would have it."""
        return self.risk is not None and is_impossible(self.risk, self.error or 0.0)


class Tunable(Protocol):
    """What a search of a grid asks of an estimator; `ikpca_cli.estimators.denoiser` says more."""

    RIDGES: ClassVar[tuple[float, ...]]
    SELECTION_ROWS: ClassVar[int]
    noise_std: float | Auto
    replicates: bool
    seed: int
    noise_std_: float | None
    strength_: float | None

    @property
    def n_components_(self) -> int:
        """Number of components kept."""

    def get_params(self) -> dict[str, Any]:
        """Return the parameters by name."""

    def expected(self, grid: Grid) -> list[Stage]:
        """Return what a search, and a fit after it, is expected to do."""

    def cheaper(self, n_features: int) -> tuple[Tunable, float]:
        """Return an estimator for comparing candidates, and the factor from its ridge to ours."""

    def fit_with(self, X: RowSource, mean: FloatArray, chosen: Choice) -> Tunable:
        """Fit with every parameter known."""

    def shrunk(self, noise_std: float) -> Tunable | None:
        """Return a fitted copy that weighs components by their signal."""

    def variant(self, n_components: int, ridge: float | None = None) -> Tunable:
        """Return a fitted copy with fewer components or another ridge."""

    def ridge_unit(self) -> float:
        """Return the ridge that weighs as much as the data in this fit."""

    def denoise(self, X: FloatArray) -> FloatArray:
        """Return cleaned rows."""

    def denoise_as_fitted(self, X: FloatArray) -> FloatArray:
        """Return cleaned rows that are moved no farther than the noise of the fit reaches."""


@dataclass(frozen=True)
class Oracle:
    """Noisy rows (m, p) and their clean versions, (m, p) or (p,): what a user does not have."""

    noisy: FloatArray
    clean: FloatArray


class Task(NamedTuple):
    """What a choice is made for.

    Attributes
    ----------
    X : RowSource, shape (n_samples, n_features)
        Training rows, with white noise.
    mean : ndarray, shape (n_features,)
        What they are centred by.
    noise_std : float or None
        Noise level, None where it is not known.
    progress : callable
    oracle : Oracle or None
        Rows whose clean versions are known, to choose by them.
    patches : bool
        Whether numbers of a row may be averaged by what surrounds them.
    """

    X: RowSource
    mean: FloatArray
    noise_std: float | None
    progress: Progress
    oracle: Oracle | None = None
    patches: bool = True


def usable_noise_std(noise_std: float | None, rows: FloatArray) -> float:
    """Return the noise level, or a cautious tenth of the centred rows' spread if it is unknown."""
    return noise_std or 0.1 * float(np.sqrt(np.mean(rows**2)))
