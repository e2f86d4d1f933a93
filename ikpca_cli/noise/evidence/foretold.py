"""How much of the quietest directions of rows is foretold by the others, as only signal is.

Noise in a direction is independent of all that is seen in other directions, so that nothing but
signal can be foretold from these, and the error of any prediction of rows that had no part in it is
no less than the noise (as in Batson and Royer, "Noise2Self", 2019). Curves, groups and kinks are in
all directions, in those where they vary least as a function of where they vary most; kernel ridge
regression finds it, and its error on rows that are left out is known without leaving any out.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.kernels.kernel import Gaussian
from ikpca_cli.noise.eigenvalues import Eigenvalues

_FEWEST_ROWS = 30  # fewer foretell nothing

_MOST_ROWS = 300
_WIDTHS, _RIDGES = (0.3, 1.0, 3.0), (0.01, 0.1, 1.0)
_CHANCE = 1.5  # over the root of the numbers: more than the best of these foretells of noise
_LITTLE = 0.05


def foretold_share(X: FloatArray, spectrum: Eigenvalues, std: float) -> float:
    """Return the share of a squared level that is signal for sure, from 0 to 1.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Centred rows in random order.
    spectrum : Eigenvalues
    std : float
        The level. Directions of no more variance are foretold from the others.
    """
    quiet = max(1, int(np.count_nonzero(spectrum.variances <= std**2)))
    few = len(X) < _FEWEST_ROWS or not spectrum.of_columns
    if few or quiet == X.shape[1] or spectrum.variances[0] <= 0.0:
        return 0.0
    Z = X[:_MOST_ROWS] @ spectrum.vectors
    found = Z[:, :quiet] - Z[:, :quiet].mean(axis=0)
    known = Z[:, quiet:]
    scaled = known / np.sqrt(spectrum.variances[quiet:])
    variance = float(np.mean(found**2))
    share = 1.0 - min(_least_error(one, found) for one in (known, scaled)) / variance
    if share < max(_LITTLE, _CHANCE / found.size**0.5):
        return 0.0
    return max(1.0 - (1.0 - share) * variance / std**2, 0.0)


def _least_error(known: FloatArray, found: FloatArray) -> float:
    """Return the least mean squared error of numbers (n, q) foretold from others, (n, r)."""
    distances = Gaussian().distance(known, known)
    median = float(np.median(distances[np.triu_indices_from(distances, 1)]))
    least = np.inf
    for width in _WIDTHS:
        values, vectors = np.linalg.eigh(np.exp(-width / median * distances))
        codes = vectors.T @ found
        for ridge in _RIDGES:
            kept = values / (values + ridge)
            # What is left of a row, had it no part in the regression (Allen's PRESS, 1974).
            free = 1.0 - vectors**2 @ kept
            left = (found - vectors @ (kept[:, None] * codes)) / free[:, None]
            least = min(least, float(np.mean(left**2)))
    return least
