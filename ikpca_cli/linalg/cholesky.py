"""Linear systems with a symmetric positive definite matrix, in place and in threads."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.data.threads import chunks, parallel_for

PANEL = 512
"""Rows and columns that are eliminated together."""


def solve_positive(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """Return ``matrix^-1 right`` (m, p) by a Cholesky factor that overwrites `matrix` (m, m).

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is not positive definite; it is overwritten in part.
    """
    from scipy.linalg import solve_triangular

    parts = chunks(len(matrix), PANEL)
    for index, pivot in enumerate(parts):
        matrix[pivot, pivot] = corner = np.linalg.cholesky(matrix[pivot, pivot])
        below = parts[index + 1 :]

        def divide(rows: slice, pivot: slice = pivot, corner: FloatArray = corner) -> None:
            panel = matrix[rows, pivot]
            panel[:] = solve_triangular(corner, panel.T, lower=True, check_finite=False).T

        def update(place: tuple[slice, slice], pivot: slice = pivot) -> None:
            rows, columns = place
            matrix[place] -= matrix[rows, pivot] @ matrix[columns, pivot].T

        parallel_for(divide, below)
        parallel_for(update, [(r, c) for r in below for c in below if c.start <= r.start])
    half = solve_triangular(matrix, right, lower=True, check_finite=False)
    # One memory order for a fresh and a loaded model, so that both give the same bits.
    return np.ascontiguousarray(
        solve_triangular(matrix, half, lower=True, trans=1, check_finite=False)
    )
