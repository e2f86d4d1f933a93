"""Noise that is correlated along the row: its autocovariance in the residual of a few directions.

One pass is taken: a second one would take noise that has been made white for signal, and so on.
How many directions are signal is tried, for correlated noise hides it from the spectrum. What is
right leaves the longest plateau of equal variances; of several as long, the largest number, for
signal that is left in a residual passes for noise.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.low_rank import LowRank, plateau_of
from ikpca_cli.transforms.whiten import Whitening

MOST_COLUMNS = 2000
"""A covariance of more columns takes too long to invert for a guess."""

_RANKS = (2, 4, 8, 16)
_REACH, _LEAST_REACH = 8, 16  # lags that are looked at: the row over the one, or the other
_AS_LONG = 0.95  # of the longest plateau
_LEAST = 1e-3  # of the largest variance that the least direction has


def propose(rows: FloatArray) -> Whitening | None:
    """Return the covariance of the noise on rows (n, p), None where it cannot be told."""
    X = rows - rows.mean(axis=0)
    if X.shape[1] > MOST_COLUMNS:
        return None
    found: list[tuple[int, Whitening]] = []
    spectrum = Eigenvalues.of(X)
    for rank in _RANKS:
        if rank > min(X.shape) // 4:
            break
        whitening = Whitening(stationary(LowRank.of(X, rank, spectrum).residual, rank))
        found.append((plateau_of(whitening.forward(X)), whitening))
    longest = max((plateau for plateau, _ in found), default=0)
    good = [whitening for plateau, whitening in found if plateau >= _AS_LONG * longest]
    return good[-1] if good else None


def stationary(residual: FloatArray, rank: int = 0) -> FloatArray:
    """Return the covariance (p, p) of stationary noise by its autocovariance.

    Parameters
    ----------
    residual : ndarray, shape (n, p)
        Noise of mean 0.
    rank : int
        Number of directions that were taken off it.
    """
    from scipy.linalg import toeplitz

    n_samples, n_features = residual.shape
    power = np.abs(np.fft.rfft(residual, 2 * n_features, axis=1)) ** 2
    sums = np.fft.irfft(power.sum(axis=0))[:n_features]
    freedom = (n_samples - 1) * (1.0 - rank / n_samples) * (1.0 - rank / n_features)
    lags = np.arange(n_features)
    covariances = sums / (freedom * (n_features - lags))
    reach = min(max(n_features // _REACH, _LEAST_REACH), n_features - 1)
    # A cosine window: far lags are seen too few times to tell anything.
    window = np.where(lags <= reach, 0.5 + 0.5 * np.cos(np.pi * lags / (reach + 1)), 0.0)
    covariance: FloatArray = toeplitz(covariances * window)
    values = np.linalg.eigvalsh(covariance)
    short = _LEAST * float(values[-1]) - float(values[0])
    return covariance + max(short, 0.0) * np.eye(n_features)
