"""The model of ikPCA in the limit of infinitely many features, as it is kept and used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ikpca_cli.core.exact import ExactSpectrum
from ikpca_cli.core.moves import (
    Move,
    blend_from_array,
    blend_to_array,
    move_rows,
    wiener_weights,
)
from ikpca_cli.core.rows import FloatArray


@dataclass(frozen=True)
class LimitModel:
    """A spectrum, how much of each of its components is noise, and the moves that clean a row.

    Attributes
    ----------
    rows : ndarray, shape (n_samples, n_features)
        The centred training rows.
    gram_mean : ndarray, shape (n_samples,)
        Mean column of their Gram matrix.
    vectors : ndarray, shape (n_samples, n_components)
        Component j is ``sum_i vectors_ij Phi(x_i)``.
    signal_variances : ndarray, shape (n_components,)
        Variance of the training rows along each component.
    noise_variances : ndarray, shape (n_components,)
        Variance that the noise has along each component.
    blend : ndarray, shape (n_moves, 4)
        Shrinkage, whether to project anew, steps, and weight of each move of a row.
    gamma : float
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = {
        "rows": ("n", "p"),
        "gram_mean": ("n",),
        "vectors": ("n", "d"),
        "signal_variances": ("d",),
        "noise_variances": ("d",),
        "blend": ("m", "q"),
    }

    rows: FloatArray
    gram_mean: FloatArray
    vectors: FloatArray
    signal_variances: FloatArray
    noise_variances: FloatArray
    blend: FloatArray
    gamma: float

    n_rff: ClassVar[str] = "exact"
    ridge: ClassVar[None] = None

    @classmethod
    def of(
        cls, spectrum: ExactSpectrum, noise_variance: float, blend: Mapping[Move, float]
    ) -> LimitModel:
        """Return the model of a spectrum, without the components that no move uses."""
        least = min((move.shrink for move in blend), default=1.0)
        noise = noise_variance * spectrum.noise_gains
        used = np.flatnonzero(wiener_weights(spectrum.variances, noise, least))
        kept = spectrum.cut(int(used[-1]) + 1 if len(used) else 1)
        return cls(
            rows=kept.rows,
            gram_mean=kept.gram_mean,
            vectors=np.ascontiguousarray(kept.vectors),
            signal_variances=np.ascontiguousarray(kept.variances),
            noise_variances=kept.noise_gains * noise_variance,
            blend=blend_to_array(blend),
            gamma=kept.gamma,
        )

    @property
    def width(self) -> int:
        """Width of the widest intermediate array per row."""
        return len(self.rows)

    def ridge_unit(self) -> float:
        """Return 1: there is no ridge."""
        return 1.0

    def denoise(self, X: FloatArray) -> FloatArray:
        """Clean centred rows (n, p)."""
        return move_rows(self._spectrum(), 1.0, blend_from_array(self.blend), X)

    def encode(self, X: FloatArray) -> FloatArray:
        """Return the latent codes (n, d) of centred rows (n, p)."""
        return self._spectrum().codes(X)

    def variant(self, n_components: int, ridge: float | None) -> LimitModel:
        """Return the model with fewer components."""
        kept = self._spectrum().cut(n_components)
        return LimitModel(
            self.rows,
            self.gram_mean,
            np.ascontiguousarray(kept.vectors),
            kept.variances,
            kept.noise_gains,
            self.blend,
            self.gamma,
        )

    def _spectrum(self) -> ExactSpectrum:
        return ExactSpectrum(
            self.rows,
            self.gamma,
            self.gram_mean,
            self.vectors,
            self.signal_variances,
            self.noise_variances,
            float(self.signal_variances.sum()),
        )
