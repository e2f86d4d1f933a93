"""What is added to the main model of ikPCA: smoothers, windows, and a model of low frequencies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ikpca_cli.data.precision import rounded_fields
from ikpca_cli.data.row_source import FloatArray, RowSource
from ikpca_cli.data.threads import cached_rows, parallel_for
from ikpca_cli.models.exact import ExactModel
from ikpca_cli.models.gauss_newton import GaussNewtonModel
from ikpca_cli.models.preimage_model import PreimageModel, model_of
from ikpca_cli.models.smoothing.model import SmoothingModel
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.models.smoothing.row_windows import WindowModel

_LOW_MODELS: tuple[type[PreimageModel], ...] = (ExactModel, GaussNewtonModel)


def _state_of(prefix: str, fields: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the names of fields in a file; lengths of a model of low frequencies are its own."""
    own = prefix == "low"
    return {
        f"{prefix}_{name}_": tuple(f"low {dim}" if own else dim for dim in dims)
        for name, dims in fields.items()
    }


@dataclass(frozen=True)
class Companions:
    """What is added to the main model's rows.

    Attributes
    ----------
    smoothing : SmoothingModel
    low : PreimageModel or None
        A model of the cosine coefficients of lowest frequency.
    windows : WindowModel or None
    """

    STATE: ClassVar[dict[str, tuple[str, ...]]] = (
        _state_of("smoothing", SmoothingModel.FIELDS)
        | _state_of("windows", WindowModel.FIELDS)
        | {
            name: dims
            for kind in _LOW_MODELS
            for name, dims in _state_of("low", kind.FIELDS).items()
        }
    )
    """Names of all arrays in a model file, and their dimensions."""

    smoothing: SmoothingModel
    low: PreimageModel | None = None
    windows: WindowModel | None = None

    @property
    def order(self) -> RowOrder:
        """The order along the rows."""
        return RowOrder.from_array(self.smoothing.order)

    @property
    def n_coefficients(self) -> int:
        """Number of coefficients that the model of low frequencies sees."""
        return 0 if self.low is None else self.low.n_features

    def added(self, X: FloatArray) -> FloatArray:
        """Return what is added to centred rows (n, p)."""
        moved = np.empty_like(X)
        order, count = self.order, self.n_coefficients

        def smooth(part: slice) -> None:
            moved[part] = self.smoothing.displacements(X[part], self.windows)

        parallel_for(smooth, cached_rows(*X.shape))
        if self.low is not None:
            Z = np.ascontiguousarray(order.forward(X)[:, :count])
            moved += order.inverse(self.low.denoise(Z) - Z)
        return moved

    def rounded(self, dtype: type[np.floating[Any]]) -> Self:
        """Return the same with arrays as `dtype`."""
        low = None if self.low is None else rounded_fields(self.low, dtype)
        windows = None if self.windows is None else rounded_fields(self.windows, dtype)
        smoothing = rounded_fields(self.smoothing, dtype)
        return replace(self, smoothing=smoothing, low=low, windows=windows)

    def at_level(self, ratio: float) -> Self:
        """Return the same for noise that is so many times as loud."""
        low = None if self.low is None else self.low.at_level(ratio)
        return replace(self, smoothing=self.smoothing.at_level(ratio), low=low)

    def variant(self, n_components: int) -> Self:
        """Return the same with fewer components of the model of low frequencies."""
        return self if self.low is None else replace(self, low=self.low.variant(n_components, None))

    def get_state(self) -> dict[str, FloatArray]:
        """Return all arrays by their names in a model file."""
        models = {"smoothing": self.smoothing, "low": self.low, "windows": self.windows}
        return {
            f"{prefix}_{name}_": getattr(model, name)
            for prefix, model in models.items()
            if model is not None
            for name in model.FIELDS
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], kernel: str = "gaussian") -> Self | None:
        """Return what `get_state` gave the arrays of, None if they are all None.

        Parameters
        ----------
        state : mapping
        kernel : str
            Of the model of low frequencies, if it is exact.

        Raises
        ------
        ValueError
            If the arrays do not make companions.
        """
        given = {name: value for name, value in state.items() if value is not None}
        if not given:
            return None
        parts: dict[str, dict[str, Any]] = {"smoothing": {}, "low": {}, "windows": {}}
        for name, value in given.items():
            prefix, _, field = name[:-1].partition("_")
            parts[prefix][field] = value
        if parts["smoothing"].keys() != SmoothingModel.FIELDS.keys():
            raise ValueError("its arrays are not those of smoothers")
        smoothing = SmoothingModel(**parts["smoothing"])
        smoothing.check()
        windows = None
        if parts["windows"]:
            if parts["windows"].keys() != WindowModel.FIELDS.keys():
                raise ValueError("its arrays are not those of windows")
            windows = WindowModel(**parts["windows"])
            windows.check(RowOrder.from_array(smoothing.order))
        if not parts["low"]:
            return cls(smoothing, windows=windows)
        low = model_of(_LOW_MODELS, parts["low"], kernel=kernel, activation="sine")
        if low is None:
            raise ValueError("its arrays are not those of a model of low frequencies")
        if low.n_features > len(smoothing.taken):
            raise ValueError("its model of low frequencies is wider than its rows")
        return cls(smoothing, low, windows)


class LowPassRows:
    """The cosine coefficients of lowest frequency of centred rows, as a row source.

    Parameters
    ----------
    X : RowSource, shape (n, p)
    mean : ndarray, shape (p,)
        Taken off the rows.
    order : RowOrder
    n_coefficients : int
    """

    def __init__(self, X: RowSource, mean: FloatArray, order: RowOrder, n_coefficients: int):
        self.shape = (int(X.shape[0]), n_coefficients)
        self._rows, self._mean, self._order = X, mean, order

    def __getitem__(self, rows: slice) -> FloatArray:
        """Return the coefficients of some rows."""
        some = np.asarray(self._rows[rows], dtype=np.float64) - self._mean
        return np.ascontiguousarray(self._order.forward(some)[:, : self.shape[1]])
