"""Rows apart from what their leading directions explain: where noise shows what it is like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import Eigenvalues


@dataclass(frozen=True)
class LowRank:
    """The best approximation of centred rows by some directions.

    Attributes
    ----------
    rows : ndarray, shape (n, p)
        The approximation.
    residual : ndarray, shape (n, p)
    row_leverage, column_leverage : ndarray, shape (n,) and (p,)
        Share of a row's, and a column's, noise that the approximation takes.
    directions : ndarray, shape (rank, p)
        Orthonormal ones that the approximation lies in.
    rank : int
    """

    rows: FloatArray
    residual: FloatArray
    row_leverage: FloatArray
    column_leverage: FloatArray
    directions: FloatArray
    rank: int

    @classmethod
    def of(cls, X: FloatArray, rank: int | None = None) -> LowRank:
        """Return that of centred rows (n, p), of the rank that white noise leaves by default."""
        if rank is None:
            rank = Eigenvalues.of(X).reading(1.0)[1]
        left, values, right = np.linalg.svd(X, full_matrices=False)
        left, right = left[:, :rank], right[:rank]
        rows = (left * values[:rank]) @ right
        return cls(rows, X - rows, (left**2).sum(axis=1), (right**2).sum(axis=0), right, rank)


def plateau_of(X: FloatArray) -> int:
    """Return how many of the lowest eigenvalues of centred rows (n, p) are equal but for chance."""
    return Eigenvalues.of(X).plateau()
