"""How far rows are, in feature space, from those that a model was fitted on.

With a kernel it is minus the logarithm of the mean kernel between a row and the training rows. That
grows with the row's distance from their mean in feature space, whose square is ``k(y, y) - 2 mean_i
k(y, x_i) + const``, and does not saturate. With random features ``(2 / r) s(y)'m`` stands for the
mean kernel. With linear PCA it is the Mahalanobis distance of probabilistic PCA (Tipping and
Bishop, 1999).
"""

from __future__ import annotations

import math

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.kernels.kernel import Kernel, is_same

_FOLDS = 5
_NONE = 1e-12  # of the largest variance: components of other rows, which may be equal, have none

ROWS = 1000
"""Training rows, or random features, that are looked at: more add little."""


def kernel_distances(kernel: Kernel, X: FloatArray, rows: FloatArray, gamma: float) -> FloatArray:
    """Return the distances (m,) of centred rows `X` (m, p) from training rows (n, p).

    A row that is one of the training rows is not compared with itself.
    """
    some = compared_rows(rows)
    similarity = kernel.gram(X, some, gamma)
    itself = is_same(similarity.max(axis=1))
    means = (similarity.sum(axis=1) - itself) / np.maximum(len(some) - itself, 1)
    return from_mean_kernels(means)


def compared_rows(rows: FloatArray) -> FloatArray:
    """Return those of the training rows (n, p) that others are compared with."""
    if len(rows) <= ROWS:
        return rows
    some: FloatArray = rows[np.linspace(0, len(rows) - 1, ROWS).astype(int)]
    return some


def from_mean_kernels(means: FloatArray) -> FloatArray:
    """Return distances (m,) from mean kernels, which random features may see outside of (0, 1]."""
    distances: FloatArray = -np.log(np.clip(means, np.finfo(means.dtype).tiny, 1.0))
    return distances


def mahalanobis(
    X: FloatArray, codes: FloatArray, variances: FloatArray, total_variance: float
) -> FloatArray:
    """Return squared distances (m,) of centred rows `X` (m, p) by their codes (m, d).

    What the components leave of the total variance is spread evenly over the other directions.
    """
    squares = np.einsum("ij,ij->i", X, X)
    return _by_codes(squares, codes, variances, total_variance, X.shape[1])


def held_out_distances(X: FloatArray, n_components: int) -> FloatArray:
    """Return the distances (n,) of training rows (n, p) from others, as `mahalanobis` has them.

    Components lean towards the rows that they were found in, so that a fifth of the rows after the
    other is compared with those of the other rows.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        In random order.
    n_components : int
        Of all rows; others have fewer, by their number.
    """
    products, distances = X @ X.T, np.empty(len(X))
    for held in np.array_split(np.arange(len(X)), min(_FOLDS, len(X))):
        others = np.delete(np.arange(len(X)), held)
        # Codes are products with the other rows, all of them less the mean of these.
        away = products - products[:, others].mean(axis=1, keepdims=True)
        away -= away[others].mean(axis=0)
        values, vectors = np.linalg.eigh(away[np.ix_(others, others)])
        count = math.ceil(n_components * len(others) / len(X))
        values, vectors = values[-count:], vectors[:, -count:]
        varying = values > _NONE * max(float(values.max()), np.finfo(float).tiny)
        values, vectors = values[varying], vectors[:, varying]
        codes = away[np.ix_(held, others)] @ vectors / np.sqrt(values)
        squares = np.diagonal(away)
        total = float(squares[others].mean())
        distances[held] = _by_codes(squares[held], codes, values / len(others), total, X.shape[1])
    return distances


def _by_codes(
    squares: FloatArray,
    codes: FloatArray,
    variances: FloatArray,
    total_variance: float,
    n_features: int,
) -> FloatArray:
    """Return squared distances (m,) of centred rows by their squared lengths (m,) and codes."""
    distances: FloatArray = np.sum(codes**2 / variances, axis=1)
    others = n_features - codes.shape[1]
    rest = (total_variance - float(variances.sum())) / max(others, 1)
    if others > 0 and rest > 1e-12 * total_variance:
        distances += np.maximum(squares - np.sum(codes**2, axis=1), 0.0) / rest
    return distances


def distance_limit(distances: FloatArray) -> float:
    """Return the distance from which a row counts as unlike training rows with these distances.

    It is beyond the farthest of them by half of what that is beyond their median.
    """
    farthest = float(distances.max())
    return farthest + 0.5 * (farthest - float(np.median(distances)))
