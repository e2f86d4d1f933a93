"""Linear PCA: project on the leading components and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ikpca_cli.core.base import Auto, Denoiser
from ikpca_cli.core.rows import FloatArray, Progress, RowSource
from ikpca_cli.core.spectrum import spectrum
from ikpca_cli.errors import UsageError

if TYPE_CHECKING:
    from ikpca_cli.core.selection import Choice


class _Identity:
    """The feature map of linear PCA."""

    def features(self, X: FloatArray, features: slice = slice(None)) -> FloatArray:
        return np.array(X[:, features])


class PCA(Denoiser):
    """Principal component analysis as a denoiser, the linear baseline.

    Parameters
    ----------
    n_components : int or "auto"
        Components to keep.
    shrink : {"auto", "cut", "optimal"}
        Keep components as they are, or weigh each by how much of it is signal (`shrinkage`). "auto"
        takes what has the lower estimated risk; a number of components that is given means a cut.
    noise_std : float or "auto"
        Standard deviation of the noise, in the units of the data.
    seed : int
        Seeds the sampling of rows in the choice of components.

    Attributes
    ----------
    components_ : ndarray, shape (n_components, n_features)
        Orthonormal directions, largest variance first.
    weights_ : ndarray, shape (n_components,)
        What the codes are multiplied by on the way back; 1 after a cut.
    """

    method = "pca"
    STATE: ClassVar[dict[str, tuple[str, ...]]] = Denoiser.STATE | {
        "components_": ("d", "p"),
        "weights_": ("d",),
    }

    components_: FloatArray
    weights_: FloatArray

    def __init__(
        self,
        n_components: int | Auto = "auto",
        *,
        shrink: str = "auto",
        noise_std: float | Auto = "auto",
        seed: int = 0,
    ) -> None:
        self.n_components = n_components
        self.shrink = shrink
        self.noise_std = noise_std
        self.seed = seed

    @property
    def component_noise_(self) -> FloatArray | None:
        """Variance that the noise has along each component, as `Denoiser` says."""
        level = self.noise_std_
        return None if level is None else np.full(self.n_components_, level**2)

    @property
    def shrink_(self) -> str:
        """What was done: "cut" or "optimal"."""
        return "cut" if np.all(self.weights_ == 1.0) else "optimal"

    def _check_params(self, n_samples: int, n_features: int) -> None:
        super()._check_params(n_samples, n_features)
        if self.shrink not in ("auto", "cut", "optimal"):
            raise UsageError(f"shrink {self.shrink!r} is unknown: use auto, cut or optimal")
        if self.shrink == "optimal" and self.n_components != "auto":
            raise UsageError(
                "optimal shrinkage weighs all components: leave their number out, or use a cut"
            )

    def _choose(
        self, X: RowSource, mean: FloatArray, noise_std: float | None, progress: Progress
    ) -> Choice:
        cut = super()._choose(X, mean, noise_std, progress)
        if self.shrink == "cut" or self.n_components != "auto":
            return cut
        if noise_std is None:
            if self.shrink == "auto":
                return cut
            raise UsageError(
                "optimal shrinkage needs the noise level, which these rows do not tell"
            )
        from ikpca_cli.core.selection import Choice, Tried, held_out_risk

        params = {"n_components": min(X.shape), "shrink": noise_std}
        risk, error = held_out_risk(self, X, mean, params, noise_std)
        tried = (*cut.tried, Tried(params, risk, error))
        if self.shrink == "auto" and cut.risk is not None and cut.risk <= risk:
            return replace(cut, tried=tried)
        return Choice(params, risk, error, tried)

    def _fit(
        self, X: RowSource, chosen: Mapping[str, Any], *, exact: bool, progress: Progress
    ) -> None:
        n_components = chosen["n_components"]
        found = spectrum(X, self.mean_, _Identity(), X.shape[1], n_components, progress=progress)
        self._set_spectrum(found.variances, found.total, n_components, exact)
        self.components_ = found.components
        self.weights_ = np.ones(len(found.variances))
        if "shrink" in chosen:
            weights = shrinkage(found.variances, X.shape[0], X.shape[1], chosen["shrink"])
            self.weights_ = weights
            self.explained_variance_ = found.variances
            self._truncate(max(1, int(np.count_nonzero(weights))), None)

    def _denoise_block(self, X: FloatArray) -> FloatArray:
        rows: FloatArray = (self._encode_block(X) * self.weights_) @ self.components_ + self.mean_
        return rows

    def _encode_block(self, X: FloatArray) -> FloatArray:
        codes: FloatArray = (X - self.mean_) @ self.components_.T
        return codes

    def _truncate(self, n_components: int, ridge: float | None) -> None:
        self.components_ = self.components_[:n_components]
        self.weights_ = self.weights_[:n_components]
        self.explained_variance_ = self.explained_variance_[:n_components]

    def _block_width(self) -> int:
        return self.n_features_in_


def shrinkage(
    variances: FloatArray, n_samples: int, n_features: int, noise_std: float
) -> FloatArray:
    """Return the optimal weights of components of noisy rows, for the mean squared error.

    Gavish and Donoho, "Optimal shrinkage of singular values" (2017): for a singular value y, in
    units of what noise has, and a matrix with sides of ratio beta, it is
    ``sqrt((y^2 - beta - 1)^2 - 4 beta) / y`` for y above ``1 + sqrt(beta)``, else 0.

    Parameters
    ----------
    variances : ndarray, shape (d,)
        Variances of the noisy rows along the components, 1/n, descending.
    n_samples, n_features : int
    noise_std : float

    Returns
    -------
    ndarray, shape (d,)
        The shrunk over the noisy singular values.
    """
    short, long = sorted((n_samples - 1, n_features))
    beta = short / long
    squares = variances * n_samples / (long * noise_std**2)
    inner = np.where(
        squares > (1.0 + beta**0.5) ** 2, (squares - beta - 1.0) ** 2 - 4.0 * beta, 0.0
    )
    weights: FloatArray = np.sqrt(np.maximum(inner, 0.0)) / np.maximum(squares, 1e-300)
    return weights
