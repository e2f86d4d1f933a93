"""The risk of a choice on all rows, each held out once, and for a fit on all of them.

Candidates are compared on a quarter of the rows. What is promised of the best of them is measured
on the other quarters as well. A fit on fewer rows shows how fast the risk falls with their number;
it is taken to fall as one over it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.selection.choice import Choice

FEWEST = 12
"""Rows that quarters of tell anything."""

GOOD_ENOUGH = 0.03
"""Standard error of a risk, over the risk, that is not worth further fits."""

_FOLDS = 4
_LEAST_LEFT = 0.75  # of a risk by more rows


def on_all_rows(
    best: Choice,
    risk_of: Callable[[NDArray[np.intp], NDArray[np.intp]], tuple[float, float]],
    n_rows: int,
    n_samples: int,
) -> Choice:
    """Return a choice with its risk on all rows, for a fit on `n_samples`.

    Parameters
    ----------
    best : Choice
    risk_of : callable
        Called as ``risk_of(train, held)`` with places of rows; returns the risk of held rows for a
        fit on the others, and its standard error.
    n_rows : int
        Number of rows that took part in the choice.
    n_samples : int
        Number of rows that will be fitted on.
    """
    known = best.risk is None or best.error is None or best.error <= GOOD_ENOUGH * best.risk
    if known or n_rows < FEWEST:
        return best
    places = np.arange(n_rows)
    risks, falls, squares = [], [], 0.0
    for held in np.array_split(places, _FOLDS):
        rest = np.setdiff1d(places, held)
        risk, error = risk_of(rest, held)
        risks.append(risk)
        squares += error**2
        # Whatever rows are left out, those that are fitted on remain a sample of all.
        falls.append(risk_of(rest[: (2 * len(rest)) // 3], held)[0] - risk)
    risk = float(np.mean(risks))
    on = (1.0 / 0.75 - n_rows / max(n_samples, n_rows)) / (2.0 - 1.0 / 0.75)
    fall = float(np.clip(on * np.mean(falls), 0.0, max((1.0 - _LEAST_LEFT) * risk, 0.0)))
    return replace(best, risk=risk - fall, error=squares**0.5 / _FOLDS)


def for_all_rows(
    risk: float, error: float, changes: FloatArray, counts: tuple[int, int, int]
) -> tuple[float, float]:
    """Return a risk for a fit on all rows, and its standard error, by that of one other fit.

    A few rows may change far more than all others do, so that a change counts as far as it is
    surely no chance; and no more can fall than all of a risk.

    Parameters
    ----------
    risk, error : float
        Those of the fit, and the standard error.
    changes : ndarray, shape (m,)
        Risk of each held-out row by the other fit, less that by the fit.
    counts : tuple of int
        Number of rows of the fit, of the other one, and of all.
    """
    few, other, n_samples = counts
    on = (1.0 / few - 1.0 / n_samples) / (1.0 / few - 1.0 / other)
    change = min(on * float(changes.mean()), 0.0)
    chance = on * float(changes.std()) / len(changes) ** 0.5
    share = max(1.0 - (chance / change) ** 2, 0.0) if change else 0.0
    most = (1.0 - few / n_samples) * max(risk, 0.0)
    return risk + max(share * change, -most), float(np.hypot(error, share * chance))
