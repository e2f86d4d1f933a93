"""Rows that are there twice, exactly or but for rounding.

A row that is held out of a fit must not have its duplicate in it: the duplicate shares its noise.
So does a row of the fit that is cleaned later, which two numbers of each tell, its marks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray

_ALIKE = 1e-5
"""Squared distance of duplicates, as a share of the median one: two or three digits are the same,
and independent noise would have to be 50 dB below the rows."""


_COMPARED = 3000
"""Rows up to which all distances are of no account."""


_SAME = 1e-5
"""Relative difference of marks of the same row, which text of six digits may hold."""

_ROOT = 8
"""Which root marks are kept as: squares of 1e76 are 1e19 then."""

_ROUNDED = 1e-5
"""Of a row's largest number, by which the same row may differ for rounding."""


def marks_of(X: FloatArray) -> FloatArray:
    """Return what tells centred rows (m, p) from others, (m, 2): squared length and a product.

    Roots of them, which are in the range of single precision whatever the unit of the rows is.
    """
    told = _told_by(X)
    return (np.sign(told) * np.abs(told) ** (1.0 / _ROOT)).astype(np.float32)


def _told_by(X: FloatArray) -> FloatArray:
    X, waves = X.astype(np.float64, copy=False), np.cos(np.arange(X.shape[1]))
    return np.stack([np.einsum("ij,ij->i", X, X), X @ waves], axis=1)


def are_among(X: FloatArray, marks: FloatArray) -> NDArray[np.bool_]:
    """Tell which of some centred rows (m, p) are those that have the marks (n, 2)."""
    roots = marks[np.argsort(marks[:, 0])].astype(np.float64)
    own, kept = _told_by(X), np.sign(roots) * np.abs(roots) ** _ROOT
    first = np.searchsorted(kept[:, 0], own[:, 0] * (1.0 - _SAME))
    last = np.searchsorted(kept[:, 0], own[:, 0] * (1.0 + _SAME), side="right")
    slack = _SAME * np.sqrt(own[:, 0] * X.shape[1])
    found = np.zeros(len(X), dtype=bool)
    for step in range(int((last - first).max(initial=0))):
        places = np.minimum(first + step, len(kept) - 1)
        found |= (first + step < last) & (np.abs(kept[places, 1] - own[:, 1]) <= slack)
    return found


def own_places(X: FloatArray, rows: FloatArray, nearest: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return for rows (m, p) which of others (n, p) each is, but for rounding; -1 for none, (m,).

    Parameters
    ----------
    X, rows : ndarray
    nearest : ndarray of int, shape (m,)
        Which of `rows` may be it.
    """
    apart = np.abs(X - rows[nearest]).max(axis=1)
    return np.where(apart <= _ROUNDED * np.abs(X).max(axis=1), nearest, -1)


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
    if len(rows) < 2:
        return rows
    distances = centred @ centred.T
    distances *= -2.0
    distances += squares[:, None]
    distances += squares
    np.fill_diagonal(distances, -np.inf)  # all others are there twice
    middle = len(rows) * (len(rows) + 1) // 2
    halves = np.partition(distances, middle, axis=None)
    median = (halves[:middle].max() + halves[middle]) / 2.0
    # In few columns rows that have nothing to do with each other come as near by chance.
    share = min(_ALIKE, float(len(rows)) ** (-4.0 / n_features))
    near = distances <= share * median
    alone = ~np.any(np.tril(near, -1), axis=1)
    kept: FloatArray = rows[alone]
    return kept
