"""The noise level by quiet columns: found in one half of the rows, read in the other.

A quiet column is constant but for a few rows. The modulus of its characteristic function is that
of the noise, exp(-s^2 t^2 / 2), times the share of the other rows, which its fall from one t to
another is free of (Jin and Cai, "Estimating the null and the proportion of nonnull effects", 2007).
Values that were clipped at a limit, or made positive, are no such noise; nor is noise of heavy
tails, whose logarithm falls fast at first and slowly then, and would be read too low.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.estimate import Reading

FEW_ROWS = 30
"""Rows up to which quiet columns tell nothing."""

CLIPPED = 0.03
"""Share of values at a limit from which rows count as clipped."""

_QUIET = 0.1  # share of the columns that may hold little signal
_ARGUMENTS = (0.75, 1.25, 1.75)  # of characteristic functions, over the noise
_STEEP, _BY_CHANCE = 1.12, 4.0  # most the fall to the second is over the other, and over the doubt
_INFORMS = 0.7  # share of the numbers, if columns are not centred by their medians
_TWO_ERRORS = 2.2  # of the level, measured on noise of 40 to 1000 rows and 50 to 300 columns
_MAD = 0.6744897501960817  # median absolute deviation of a standard normal number
_TAIL = (0.01, 0.1, 0.5)  # quantiles on the side of a column where few rows are marked
_CUT_OFF = 1.55  # what the first is away from the last, over the second; 1.81 if normal
_FREE = 0.3  # share of neighbours, three each, that are between limits
_ATOM = 2  # times more values at a limit than next to it
_SAME = 1e-9  # of the range of a column: equal but for rounding
_NEAR, _LEAST_NEAR = 0.5, 0.017  # of a level above a limit, and values there for each at it
_ON_STEPS = 0.5  # of the values that are at no limit, that come again


def quiet_reading(X: FloatArray) -> Reading | None:
    """Return the level by quiet columns of centred rows (n, p), None where they tell nothing."""
    n_samples, n_features = X.shape
    if n_samples <= FEW_ROWS:
        return None
    count = max(1, round(_QUIET * n_features))
    columns = []
    for half in (0, 1):
        quiet = np.argsort(X[half::2].var(axis=0))[:count]
        columns.append(X[1 - half :: 2][:, quiet])
    centred = [some - np.median(some, axis=0) for some in columns]
    deviations = np.concatenate([np.abs(some) for some in centred])
    rough = float(np.median(deviations)) / _MAD
    if rough == 0.0 or _tail(np.concatenate([some.ravel() for some in centred])) < _CUT_OFF:
        return None
    powers = [np.mean([_power(some, at / rough) for some in columns]) for at in _ARGUMENTS]
    if not powers[0] > powers[1] > powers[2] > 0.0:
        return None
    falls, widths = -np.diff(np.log(powers)), np.diff(np.square(_ARGUMENTS))
    slopes, chance = falls / widths, (_INFORMS * n_samples * count) ** -0.5
    if slopes[0] > (_STEEP + _BY_CHANCE * chance) * slopes[1]:
        return None
    std = rough * float(falls.sum() / widths.sum()) ** 0.5
    step = float(np.median([least_steps(some) for some in columns]))
    return Reading(std, float(np.hypot(_TWO_ERRORS * chance, step / (2.0 * std))))


def clipped_share(X: FloatArray) -> float:
    """Return the share of values that equal the least or largest of their column.

    More of them than of the next value are wanted: whole numbers have many equal values as well.
    """
    ordered = np.sort(X, axis=0)
    count = 0
    for low in (ordered, -ordered[::-1]):
        same = (low <= low[0] + _SAME * np.ptp(low, axis=0)).sum(axis=0)
        following = low[np.minimum(same, len(low) - 1), np.arange(low.shape[1])]
        near = np.abs(low - following) <= _SAME * np.ptp(low, axis=0)
        stuck = (same > 1) & (same > _ATOM * near.sum(axis=0)) & (same < len(low))
        count += int(same[stuck].sum())
    return count / X.size


def is_gap_at_limit(X: FloatArray, std: float) -> bool:
    """Tell whether values at the least of their column have none near it, as sparse rows do.

    What a limit cuts off noise of this level goes on above it: of noise two levels below it, which
    is hardly seen, one value for each sixty at it is within half a level. Amounts of rain, weights
    of words and what was set to 0 have no noise there. Numbers on steps tell nothing.
    """
    above = X - X.min(axis=0)
    at = above <= _SAME * np.ptp(X, axis=0)
    at &= at.sum(axis=0) > 1
    columns = at.any(axis=0)
    if come_again(X)[~at].mean() > _ON_STEPS:
        return False
    near = np.count_nonzero(~at[:, columns] & (above[:, columns] < _NEAR * std))
    return bool(near < _LEAST_NEAR * np.count_nonzero(at))


def level_between_limits(X: FloatArray) -> float:
    """Return the robust level of second differences along rows (n, p) without values at a limit.

    These, and others that have no noise, come again in their column. The level is no less than that
    of noise that is white, and infinite where hardly any neighbours tell it.
    """
    is_free = ~come_again(X)
    three_free = is_free[:, :-2] & is_free[:, 1:-1] & is_free[:, 2:]
    if three_free.mean() < _FREE:
        return float("inf")
    bends = np.abs(np.diff(X, n=2, axis=1)[three_free])
    level: float = float(np.median(bends)) / (_MAD * 6.0**0.5)
    return level


def come_again(X: FloatArray) -> NDArray[np.bool_]:
    """Return which values of X (n, p) come again in their column, (n, p): those have no noise."""
    order = np.argsort(X, axis=0)
    again = np.diff(np.take_along_axis(X, order, axis=0), axis=0) <= _SAME * np.ptp(X, axis=0)
    found = np.zeros(X.shape, dtype=bool)
    found[1:] = again
    found[:-1] |= again
    out = np.empty_like(found)
    np.put_along_axis(out, order, found, axis=0)
    return out


def least_steps(columns: FloatArray) -> FloatArray:
    """Return the least step between the numbers of each column, which a median is no finer than."""
    gaps = np.diff(np.sort(columns, axis=0), axis=0)
    gaps[gaps <= _SAME * np.ptp(columns, axis=0)] = np.inf  # equal but for rounding
    steps: FloatArray = gaps.min(axis=0)
    return np.where(np.isfinite(steps), steps, 0.0)


def _tail(values: FloatArray) -> float:
    """Return how far the tail on the shorter side reaches, in units of its tenth."""
    far, near, _ = min(_quantile_gaps(values), _quantile_gaps(-values), key=lambda gaps: gaps[1])
    return float(far / near) if near > 0.0 else 0.0


def _quantile_gaps(values: FloatArray) -> FloatArray:
    """Return how far below the median the quantiles of the lower side are."""
    low = np.quantile(values, _TAIL)
    gaps: FloatArray = low[-1] - low
    return gaps


def _power(columns: FloatArray, argument: float) -> float:
    """Return the mean squared modulus of the columns' characteristic functions, without bias."""
    count = len(columns)
    squares = np.abs(np.exp(1j * argument * columns).mean(axis=0)) ** 2
    return float((count * squares.mean() - 1.0) / (count - 1.0))
