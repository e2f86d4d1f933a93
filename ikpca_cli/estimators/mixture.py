"""A mixture of probabilistic PCAs: what windows of recordings and pictures are cleaned with."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from ikpca_cli.data.precision import rounded_fields
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray, Progress, RowSource, read_all
from ikpca_cli.data.threads import cached_rows, parallel_for
from ikpca_cli.estimators.base import Value
from ikpca_cli.estimators.denoiser import Denoiser
from ikpca_cli.models.ppca_mixture import MixtureModel, fit_mixture
from ikpca_cli.selection.choice import Auto, Choice, Task, usable_noise_std

MOST_COMPONENTS = 24
"""Components of a mixture that "auto" begins with where there are enough rows."""

ROWS_EACH = 100
"""Rows for each of them."""

_ARRAYS = {f"{name}_": dims for name, dims in MixtureModel.FIELDS.items()}


class Mixture(Denoiser):
    """A mixture of probabilistic PCAs, see `MixtureModel`.

    For rows of several kinds, each of few dimensions: windows of a recording that are flat, an
    edge, or a wave. A row's latent code is how likely each component is to have made it.

    Parameters
    ----------
    n_components : int or "auto"
        Components of the mixture to begin with; those that too few rows look like are given up.
        "auto" is one for 100 rows, at most 24.
    noise_std : float or "auto"
        Standard deviation of the noise, in the units of the data.
    noise_model : {"white", "auto", "columns", "counts", "correlated", "rows"}
        What the noise is like; "auto" looks for it.
    replicates : bool
        Not used; a mixture is for rows that differ.
    seed : int
        Seeds the rows that components begin at.
    dtype : {"float64", "float32"}
        What the model is kept in and cleans rows in; the fit is in double precision.

    Attributes
    ----------
    model_ : MixtureModel
        The arrays of the fit.

    References
    ----------
    Tipping and Bishop, "Mixtures of probabilistic principal component analysers", 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from ikpca_cli.estimators.mixture import Mixture
    >>> rng = np.random.default_rng(7)
    >>> wave = np.sin(np.arange(20) + rng.uniform(0, 6, (300, 1)))
    >>> clean = np.where(rng.random((300, 1)) < 0.5, wave, np.tanh(np.arange(20) - 9.5))
    >>> noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    >>> bool(np.mean((Mixture(4).fit(noisy).denoise(noisy) - clean) ** 2) < 0.3 * 0.3**2)
    True
    """

    method = "mixture"
    STATE: ClassVar[dict[str, tuple[str, ...]]] = Denoiser.STATE | _ARRAYS

    model_: MixtureModel

    _leaves_out = False  # they have components of their own

    def __init__(
        self,
        n_components: int | Auto = "auto",
        *,
        noise_std: float | Auto = "auto",
        noise_model: str = "white",
        replicates: bool = False,
        seed: int = 0,
        dtype: str = "float64",
    ) -> None:
        self.n_components = n_components
        self.noise_std = noise_std
        self.noise_model = noise_model
        self.replicates = replicates
        self.seed = seed
        self.dtype = dtype

    def get_state(self) -> dict[str, Value]:
        """Return the fitted attributes as `Denoiser.get_state` does."""
        self._check_fitted()
        own: dict[str, Value] = {name: getattr(self, name) for name in Denoiser.STATE}
        return own | {f"{name}_": getattr(self.model_, name) for name in MixtureModel.FIELDS}

    @classmethod
    def from_state(cls, params: Mapping[str, Any], state: Mapping[str, Value]) -> Self:
        """Return a fitted estimator from what `get_params` and `get_state` gave.

        Raises
        ------
        ValueError
            If the arrays are not those of a mixture.
        """
        estimator = super().from_state(params, state)
        arrays: dict[str, Any] = {name: state[f"{name}_"] for name in MixtureModel.FIELDS}
        estimator.model_ = MixtureModel(**arrays)
        estimator.model_.check()
        return estimator

    def noise_left(self, X: FloatArray) -> FloatArray:
        """Return the variance of the error that cleaning rows (n, p) leaves, over the noise's."""
        return self.model_.noise_left(self._centred(X))

    def at_noise_level(self, noise_std: float) -> Self:
        """Return the same mixture for rows whose noise has another standard deviation."""
        other = copy(self)
        other.model_ = replace(self.model_, noise_variance=noise_std**2)
        return other

    def _choose(self, task: Task) -> Choice:
        count = self.n_components
        if count == "auto":
            count = int(np.clip(task.X.shape[0] // ROWS_EACH, 1, MOST_COMPONENTS))
        return Choice(count, noise_std=task.noise_std)

    def _fit(self, X: RowSource, chosen: Choice, *, exact: bool, progress: Progress) -> None:
        assert chosen.n_components is not None
        centred = read_all(X) - self.mean_
        noise_std = usable_noise_std(chosen.noise_std, centred)
        rng = model_rng(self.seed, Stream.MIXTURE)
        self.model_ = fit_mixture(centred, noise_std**2, chosen.n_components, rng, progress)
        variances = self.model_.signal_variances @ self.model_.members
        self.explained_variance_ = self.model_.shares * variances
        self.total_variance_ = float(np.mean(centred**2) * centred.shape[1])

    def _round(self) -> None:
        self.model_ = rounded_fields(self.model_, self._float)

    def _denoise_block(self, X: FloatArray) -> FloatArray:
        cleaned = np.empty(X.shape)

        def clean(part: slice) -> None:
            cleaned[part] = self.model_.denoise(self._centred(X[part])) + self.mean_

        parallel_for(clean, cached_rows(len(X), self._block_width()))
        return cleaned

    def _distance_block(self, X: FloatArray, *, fitted: bool = False) -> FloatArray:
        return self.model_.unlikelihood(self._centred(X))

    def _encode_block(self, X: FloatArray) -> FloatArray:
        return self.model_.responsibilities(self._centred(X))

    def _truncate(self, n_components: int, ridge: float | None) -> None:
        self.model_ = self.model_.first(n_components)

    def _block_width(self) -> int:
        return max(self.n_features_in_, len(self.model_.owners))
