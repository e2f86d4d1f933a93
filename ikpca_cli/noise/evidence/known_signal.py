"""What signal that is known from other rows says of a noise level."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.few_columns import FEW_COLUMNS

_SURELY = 2.5  # standard errors


def beside_signal(
    rows: FloatArray, std: float, usual: float, signal: float, n_fitted: int
) -> float:
    """Return the noise level of rows without what signal in all of few directions adds to it.

    Rows vary by their signal and their noise. A level louder than usual is no more than what the
    signal of the training rows leaves of that.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
    std : float
        The level as it was read off them.
    usual : float
        That of the training rows.
    signal : float
        Variance of the signal in the training rows, a column; 0 where it is not known.
    n_fitted : int
        Number of training rows.
    """
    if std <= usual or rows.shape[1] > FEW_COLUMNS:
        return std
    squares = np.mean((rows - rows.mean(axis=0)) ** 2, axis=1)
    chance = _SURELY * squares.std() * (1.0 / len(rows) + 1.0 / n_fitted) ** 0.5
    most = float(squares.mean() + chance) - signal
    return min(std, float(max(most, usual**2) ** 0.5))
