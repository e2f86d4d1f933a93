"""A denoiser whose fit is kernel PCA and a regression from its latent codes back to rows."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from ikpca_cli.data.duplicates import own_places
from ikpca_cli.data.precision import rounded
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray, Progress, RowSource, silent
from ikpca_cli.errors import UsageError
from ikpca_cli.estimators.denoiser import Denoiser
from ikpca_cli.estimators.known_fit import WeighedFit
from ikpca_cli.models.kernels.kernel import load_kernel
from ikpca_cli.models.novelty import kernel_distances
from ikpca_cli.models.nystroem import Landmarks, inverse_root, landmark_regression
from ikpca_cli.models.preimage import used_components, wiener_weights
from ikpca_cli.models.supervised_preimage import codes_of_gram, kernel_codes, regression

NOISY_ROWS = 500
"""Training rows that tell how much noise arrives in each component."""


class KernelDenoiser(WeighedFit, Denoiser):
    """What a fitted kernel PCA is and does; see `KernelPCA` for attributes."""

    STATE: ClassVar[dict[str, tuple[str, ...]]] = Denoiser.STATE | {
        "rows_": ("n", "p"),
        "gram_mean_": ("n",),
        "coefficients_": ("n", "d"),
        "weights_": ("d",),
        "codes_": ("n", "d"),
        "dual_": ("n", "p"),
        "gamma_": (),
        "latent_gamma_": (),
        "ridge_": (),
    }
    rows_: FloatArray
    gram_mean_: FloatArray
    coefficients_: FloatArray
    weights_: FloatArray
    codes_: FloatArray
    dual_: FloatArray
    gamma_: float
    latent_gamma_: float
    ridge_: float
    _source: RowSource | None = None  # with landmarks, to vary a fit without fitting again

    @property
    def kernel_(self) -> str:
        """Name of the kernel of the fit."""
        return str(self.fitted_params_["kernel"])

    def _weights_for(self, noise_std: float) -> FloatArray:
        """Return weights by what a little noise on some training rows does to their codes."""
        places = np.linspace(0, len(self.rows_) - 1, min(len(self.rows_), NOISY_ROWS)).astype(int)
        rows = self.rows_[places]
        step = 1e-3 * noise_std
        noise = model_rng(self.fitted_params_["seed"], Stream.CODE_NOISE).choice(
            (-step, step), rows.shape
        )
        moved = (self._codes(rows + noise) - self._codes(rows)) / step
        noise_variances = noise_std**2 * np.mean(moved**2, axis=0)
        return wiener_weights(self.explained_variance_, noise_variances, 1.0)

    def _shrink(self, noise_std: float) -> None:
        self.weights_ = self._weights_for(noise_std)
        self.codes_ = self.codes_ * self.weights_
        count = used_components(self.weights_)
        self.explained_variance_ = self.explained_variance_[:count]
        self._cut(count)

    def _regress(self, progress: Progress = silent) -> None:
        codes, rows = (
            values.astype(np.float64, copy=False) for values in (self.codes_, self.rows_)
        )
        width = self.latent_gamma_
        if len(rows) == self.n_samples_:
            self.dual_ = regression(codes, rows, self.kernel_, width, self.ridge_)
            return
        if self._source is None:
            raise UsageError("a loaded model with landmarks cannot be varied: fit it again")
        codes_of = partial(
            kernel_codes,
            kernel=self.kernel_,
            gamma=self.gamma_,
            rows=self.rows_,
            gram_mean=self.gram_mean_,
            coefficients=self.coefficients_ * self.weights_,
        )
        root = inverse_root(load_kernel(self.kernel_).gram(codes, codes, width))
        landmarks = Landmarks(self.kernel_, width, codes, root, codes_of)
        given = self._source, self.mean_, landmarks, self.ridge_
        self.dual_ = landmark_regression(*given, progress)

    def _denoise_block(self, X: FloatArray) -> FloatArray:
        kernel = load_kernel(self.kernel_)
        codes = self._fair_codes(self._centred(X)) * self.weights_
        gram = kernel.gram(codes, self.codes_, self.latent_gamma_)
        rows: FloatArray = gram @ self.dual_ + self.mean_
        return rows

    def _distance_block(self, X: FloatArray, *, fitted: bool = False) -> FloatArray:
        kernel = load_kernel(self.kernel_)
        return kernel_distances(kernel, self._centred(X), self.rows_, self.gamma_)

    def _encode_block(self, X: FloatArray) -> FloatArray:
        return self._codes(self._centred(X))

    def _codes(self, X: FloatArray) -> FloatArray:
        """Return the latent codes of centred rows."""
        return kernel_codes(
            X, self.kernel_, self.gamma_, self.rows_, self.gram_mean_, self.coefficients_
        )

    def _fair_codes(self, X: FloatArray) -> FloatArray:
        """Return the latent codes of centred rows, none of which explains its own noise.

        A training row counts as no nearer to itself than the same row with other noise is, which is
        at a squared distance of ``2 p sigma^2``. Where every parameter was given rows are moved as
        these have it.
        """
        kernel, gram = load_kernel(self.kernel_), self._gram(X)
        if self.strength_ is not None and self.noise_std_ is not None:
            own = own_places(X, self.rows_, gram.argmax(axis=1))
            at = np.flatnonzero(own >= 0)
            apart = np.sqrt(2.0) * self.noise_std_ * (np.ptp(self.rows_, axis=0) > 0.0)
            copy = kernel.value(
                self.gamma_ * kernel.distance(np.zeros((1, len(apart))), apart[None])
            )
            gram[at, own[at]] = np.minimum(gram[at, own[at]], float(copy[0, 0]))
        return codes_of_gram(gram, self.gram_mean_, self.coefficients_)

    def _gram(self, X: FloatArray) -> FloatArray:
        """Return the kernel of centred rows with the rows of the model."""
        return load_kernel(self.kernel_).gram(X, self.rows_, self.gamma_)

    def _cut(self, n_components: int) -> None:
        self.coefficients_ = np.ascontiguousarray(self.coefficients_[:, :n_components])
        self.weights_ = self.weights_[:n_components]
        self.codes_ = np.ascontiguousarray(self.codes_[:, :n_components])

    def _truncate(self, n_components: int, ridge: float | None) -> None:
        self._cut(n_components)
        if ridge is not None:
            self.ridge_ = ridge
        self._regress()
        self.dual_ = rounded(self.dual_, self._float)

    def _block_width(self) -> int:
        return int(self.rows_.shape[0])
