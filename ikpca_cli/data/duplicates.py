"""Rows that are there twice, exactly or but for rounding.

A row that is held out of a fit must not have its duplicate in it: the duplicate shares its noise.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray

_ALIKE = 1e-5
"""Squared distance of duplicates, as a share of the median one: two or three digits are the same,
and independent noise would have to be 50 dB below the rows."""


_COMPARED = 3000
"""Rows up to which all distances are of no account."""


def different(X: FloatArray) -> int:
    """Return how many rows of (n, p) are different: of very many, but for exact duplicates."""
    if len(X) <= _COMPARED:
        return len(without_duplicates(X))
    return len(np.unique(X, axis=0))


def without_duplicates(X: FloatArray) -> FloatArray:
    """Return the rows (n, p) that have no duplicate before them, in the order they have.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Not more rows than whose n x n distances are of no account.

    Returns
    -------
    ndarray, shape (k, p)
    """
    n_samples, n_features = X.shape
    if n_samples < 2:
        return X
    rows: FloatArray = X[np.sort(np.unique(X, axis=0, return_index=True)[1])]
    centred = rows - rows.mean(axis=0)
    squares = np.einsum("ij,ij->i", centred, centred)
    distances = squares[:, None] + squares - 2.0 * (centred @ centred.T)
    above = np.triu_indices(len(rows), 1)
    if len(above[0]) == 0:
        return rows
    # In few columns rows that have nothing to do with each other come as near by chance.
    share = min(_ALIKE, float(len(rows)) ** (-4.0 / n_features))
    near = distances <= share * float(np.median(distances[above]))
    alone = ~np.any(np.tril(near, -1), axis=1)
    kept: FloatArray = rows[alone]
    return kept
