"""Latent codes of kernel PCA, and the regression that leads from them back to rows.

The regression is kernel ridge regression (Bakır, Weston and Schölkopf, "Learning to find
pre-images", 2004), with the kernel that the codes are made with.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.linalg.cholesky import solve_positive
from ikpca_cli.linalg.eigen import leading_eigenpairs
from ikpca_cli.models.kernels.kernel import load_kernel

WIDTH_ROWS = 1000
"""Rows whose kernels tell a typical distance."""


def kernel_codes(
    X: FloatArray,
    kernel: str,
    gamma: float,
    rows: FloatArray,
    gram_mean: FloatArray,
    coefficients: FloatArray,
) -> FloatArray:
    """Return the latent codes (m, d) of centred rows `X` (m, p); see `KernelPCA` for the rest."""
    return codes_of_gram(load_kernel(kernel).gram(X, rows, gamma), gram_mean, coefficients)


def codes_of_gram(gram: FloatArray, gram_mean: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Return the latent codes (m, d) of rows by their kernels (m, n), which are overwritten."""
    # The eigenvectors sum to zero, so centring over the training rows needs no other term.
    gram -= gram_mean
    codes: FloatArray = gram @ coefficients
    return codes


def centred_eigenpairs(
    gram: FloatArray, most: int
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Return the leading eigenpairs of a kernel matrix that is centred in place.

    Parameters
    ----------
    gram : ndarray, shape (n, n)
        Overwritten.
    most : int
        Eigenpairs wanted.

    Returns
    -------
    values : ndarray, shape (d,)
    vectors : ndarray, shape (n, d)
    gram_mean : ndarray, shape (n,)
        Column means of the matrix as it came.
    trace : float
        Of the centred matrix.
    """
    gram_mean: FloatArray = gram.mean(axis=0)
    gram -= gram_mean
    gram -= gram_mean[:, None] - gram_mean.mean()
    trace = float(np.trace(gram))
    values, vectors = leading_eigenpairs(gram, min(most, len(gram) - 1))
    return values, vectors, gram_mean, trace


def typical_distance(gram: FloatArray) -> float:
    """Return the median of gamma times distance that kernels (n, n) of rows amount to, or 1."""
    if len(gram) < 2:
        return 1.0
    some = gram[:WIDTH_ROWS, :WIDTH_ROWS]
    distances = -np.log(np.maximum(some[np.triu_indices_from(some, 1)], np.finfo(float).tiny))
    return float(np.median(distances)) or 1.0


def regression(
    codes: FloatArray, rows: FloatArray, kernel: str, width: float, ridge: float
) -> FloatArray:
    """Return the coefficients (n, p) of kernel ridge regression from codes (n, d) to rows (n, p).

    Parameters
    ----------
    codes, rows : ndarray
    kernel : str
        A key of `ikpca_cli.models.kernels.names.KERNELS`.
    width : float
        Its inverse squared width between codes.
    ridge : float
        Added to the diagonal of the kernel matrix.
    """
    form = load_kernel(kernel)
    matrix = form.gram(codes, codes, width)
    matrix.flat[:: len(matrix) + 1] += ridge
    try:
        return solve_positive(matrix, rows)
    except np.linalg.LinAlgError:
        rcond = len(matrix) * np.finfo(np.float64).eps
        # Codes that coincide, at a ridge too small to tell them apart: the least-norm answer.
        matrix = form.gram(codes, codes, width)
        matrix.flat[:: len(matrix) + 1] += ridge
        dual: FloatArray = np.linalg.pinv(matrix, rcond, hermitian=True) @ rows
        return dual
