"""Whether rows are nothing but one random process, with no signal that stands out of it.

Random walks, and all else whose steps are stationary, are as rough as noise that is correlated
along the row. A part of them passes for signal, the rest for noise, at any level. What gives them
away is that the autocovariance of the steps from column to column explains all of their spectrum:
steps that it makes white have no direction above the edge of noise. Signal of a certain shape has.
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
_BEYOND = 2.0  # what the highest of so many lies above the edge (Tracy and Widom)


def is_one_process(X: FloatArray) -> bool:
    """Tell whether centred rows (n, p), in random order, may be one process of stationary steps."""
    if not FEWEST_COLUMNS <= X.shape[1] <= _MOST_COLUMNS:
        return False
    steps = np.diff(X[:SOME_ROWS], axis=1)
    steps -= steps.mean(axis=0)
    if not steps.any():
        return False
    spectrum = Eigenvalues.of(Whitening(stationary(steps)).forward(steps), alone=True)
    variances, count = spectrum.variances, len(spectrum.variances)
    edge = float(variances.mean()) * (1.0 + (count / spectrum.long) ** 0.5) ** 2
    return bool(variances[-1] < edge * (1.0 + _BEYOND * count ** (-2.0 / 3.0)))
