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
    def of(
        cls, X: FloatArray, rank: int | None = None, spectrum: Eigenvalues | None = None
    ) -> LowRank:
        """Return that of centred rows (n, p), of the rank that white noise leaves by default.

        `spectrum` is theirs, if it is known.
        """
        spectrum = Eigenvalues.of(X) if spectrum is None else spectrum
        if rank is None:
            rank = spectrum.signal
        leading = spectrum.vectors[:, spectrum.vectors.shape[1] - rank :]
        codes = X @ leading if spectrum.of_columns else X.T @ leading
        across = codes / np.maximum(np.sqrt((codes**2).sum(axis=0)), np.finfo(float).tiny)
        left, right = (across, leading) if spectrum.of_columns else (leading, across)
        rows = codes @ leading.T if spectrum.of_columns else leading @ codes.T
        taken = (left**2).sum(axis=1), (right**2).sum(axis=1)
        return cls(rows, X - rows, *taken, right.T, rank)


def plateau_of(X: FloatArray) -> int:
    """Return how many of the lowest eigenvalues of centred rows (n, p) are equal but for chance."""
    return Eigenvalues.of(X, alone=True).plateau()
