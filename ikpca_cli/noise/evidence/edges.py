"""The noise level beside edges, which are anywhere in rows that are smooth elsewhere.

Steps, teeth and doses that start at their own times have power at all frequencies, and fill all
directions. But few neighbours have an edge between them, so that differences along the row are
normal but for some. Of normal noise no more are below a bound if anything is added to it (Anderson,
"The integral of a symmetric unimodal function", 1955): quantiles of differences tell the most that
its level may be (as the median of the finest wavelets does for Donoho and Johnstone, "Ideal spatial
adaptation by wavelet shrinkage", 1994).
"""

from __future__ import annotations

from math import comb, sqrt

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.estimate import NoiseLevel

FEWEST_COLUMNS = 20
"""In shorter rows edges are not few."""

_ORDERS = 2, 4  # of differences
_FIFTH, _HALF = 0.25334710313579967, 0.6744897501960817  # quantiles of |normal| numbers
_FAR = 4.0  # levels that noise has not
_NEAR, _OF_NEAR, _PASSES = 2.5, 0.66475, 8  # median of |normal| numbers that are nearer than so far
_SOME, _FEW = 0.01, 0.001  # share that edges have at least, and where nearly all are alone
_ALIKE, _WHITE = 0.05, 0.1  # relative difference of levels by quantiles, and by orders
_CHANCE = 6.0  # what is added to these, over the root of the numbers
_EVEN = (2.0, 3.0)  # scatter of rows and of columns, in units of what the root of numbers leaves
_ALONE, _NEARLY, _BACK = 0.62, 0.8, 0.5  # share of edges that do not go back by half, as spikes do
_ANYWHERE = 1.45  # times as often in one column as by chance: lines of pictures have their places
_SURELY = 3.0  # standard errors
_HIDDEN = 0.25  # share of the squared level that may be signal
_UNSURE = 0.03  # relative error of the level, by edges that are no higher than noise


def most_normal_noise(X: FloatArray) -> float:
    """Return the highest level that normal white noise may have on rows (n, p), but for chance."""
    return min(float(np.median(_bends(X, order))) / _HALF for order in _ORDERS)


def level_beside_edges(X: FloatArray) -> NoiseLevel | None:
    """Return the level of white noise beside edges in rows; None where there are none.

    It is a bound unless differences of several orders, and all but the largest of each, tell one
    level, in any row and column. What jumps and comes back is a spike, or noise of heavy tails.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Centred.
    """
    if X.shape[1] < FEWEST_COLUMNS:
        return None
    bends = _bends(X, _ORDERS[0])
    level = float(np.median(bends)) / _HALF
    if level == 0.0:
        return None
    bends /= level
    far = bends > _FAR
    if float(far.mean()) <= _FEW or not _are_edges(far, _share_alone(X, level)):
        return None
    chance = _CHANCE / X.size**0.5
    one = float(np.quantile(bends, 0.2)) / _FIFTH > 1.0 - _ALIKE - chance
    white = abs(float(np.median(_bends(X, _ORDERS[1]))) / _HALF / level - 1.0) < _WHITE + chance
    even = all(
        np.median(bends, axis=axis).std() * bends.shape[axis] ** 0.5 < most * _HALF
        for axis, most in ((1, _EVEN[0]), (0, _EVEN[1]))
    )
    ratio = 1.0
    for _ in range(_PASSES):  # without most of those of edges
        ratio = float(np.median(bends[bends < _NEAR * ratio])) / _OF_NEAR
    std = level * min(ratio, 1.0)
    is_bound = not (one and white and even)
    return NoiseLevel(std, certain=False, is_bound=is_bound, error=_UNSURE, hidden=_HIDDEN)


def _bends(X: FloatArray, order: int) -> FloatArray:
    """Return sizes of differences along rows (n, p), by what they make of noise of level 1."""
    bends: FloatArray = np.abs(np.diff(X, n=order, axis=1))
    return bends / sqrt(comb(2 * order, order))


def _are_edges(far: NDArray[np.bool_], alone: float) -> bool:
    """Tell whether differences (n, p) that are far beyond noise are edges that may be anywhere."""
    least = _FEW if alone > _NEARLY else _SOME
    counts = far.sum(axis=0, dtype=float)
    total, size = max(float(counts.sum()), 1.0), len(counts)
    together = float(counts @ (counts - 1.0)) * size / total**2
    spread = together < _ANYWHERE + _SURELY * (2.0 * size) ** 0.5 / total
    return alone > _ALONE and spread and float(far.mean()) > least


def _share_alone(X: FloatArray, level: float) -> float:
    """Return the share of jumps in rows (n, p), beyond noise, that do not go back at once."""
    jumps = np.diff(X, axis=1)
    is_far = np.abs(jumps) > _FAR * 2.0**0.5 * level
    before, after = np.zeros_like(jumps), np.zeros_like(jumps)
    before[:, 1:], after[:, :-1] = jumps[:, :-1], jumps[:, 1:]
    back = np.maximum(-before * np.sign(jumps), -after * np.sign(jumps))
    alone = is_far & (back < _BACK * np.abs(jumps))
    return float(alone.sum() / max(int(is_far.sum()), 1))
