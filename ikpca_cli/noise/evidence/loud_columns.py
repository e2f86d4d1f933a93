"""Single columns that are far louder than what their neighbours tell of them, such as hot pixels.

Columns at even places and those at odd ones have the same signal, if it is in several columns. What
one half leaves unexplained of a column of the other is its noise, or a signal of its own, which
nothing tells from noise but in rows whose columns are alike in neighbours: there it is in all of
them, or in none.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import Eigenvalues

_LOUD = 5.0  # times the usual variance that is left unexplained
_ALONE = 2.0  # times that of both neighbours
_SHARE = 0.025  # of the columns, that is no chance
_SMOOTH = 0.3  # correlation of neighbours
_FEWEST_LEFT = 10  # rows beyond the directions of signal
_MOST_SIGNAL = 0.6  # of the directions of a half that is to tell the other


def has_loud_columns(X: FloatArray, *, smooth: bool = False) -> bool:
    """Tell whether single columns of centred rows (n, p) are far louder than their neighbours.

    Parameters
    ----------
    X : ndarray, shape (n, p)
    smooth : bool
        Only where the other columns are alike in neighbours, so that this is noise for sure.
    """
    unexplained = _unexplained(X)
    if unexplained is None:
        return False
    around = np.pad(unexplained, 1)
    alone = unexplained > _ALONE * np.maximum(around[:-2], around[2:])
    loud = alone & (unexplained > _LOUD * np.median(unexplained))
    if np.count_nonzero(loud) < max(1.0, _SHARE * len(loud)):
        return False
    if not smooth:
        return True
    others = X[:, ~loud]
    shared = np.einsum("ij,ij->", others[:, 1:], others[:, :-1])
    return bool(shared > _SMOOTH * np.einsum("ij,ij->", others, others))


def _unexplained(X: FloatArray) -> FloatArray | None:
    """Return what every other column does not explain of those of X (n, p), if it can: (p,)."""
    variances = np.empty(X.shape[1])
    for first in (0, 1):
        half, others = X[:, first::2], X[:, 1 - first :: 2]
        spectrum = Eigenvalues.of(half)
        signal = spectrum.signal
        left = len(X) - 1 - signal
        if left < _FEWEST_LEFT or signal > _MOST_SIGNAL * half.shape[1]:
            return None
        leading = spectrum.vectors[:, spectrum.vectors.shape[1] - signal :]
        codes = np.linalg.qr(half @ leading)[0] if spectrum.of_columns else leading
        residual = others - codes @ (codes.T @ others)
        variances[1 - first :: 2] = np.einsum("ij,ij->j", residual, residual) / left
    return variances
