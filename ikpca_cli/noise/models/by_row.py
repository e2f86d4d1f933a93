"""Rows of different noise: the Dyson equaliser, and the residual of what it leaves as signal.

The equaliser of `ikpca_cli.noise.models.by_column`, with rows in the place of columns: what rows
have in common is found among rows that were brought to one level, and the level of each is then
that of what is left of it.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.low_rank import LowRank
from ikpca_cli.noise.models.by_column import equalised
from ikpca_cli.transforms.row_scale import RowScale

_PASSES = 3
_LEAST = 1e-3  # of the median level
_FREE = 0.1  # share of a row's noise that a residual must hold to tell it
_LOW, _HIGH, _MOST_SKEWED = 0.1, 0.98, 2.5  # quantiles of levels, and how uneven their logs may be


def propose(rows: FloatArray) -> RowScale | None:
    """Return what divides rows (n, p) by their levels, None where these cannot be told."""
    X = rows - rows.mean(axis=0)
    if np.count_nonzero(np.ptp(X, axis=1)) < len(X) or np.count_nonzero(np.ptp(X, axis=0)) < 3:
        return None
    levels = equalised(X.T)
    if levels is None:
        return None
    for _ in range(_PASSES):
        levels = np.maximum(levels, _LEAST * np.median(levels))
        # The mean that leaves rows of one level with mean 0.
        mean = np.average(rows, axis=0, weights=1.0 / levels)
        found = LowRank.of((rows - mean) / levels[:, None])
        squares = (found.residual**2).sum(axis=1) / (rows.shape[1] - found.rank)
        levels = levels * np.sqrt(squares / np.maximum(1.0 - found.row_leverage, _FREE))
    return RowScale(mean, found.directions).with_levels_of(rows)


def may_be_noise(levels: FloatArray) -> bool:
    """Tell whether levels of rows (n,) may be those of noise.

    White noise beside a rough signal that some rows have more of is a floor: few rows are far below
    the usual level, though some are far above it.
    """
    low, usual, high = np.log(np.quantile(levels, (_LOW, 0.5, _HIGH)))
    return bool(high - usual < _MOST_SKEWED * (usual - low))
