"""How much stronger noise is in some columns than in others, by what has no signal."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.low_rank import LowRank

_FREE = 0.2  # share of a column's noise that directions of signal must leave to tell it
_QUIET, _LOUD = 0.1, 0.9  # quantiles
_ALONE, _SHARE = 0.25, 0.1  # of what is left of a column is shared signal at most; of the columns
_OF_MEDIANS = 2.1  # variance of their logarithms, times the rows: of double exponential numbers
_SURELY = 4.0  # standard errors


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


def show_their_noise(found: LowRank) -> bool:
    """Tell whether columns that share no signal have noise of one level.

    That is told by medians, which are as sure whatever the tails.
    """
    left = np.mean(found.residual**2, axis=0)
    alone = np.mean(found.rows**2, axis=0) < _ALONE * left
    levels = np.median(np.abs(found.residual[:, alone]), axis=0)
    if len(levels) < max(_SHARE * len(left), 3) or not levels.all():
        return False
    chance = _OF_MEDIANS / len(found.rows) * (1.0 + _SURELY * (2.0 / len(levels)) ** 0.5)
    return bool(np.log(levels).var() < chance)
