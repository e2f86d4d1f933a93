"""What a fit made of parameters and rows, as plain values that a file can hold."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from ikpca_cli.data.duplicates import are_among, different
from ikpca_cli.data.feature_names import decode
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.errors import UsageError
from ikpca_cli.estimators.decisions.reasons import Reason
from ikpca_cli.estimators.parametric import Parametric
from ikpca_cli.noise.models.noise_names import NOISE_MODELS
from ikpca_cli.selection.choice import Choice

Value: TypeAlias = FloatArray | float | int | str | None


class Estimator(Parametric):
    """Parameters, and what a fit made of them, both as plain values.

    What is fitted goes by `fitted_params_`, whatever is set for the next fit.

    Attributes
    ----------
    fitted_params_ : dict
        The parameters that the fit was made with.
    mean_ : ndarray, shape (n_features,)
        Column means of the training rows.
    explained_variance_ : ndarray, shape (n_components,)
        Variance of the training rows along each component (1/n), in feature space.
    total_variance_ : float
        Their total variance in that space.
    noise_std_ : float or None
        Standard deviation of the noise, given or estimated; None where it cannot be known.
    read_std_ : float or None
        The level that was read off them, where a lower one was taken; None where it was not.
    n_samples_ : int
        Number of training rows.
    estimated_mse_, estimated_mse_error_ : float or None
        Mean squared error to expect after cleaning, and its standard error, estimated from the
        noisy rows where anything was chosen; ``noise_std_ ** 2`` is the one before.
    rough_mse_, rough_mse_error_ : float or None
        The same where no error is promised.
    withheld_ : int or None
        Why no error is promised, a number of `Reason`; 0 where one is.
    strength_ : float or None
        What displacements of rows are multiplied by, so that no row comes back worse than it came;
        None where every parameter was given, and rows are moved as these have it.
    removed_mse_ : float or None
        Mean squared change of training rows: the error of clean rows like them, unless by row.
    constant_ : ndarray, shape (n_features,), or None
        1 for columns without variance in the training rows, which come back as they are.
    noise_rms_ : float or None
        Root mean square of the noise in the units of the data; `noise_std_` where it is white, else
        that is what is left of 1 after the transform.
    noise_model_ : int or None
        What the noise is like, an index of `NOISE_MODELS`; None is white.
    column_stds_, row_directions_, noise_covariance_, gain_and_floor_, relative_and_least_,
    frequency_band_ : ndarray
        Or None: what the transform that makes it white needs, see `ikpca_cli.transforms`.
    spike_directions_, spike_share_ : ndarray, shape (e, n_features), and float, or None
        What finds values to leave out, see `ikpca_cli.noise.models.spikes.Spikes.state`, and share
        of the values of the training rows that are left out; None where none are.
    noise_evidence_, noise_doubt_ : str
        How what the noise is like is known, and why its level is not; a model file keeps neither.
    distance_limit_ : float or None
        `distances` beyond which a row is unlike the training rows; None where nothing is known.
    marks_ : ndarray, shape (k, 2), or None
        What tells the training rows, or some of them, from others, see `ikpca_cli.data.duplicates`.
    feature_codes_ : ndarray or None
        `feature_names_` as numbers, see `ikpca_cli.data.feature_names.encode`.
    tried_ : tuple of Choice
        What the choice of a fit compared; a model file does not keep it.
    reading_ : dict
        What was told of how the text tables of the training rows are read, by the names in
        `ikpca_cli.formats.read_options.OF_TABLES`; set by who read them.
    """

    STATE: ClassVar[dict[str, tuple[str, ...]]] = {
        "mean_": ("p",),
        "explained_variance_": ("d",),
        "total_variance_": (),
        "noise_std_": (),
        "read_std_": (),
        "n_samples_": (),
        "estimated_mse_": (),
        "estimated_mse_error_": (),
        "rough_mse_": (),
        "rough_mse_error_": (),
        "withheld_": (),
        "strength_": (),
        "removed_mse_": (),
        "constant_": ("f",),
        "noise_rms_": (),
        "noise_model_": (),
        "column_stds_": ("f",),
        "noise_covariance_": ("f", "f"),
        "gain_and_floor_": ("two",),
        "relative_and_least_": ("two",),
        "frequency_band_": ("four",),
        "row_directions_": ("lines", "f"),
        "spike_directions_": ("parts", "f"),
        "spike_share_": (),
        "distance_limit_": (),
        "marks_": ("marked", "two"),
        "feature_codes_": ("c",),
    }
    """Fitted attributes and their dimensions; equal symbols are equal lengths, () is a number."""

    OPTIONAL: ClassVar[frozenset[str]] = frozenset(
        STATE.keys() - {"mean_", "explained_variance_", "total_variance_", "n_samples_"}
    )
    """Fitted attributes that may be None."""

    fitted_params_: dict[str, Any]
    mean_: FloatArray
    explained_variance_: FloatArray
    total_variance_: float
    noise_std_: float | None
    read_std_: float | None = None
    n_samples_: int
    estimated_mse_: float | None
    estimated_mse_error_: float | None
    rough_mse_: float | None = None
    rough_mse_error_: float | None = None
    withheld_: int | None = None
    strength_: float | None = None
    removed_mse_: float | None = None
    constant_: FloatArray | None = None
    noise_rms_: float | None = None
    noise_model_: int | None = None
    column_stds_: FloatArray | None = None
    noise_covariance_: FloatArray | None = None
    gain_and_floor_: FloatArray | None = None
    relative_and_least_: FloatArray | None = None
    frequency_band_: FloatArray | None = None
    row_directions_: FloatArray | None = None
    spike_directions_: FloatArray | None = None
    spike_share_: float | None = None
    noise_evidence_: str = ""
    noise_doubt_: str = ""
    distance_limit_: float | None = None
    marks_: FloatArray | None = None
    feature_codes_: FloatArray | None = None
    tried_: tuple[Choice, ...] = ()
    reading_: Mapping[str, str | int] = MappingProxyType({})

    def get_state(self) -> dict[str, Value]:
        """Return the fitted attributes as plain arrays and numbers.

        Raises
        ------
        UsageError
            If the estimator is not fitted.
        """
        self._check_fitted()
        return {name: getattr(self, name) for name in self.STATE}

    @classmethod
    def from_state(cls, params: Mapping[str, Any], state: Mapping[str, Value]) -> Self:
        """Return a fitted estimator from what `get_params` and `get_state` gave.

        Raises
        ------
        ValueError
            If values that are sound one by one are none that a fit makes.
        """
        estimator = cls(**params)
        estimator.fitted_params_ = estimator.get_params()
        for name in cls.STATE:
            setattr(estimator, name, state[name])
        estimator.check_trust()
        return estimator

    def check_trust(self) -> None:
        """Raise ValueError unless names, promises and how far rows may be moved can be so."""
        names = self.feature_names_
        if names is not None and len(names) != self.n_features_in_:
            raise ValueError("it has not as many names as features")
        if self.withheld_ is not None and self.withheld_ not in frozenset(Reason):
            raise ValueError("it gives no known reason for promising no error")
        if self.strength_ is not None and not 0.0 <= self.strength_ <= 2.0:
            raise ValueError("its strength is not between 0 and 2")
        if self.noise_model_ is not None and self.noise_model_ not in range(len(NOISE_MODELS)):
            raise ValueError("it gives no known kind of noise")

    @property
    def dtype_(self) -> str:
        """Type that the model is kept in and cleans rows in."""
        return str(self.fitted_params_["dtype"])

    @property
    def seed_(self) -> int:
        """Seed of the fit, also of what is drawn to clean rows."""
        return int(self.fitted_params_["seed"])

    @property
    def replicates_(self) -> bool:
        """Whether the fit took all rows to show one signal."""
        return bool(self.fitted_params_["replicates"])

    @property
    def feature_names_(self) -> tuple[str, ...] | None:
        """What the training rows call their features, None where they do not.

        Raises
        ------
        ValueError
            If a model file holds something else.
        """
        return None if self.feature_codes_ is None else decode(self.feature_codes_)

    @property
    def n_features_in_(self) -> int:
        """Width of the training rows; a model of a band of frequencies works on fewer columns."""
        return int(self.mean_.shape[0] if self.frequency_band_ is None else self.frequency_band_[0])

    @property
    def n_components_(self) -> int:
        """Number of components kept."""
        return int(self.explained_variance_.shape[0])

    @property
    def explained_variance_ratio_(self) -> FloatArray:
        """Share of the total variance along each component, (n_components,)."""
        ratio: FloatArray = self.explained_variance_ / self.total_variance_
        return ratio

    @property
    def component_noise_(self) -> FloatArray | None:
        """Variance that the noise has along each component, (n_components,), where it is known."""
        return None

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Return what scikit-learn calls the columns of `transform`: ikpca0, ..., (n_components,).

        Raises
        ------
        UsageError
            If it is not fitted.
        """
        self._check_fitted()
        return np.array([f"{self.method}{place}" for place in range(self.n_components_)], object)

    def summary(self) -> dict[str, Any]:
        """Return what this fitted model is, with the values chosen for each "auto".

        The keys are the same for every method; what a method does not have is None.
        """
        self._check_fitted()
        return {
            "method": self.method,
            "kernel": self.fitted_params_.get("kernel"),
            "n_samples": self.n_samples_,
            "n_features": self.n_features_in_,
            "n_rff": getattr(self, "n_rff_", None),
            "gamma": getattr(self, "gamma_", None),
            "second_gamma": getattr(self, "second_gamma_", None),
            "latent_gamma": getattr(self, "latent_gamma_", None),
            "ridge": getattr(self, "ridge_", None),
            "n_components": self.n_components_,
            "shrink": getattr(self, "shrink_", None),
            "order": getattr(self, "order_", None),
            "seed": self.fitted_params_["seed"],
            "noise_model": NOISE_MODELS[self.noise_model_ or 0],
            "noise_evidence": self.noise_evidence_ or None,
            "noise_doubt": self.noise_doubt_ or None,
            "spike_share": self.spike_share_,
            "noise_std": self.noise_std_ if self.noise_rms_ is None else self.noise_rms_,
            "estimated_mse": self.estimated_mse_,
            "estimated_mse_error": self.estimated_mse_error_,
            "rough_mse": self.rough_mse_,
            "rough_mse_error": self.rough_mse_error_,
            "no_estimate_because": Reason(self.withheld_ or 0).words or None,
            "strength": self.strength_,
            "removed_mse": self.removed_mse_,
        }

    def share_known(self, X: FloatArray) -> float:
        """Return how many of rows (m, p) with white noise are training rows, as a share."""
        known: FloatArray | None = getattr(self, "rows_", None)
        if self.marks_ is not None:
            found = np.mean(are_among(X - self.mean_, self.marks_))
            return float(found) * max(self.n_samples_ / len(self.marks_), 1.0)
        if known is None or known.shape[1:] != X.shape[1:]:
            return 0.0
        both = np.concatenate([known, X - self.mean_])  # of a model whose file has no marks
        return (len(both) - different(both)) / len(X)

    def _check_fitted(self) -> None:
        if not hasattr(self, "mean_"):
            raise UsageError(f"this {type(self).__name__} is not fitted yet: call fit first")
