"""Noise whose variance grows with the signal: in proportion, as that of counts, or as its square.

Squared residuals are averaged over numbers of like signal, and a line is fitted to the averages,
with their own errors as weights. The residuals are those of stabilised rows, anew for each line.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.low_rank import LowRank
from ikpca_cli.transforms.logarithm import Logarithm
from ikpca_cli.transforms.square_root import SquareRoot

_BINS = 40
_PASSES = 4
_GROWS = 1.5  # variance at the ninth tenth of the signal over that at the first tenth
_SURELY = 4.0  # standard errors of the slope
_POISSON = 0.1  # what the gain of counts is off by
_FREE = 0.1  # share of a number's noise that a residual must hold to tell it


def propose(rows: FloatArray) -> SquareRoot | None:
    """Return the transform for a variance of ``gain x + floor``, None where it does not grow.

    Where few columns are bright, their noise is more than the signal of the others, and is taken
    for signal. Whole numbers are then looked at by their roots first; Poisson's have a gain of 1.
    """
    found = _line(rows, None)
    if found is None and rows.min() >= 0.0 and np.array_equal(rows, np.rint(rows)):
        found = _line(rows, SquareRoot(1.0, 0.0))
        return found if found is not None and abs(found.gain - 1.0) <= _POISSON else None
    return found


def _line(rows: FloatArray, found: SquareRoot | None) -> SquareRoot | None:
    """Return the line that is found with residuals of rows as they are, or stabilised so far."""
    for _ in range(_PASSES):
        signal, squares = _residuals(rows, found)
        means, variances, counts = _by_signal(signal, squares)
        if not variances.any():  # all is signal
            return None
        weights = np.sqrt(counts) / variances
        lines = np.stack([means, np.ones(len(means))], axis=1) * weights[:, None]
        (gain, floor), *_ = np.linalg.lstsq(lines, variances * weights, rcond=None)
        # A squared normal number has a variance of twice its squared mean.
        error = float(2.0 * np.linalg.pinv(lines.T @ lines)[0, 0]) ** 0.5
        low, high = (gain * at + floor for at in np.quantile(means, (0.1, 0.9)))
        if not gain > _SURELY * error:  # nor where both are 0, as where hardly anything is noise
            return None
        found = SquareRoot(float(gain), float(floor))
    return None if high < _GROWS * max(low, 0.0) else found


def propose_logarithm(rows: FloatArray) -> Logarithm | None:
    """Return the transform for noise that multiplies the signal, None where values are not above 0.

    The relative level is that of the logarithms.
    """
    least = float(rows.min())
    if least <= 0.0:
        return None
    logs = np.log(rows)
    found = LowRank.of(logs - logs.mean(axis=0))
    free = (1.0 - found.rank / rows.shape[0]) * (1.0 - found.rank / rows.shape[1])
    relative = float(np.sqrt(np.mean(found.residual**2) / max(free, _FREE)))
    return Logarithm(relative, least) if relative > 0.0 else None


def _residuals(rows: FloatArray, by: SquareRoot | None) -> tuple[FloatArray, FloatArray]:
    """Return the signal in rows (n, p) and squared residuals in its units, both (n, p)."""
    Z = rows if by is None else by.forward(rows)
    mean = Z.mean(axis=0)
    found = LowRank.of(Z - mean)
    signal = found.rows + mean
    if by is not None:
        signal = by.inverse(signal)
    free = np.outer(1.0 - found.row_leverage, 1.0 - found.column_leverage)
    return signal, (rows - signal) ** 2 / np.maximum(free, _FREE)


def _by_signal(
    signal: FloatArray, squares: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean signal, mean square and count of numbers with like signal."""
    order = np.argsort(signal, axis=None)
    groups = np.array_split(order, min(_BINS, max(signal.size // 50, 2)))
    means = np.array([signal.flat[group].mean() for group in groups])
    variances = np.array([squares.flat[group].mean() for group in groups])
    counts = np.array([float(len(group)) for group in groups])
    return means, np.maximum(variances, 1e-12 * variances.max()), counts
