"""A denoiser whose fit is a model with a pre-image, and what is beside that."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, Self

from ikpca_cli.data.precision import rounded_fields
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.estimators.base import Value
from ikpca_cli.estimators.denoiser import Denoiser
from ikpca_cli.models.arcsine import ArcsineModel
from ikpca_cli.models.companions import Companions
from ikpca_cli.models.exact import ExactModel
from ikpca_cli.models.gauss_newton import GaussNewtonModel
from ikpca_cli.models.preimage_model import PreimageModel, model_of

_KINDS: tuple[type[PreimageModel], ...] = (ArcsineModel, GaussNewtonModel, ExactModel)
_MODELS = {f"{name}_": dims for kind in _KINDS for name, dims in kind.FIELDS.items()}
_COMPANIONS = Companions.STATE
_SUMS = {"sums_mean_": ("r",), "scatter_": ("r", "r")}


class PreimageDenoiser(Denoiser):
    """What a fitted ikPCA is and does, whichever pre-image it has; see `IKPCA` for attributes."""

    STATE: ClassVar[dict[str, tuple[str, ...]]] = (
        Denoiser.STATE | {"gamma_": ()} | _MODELS | _SUMS | _COMPANIONS
    )
    OPTIONAL: ClassVar[frozenset[str]] = (
        Denoiser.OPTIONAL | _MODELS.keys() | _SUMS.keys() | _COMPANIONS.keys()
    )
    kernel: str
    activation: str
    model_: PreimageModel
    companions_: Companions | None = None
    gamma_: float
    sums_mean_: FloatArray | None = None
    scatter_: FloatArray | None = None

    @property
    def n_rff_(self) -> int | str:
        """Number of random features, "exact" for infinitely many, or "landmarks"."""
        return self.model_.feature_count(self.n_samples_)

    @property
    def second_gamma_(self) -> float | None:
        """The other width used, None for a single one."""
        return self.model_.second_gamma

    @property
    def order_(self) -> str | None:
        """The order along rows that smoothers make use of, None without them."""
        return None if self.companions_ is None else str(self.companions_.order)

    @property
    def component_noise_(self) -> FloatArray | None:
        """Variance that the noise has along each component, as `Denoiser` says."""
        return self.model_.component_noise

    @property
    def ridge_(self) -> float | None:
        """The ridge used, None in the limit."""
        return self.model_.ridge

    def __getattr__(self, name: str) -> Any:
        """Return an array of the model under its name with an underscore."""
        model = self.__dict__.get("model_")
        if model is not None and name.endswith("_") and name[:-1] in model.FIELDS:
            return getattr(model, name[:-1])
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def get_state(self) -> dict[str, Value]:
        """Return the fitted attributes as `Denoiser.get_state` does, the other model's as None."""
        self._check_fitted()
        added = {} if self.companions_ is None else self.companions_.get_state()
        return {name: added.get(name, getattr(self, name, None)) for name in self.STATE}

    @classmethod
    def from_state(cls, params: Mapping[str, Any], state: Mapping[str, Value]) -> Self:
        """Return a fitted estimator from what `get_params` and `get_state` gave.

        Raises
        ------
        ValueError
            If the state is that of no model, or of several.
        """
        estimator = cls(**params)
        estimator.fitted_params_ = estimator.get_params()
        own: dict[str, Any] = {}
        for name in cls.STATE:
            if name not in _MODELS | _COMPANIONS:
                setattr(estimator, name, state[name])
            elif name in _MODELS and state[name] is not None:
                own[name[:-1]] = state[name]
        words = {"kernel": estimator.kernel, "activation": estimator.activation}
        model = model_of(_KINDS, own, **words)
        if model is None:
            raise ValueError("its arrays are neither those of random features nor of their limit")
        companions = Companions.from_state(
            {name: state[name] for name in _COMPANIONS}, estimator.kernel
        )
        if companions is not None and not model.takes_companions:
            raise ValueError("the paper's inverse has no smoothers beside it")
        estimator.model_, estimator.companions_ = model, companions
        estimator.check_trust()
        return estimator

    def _round(self) -> None:
        self.model_ = rounded_fields(self.model_, self._float)
        if self.companions_ is not None:
            self.companions_ = self.companions_.rounded(self._float)

    def _denoise_block(self, X: FloatArray) -> FloatArray:
        centred = self._centred(X)
        cleaned = self.model_.denoise(centred)
        if self.companions_ is not None:
            cleaned += self.companions_.added(centred)
        rows: FloatArray = cleaned + self.mean_
        return rows

    def _clean_and_compare(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        if self.companions_ is not None:
            return super()._clean_and_compare(X)
        rows, distances = self.model_.denoise_and_compare(self._centred(X))
        return rows + self.mean_, distances

    def _distance_block(self, X: FloatArray, *, fitted: bool = False) -> FloatArray:
        return self.model_.distances(self._centred(X), self.n_samples_ if fitted else 0)

    def _at_level(self, ratio: float) -> Self:
        if ratio == 1.0:
            return self
        other = copy(self)
        other.model_ = self.model_.at_level(ratio)
        if self.companions_ is not None:
            other.companions_ = self.companions_.at_level(ratio)
        return other

    def _encode_block(self, X: FloatArray) -> FloatArray:
        return self.model_.encode(self._centred(X))

    def _truncate(self, n_components: int, ridge: float | None) -> None:
        self.model_ = self.model_.variant(n_components, ridge)
        if self.companions_ is not None:
            self.companions_ = self.companions_.variant(n_components)

    def _block_width(self) -> int:
        return self.model_.width
