"""The standard deviation of white noise, estimated from noisy rows alone."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigvalsh
from scipy.spatial.distance import cdist

from ikpca_cli.core.rows import FloatArray

FEW_COLUMNS = 8
"""Up to this width signal fills the space, and only small neighbourhoods tell it from noise."""

_NEIGHBOURS = 45.0  # enough for a covariance, few enough to stay near a curved surface
_CENTRES = 400


def estimate_noise_std(X: FloatArray) -> float | None:
    """Estimate the standard deviation of white noise on rows.

    Parameters
    ----------
    X : ndarray, shape (n_samples, n_features)
        Centred rows in random order.

    Returns
    -------
    float or None
        In the units of `X`; None where it cannot be told from the signal.
    """
    if X.shape[1] == 1:
        return None
    return _from_neighbourhoods(X) if X.shape[1] <= FEW_COLUMNS else _from_spectrum(X)


def _from_spectrum(X: FloatArray) -> float | None:
    """Find the eigenvalues of the covariance that fill the interval of Marchenko and Pastur.

    The width of the interval tells the noise level, as its mean does; the largest set of small
    eigenvalues for which the two agree is taken for noise (Veraart et al., "Denoising of diffusion
    MRI using random matrix theory", 2016).
    """
    n_samples, n_features = X.shape
    small = min(n_samples - 1, n_features)
    if small < 2:
        return None
    products = X.T @ X if n_features <= n_samples else X @ X.T
    variances = eigvalsh(products)[-small:] / n_samples
    variances = np.maximum(variances, 0.0)
    # With the k smallest taken for noise, the others are signal and use up degrees of freedom.
    count = np.arange(1, small + 1)
    freedom = max(n_samples, n_features) - (small - count)
    means = np.cumsum(variances) * n_samples / (count * freedom)
    widths = (variances - variances[0]) * n_samples / (4.0 * np.sqrt(count * freedom))
    noise = np.flatnonzero(widths <= means)
    if len(noise) == 0 or noise[-1] == 0 or means[noise[-1]] <= 0.0:
        return None
    return float(np.sqrt(means[noise[-1]]))


def _from_neighbourhoods(X: FloatArray) -> float | None:
    """Average the smallest eigenvalue of covariances under a Gaussian window around some rows.

    Across a surface the window of variance h^2 shrinks noise of variance s^2 to
    v = s^2 h^2 / (s^2 + h^2), so s^2 = v / (1 - v / h^2). The window is as wide as a covariance
    needs and no wider, to stay near the surface.
    """
    squares = cdist(X[:_CENTRES], X, "sqeuclidean")
    others = squares > 0.0
    if not others.any():
        return None
    low, high = np.log(squares[others].min()), np.log(squares.max())
    for _ in range(40):
        middle = (low + high) / 2.0
        if np.median(_effective(_window(squares, np.exp(middle)))) < _NEIGHBOURS:
            low = middle
        else:
            high = middle
    variance = np.exp(high)
    weights = _window(squares, variance)
    count = _effective(weights)
    enough = count > X.shape[1] + 2
    if not enough.any():
        return None
    weights = weights[enough] / weights[enough].sum(axis=1, keepdims=True)
    count = count[enough]
    means = weights @ X
    moments = np.einsum("ki,ia,ib->kab", weights, X, X, optimize=True)
    moments -= means[:, :, None] * means[:, None, :]
    smallest = np.linalg.eigvalsh(moments)[:, 0] * count / (count - 1.0)
    across = float(np.mean(smallest))
    if not 0.0 < across < variance:
        return None
    return float(np.sqrt(across / (1.0 - across / variance)))


def _window(squares: FloatArray, variance: float) -> FloatArray:
    """Return Gaussian weights of squared distances; a row is no neighbour of itself."""
    return np.where(squares > 0.0, np.exp(squares / (-2.0 * variance)), 0.0)


def _effective(weights: FloatArray) -> FloatArray:
    """Return the number of rows that weigh in each window: (sum w)^2 / sum w^2."""
    squares = np.einsum("ki,ki->k", weights, weights)
    total = weights.sum(axis=1) ** 2
    count: FloatArray = np.divide(total, squares, out=np.zeros_like(total), where=squares > 0.0)
    return count
