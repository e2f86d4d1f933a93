"""Noise that is correlated along the row: its autocovariance in the residual of a few directions.

How many of them are signal is tried, for correlated noise hides it from the spectrum. Once that
noise is about white, the spectrum tells, and the autocovariance is read off once more, without the
directions of signal. More passes would take noise for signal, and so on. What is right leaves the
longest plateau of equal variances, and neighbours that are not alike; of several as good, the
largest number is taken, for signal that is left in a residual passes for noise.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.linalg.centrosymmetric import halves
from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.evidence.neighbours import neighbour_correlation
from ikpca_cli.noise.low_rank import LowRank
from ikpca_cli.transforms.whiten import Whitening

MOST_COLUMNS = 2000
"""A covariance of more columns takes too long to invert for a guess."""

_RANKS = (2, 4, 8, 16)
_REACH, _LEAST_REACH = 8, 16  # lags that are looked at: the row over the one, or the other
_NEAR, _AS_LONG = 0.9, 0.98  # of the longest plateau, after one pass and two
_AS_UNLIKE = 0.01  # more than the least correlation of neighbours
_LEAST = 1e-3  # of the largest variance that the least direction has


def propose(rows: FloatArray) -> Whitening | None:
    """Return the covariance of the noise on rows (n, p), None where it cannot be told."""
    X = rows - rows.mean(axis=0)
    if X.shape[1] > MOST_COLUMNS:
        return None
    spectrum = Eigenvalues.of(X)
    ranks = [rank for rank in _RANKS if rank <= min(X.shape) // 4]
    left = [(rank, LowRank.of(X, rank, spectrum).residual) for rank in ranks]
    # Of rows that are signal alone nothing may be left.
    first = [Whitening(stationary(residual, rank)) for rank, residual in left if residual.any()]
    second = [_again(*one) for one in _longest(X, first, _NEAR)]
    found = _longest(X, second, _AS_LONG)
    alike = [neighbour_correlation(white, spectrum) for _, white, spectrum in found]
    good = [one for one, like in zip(found, alike, strict=True) if like <= min(alike) + _AS_UNLIKE]
    return good[-1][0] if good else None


def _longest(
    X: FloatArray, found: list[Whitening], share: float
) -> list[tuple[Whitening, FloatArray, Eigenvalues]]:
    """Return those that leave centred rows (n, p) a plateau of a share of the longest, at least.

    With the rows that they make white, (n, p), and the spectrum of these.
    """
    white = [whitening.forward(X) for whitening in found]
    spectra = [Eigenvalues.of(rows) for rows in white]
    plateaus = [spectrum.plateau() for spectrum in spectra]
    least = share * max(plateaus, default=0)
    seen = zip(found, white, spectra, strict=True)
    return [one for one, plateau in zip(seen, plateaus, strict=True) if plateau >= least]


def _again(whitening: Whitening, white: FloatArray, spectrum: Eigenvalues) -> Whitening:
    """Return the covariance of noise that an earlier one makes about white in rows (n, p)."""
    left = LowRank.of(white, spectrum=spectrum)
    return Whitening(stationary(whitening.inverse(left.residual), left.rank))


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
    values = np.concatenate([np.linalg.eigvalsh(part) for part in halves(covariance)])
    short = _LEAST * float(values.max()) - float(values.min())
    return covariance + max(short, 0.0) * np.eye(n_features)
