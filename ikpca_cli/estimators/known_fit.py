"""A fit with every parameter known, and fits that differ from it in little."""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from ikpca_cli.data.first_pass import FirstPass
from ikpca_cli.data.precision import rounded
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray, Progress, RowSource, sample_rows, silent
from ikpca_cli.data.threads import at_work
from ikpca_cli.estimators.base import Estimator
from ikpca_cli.estimators.cleaner import Cleaner
from ikpca_cli.estimators.decisions.conflicts import check_spectrum, too_many_components
from ikpca_cli.estimators.decisions.reasons import Reason
from ikpca_cli.estimators.parameters import PARAMETERS
from ikpca_cli.linalg.shrinkage import weights_at_level
from ikpca_cli.selection.choice import Choice
from ikpca_cli.selection.stages import Grid, Stage

LIMIT_ROWS = 500
"""Training rows that tell how far rows usually are."""


class KnownFit(Cleaner):
    """A method that can be fitted once its parameters are chosen; what a search compares."""

    RIDGES: ClassVar[tuple[float, ...]] = ()
    """Candidate ridges in units of `ridge_unit`, the first to begin with; () for no ridge."""

    SELECTION_ROWS: ClassVar[int] = 1000
    """Rows that the choice of parameters looks at."""

    def fit_with(
        self,
        X: RowSource,
        mean: FloatArray,
        chosen: Choice,
        *,
        exact: bool = False,
        progress: Progress = silent,
    ) -> Self:
        """Fit with every parameter known.

        Parameters
        ----------
        X : RowSource, shape (n_samples, n_features)
            Checked rows.
        mean : ndarray, shape (n_features,)
            What to centre them by.
        chosen : Choice
        exact : bool
            Refuse more components than there are, instead of keeping fewer.
        progress : callable
        """
        self.fitted_params_ = self.get_params()
        self.mean_ = mean
        self.n_samples_ = int(X.shape[0])
        self._fit(X, chosen, exact=exact, progress=progress)
        if self._float is not np.float64:
            self._round()
        return self

    def variant(self, n_components: int, ridge: float | None = None) -> Self:
        """Return a fitted copy with fewer components or another ridge, without fitting again.

        Raises
        ------
        UsageError
            If this fit does not hold that many components.
        """
        self._check_fitted()
        n_components = PARAMETERS["n_components"].check("n_components", n_components)
        if ridge is not None:
            ridge = PARAMETERS["ridge"].check("ridge", ridge)
        if n_components > self.n_components_:
            raise too_many_components(n_components, self.n_components_)
        other = copy.copy(self)
        changed: dict[str, Any] = {"n_components": n_components}
        if ridge is not None and "ridge" in self.parameter_names():
            changed["ridge"] = ridge
        other.fitted_params_ = self.fitted_params_ | changed
        other.set_params(**changed)
        other.explained_variance_ = self.explained_variance_[:n_components]
        other.distance_limit_ = None
        with at_work(with_scipy=True):
            other._truncate(n_components, ridge)
        return other

    def shrunk(self, noise_std: float) -> Self | None:
        """Return a fitted copy that weighs components by their signal, None if it always does."""
        return None

    def ridge_unit(self) -> float:
        """Return the ridge that weighs as much as the data in this fit."""
        return 1.0

    def cheaper(self, n_features: int) -> tuple[Self, float]:
        """Return an estimator for comparing candidates, and the factor from its ridge to ours."""
        return type(self)(**self.get_params()), 1.0

    def expected(self, grid: Grid) -> list[Stage]:
        """Return what a search, and a fit after it, is expected to do; nothing if not known."""
        return []

    def _follow(self, X: RowSource) -> None:
        """Let what is known of the training rows follow more of them; withdraw what cannot.

        Distances that were usual before were to fewer rows, so that the farther limit is kept.
        """
        self.estimated_mse_ = self.estimated_mse_error_ = self.removed_mse_ = None
        self.rough_mse_ = self.rough_mse_error_ = self.marks_ = None
        self.withheld_ = int(Reason.ROWS_ADDED)
        some = sample_rows(X, LIMIT_ROWS, model_rng(self.seed_, Stream.FILE_SAMPLE))
        before = self.distance_limit_
        self._set_limit(some)
        if before is not None and self.distance_limit_ is not None:
            self.distance_limit_ = max(before, self.distance_limit_)
        if self.constant_ is not None:
            known, usual = self.mean_, self.usual_treatment()
            if usual.transform is not None:
                known = usual.transform.inverse(known[None])[0]
            alike = (np.ptp(some, axis=0) == 0.0) & np.isclose(some[0], known, rtol=1e-9, atol=0.0)
            self.constant_ = self.constant_ * alike

    # For the methods ------------------------------------------------------------------------

    def _read(self, rows: FirstPass, progress: Progress) -> None:
        """Read what a fit needs to know of its rows first."""
        rows.read(progress)

    def _planned(self, n_samples: int, n_features: int) -> list[Stage]:
        """Return what a fit with nothing given is expected to do; nothing if not known."""
        return []

    def _check_params(self, n_samples: int, n_features: int) -> None:
        """Refuse parameters that contradict each other or rows of this shape."""

    @abstractmethod
    def _fit(self, X: RowSource, chosen: Choice, *, exact: bool, progress: Progress) -> None:
        """Set the fitted attributes; with `exact`, fewer components than asked is an error."""

    @abstractmethod
    def _truncate(self, n_components: int, ridge: float | None) -> None:
        """Cut this copy's own fitted attributes to fewer components, another ridge."""

    def _round(self) -> None:
        """Keep the fitted arrays in `_float`, but for the means of the rows."""
        for name in self.STATE.keys() - Estimator.STATE.keys():
            setattr(self, name, rounded(getattr(self, name), self._float))

    def _set_spectrum(self, variances: FloatArray, total: float, asked: int, exact: bool) -> None:
        by_gamma = "gamma" in self.parameter_names()
        check_spectrum(len(variances), asked, exact=exact, by_gamma=by_gamma)
        self.explained_variance_ = variances
        self.total_variance_ = total


class WeighedFit(KnownFit):
    """A fit whose codes are multiplied by weights, 1 each or by the signal in a component."""

    weights_: FloatArray

    @property
    def shrink_(self) -> str:
        """What was done: "cut" or "optimal"."""
        return "cut" if np.all(self.weights_ == 1.0) else "optimal"

    def shrunk(self, noise_std: float) -> Self:
        """Return a fitted copy with the weights that are best for noise of this level."""
        other = copy.copy(self)
        other._shrink(noise_std)
        return other

    def _at_level(self, ratio: float) -> Self:
        if ratio == 1.0 or self.noise_std_ is None:
            return self
        other = copy.copy(self)
        weights = weights_at_level(self._weights_for(self.noise_std_), ratio)
        other.weights_ = rounded(weights, self._float)
        return other

    @abstractmethod
    def _weights_for(self, noise_std: float) -> FloatArray:
        """Return the weights of the components kept that are best for this noise, (d,)."""

    @abstractmethod
    def _shrink(self, noise_std: float) -> None:
        """Take these weights, and leave out components without one."""
