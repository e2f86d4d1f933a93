"""Leading eigenpairs of a large symmetric matrix: a few by block Lanczos, many by iteration."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.data.threads import chunks, parallel_for

SPARE = 4
"""Vectors in a block besides those that are wanted."""

CONVERGED = 1e-14
"""Residual of an eigenpair over the largest eigenvalue."""

PASSES = 1
"""Products once a subspace is large enough: each brings its vectors nearer to the leading ones."""

FIRST_WIDTH = 64
"""Vectors that a subspace begins with; their number is doubled while they leave too much."""

_LARGEST_SHARE = 3  # of the matrix's size in the basis: beyond it all eigenpairs are cheaper
_SLOWEST = 1.3  # growth of the basis between looks at what has converged


def leading_by_krylov(matrix: FloatArray, most: int) -> tuple[FloatArray, FloatArray] | None:
    """Return the `most` largest eigenvalues, ascending, and eigenvectors; None if that is slow.

    A block of vectors is multiplied again and again, and eigenpairs are taken from all that came
    out (Golub and Underwood 1977). A block reads the matrix once for many products, and finds
    eigenvalues that coincide, of which vectors one by one may miss some.

    Parameters
    ----------
    matrix : ndarray, shape (m, m)
        Symmetric and positive semi-definite.
    most : int

    Returns
    -------
    values : ndarray, shape (most,)
    vectors : ndarray, shape (m, most)
    """
    size, width = len(matrix), most + SPARE
    limit = size // _LARGEST_SHARE
    basis = np.empty((size, 0))
    rectangle = np.zeros((0, 0))
    start = np.random.default_rng(size).standard_normal((size, width))
    block, next_look = np.linalg.qr(start)[0], 2 * width
    while basis.shape[1] + width <= limit:
        basis = np.concatenate([basis, block], axis=1)
        product = _times(matrix, block)
        inner = basis.T @ product
        grown = np.zeros((basis.shape[1], basis.shape[1]))
        grown[: len(rectangle), : len(rectangle)] = rectangle
        grown[:, -width:], grown[-width:, :] = inner, inner.T
        rectangle = grown
        rest = product - basis @ inner
        block = _orthonormal(basis, rest)
        if basis.shape[1] >= next_look:
            next_look = int(basis.shape[1] * _SLOWEST)
            values, turns = np.linalg.eigh(rectangle)
            values, turns = values[-most:], turns[:, -most:]
            residuals = np.linalg.norm((block.T @ rest) @ turns[-width:], axis=0)
            if residuals.max() <= CONVERGED * values[-1]:
                return values, basis @ turns
    return None


def leading_by_iteration(
    matrix: FloatArray, most: int, negligible: float = 0.0
) -> tuple[FloatArray, FloatArray] | None:
    """Return about the `most` largest eigenvalues, ascending, and orthonormal Ritz vectors.

    By randomised subspace iteration (Halko, Martinsson and Tropp 2011, algorithm 4.4), on a
    subspace that grows until it holds all of the trace but what is negligible. The leading pairs
    are as good as exact, the last ones a mixture of their neighbours. None comes back where all
    eigenpairs are cheaper. As eigenvalues fall, a subspace tells how little a larger one could
    leave: if that is too much for any, what lies between is not tried.

    Parameters
    ----------
    matrix : ndarray, shape (m, m)
        Symmetric and positive semi-definite.
    most : int
    negligible : float
        What the eigenvalues that are left out may sum up to.

    Returns
    -------
    values : ndarray, shape (d,)
    vectors : ndarray, shape (m, d)
    """
    size, trace = len(matrix), float(np.trace(matrix, dtype=np.float64))
    limit = min(size // _LARGEST_SHARE, most + max(SPARE, most // 10))
    # A subspace is found in single precision where that loses less than what may be left out.
    single = size * float(np.finfo(np.float32).eps) * trace <= negligible
    coarse = matrix.astype(np.float32 if single else matrix.dtype, copy=False)
    rng = np.random.default_rng(size)
    basis: FloatArray = np.empty((size, 0), dtype=coarse.dtype)
    product, width = basis, min(limit, FIRST_WIDTH)
    while True:
        more = rng.standard_normal((size, width - basis.shape[1])).astype(coarse.dtype)
        basis = _orthonormal_columns(np.concatenate([product, _times(coarse, more)], axis=1))
        product = _times(coarse, basis)
        left = trace - float(np.einsum("ij,ij->j", basis, product).sum(dtype=np.float64))
        if left <= negligible:
            break
        # The last eigenvalues that a random subspace has are below those of the matrix.
        late = float(np.linalg.eigvalsh(basis.T @ product)[width // 4])
        enough = width + (left - negligible) / max(late, np.finfo(np.float64).tiny)
        if limit < min(most, enough):
            return None
        if width == limit:
            break
        width = limit if enough > limit else min(limit, 2 * width)
    for _ in range(PASSES):
        basis = _orthonormal_columns(product.astype(matrix.dtype, copy=False))
        product = _times(matrix, basis)
    values, turns = np.linalg.eigh(basis.T @ product)
    return values[-most:], basis @ turns[:, -most:]


def _orthonormal_columns(vectors: FloatArray) -> FloatArray:
    columns: FloatArray = np.linalg.qr(vectors)[0]
    return columns


def _times(matrix: FloatArray, block: FloatArray) -> FloatArray:
    product = np.empty(block.shape, dtype=block.dtype)

    def fill(rows: slice) -> None:
        product[rows] = matrix[rows] @ block

    parallel_for(fill, chunks(len(matrix), 512))
    return product


def _orthonormal(basis: FloatArray, vectors: FloatArray) -> FloatArray:
    """Return an orthonormal block that is orthogonal to the basis, also where `vectors` vanish."""
    for _ in range(2):
        vectors = np.linalg.qr(vectors)[0]
        vectors = vectors - basis @ (basis.T @ vectors)
    return np.linalg.qr(vectors)[0]
