"""The covariance of noise by rows that hold nothing else."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.models.correlated import stationary

_LEAST = 1e-6  # of the mean variance, so that a root can be taken


def covariance_of(noise: FloatArray) -> FloatArray:
    """Return the covariance (p, p) of rows of noise (n, p), shrunk towards a stationary one.

    The share of the stationary covariance is what minimises the expected squared error, as in
    Ledoit and Wolf, "A well-conditioned estimator for large-dimensional covariance matrices"
    (2004), with the stationary covariance in place of a multiple of the identity. How far the
    entries are from true ones is told by what the products of numbers differ by, without the bias
    of few rows (Schäfer and Strimmer, "A shrinkage approach to large-scale covariance matrix
    estimation", 2005), and by what normal noise would do, which a few rows tell better; the larger
    counts.

    Parameters
    ----------
    noise : ndarray, shape (n, p)
        Of mean 0; two rows or more.
    """
    n_samples, n_features = noise.shape
    freedom = n_samples - 1
    products = noise.T @ noise
    found = products / freedom
    target = stationary(noise)
    apart = float(((found - target) ** 2).sum())
    differ = float(((noise**2).T @ noise**2 - products**2 / n_samples).sum())
    error = max(differ * n_samples / freedom**3, _error_of_normal(found, freedom))
    share = min(max(error / apart, 0.0), 1.0) if apart > 0.0 else 1.0
    floor = _LEAST * float(np.trace(found)) / n_features
    covariance: FloatArray = share * target + (1.0 - share) * found + floor * np.eye(n_features)
    return covariance


def _error_of_normal(found: FloatArray, freedom: int) -> float:
    """Return the expected squared error of a covariance (p, p) that was found of normal rows.

    An entry s_ij has the variance (s_ij² + s_ii s_jj) / freedom; the two products of true entries
    are what makes those of the found ones likeliest in the mean. Two rows do not tell them.
    """
    if freedom == 1:
        return np.inf
    squares, diagonal = float((found**2).sum()), float(np.trace(found)) ** 2
    true = (squares - diagonal / freedom) / (1.0 + 1.0 / freedom - 2.0 / freedom**2)
    return (true + diagonal - 2.0 * true / freedom) / freedom
