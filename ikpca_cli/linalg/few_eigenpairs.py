"""The few eigenpairs of a symmetric matrix that are above a level."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray

LARGEST = 1024
"""Matrices up to this size take so little that an interrupt can wait: scipy holds it back."""


def eigenpairs_above(matrix: FloatArray, least: float) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvalues above a level, ascending, and their eigenvectors as columns.

    By bisection and inverse iteration, which costs a quarter of all eigenpairs where few are above.

    Parameters
    ----------
    matrix : ndarray, shape (m, m)
        Symmetric.
    least : float

    Returns
    -------
    values : ndarray, shape (d,)
    vectors : ndarray, shape (m, d)
    """
    if len(matrix) <= LARGEST:
        from scipy.linalg.lapack import dsyevr

        values, vectors, count, _, info = dsyevr(matrix, range="V", vl=least, vu=np.inf, lower=1)
        if info == 0:
            return values[:count], vectors[:, :count]
    values, vectors = np.linalg.eigh(matrix)
    above = values > least
    return values[above], vectors[:, above]
