"""Whether rows are nothing but one random process, with no signal that stands out of it.

Random walks, and all else whose steps are stationary, are as rough as noise that is correlated
along the row. A part of them passes for signal, the rest for noise, at any level. What gives them
away is that the autocovariance of the steps from column to column explains all of their spectrum:
steps that it makes white have no direction above the edge of noise. Signal of a certain shape has;
if it is smooth, it has few steps, but between far columns rows differ by more at some places than
at others, which such a process does not.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.models.correlated import stationary
from ikpca_cli.transforms.whiten import Whitening

FEWEST_COLUMNS = 6
"""Shorter rows have too few steps to tell."""

SOME_ROWS = 1000
"""Rows that are looked at."""

_MOST_COLUMNS = 2000
_PLACES, _APART = 20, (8, 4, 2)  # least columns of which places tell, and far ones: the row over
_UNEVEN = 3.5  # times the variance of squared differences by chance: hardly any process has it
_BEYOND = 2.0  # what the highest of so many lies above the edge (Tracy and Widom)


def is_one_process(X: FloatArray) -> bool:
    """Tell whether centred rows (n, p), in random order, may be one process of stationary steps."""
    if not FEWEST_COLUMNS <= X.shape[1] <= _MOST_COLUMNS:
        return False
    X = X[:SOME_ROWS]
    if X.shape[1] >= _PLACES and _has_places(X):
        return False
    steps = np.diff(X, axis=1)
    steps -= steps.mean(axis=0)
    if not steps.any():
        return False
    spectrum = Eigenvalues.of(Whitening(stationary(steps)).forward(steps), alone=True)
    variances, count = spectrum.variances, len(spectrum.variances)
    edge = float(variances.mean()) * (1.0 + (count / spectrum.long) ** 0.5) ** 2
    return bool(variances[-1] < edge * (1.0 + _BEYOND * count ** (-2.0 / 3.0)))


def _has_places(X: FloatArray) -> bool:
    """Tell whether far columns of rows (n, p) differ by more at some places than by chance."""
    for apart in (X.shape[1] // part for part in _APART):
        squares = (X[:, apart:] - X[:, :-apart]) ** 2
        by_chance = float(np.mean(squares.var(axis=0))) / len(X)
        if float(squares.mean(axis=0).var()) > _UNEVEN * by_chance:
            return True
    return False
