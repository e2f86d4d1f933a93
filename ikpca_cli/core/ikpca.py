"""Invertible kernel PCA with random Fourier features (Gedon et al. 2023)."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np

from ikpca_cli.core.base import Auto, Denoiser
from ikpca_cli.core.fourier import FourierFeatures, angles_on_branch, ridge_inverse
from ikpca_cli.core.methods import load_kernel
from ikpca_cli.core.rows import FloatArray, Progress, RowSource, silent
from ikpca_cli.core.spectrum import spectrum
from ikpca_cli.errors import IkpcaWarning, UsageError


class IKPCA(Denoiser):
    """Invertible kernel PCA: PCA of random Fourier features, inverted on each row's own branch.

    Parameters
    ----------
    n_components : int or "auto"
        Components to keep in feature space.
    n_rff : int or "auto"
        Random Fourier features; at least as many as the rows are wide. "auto" takes four a column
        and not fewer than 2,000.
    kernel : str
        A key of `ikpca_cli.core.methods.KERNELS`.
    gamma : float or "auto"
        Kernel width: ``exp(-gamma * distance)``.
    ridge : float or "auto"
        Added to the diagonal of ``W'W`` in the way back, in its units (those of gamma times
        n_rff); 0 is the pseudo-inverse.
    noise_std : float or "auto"
        Standard deviation of the noise, in the units of the data.
    solver : {"auto", "primal", "dual"}
        Eigenvectors of the n_rff x n_rff covariance or of the n x n Gram matrix; "auto" takes the
        smaller.
    seed : int
        Seeds the random features. One seed gives one answer.

    Attributes
    ----------
    W_ : ndarray, shape (n_rff, n_features)
        Frequencies.
    b_ : ndarray, shape (n_rff,)
        Offsets in radians.
    feature_mean_ : ndarray, shape (n_rff,)
        Mean of the training rows' features.
    components_ : ndarray, shape (n_components, n_rff)
        Orthonormal directions in feature space, largest variance first.
    ridge_inverse_ : ndarray, shape (n_features, n_features)
        ``(W'W + ridge I)^-1``.
    gamma_, ridge_ : float
        The values used.
    """

    method = "ikpca"
    STATE: ClassVar[dict[str, tuple[str, ...]]] = Denoiser.STATE | {
        "W_": ("r", "p"),
        "b_": ("r",),
        "feature_mean_": ("r",),
        "components_": ("d", "r"),
        "ridge_inverse_": ("p", "p"),
        "gamma_": (),
        "ridge_": (),
    }
    RIDGES = (0.01, 0.1, 0.5)
    SELECTION_ROWS = 600

    W_: FloatArray
    b_: FloatArray
    feature_mean_: FloatArray
    components_: FloatArray
    ridge_inverse_: FloatArray
    gamma_: float
    ridge_: float

    def __init__(
        self,
        n_components: int | Auto = "auto",
        *,
        n_rff: int | Auto = "auto",
        kernel: str = "gaussian",
        gamma: float | Auto = "auto",
        ridge: float | Auto = "auto",
        noise_std: float | Auto = "auto",
        solver: str = "auto",
        seed: int = 0,
    ) -> None:
        self.n_components = n_components
        self.n_rff = n_rff
        self.kernel = kernel
        self.gamma = gamma
        self.ridge = ridge
        self.noise_std = noise_std
        self.solver = solver
        self.seed = seed
        self._features: FourierFeatures | None = None

    @property
    def n_rff_(self) -> int:
        """Number of random features."""
        return int(self.b_.shape[0])

    def fit(
        self, X: Any, *, features: FourierFeatures | None = None, progress: Progress = silent
    ) -> Self:
        """Learn from noisy rows, as `Denoiser.fit` says.

        Parameters
        ----------
        X : array_like or row source, shape (n_samples, n_features)
        features : FourierFeatures, optional
            Use these random features instead of drawing them; they make `n_rff` and `seed`
            irrelevant, and a `gamma` that is given only a label. "auto" would draw others, so
            gamma, ridge and n_components have to be given.
        progress : callable

        Returns
        -------
        IKPCA
        """
        if features is not None and "auto" in (self.gamma, self.ridge, self.n_components):
            raise UsageError("with features given, give gamma, ridge and n_components too")
        self._features = features
        try:
            return super().fit(X, progress=progress)
        finally:
            self._features = None

    def ridge_unit(self) -> float:
        """Return the mean eigenvalue of ``W'W``."""
        return float(np.einsum("ij,ij->", self.W_, self.W_)) / self.n_features_in_

    def cheaper(self, n_features: int) -> tuple[Self, float]:
        """Compare candidates with at most 1,000 features, or twice the width."""
        other, _ = super().cheaper(n_features)
        n_rff = self._count(n_features)
        fewer = min(n_rff, max(1000, 2 * n_features))
        other.n_rff = fewer
        return other, n_rff / fewer

    def _count(self, n_features: int) -> int:
        if self.n_rff == "auto":
            return max(2000, 4 * n_features)
        return self.n_rff

    def _check_params(self, n_samples: int, n_features: int) -> None:
        super()._check_params(n_samples, n_features)
        load_kernel(self.kernel)
        if self.solver not in ("auto", "primal", "dual"):
            raise UsageError(f"solver {self.solver!r} is unknown: use auto, primal or dual")
        n_rff = self._features.n_rff if self._features else self._count(n_features)
        if n_rff < n_features:
            raise UsageError(
                f"{n_rff} random features are fewer than the {n_features} columns, so rows cannot "
                f"be reconstructed: use {4 * n_features} or more, or 'auto'"
            )
        if n_rff < 2 * n_features and self._features is None:
            warnings.warn(
                f"{n_rff} random features are close to the {n_features} columns, which makes rows "
                f"worse than they need be: use {4 * n_features} or more",
                IkpcaWarning,
                stacklevel=4,
            )

    def _fit(
        self,
        X: RowSource,
        *,
        progress: Progress,
        n_components: int,
        exact: bool,
        gamma: float = 1.0,
        ridge: float = 0.0,
    ) -> None:
        features = self._features or FourierFeatures.draw(
            load_kernel(self.kernel), gamma, self._count(X.shape[1]), X.shape[1], self.seed
        )
        found = spectrum(
            X,
            self.mean_,
            features,
            features.n_rff,
            n_components,
            route=self.solver,
            progress=progress,
        )
        self._set_spectrum(found.variances, found.total, n_components, exact)
        self.W_, self.b_ = features.W, features.b
        self.feature_mean_ = found.mean
        self.components_ = found.components
        self.gamma_ = float(gamma)
        self.ridge_ = float(ridge)
        self.ridge_inverse_ = ridge_inverse(self.W_, self.ridge_)

    def _denoise_block(self, X: FloatArray) -> FloatArray:
        alpha = FourierFeatures(self.W_, self.b_).angles(X - self.mean_)
        codes = (np.sin(alpha) - self.feature_mean_) @ self.components_.T
        angles = angles_on_branch(alpha, codes @ self.components_ + self.feature_mean_)
        angles -= self.b_
        rows: FloatArray = (angles @ self.W_) @ self.ridge_inverse_ + self.mean_
        return rows

    def _encode_block(self, X: FloatArray) -> FloatArray:
        features = FourierFeatures(self.W_, self.b_).features(X - self.mean_)
        codes: FloatArray = (features - self.feature_mean_) @ self.components_.T
        return codes

    def _truncate(self, n_components: int, ridge: float | None) -> None:
        self.components_ = self.components_[:n_components]
        if ridge is not None and ridge != self.ridge_:
            self.ridge = self.ridge_ = ridge
            self.ridge_inverse_ = ridge_inverse(self.W_, ridge)

    def _block_width(self) -> int:
        return self.n_rff_
