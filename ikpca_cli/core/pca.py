"""Linear PCA: project on the leading components and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ikpca_cli.core.base import Auto, Denoiser
from ikpca_cli.core.rows import FloatArray, Progress, RowSource
from ikpca_cli.core.spectrum import spectrum


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
    noise_std : float or "auto"
        Standard deviation of the noise, in the units of the data.
    seed : int
        Seeds the sampling of rows in the choice of components.

    Attributes
    ----------
    components_ : ndarray, shape (n_components, n_features)
        Orthonormal directions, largest variance first.
    """

    method = "pca"
    STATE: ClassVar[dict[str, tuple[str, ...]]] = Denoiser.STATE | {"components_": ("d", "p")}

    components_: FloatArray

    def __init__(
        self,
        n_components: int | Auto = "auto",
        *,
        noise_std: float | Auto = "auto",
        seed: int = 0,
    ) -> None:
        self.n_components = n_components
        self.noise_std = noise_std
        self.seed = seed

    def _fit(
        self, X: RowSource, chosen: Mapping[str, Any], *, exact: bool, progress: Progress
    ) -> None:
        n_components = chosen["n_components"]
        found = spectrum(X, self.mean_, _Identity(), X.shape[1], n_components, progress=progress)
        self._set_spectrum(found.variances, found.total, n_components, exact)
        self.components_ = found.components

    def _denoise_block(self, X: FloatArray) -> FloatArray:
        rows: FloatArray = self._encode_block(X) @ self.components_ + self.mean_
        return rows

    def _encode_block(self, X: FloatArray) -> FloatArray:
        codes: FloatArray = (X - self.mean_) @ self.components_.T
        return codes

    def _truncate(self, n_components: int, ridge: float | None) -> None:
        self.components_ = self.components_[:n_components]

    def _block_width(self) -> int:
        return self.n_features_in_
