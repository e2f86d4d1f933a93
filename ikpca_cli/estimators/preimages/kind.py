"""What every kind of pre-image is to ikPCA: parameters it goes with, a choice, and a fit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from ikpca_cli.data.covariance import FeatureSums
from ikpca_cli.data.row_source import FloatArray, Progress, RowSource
from ikpca_cli.models.companions import Companions, LowPassRows
from ikpca_cli.models.preimage import Iteration
from ikpca_cli.models.preimage_model import PreimageModel
from ikpca_cli.models.random_features import FourierFeatures
from ikpca_cli.models.smoothing.candidates import SmoothingFit
from ikpca_cli.models.smoothing.detection import FEWEST_COLUMNS
from ikpca_cli.models.smoothing.model import SmoothingModel
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.models.smoothing.row_windows import WindowModel
from ikpca_cli.selection.choice import Auto, Choice, ChosenExpansion, Task
from ikpca_cli.selection.outcome import Fits
from ikpca_cli.selection.stages import Stage

if TYPE_CHECKING:
    from ikpca_cli.selection.durations import Durations, SearchPlan


@dataclass(frozen=True)
class Asked:
    """What a fit is asked for.

    Attributes
    ----------
    n_components, n_rff, kernel, gamma, second_gamma, ridge, inverse, activation, noise_std,
    noise_model, replicates, solver, order, seed, dtype
        As for `IKPCA`.
    features : FourierFeatures or None
        Random features to use instead of drawing them.
    keep_sums : bool
        Whether sums over the features are kept, to add rows later.
    """

    n_components: int | Auto
    n_rff: int | Literal["exact", "landmarks"] | Auto
    kernel: str
    gamma: float | Auto
    second_gamma: float | Literal["none"] | Auto
    ridge: float | Auto
    inverse: str
    activation: str
    noise_std: float | Auto
    noise_model: str
    replicates: bool
    solver: str
    order: str
    seed: int
    dtype: str
    features: FourierFeatures | None = None
    keep_sums: bool = False


@dataclass(frozen=True)
class FittedPreimage:
    """What a fit made.

    Attributes
    ----------
    model : PreimageModel
    variances : ndarray, shape (n_components,)
        Variance of the training rows along each component.
    total : float
        Their total variance in feature space.
    sums : FeatureSums or None
        Sums over the features, where they are kept.
    companions : Companions or None
        What is added to the rows of the model.
    """

    model: PreimageModel
    variances: FloatArray
    total: float
    sums: FeatureSums | None = None
    companions: Companions | None = None


class Kind(ABC):
    """One kind of pre-image, for what is asked.

    Parameters
    ----------
    asked : Asked
    """

    def __init__(self, asked: Asked) -> None:
        self.asked = asked

    @abstractmethod
    def check(self, n_samples: int, n_features: int) -> None:
        """Refuse what it does not go with, and rows that are too many or too wide.

        Raises
        ------
        InputError, UsageError
        """

    @abstractmethod
    def fit(
        self,
        X: RowSource,
        mean: FloatArray,
        chosen: Choice,
        *,
        exact: bool,
        progress: Progress,
    ) -> FittedPreimage:
        """Fit with every parameter known.

        Parameters
        ----------
        X : RowSource, shape (n_samples, n_features)
        mean : ndarray, shape (n_features,)
            What to centre them by.
        chosen : Choice
        exact : bool
            Refuse more components than there are.
        progress : callable
        """

    def planned(self, n_samples: int, n_features: int) -> list[Stage]:
        """Return what a fit with nothing given is expected to do; nothing if not known."""
        return []

    def choose(self, task: Task) -> Choice | None:
        """Return every parameter for a fit, None if a search over a grid has to do."""
        return None


def expansion_of(chosen: Choice) -> ChosenExpansion:
    """Return the expansion of a choice that has one."""
    assert chosen.expansion is not None
    return chosen.expansion


class ExpandedKind(Kind):
    """A kind whose pre-image is an expansion of iterations, with companions beside it.

    Attributes
    ----------
    CHOICE_ROWS : int
        The most rows that the choice looks at.
    ENOUGH : int
        Held-out numbers that it needs.
    """

    CHOICE_ROWS: ClassVar[int]
    ENOUGH: ClassVar[int]

    @property
    def second_gamma(self) -> float | Literal["none"] | Auto:
        """The second gamma that is asked for; random features have none."""
        return "none"

    @abstractmethod
    def durations(self, n_samples: int, n_features: int) -> Durations:
        """Return about how long the parts of a fit to rows of this shape take."""

    @abstractmethod
    def fits(self, n_features: int) -> Fits:
        """Return what fits candidates on rows of a width."""

    def planned(self, n_samples: int, n_features: int) -> list[Stage]:
        """Return what a fit with nothing given is expected to do, as `Kind` says."""
        plan = self._plan(n_samples, n_features)
        return [*plan.first_stages(), *plan.stages()]

    def _plan(self, n_samples: int, n_features: int) -> SearchPlan:
        from ikpca_cli.selection.durations import SearchPlan

        ordered = self.asked.order != "none" and not self.asked.replicates
        order = RowOrder(n_features, 1) if ordered and n_features >= FEWEST_COLUMNS else None
        known = self.durations(n_samples, n_features), (n_samples, n_features)
        return SearchPlan(*known, self.CHOICE_ROWS, self.ENOUGH, order)

    def choose(self, task: Task) -> Choice:
        """Return every parameter for a fit, as `Kind` says."""
        # What denoises does not import what searches.
        from ikpca_cli.selection.expansion import ExpansionSearch

        asked = self.asked
        search = ExpansionSearch(
            fits=self.fits(task.X.shape[1]),
            gamma=asked.gamma,
            second_gamma=self.second_gamma,
            n_components=None if asked.n_components == "auto" else asked.n_components,
            most_rows=self.CHOICE_ROWS,
            enough=self.ENOUGH,
            replicates=asked.replicates,
            seed=asked.seed,
            order=asked.order,
            plan=self._plan(*task.X.shape),
        )
        return search.run(task)

    @abstractmethod
    def low_model(
        self,
        rows: LowPassRows,
        few: FloatArray,
        gamma: float,
        expansion: Mapping[Iteration, float],
        chosen: Choice,
        progress: Progress,
    ) -> PreimageModel:
        """Return a model of low frequencies alone.

        Parameters
        ----------
        rows : LowPassRows, shape (n_samples, k)
            Coefficients of all training rows, centred.
        few : ndarray, shape (m, k)
            Those of some of them.
        gamma : float
        expansion : mapping
            Iteration to weight.
        chosen : Choice
        progress : callable
        """

    def companions(
        self, X: RowSource, mean: FloatArray, chosen: Choice, progress: Progress
    ) -> Companions | None:
        """Return the smoothers of a choice, and its model of low frequencies.

        Parameters
        ----------
        X, mean, chosen, progress
            As for `fit`.
        """
        found = expansion_of(chosen)
        order = found.order
        if order is None:
            return None
        assert found.smoothing is not None
        smoothers = SmoothingFit.of(order, found.rows, mean, found.noise_variance)
        smoothing = SmoothingModel.of(smoothers, found.smoothing, found.varying)
        windows = None
        if found.windows:
            windows = WindowModel.learned(order, found.rows, mean, found.noise_variance)
            assert windows is not None
            windows = replace(windows, weight=np.array([found.windows]))
        progress("smoothing", 1, 1)
        if found.low_pass is None:
            return Companions(smoothing, windows=windows)
        (count, gamma), expansion = found.low_pass
        rows = LowPassRows(X, mean, order, count)
        few = np.ascontiguousarray(order.forward(found.rows)[:, :count])
        low = self.low_model(rows, few, gamma, expansion, chosen, progress)
        return Companions(smoothing, low, windows)
