"""Columns of different noise: the Dyson equaliser, and the residual of what it leaves as signal.

Landa and Kluger, "The Dyson equalizer: adaptive noise stabilization for low-rank signal detection
and recovery" (2023): with the singular values s of rows (n, p), eta their median and U, V their
vectors, let ``g1_i = sum_k eta / (s_k^2 + eta^2) U_ik^2 + (1 - sum_k U_ik^2) / eta``, and g2
likewise with V. The noise of entry (i, j) has variance ``x_i y_j`` where
``x = (1/g1 - eta) / sqrt(n - eta |g1|)`` and ``y = (1/g2 - eta) / sqrt(p - eta |g2|)``, |g| being a
sum. Strong signals are in the way of it a little, so that the levels are then read off the
residual, twice.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.low_rank import LowRank
from ikpca_cli.transforms.column_scale import ColumnScale

_PASSES = 2
_LEAST = 1e-3  # of the median level: a column with less has no noise to speak of
_FREE = 0.1  # share of a column's noise that a residual must hold to tell it


def propose(rows: FloatArray) -> ColumnScale | None:
    """Return the levels of columns of rows (n, p), None where they cannot be told."""
    X = rows - rows.mean(axis=0)
    varying = np.ptp(X, axis=0) > 0.0
    if varying.sum() < 2:
        return None
    found = equalised(X[:, varying])
    if found is None:
        return None
    for _ in range(_PASSES):
        found = found * _residual_levels(X[:, varying] / found)
        found = np.maximum(found, _LEAST * np.median(found))
    stds = np.full(X.shape[1], float(np.median(found)))
    stds[varying] = found
    return ColumnScale(stds)


def equalised(X: FloatArray) -> FloatArray | None:
    """Return levels of the columns of centred rows (n, p), (p,)."""
    n_samples, n_features = X.shape
    left, values, right = np.linalg.svd(X, full_matrices=False)
    eta = float(np.median(values))
    if eta <= 0.0:
        return None
    shares = eta / (values**2 + eta**2)
    of_rows, of_columns = left**2, right.T**2
    g1 = of_rows @ shares + (1.0 - of_rows.sum(axis=1)) / eta
    g2 = of_columns @ shares + (1.0 - of_columns.sum(axis=1)) / eta
    rest = n_samples - eta * g1.sum(), n_features - eta * g2.sum()
    if min(rest) <= 0.0:
        return None
    x = np.maximum(1.0 / g1 - eta, 0.0) / rest[0] ** 0.5
    y = np.maximum(1.0 / g2 - eta, 0.0) / rest[1] ** 0.5
    stds: FloatArray = np.sqrt(x.mean() * y)
    middle = float(np.median(stds))
    return np.maximum(stds, _LEAST * middle) if middle > 0.0 else None


def _residual_levels(Z: FloatArray) -> FloatArray:
    """Return the levels that the residual of centred rows (n, p) has by column, (p,)."""
    n_samples = len(Z)
    found = LowRank.of(Z)
    free = np.maximum(1.0 - found.column_leverage, _FREE) * max(1.0 - found.rank / n_samples, _FREE)
    squares = (found.residual**2).sum(axis=0) / (n_samples - 1)
    levels: FloatArray = np.sqrt(squares / free)
    return levels
