"""How much of what columns hold may be normal noise: the largest normal law that divides theirs.

The characteristic function of a sum of independent parts is the product of theirs, of which none
has a modulus above 1. That of normal noise, exp(-s^2 t^2 / 2), is thus no less than that of a
column at any t, so that ``s^2 <= -log |phi(t)|^2 / t^2`` (Matias, "Semiparametric deconvolution
with unknown noise variance", 2002). Whole numbers, steps, skewed and heavy-tailed columns have a
far lower bound than their variance, whatever their spectrum is. Columns of signal that is normal,
or a sum of many unknowns, tell nothing.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.quiet_columns import least_steps

_STEP, _COUNT = 0.2, 60  # arguments are so many multiples of this, over the level
_FIRST = 3  # of them: less tells the variance alone
_MOST_ROWS = 1000
_GROUPS = 16  # of rows, of which one after the other is left out
_SURELY = 2.0  # standard errors
_BY_CHANCE = (2.0, 6.0)  # mean squared moduli of chance, that the highest of few and of many has
_FEW = 15  # of the multiples


def most_normal(X: FloatArray, std: float) -> float:
    """Return the highest level that normal noise of one level may have in all columns of X (n, p).

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Centred rows in random order.
    std : float
        A level, which sets the scale of what is looked at.

    Returns
    -------
    float
        Infinite where nothing is told.
    """
    X = X[:_MOST_ROWS]
    # Rows that were rounded themselves are whole multiples, whatever their noise was before.
    limits = np.pi / np.maximum(least_steps(X), np.finfo(float).tiny)
    quiet = np.argsort(X.var(axis=0))[: max(1, X.shape[1] // 2)]
    groups = np.array_split(X * (_STEP / std), _GROUPS)
    counts = np.array([len(rows) for rows in groups])
    unit = [np.exp(1j * rows) for rows in groups]
    power = [np.ones_like(rows) for rows in unit]
    best = np.inf
    for multiple in range(1, _COUNT + 1):
        power = [one * rows for one, rows in zip(unit, power, strict=True)]
        if multiple < _FIRST:
            continue
        argument = multiple * _STEP / std
        sums = np.array([rows.sum(axis=0) for rows in power])
        told = limits >= argument
        for columns in (told, np.isin(np.arange(X.shape[1]), quiet) & told):
            square = _surely_above(sums[:, columns], counts, _BY_CHANCE[multiple > _FEW])
            if square > 0.0:
                best = min(best, (-np.log(square)) ** 0.5 / argument)
    return float(best)


def _surely_above(sums: FloatArray, counts: FloatArray, by_chance: float) -> float:
    """Return what the mean squared modulus of characteristic functions is above for sure.

    Parameters
    ----------
    sums : ndarray of complex, shape (groups, q)
        Sums of exponentials over groups of rows.
    counts : ndarray, shape (groups,)
        Rows in each.
    by_chance : float
        How much more than none there may be, in units of what is seen where there is none.
    """
    total, left_out = sums.sum(axis=0), np.append(counts, 0)
    if not total.size:
        return 0.0
    rest = np.vstack([total - sums, total])
    n_rows = counts.sum() - left_out
    # Of independent rows, without the part that each has with itself.
    means = (np.mean(np.abs(rest) ** 2, axis=1) - n_rows) / (n_rows * (n_rows - 1.0))
    error = float(means[:-1].std()) * (len(counts) - 1) ** 0.5
    chance = total.size**-0.5 / float(counts.sum())
    return float(means[-1]) - _SURELY * error - by_chance * chance
