"""One oscillation that all rows hold as strongly, at any phase: hum of the mains, most likely.

To a spectrum of rows it is signal, of two directions, and to a model as well. But signal differs in
strength from row to row, and has its phase from what it is of; hum has one strength and any phase.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray

FEWEST_COLUMNS, FEWEST_ROWS = 20, 20
"""Shorter rows, or fewer, tell no oscillation from anything else."""

_WIDTH = 2  # frequencies on either side that a window spreads an oscillation over
_BESIDE = 6  # frequencies on either side that it has to stand out of
_STANDS_OUT = 5.0  # times the power beside it
_EVEN = 0.42  # spread of its power from row to row, over the mean
_ALIGNED = 3.0  # times what the mean phase of random ones is, for that not to be random
_MOST = 0.5  # of the variance of rows: more would be all they are


def shared_period(X: FloatArray) -> float | None:
    """Return the period, in columns, of an oscillation that all centred rows (n, p) hold.

    None where there is none, or where it is all that they hold.
    """
    n_samples, n_features = X.shape
    if n_features < FEWEST_COLUMNS or n_samples < FEWEST_ROWS:
        return None
    window = np.hanning(n_features + 2)[1:-1]
    transform = np.fft.rfft(X * window, axis=1)
    power = np.abs(transform) ** 2
    mean = power.mean(axis=0)
    places = np.arange(_WIDTH + 2, len(mean) - _WIDTH - 1)
    if len(places) == 0:
        return None
    best = int(places[np.argmax([_prominence(mean, int(place)) for place in places])])
    if _prominence(mean, best) < _STANDS_OUT:
        return None
    near = slice(best - _WIDTH, best + _WIDTH + 1)
    lines = power[:, near].sum(axis=1)
    is_even = float(lines.std()) < _EVEN * float(lines.mean())
    phases = transform[:, best] / np.maximum(np.abs(transform[:, best]), np.finfo(float).tiny)
    is_random = abs(float(np.abs(phases.mean()))) < _ALIGNED * n_samples**-0.5
    share = float(lines.mean()) / max(float(power.sum(axis=1).mean()), np.finfo(float).tiny)
    return n_features / best if is_even and is_random and share < _MOST else None


def _prominence(mean: FloatArray, place: int) -> float:
    """Return a mean power over that on either side beyond its own width, the higher of them."""
    low = mean[max(place - _BESIDE, 1) : place - _WIDTH]
    high = mean[place + _WIDTH + 1 : place + _BESIDE + 1]
    beside = float(max(np.median(low), np.median(high)))
    return float(mean[place]) / max(beside, np.finfo(float).tiny)
