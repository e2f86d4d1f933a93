"""How much stronger noise is in some columns than in others, by what has no signal."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.low_rank import LowRank

_FREE = 0.2  # share of a column's noise that directions of signal must leave to tell it
_QUIET, _LOUD = 0.1, 0.9  # quantiles


def unevenness_of_columns(X: FloatArray) -> float:
    """Return the ratio of loud columns' noise levels to those of quiet ones; about 1 if all alike.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Centred rows in random order.
    """
    found = LowRank.of(X)
    free = 1.0 - found.column_leverage
    told = free > _FREE
    variances = (found.residual**2).sum(axis=0)[told] / free[told]
    noisy = variances[variances > 0.0]
    if len(noisy) == 0:
        return 1.0
    quiet, loud = np.quantile(noisy, (_QUIET, _LOUD))
    return float(np.sqrt(loud / quiet))
