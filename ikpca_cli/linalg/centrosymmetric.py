"""Functions of matrices that look the same upside down, by halves.

A symmetric matrix with ``C[i, j] = C[p-1-i, p-1-j]``, such as a covariance of stationary noise,
maps even vectors to even ones and odd to odd. On either it is a matrix of half the size, whose
eigenpairs take an eighth of the time (Cantoni and Butler, "Eigenvalues and eigenvectors of
symmetric centrosymmetric matrices", 1976).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ikpca_cli.data.row_source import FloatArray


def halves(matrix: FloatArray) -> list[FloatArray]:
    """Return a symmetric matrix (p, p) on even and on odd vectors; itself where that is no use."""
    size = len(matrix)
    if size < 2 or not np.array_equal(matrix, matrix[::-1, ::-1]):
        return [matrix]
    half = size // 2
    corner, turned = matrix[:half, :half], matrix[:half, : size - half - 1 : -1]
    even = corner + turned
    if size % 2:
        middle = np.sqrt(2.0) * matrix[:half, half]
        even = np.block([[even, middle[:, None]], [middle, matrix[half, half]]])
    return [even, corner - turned]


def joined(parts: Sequence[FloatArray]) -> FloatArray:
    """Return the matrix (p, p) whose `halves` these are."""
    if len(parts) == 1:
        return parts[0]
    even, odd = parts
    half, size = len(odd), len(even) + len(odd)
    whole = np.empty((size, size))
    whole[:half, :half] = 0.5 * (even[:half, :half] + odd)
    whole[:half, : size - half - 1 : -1] = 0.5 * (even[:half, :half] - odd)
    if size % 2:
        whole[:half, half] = even[:half, half] / np.sqrt(2.0)
        whole[half, :half] = whole[:half, half]
        whole[half, half] = even[half, half]
    whole[size - half :] = whole[half - 1 :: -1, ::-1]
    if size % 2:
        whole[half, half + 1 :] = whole[half, half - 1 :: -1]
    return whole
