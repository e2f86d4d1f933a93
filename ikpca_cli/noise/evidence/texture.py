"""Whether rows are texture, which falls off evenly with frequency, and is as strong everywhere.

Its weakest directions are equal in variance as those of noise are, but alike in neighbours. So is
weak signal that is left in noise where rows are few; but signal of a certain shape has its places,
so that columns differ in variance, which those of texture do not.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.evidence.neighbours import most_alike

FEWEST_COLUMNS = 20
"""Signal in all directions of fewer columns joins neighbours, whatever beside it is noise."""

_ALIKE = 1.2  # times as alike as weak signal makes noise
_EVEN = 0.2  # spread of the variances of columns, over their mean, beyond chance


def is_texture(X: FloatArray, correlation: float) -> bool:
    """Tell whether centred rows (n, p) may be texture in all directions.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        In random order.
    correlation : float
        Theirs, as `neighbour_correlation` has it.
    """
    if X.shape[1] < FEWEST_COLUMNS:
        return False
    variances = np.mean(X**2, axis=0)
    spread = float(variances.var() / variances.mean() ** 2) - 2.0 / len(X)
    return spread < _EVEN**2 and correlation > most_alike(len(X), _ALIKE)
