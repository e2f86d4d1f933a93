"""How much of what columns hold may be normal noise: the largest normal law that divides theirs.

The characteristic function of a sum of independent parts is the product of theirs, of which none
has a modulus above 1. That of normal noise, exp(-s^2 t^2 / 2), is thus no less than that of a
column at any t, so that ``s^2 <= -log |phi(t)|^2 / t^2`` (Matias, "Semiparametric deconvolution
with unknown noise variance", 2002). Whole numbers, steps, skewed and heavy-tailed columns have a
far lower bound than their variance, whatever their spectrum is. Columns of signal that is normal,
or a sum of many unknowns, tell nothing.

Of many columns some may have noise that is no normal one of that level. Its modulus falls all the
same; that of numbers on steps, such as counts and answers, rises again. And noise may be louder in
one row than in another, which makes heavy tails in all of them together; each row by itself is
normal, but for few values. What many unlike columns, such as returns or the weights of words, have
of their own is not, though it may fill directions as evenly as noise does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.low_rank import LowRank
from ikpca_cli.noise.quiet_columns import come_again, least_steps

MANY_COLUMNS = 40
"""More of them are told by steps alone."""

_STEP, _COUNT = 0.2, 60  # arguments are so many multiples of this, over the level
_FIRST = 3  # of them: less tells the variance alone
_NOT_NORMAL = 0.9  # of a level, below which what normal noise may be says that it is too high
_MOST_ROWS, _MOST_COLUMNS = 1000, 64
_GROUPS = 16  # of rows, of which one after the other is left out
_SURELY = 2.0  # standard errors
_BY_CHANCE = (2.0, 6.0)  # mean squared moduli of chance, that the highest of few and of many has
_FEW = 15  # of the multiples
_MOSTLY = 0.5  # share of values that come again in a column that is rounded
_UNEVEN = 0.1  # of a step, that values are off the others' multiples
_FREE = 0.1  # share of a number's noise that a residual must hold to tell it
_CLEARLY, _KURTOSIS = 3.0, 0.3  # standard errors, and what a little signal adds to a kurtosis


def is_more_than_noise(X: FloatArray, std: float) -> bool:
    """Tell whether a level is above what normal noise may have in columns of rows (n, p).

    Many columns tell it by steps alone.
    """
    by_steps = X.shape[1] > MANY_COLUMNS
    return most_normal(X, std, by_steps=by_steps) < _NOT_NORMAL * std


def has_normal_rows(found: LowRank) -> bool:
    """Tell whether what is left of rows may be normal in each row by itself.

    So many normal numbers, over their own root mean square, have a kurtosis of ``3 p / (p + 2)``.
    """
    free = np.outer(1.0 - found.row_leverage, 1.0 - found.column_leverage)
    squares = found.residual**2 / np.maximum(free, _FREE)
    lengths = np.maximum(squares.mean(axis=1, keepdims=True), np.finfo(float).tiny)
    n_features = squares.shape[1]
    expected = 3.0 * n_features / (n_features + 2.0)
    most = expected + _KURTOSIS + _CLEARLY * (24.0 / squares.size) ** 0.5
    return bool(np.mean((squares / lengths) ** 2) < most)


def most_normal(X: FloatArray, std: float, *, by_steps: bool = False) -> float:
    """Return the highest level that normal noise of one level may have in all columns of X (n, p).

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Centred rows in random order.
    std : float
        A level, which sets the scale of what is looked at.
    by_steps : bool
        Only by moduli that rise again.

    Returns
    -------
    float
        Infinite where nothing is told.
    """
    X = X[:_MOST_ROWS, :: max(1, X.shape[1] // _MOST_COLUMNS)]
    # Rows that were rounded themselves are whole multiples, whatever their noise was before.
    steps = np.maximum(least_steps(X), np.finfo(float).tiny)
    again = come_again(X)
    rounded = again.mean(axis=0) > _MOSTLY
    multiples = (X[:, rounded] - X[0, rounded]) / steps[rounded]
    uneven = np.abs(multiples - np.rint(multiples)).max(axis=0, initial=0.0) > _UNEVEN
    limits = np.pi / steps
    limits[rounded] *= ~uneven  # counts that were transformed are on steps of no one width
    free = ~again | rounded  # a value that was filled in has no noise
    quiet = np.isin(np.arange(X.shape[1]), np.argsort(X.var(axis=0))[: max(1, X.shape[1] // 2)])
    unit, power = np.exp(1j * (_STEP / std) * X), free.astype(complex)
    starts = np.linspace(0, len(X), _GROUPS, endpoint=False).astype(int)
    counts = np.add.reduceat(free.astype(float), starts, axis=0)
    n_rows = counts.sum(axis=0)
    left = np.vstack([n_rows - counts, n_rows])
    pairs = np.maximum(left * (left - 1.0), 1.0)
    orders = np.arange(_FIRST, _COUNT + 1)
    sums = np.empty((len(orders), len(starts), X.shape[1]), dtype=complex)
    power *= unit ** (_FIRST - 1)
    for group_sums in sums:
        power *= unit
        np.add.reduceat(power, starts, axis=0, out=group_sums)
    total = sums.sum(axis=1, keepdims=True)
    # Of independent rows, without the part that each has with itself.
    moduli = np.abs(np.concatenate([total - sums, total], axis=1))
    squares = (moduli**2 - left) / pairs
    arguments = orders * _STEP / std
    by_chance = np.where(orders > _FEW, _BY_CHANCE[1], _BY_CHANCE[0])
    told, best = limits >= arguments[:, None], np.inf
    for columns in (told, quiet & told):
        square, error = _mean_squares(squares, columns, n_rows, by_chance)
        known = square > error
        if by_steps:
            before = np.minimum.accumulate(np.append(np.inf, square + error))[:-1]
            known &= square - error > before
        bounds = (-np.log((square - error)[known])) ** 0.5 / arguments[known]
        best = min(best, float(bounds.min(initial=np.inf)))
    return best


def _mean_squares(
    squares: FloatArray, columns: NDArray[np.bool_], n_rows: FloatArray, by_chance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the mean squared moduli of characteristic functions, and what they may be off.

    Parameters
    ----------
    squares : ndarray, shape (k, groups + 1, p)
        At each argument, squared moduli without each group of rows in turn, and of all.
    columns : ndarray, shape (k, p)
        Those to take the mean of; nothing is known without any.
    n_rows : ndarray, shape (p,)
        Values in each column.
    by_chance : ndarray, shape (k,)
        How much more than none there may be, in units of what is seen where there is none.
    """
    count = np.maximum(columns.sum(axis=1), 1)
    means = np.einsum("kgp,kp->kg", squares, columns.astype(float)) / count[:, None]
    errors = means[:, :-1].std(axis=1) * (squares.shape[1] - 2) ** 0.5
    chance = np.where(columns, n_rows**-2.0, 0.0).sum(axis=1) ** 0.5 / count
    errors = _SURELY * errors + by_chance * chance
    return means[:, -1], np.where(columns.any(axis=1), errors, np.inf)
