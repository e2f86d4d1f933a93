"""The published model of ikPCA: PCA of random features, with a pre-image by arcsine and ridge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.data.threads import cached_rows, parallel_for, parallel_map
from ikpca_cli.linalg.eigen import Spectrum
from ikpca_cli.models.activations.activation import load_activation
from ikpca_cli.models.random_features import (
    FeatureModel,
    FourierFeatures,
    places,
    ridge_inverse,
)


@dataclass(frozen=True)
class ArcsineModel(FeatureModel):
    """What rows go through in feature space and back (section 3 of Gedon et al. 2023).

    Attributes
    ----------
    ridge_inverse : ndarray, shape (n_features, n_features)
        ``(W'W + ridge I)^-1``.
    ridge : float
    activation : str
        What angles pass through; with the sine the arcsine leads back.
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = FeatureModel.FIELDS | {
        "ridge_inverse": ("p", "p"),
        "ridge": (),
    }

    ridge_inverse: FloatArray
    ridge: float
    activation: str = "sine"

    component_noise: ClassVar[None] = None
    takes_companions: ClassVar[bool] = False

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], *, kernel: str, activation: str) -> Self:
        """Return the model of these arrays, as `PreimageModel` says."""
        return cls(**arrays, activation=activation)

    @classmethod
    def of(cls, features: FourierFeatures, found: Spectrum, ridge: float) -> ArcsineModel:
        """Return the model of a spectrum of features with this ridge."""
        inverse = ridge_inverse(features.W, ridge)
        return cls(
            features.W,
            features.b,
            found.mean,
            found.components,
            inverse,
            float(ridge),
            features.activation,
        )

    @property
    def features(self) -> FourierFeatures:
        """The random features themselves."""
        return FourierFeatures(self.W, self.b, self.activation)

    def distances(self, X: FloatArray, n_samples: int) -> FloatArray:
        """Return how far centred rows (n, p) are from the training rows, by some of the features.

        That is minus the logarithm of the mean kernel, or for features without one the mean square
        of their differences from those of the training rows.
        """
        if load_activation(self.activation).normalised:
            return super().distances(X, n_samples)
        differences = self.features.features(X, slice(0, self.compared))
        differences -= self.feature_mean[: self.compared]
        squares: FloatArray = np.einsum("ij,ij->i", differences, differences) / self.compared
        # A row's own share of the mean makes it look nearer.
        return squares * (n_samples / (n_samples - 1.0)) ** 2 if n_samples > 1 else squares

    def at_level(self, ratio: float) -> Self:
        """Return the model itself, which knows of no noise."""
        return self

    def denoise(self, X: FloatArray) -> FloatArray:
        """Clean centred rows (n, p)."""
        return self.denoise_and_compare(X)[0]

    def denoise_and_compare(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Clean rows, and tell how far they are from training rows, by one set of sines.

        Parameters
        ----------
        X : ndarray, shape (n, p)
            Centred rows, none of which the model was fitted on.

        Returns
        -------
        rows : ndarray, shape (n, p)
        distances : ndarray, shape (n,)
            As of `distances`.
        """
        activation = load_activation(self.activation)
        features, mean, compared = self.features, self.feature_mean, self.compared
        half_turns = np.empty((len(X), self.n_rff), dtype=self.W.dtype)
        codes = np.zeros((len(X), len(self.components)), dtype=self.W.dtype)
        products = np.zeros(len(X), dtype=self.W.dtype)
        angles_back = np.zeros(X.shape, dtype=self.W.dtype)

        def project(place: tuple[slice, slice]) -> tuple[FloatArray, FloatArray]:
            rows, part = place
            half_turns[place] = angles = features.half_turns(X[rows], part)
            activation.forward(angles)
            stop = max(part.start, min(part.stop, compared))
            product = angles[:, : stop - part.start] @ mean[part.start : stop]
            angles -= mean[part]
            return angles @ self.components[:, part].T, product

        def return_(place: tuple[slice, slice]) -> FloatArray:
            rows, part = place
            target = codes[rows] @ self.components[:, part]
            target += mean[part]
            angles = activation.inverse(half_turns[place], target)
            angles -= self.b[part]
            return angles @ self.W[part]

        def finish(rows: slice) -> None:
            angles_back[rows] = angles_back[rows] @ self.ridge_inverse

        tiled = places(*half_turns.shape)
        for (rows, _), (share, product) in zip(tiled, parallel_map(project, tiled), strict=True):
            codes[rows] += share
            products[rows] += product
        for (rows, _), share in zip(tiled, parallel_map(return_, tiled), strict=True):
            angles_back[rows] += share
        parallel_for(finish, cached_rows(*X.shape))
        if not activation.normalised:
            return angles_back, self.distances(X, 0)
        return angles_back, self.distances_of(products)

    def variant(self, n_components: int, ridge: float | None) -> Self:
        """Return the model with fewer components, or another ridge."""
        other = replace(self, components=self.components[:n_components])
        if ridge is None or ridge == self.ridge:
            return other
        return replace(other, ridge=float(ridge), ridge_inverse=ridge_inverse(self.W, ridge))
