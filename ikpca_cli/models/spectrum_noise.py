"""What noise does in the feature space of a smooth kernel; `exact_spectrum` has the derivation."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.kernels.kernel import Smooth

NEGLIGIBLE = 0.03
"""Share of the noise's variance in feature space that may be in the components left out."""


def negligible_variance(
    form: Smooth, gamma: float, noise_variance: float, n_features: int
) -> float:
    """Return the variance in feature space that components may leave out.

    Noise e moves a row y by ``|Phi(y + e) - Phi(y)|^2 = 2 - 2 g(gamma |e|^2)``.
    """
    u = np.array([gamma * noise_variance * n_features])
    return float(-2.0 * NEGLIGIBLE * form.below(u)[0])


def noise_gains(
    rows: FloatArray,
    distances: FloatArray,
    below: FloatArray,
    far: FloatArray,
    vectors: FloatArray,
) -> FloatArray:
    """Return ``V_j' Q V_j`` for each component, (d,), see `exact_spectrum`.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
    distances : ndarray, shape (n, n)
    below, far : ndarray, shape (m, n)
        The pulls less 1, and squared distances, between some of the rows and all.
    vectors : ndarray, shape (n, d)
    """
    form = ((below + 1.0) * far).T @ below
    form -= distances * below.sum(axis=0)
    squares = below.T @ below  # half the work, as numpy sees that the factors are the same
    squares *= distances
    squares *= 0.5
    form -= squares
    gains: FloatArray = np.einsum("ij,ij->j", vectors, form @ vectors)
    gains += len(far) * np.sum((rows.T @ vectors) ** 2, axis=0)
    return np.maximum(gains, 0.0)
