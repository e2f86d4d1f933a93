"""Weights that single rows do not decide, which would be moved farther than noise ever moves one.

`Caution` shortens such displacements when rows are cleaned. In the mean risk of all, one of them
may outweigh what all other rows gain, so that none would be moved at all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.linalg.shrinkage import kept_share, longest_square
from ikpca_cli.selection.displacements import Candidates, Displacements
from ikpca_cli.selection.least_risk import best_weights, risks_of, summed

_FAR = 2.0  # times the squared length that noise hardly ever has
_MOST = 0.05  # share of rows that may be so far; more are of a kind that weights are for


def weights_for_most(
    parts: Sequence[Candidates],
    usable: NDArray[np.bool_],
    n_iterations: int,
    before: FloatArray,
    noise_variance: float,
) -> tuple[FloatArray, FloatArray, NDArray[np.intp] | None]:
    """Return weights (k,), the risk of each row, (m,), and the places of rows that decided.

    None where all did, as where the limit of displacements changes nothing.

    Parameters
    ----------
    parts, usable, n_iterations
        As for `best_weights`.
    before : ndarray, shape (m,)
        Mean squared error of the rows.
    noise_variance : float
    """
    n_features = next(part.steps.shape[2] for part in parts if isinstance(part, Displacements))
    longest = longest_square(n_features) * noise_variance
    found = best_weights(parts, usable, n_iterations)
    risks = risks_of(parts, found, before)
    near = _near(_usual_squares(parts, usable), longest)
    if near is None:
        return found, risks, None
    for _ in range(2):  # by what candidates do, and then by what their sum does
        weights = best_weights([part.some(near) for part in parts], usable, n_iterations)
        squares: FloatArray = np.sum(np.square(summed(parts, weights)), axis=1)
        again = _near(squares, longest)
        if again is None:
            break
        near = again
    # Of a displacement that is shortened to a share, the gain falls so, and the square by more.
    share = kept_share(squares, noise_variance, n_features)
    whole = risks_of(parts, weights, before) - before
    limited = before + share * whole - share * (1.0 - share) * squares / n_features
    if float(limited.mean()) >= float(risks.mean()):
        return found, risks, None
    return weights, limited, near


def _near(squares: FloatArray, longest: float) -> NDArray[np.intp] | None:
    """Return the places of rows that are not moved too far, None unless these are most of them."""
    far = squares > _FAR * longest
    return np.flatnonzero(~far) if 0 < far.sum() <= max(1.0, _MOST * len(far)) else None


def _usual_squares(parts: Sequence[Candidates], usable: NDArray[np.bool_]) -> FloatArray:
    """Return the median, over candidates, of the squared lengths of their displacements, (m,)."""
    first, found = 0, []
    for part in parts:
        if isinstance(part, Displacements):
            steps = part.steps[usable[first : first + len(part.steps)]]
            found.append(np.einsum("kij,kij->ki", steps, steps))
        first += len(part.gains)
    squares = np.concatenate(found)
    if not len(squares):
        return np.zeros(squares.shape[1])
    return np.asarray(np.median(squares, axis=0))
