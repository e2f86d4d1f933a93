"""Non-local means within a row: numbers whose surroundings are alike are averaged.

Buades, Coll and Morel, "A non-local algorithm for image denoising" (2005). Two places i and j of a
row y are joined by the weight ``w = exp(-max(d - 2 sigma^2, 0) / (h sigma)^2)``, where d is the
mean squared difference of the patches around them, of which ``2 sigma^2`` is noise, and y_i becomes
the mean of all y_j near it with these weights. So flat ground, edges and strokes are told by the
row itself: no filter of frequencies, and no other row, has to know them.

Weights are symmetric, so each pair is looked at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.data.threads import CACHED, chunks
from ikpca_cli.models.smoothing.order import RowOrder

_BANDWIDTH = 0.8
"""h: what scikit-image's manual gives for a known noise level."""

_PICTURE = (1, 5)
"""Half a patch, and how far a neighbour may be, along each side of a picture; as in that manual."""

_LINE = (3, 20)
"""The same along a line: about as many numbers in a patch, and a third as many neighbours."""

_ARRAYS = 8  # that are worked on at a time


def nonlocal_means(
    order: RowOrder, noise_variance: float, Z: FloatArray, dZ: Sequence[FloatArray]
) -> tuple[FloatArray, list[FloatArray]]:
    """Average numbers of each row whose surroundings are alike; a `Smoother`."""
    if not order.patches or not (order.down or order.across):
        return np.zeros_like(Z), [np.zeros_like(d) for d in dZ]
    step, turned = np.empty_like(Z), [np.empty_like(d) for d in dZ]
    for part in chunks(len(Z), max(1, CACHED // (_ARRAYS * order.n_features))):
        rows, *directions = (
            order.inverse(some[part]).reshape(-1, order.height, order.width) for some in (Z, *dZ)
        )
        means, changes = _means(order, noise_variance, rows, directions)
        step[part] = order.forward((means - rows).reshape(Z[part].shape))
        for whole, change, d in zip(turned, changes, directions, strict=True):
            whole[part] = order.forward((change - d).reshape(Z[part].shape))
    return step, turned


def _means(
    order: RowOrder, noise_variance: float, rows: FloatArray, directions: Sequence[FloatArray]
) -> tuple[FloatArray, list[FloatArray]]:
    """Return the means (m, H, W) of grids, and their derivatives along directions."""
    half, reach = _PICTURE if order.down and order.across else _LINE
    halves = (half * order.down, half * order.across)
    patch = (2 * halves[0] + 1) * (2 * halves[1] + 1)
    padding = ((0, 0), *((side, side) for side in halves))
    padded, *turning = (np.pad(grid, padding, mode="symmetric") for grid in (rows, *directions))
    # A number is as like itself as can be.
    total, weight = rows.copy(), np.ones_like(rows)
    changes = [(d.copy(), np.zeros_like(d)) for d in directions]
    noise, width = 2.0 * noise_variance, _BANDWIDTH**2 * noise_variance
    sides, wide_sides = rows.shape[1:], padded.shape[1:]
    for moves in _moves(sides, reach * order.down, reach * order.across):
        pair, wide = _pair(sides, moves), _pair(wide_sides, moves)
        apart = padded[wide.here] - padded[wide.there]
        distances = _sum_of_patches(apart**2, halves) / patch
        w = np.exp(-np.maximum(distances - noise, 0.0) / width)
        _join(total, weight, rows, pair, w)
        for (change, slope), d, e in zip(changes, directions, turning, strict=True):
            nearer = _sum_of_patches(apart * (e[wide.here] - e[wide.there]), halves)
            dw = np.where(distances > noise, (-2.0 / (patch * width)) * w * nearer, 0.0)
            _join(change, slope, rows, pair, dw)
            change[pair.here] += w * d[pair.there]
            change[pair.there] += w * d[pair.here]
    means = total / weight
    return means, [(change - means * slope) / weight for change, slope in changes]


class _Pair(NamedTuple):
    """Two parts of grids, one of which is the other moved by some places."""

    here: tuple[slice, ...]
    there: tuple[slice, ...]


def _pair(sides: tuple[int, ...], moves: tuple[int, int]) -> _Pair:
    """Return the parts of grids (m, H, W) that are so many places apart."""
    here, there = [slice(None)], [slice(None)]
    for side, move in zip(sides, moves, strict=True):
        here.append(slice(max(-move, 0), side - max(move, 0)))
        there.append(slice(max(move, 0), side - max(-move, 0)))
    return _Pair(tuple(here), tuple(there))


def _moves(sides: tuple[int, ...], down: int, across: int) -> Iterator[tuple[int, int]]:
    """Yield what is between two places at most so far apart, one of each two opposite moves."""
    down, across = min(down, sides[0] - 1), min(across, sides[1] - 1)
    for y in range(down + 1):
        for x in range(-across if y else 1, across + 1):
            yield y, x


def _join(
    total: FloatArray, weight: FloatArray, rows: FloatArray, pair: _Pair, w: FloatArray
) -> None:
    """Add the numbers of each part, with some weights, to sums at the other."""
    here, there = pair.here, pair.there
    total[here] += w * rows[there]
    total[there] += w * rows[here]
    weight[here] += w
    weight[there] += w


def _sum_of_patches(values: FloatArray, halves: tuple[int, int]) -> FloatArray:
    """Return the sums (m, H, W) over the patch around each place of grids with a margin."""
    for axis, half in enumerate(halves, start=1):
        if half:
            size, before = values.shape[axis] - 2 * half, (slice(None),) * axis
            total = values[(*before, slice(size))].copy()
            for k in range(1, 2 * half + 1):
                total += values[(*before, slice(k, k + size))]
            values = total
    return values
