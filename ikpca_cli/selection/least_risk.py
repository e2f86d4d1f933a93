"""The weights of least estimated risk for an expansion of candidates, and what they promise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.selection.displacements import Candidates, Displacements

_RIDGE = 1e-6  # of the products, each scaled to 1: shares weight among ways that do nearly the same
_MOST_WEIGHT = 2.0  # of iterations: a little over 1 makes up for steps that stop short
_LEAST_WEIGHT = 0.02  # of a candidate: less is not worth its time
_FOLDS = 4  # of held-out rows, to see how much weights owe to the rows that chose them
_NEGLIGIBLE = 1e-14  # mean square of a displacement, as a share of the largest


def best_weights(
    parts: Sequence[Candidates], usable: NDArray[np.bool_], n_iterations: int
) -> FloatArray:
    """Return the weights (k,) of least risk, none below 0.

    Parameters
    ----------
    parts : sequence of Candidates
        What takes part, k candidates in all; those that iterate come first, smoothers last.
    usable : ndarray, shape (k,)
        Candidates that may have a weight.
    n_iterations : int
        Number of those that iterate.
    """
    return _limited(_non_negative_minimum(*_quadratic(parts), usable), n_iterations)


def _limited(weights: FloatArray, n_iterations: int) -> FloatArray:
    """Return weights (k,) of which none is too small or too large; they are changed."""
    # Where rows are not moved at all, Stein's estimate alone would have them moved without end.
    total = float(weights[:n_iterations].sum())
    weights[:n_iterations] *= min(1.0, _MOST_WEIGHT / max(total, _MOST_WEIGHT))
    weights[n_iterations:] = np.minimum(weights[n_iterations:], _MOST_WEIGHT)
    weights[weights < _LEAST_WEIGHT] = 0.0
    return weights


def optimism(parts: Sequence[Candidates], usable: NDArray[np.bool_], n_iterations: int) -> float:
    """Return how far the least risk is below that of its weights on rows that did not choose them.

    Weights are found on all rows but a share 1 / k, and judged on that share, in turn. Both the
    fall of the least risk and the harm of weights found on fewer rows are as one over the number of
    these, so that of the difference the part ``2 / (1 + k / (k - 1))`` is due to weights of all.

    Parameters
    ----------
    parts, usable, n_iterations
        As for `best_weights`.
    """
    before = np.zeros(parts[0].gains.shape[1])
    folds = np.array_split(np.arange(len(before)), min(_FOLDS, len(before)))
    if len(folds) < 2:
        return 0.0
    found = best_weights(parts, usable, n_iterations)
    held = [[part.some(fold) for part in parts] for fold in folds]
    # Sums over all rows less those of a fold are those over the others.
    counts = [len(fold) for fold in folds]
    forms = [_quadratic(some) for some in held]
    quadratic = np.sum([n * form for n, (form, _) in zip(counts, forms, strict=True)], axis=0)
    linear = np.sum([n * form for n, (_, form) in zip(counts, forms, strict=True)], axis=0)
    total = 0.0
    for fold, some, (own, ours) in zip(folds, held, forms, strict=True):
        count, rest = len(fold), len(before) - len(fold)
        others = (quadratic - count * own) / rest, (linear - count * ours) / rest
        weights = _limited(_non_negative_minimum(*others, usable), n_iterations)
        total += float(np.sum(risks_of(some, weights, before[fold])))
    least = float(risks_of(parts, found, before).mean())
    share = 2.0 / (1.0 + len(folds) / (len(folds) - 1.0))
    return max(share * (total / len(before) - least), 0.0)


def risks_of(parts: Sequence[Candidates], weights: FloatArray, before: FloatArray) -> FloatArray:
    """Return the risk of each row, (m,), after a sum of candidates with some weights (k,).

    With weights t it is ``before + |sum_k t_k steps_k|^2 / p + 2 sum_k t_k gains_k``.
    """
    step = summed(parts, weights)
    gain = weights @ np.concatenate([part.gains for part in parts])
    risks: FloatArray = before + np.mean(np.square(step), axis=1) + 2.0 * gain
    return risks


def summed(parts: Sequence[Candidates], weights: FloatArray) -> FloatArray:
    """Return the displacement (m, p) of a sum of candidates with some weights (k,)."""
    step, first = np.zeros(()), 0
    for part in parts:
        some = weights[first : first + len(part.gains)]
        first += len(some)
        step = step + part.together(some)
    return step


def _quadratic(parts: Sequence[Candidates]) -> tuple[FloatArray, FloatArray]:
    """Return Q and c of the mean risk ``t'Qt + 2 c't`` of all candidates together."""
    sizes = np.cumsum([0, *(len(part.gains) for part in parts)])
    quadratic = np.zeros((sizes[-1], sizes[-1]))
    for i, one in enumerate(parts):
        for j, other in enumerate(parts[: i + 1]):
            if one is other:
                block = one.products
            else:
                assert isinstance(other, Displacements)
                block = one.products_with(other)
            rows, columns = slice(sizes[i], sizes[i + 1]), slice(sizes[j], sizes[j + 1])
            quadratic[rows, columns] = block
            quadratic[columns, rows] = block.T
    return quadratic, np.concatenate([part.gains.mean(axis=1) for part in parts])


def _non_negative_minimum(
    quadratic: FloatArray, linear: FloatArray, usable: NDArray[np.bool_]
) -> FloatArray:
    """Return the t >= 0 that minimises ``t'Qt + 2 c't``, (k,), 0 where not usable."""
    from scipy.linalg import solve_triangular
    from scipy.optimize import nnls

    minimum = np.zeros(len(linear))
    lengths = np.where(usable, np.diag(quadratic), 0.0)
    on = lengths > _NEGLIGIBLE * lengths.max(initial=0.0)
    if not on.any():
        return minimum
    # In units of its own length no candidate is favoured, and the ridge is the same for all.
    scale = np.sqrt(lengths[on])
    scaled = quadratic[np.ix_(on, on)] / np.outer(scale, scale)
    root = np.linalg.cholesky(scaled + _RIDGE * np.eye(len(scale)))
    found = nnls(root.T, solve_triangular(root, -linear[on] / scale, lower=True))[0]
    minimum[on] = found / scale
    return minimum
