"""What scikit-learn asks of any estimator: parameters by name, and codes in the form asked for."""

from __future__ import annotations

import inspect
import sys
from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any, ClassVar, Self

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.errors import UsageError
from ikpca_cli.estimators.parameters import PARAMETERS
from ikpca_cli.selection.choice import Auto

_FORMS = ("default", "pandas", "polars")


class Parametric(ABC):
    """What has parameters that are the arguments of its constructor.

    One that is set, by the constructor, `set_params` or as an attribute, is checked by
    `PARAMETERS`. It is for the next fit.
    """

    method: ClassVar[str]
    """Name of the method, a key of `ikpca_cli.estimators.methods.METHODS`."""

    n_components: int | Auto
    noise_std: float | Auto
    noise_model: str
    replicates: bool
    seed: int
    dtype: str

    @classmethod
    def parameter_names(cls) -> tuple[str, ...]:
        """Return the names of the constructor's parameters."""
        return tuple(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; a parameter to a plain value that it may have.

        Raises
        ------
        UsageError
            If it is a parameter that may not have this value.
        """
        known = PARAMETERS.get(name)
        super().__setattr__(name, value if known is None else known.check(name, value))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters by name.

        Parameters
        ----------
        deep : bool
            Not used; it is there for scikit-learn.

        Returns
        -------
        dict
        """
        return {name: getattr(self, name) for name in self.parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, for the next fit.

        Parameters
        ----------
        **params
            Any of the constructor's.

        Returns
        -------
        Self

        Raises
        ------
        UsageError
            If the method has no such parameter, or one may not have its value; none is set then.
        """
        names = self.parameter_names()
        for name in params:
            if name not in names:
                raise UsageError(
                    f"{self.method} has no parameter {name!r}: it has {', '.join(names)}"
                )
        checked = {name: PARAMETERS[name].check(name, value) for name, value in params.items()}
        for name, value in checked.items():
            setattr(self, name, value)
        return self

    def set_output(self, *, transform: str | None = None) -> Self:
        """Set the form in which `transform` and `fit_transform` return codes.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            An array, or a data frame of one of these libraries, with the names of
            `get_feature_names_out` and the index of the rows. None changes nothing. What is never
            set is as scikit-learn's ``transform_output`` says, an array unless that was changed.

        Returns
        -------
        Self

        Raises
        ------
        UsageError
            If it is none of these.
        """
        if transform is not None:
            if transform not in _FORMS:
                allowed = " or ".join(map(repr, _FORMS))
                raise UsageError(f"transform {transform!r} is not allowed: use {allowed}")
            self._sklearn_output_config = {"transform": transform}  # where scikit-learn has it
        return self

    @abstractmethod
    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Return what the columns of `transform` are called, an array (n_components,)."""

    def _in_form(self, codes: FloatArray, X: Any) -> Any:
        """Return codes of rows `X` in the form that was asked for."""
        form = getattr(self, "_sklearn_output_config", {}).get("transform")
        if form is None and "sklearn" in sys.modules:
            form = sys.modules["sklearn"].get_config().get("transform_output")
        if form in (None, "default"):
            return codes
        library, names = import_module(form), self.get_feature_names_out().tolist()
        if form == "polars":
            return library.DataFrame(codes, schema=names, orient="row")
        index = X.index if isinstance(X, library.DataFrame) else None
        return library.DataFrame(codes, index=index, columns=names, copy=False)

    def __sklearn_tags__(self) -> Any:
        """Return what scikit-learn wants to know of an estimator in its pipelines."""
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        target = TargetTags(required=False)
        return Tags("transformer", target, TransformerTags(), input_tags=InputTags())

    def __repr__(self) -> str:
        """Return the call that makes this estimator."""
        inside = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({inside})"
