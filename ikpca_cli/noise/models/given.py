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
    (2004), with the stationary covariance in place of a multiple of the identity.

    Parameters
    ----------
    noise : ndarray, shape (n, p)
        Of mean 0.
    """
    n_samples, n_features = noise.shape
    found = noise.T @ noise / max(n_samples - 1, 1)
    target = stationary(noise)
    apart = float(((found - target) ** 2).sum())
    squares = (noise**2).T @ noise**2 / n_samples
    error = float((squares - found**2).sum()) / n_samples  # variance of the entries
    share = min(max(error / apart, 0.0), 1.0) if apart > 0.0 else 1.0
    floor = _LEAST * float(np.trace(found)) / n_features
    covariance: FloatArray = share * target + (1.0 - share) * found + floor * np.eye(n_features)
    return covariance
