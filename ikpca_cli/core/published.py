"""The published model of ikPCA: PCA of random features, arcsine and ridge on the way back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ikpca_cli.core.fourier import FourierFeatures, angles_on_branch, ridge_inverse
from ikpca_cli.core.rows import FloatArray
from ikpca_cli.core.spectrum import Spectrum


@dataclass(frozen=True)
class PublishedModel:
    """What rows go through in feature space and back (section 3 of Gedon et al. 2023).

    Attributes
    ----------
    W : ndarray, shape (n_rff, n_features)
        Frequencies.
    b : ndarray, shape (n_rff,)
        Offsets in radians.
    feature_mean : ndarray, shape (n_rff,)
        Mean of the training rows' features.
    components : ndarray, shape (n_components, n_rff)
        Orthonormal directions in feature space, largest variance first.
    ridge_inverse : ndarray, shape (n_features, n_features)
        ``(W'W + ridge I)^-1``.
    ridge : float
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = {
        "W": ("r", "p"),
        "b": ("r",),
        "feature_mean": ("r",),
        "components": ("d", "r"),
        "ridge_inverse": ("p", "p"),
        "ridge": (),
    }

    W: FloatArray
    b: FloatArray
    feature_mean: FloatArray
    components: FloatArray
    ridge_inverse: FloatArray
    ridge: float

    @classmethod
    def of(cls, features: FourierFeatures, found: Spectrum, ridge: float) -> PublishedModel:
        """Return the model of a spectrum of features with this ridge."""
        inverse = ridge_inverse(features.W, ridge)
        return cls(features.W, features.b, found.mean, found.components, inverse, float(ridge))

    @property
    def n_rff(self) -> int:
        """Number of random features."""
        return int(self.b.shape[0])

    @property
    def width(self) -> int:
        """Width of the widest intermediate array per row."""
        return self.n_rff

    def ridge_unit(self) -> float:
        """Return the mean eigenvalue of ``W'W``."""
        squares = float(np.einsum("ij,ij->", self.W, self.W))
        return squares / int(self.W.shape[1])

    def denoise(self, X: FloatArray) -> FloatArray:
        """Clean centred rows (n, p)."""
        alpha = FourierFeatures(self.W, self.b).angles(X)
        codes = (np.sin(alpha) - self.feature_mean) @ self.components.T
        angles = angles_on_branch(alpha, codes @ self.components + self.feature_mean)
        angles -= self.b
        rows: FloatArray = (angles @ self.W) @ self.ridge_inverse
        return rows

    def encode(self, X: FloatArray) -> FloatArray:
        """Return the latent codes (n, d) of centred rows (n, p)."""
        features = FourierFeatures(self.W, self.b).features(X)
        codes: FloatArray = (features - self.feature_mean) @ self.components.T
        return codes

    def variant(self, n_components: int, ridge: float | None) -> PublishedModel:
        """Return the model with fewer components, or another ridge."""
        other = replace(self, components=self.components[:n_components])
        if ridge is None or ridge == self.ridge:
            return other
        return replace(other, ridge=float(ridge), ridge_inverse=ridge_inverse(self.W, ridge))
