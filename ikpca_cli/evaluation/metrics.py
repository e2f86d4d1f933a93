"""How far rows are from the clean ones."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray


def mean_squared_error(X: FloatArray, reference: FloatArray) -> float:
    """Return the mean squared difference of `X` (n, p) from `reference`, (n, p) or (p,)."""
    return float(np.mean((X - reference) ** 2))


def snr_gain_db(mse_noisy: float, mse: float) -> float:
    """Return by how many decibels the signal-to-noise ratio rose; infinite for a perfect result."""
    if mse_noisy == mse:
        return 0.0
    with np.errstate(divide="ignore"):
        return float(10.0 * np.log10(np.float64(mse_noisy) / np.float64(mse)))
