"""The published model of ikPCA: PCA of random features, arcsine and ridge on the way back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ikpca_cli.core.fourier import (
    FeatureModel,
    FourierFeatures,
    angles_on_branch,
    ridge_inverse,
)
from ikpca_cli.core.rows import FloatArray
from ikpca_cli.core.spectrum import Spectrum


@dataclass(frozen=True)
class PublishedModel(FeatureModel):
    """What rows go through in feature space and back (section 3 of Gedon et al. 2023).

    Attributes
    ----------
    ridge_inverse : ndarray, shape (n_features, n_features)
        ``(W'W + ridge I)^-1``.
    ridge : float
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = FeatureModel.FIELDS | {
        "ridge_inverse": ("p", "p"),
        "ridge": (),
    }

    ridge_inverse: FloatArray
    ridge: float

    @classmethod
    def of(cls, features: FourierFeatures, found: Spectrum, ridge: float) -> PublishedModel:
        """Return the model of a spectrum of features with this ridge."""
        inverse = ridge_inverse(features.W, ridge)
        return cls(features.W, features.b, found.mean, found.components, inverse, float(ridge))

    def denoise(self, X: FloatArray) -> FloatArray:
        """Clean centred rows (n, p)."""
        alpha = self.features.angles(X)
        codes = (np.sin(alpha) - self.feature_mean) @ self.components.T
        angles = angles_on_branch(alpha, codes @ self.components + self.feature_mean)
        angles -= self.b
        rows: FloatArray = (angles @ self.W) @ self.ridge_inverse
        return rows

    def variant(self, n_components: int, ridge: float | None) -> PublishedModel:
        """Return the model with fewer components, or another ridge."""
        other = replace(self, components=self.components[:n_components])
        if ridge is None or ridge == self.ridge:
            return other
        return replace(other, ridge=float(ridge), ridge_inverse=ridge_inverse(self.W, ridge))
