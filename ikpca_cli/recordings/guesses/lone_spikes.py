"""Whether single samples that stand out of a recording are spikes, or its signal.

Events of a signal that last about a sample are seen in two or three of them as often as in one,
by when they come, and most signals have smaller ones, too. Spikes are always alone, hardly any is
half as far off as they are, they come at any time, as beats of a pacemaker do not, and are of any
size, as events that are counted are not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ikpca_cli.data.row_source import FloatArray, RowSource
from ikpca_cli.recordings.canvases.lone_samples import AROUND, FAR, Distances
from ikpca_cli.recordings.roughness import stretches

_FEWEST, _MOST = 3, 0.05  # spikes, and share of samples that may be some
_WIDER, _SMALLER, _NEARLY = 0.25, 0.5, 0.7  # most of them that are; share of the distance
_ALIKE = 2.0  # noise levels that sizes differ by in the median
_REGULAR, _SOME = 0.5, 8  # spread of their intervals over the mean, by chance 1, and how many tell


def spike_shares(canvases: Sequence[RowSource], stds: FloatArray) -> FloatArray:
    """Return the share of the numbers of each channel that are spikes, (c,); 0 where none are.

    Parameters
    ----------
    canvases : sequence of RowSource, shape (n, c)
        Of a recording.
    stds : ndarray, shape (c,)
        The noise level of each channel.
    """
    width = len(stds)
    alone, narrow, smaller = (np.zeros(width, int) for _ in range(3))
    intervals: list[list[FloatArray]] = [[] for _ in range(width)]
    sizes: list[list[FloatArray]] = [[] for _ in range(width)]
    numbers = 0
    for rows in stretches(canvases, AROUND):
        found = Distances.of(rows, stds)
        single = found.alone()
        alone += single.sum(axis=0)
        narrow += found.narrow().sum(axis=0)
        smaller += found.alone(_NEARLY * FAR, FAR).sum(axis=0)
        numbers += len(rows)
        apart = (rows - found.medians) / stds
        for channel in range(width):
            places = np.flatnonzero(single[:, channel])
            intervals[channel].append(np.diff(places).astype(np.float64))
            sizes[channel].append(apart[places, channel])
    regular = np.array(
        [
            _are_regular(np.concatenate(times)) or _are_alike(np.concatenate(some))
            for times, some in zip(intervals, sizes, strict=True)
        ]
    )
    are_some = (alone >= _FEWEST) & (alone < _MOST * numbers)
    # Those that are alone are narrow, too.
    are_some &= (narrow - alone < _WIDER * alone) & (smaller < _SMALLER * alone) & ~regular
    shares: FloatArray = np.where(are_some, alone / max(numbers, 1), 0.0)
    return shares


def _are_regular(intervals: FloatArray) -> bool:
    if len(intervals) < _SOME:
        return False
    return bool(intervals.std() < _REGULAR * intervals.mean())


def _are_alike(sizes: FloatArray) -> bool:
    if len(sizes) < _SOME:
        return False
    return bool(np.median(np.abs(sizes - np.median(sizes))) < _ALIKE)


def spikes(canvases: Sequence[RowSource], stds: FloatArray) -> float:
    """Return what spikes, if they are such, add to the mean square of noise; 0 if few.

    Parameters are those of `spike_shares`.
    """
    total, count, numbers = 0.0, 0, 0
    for rows in stretches(canvases, AROUND):
        found = Distances.of(rows, stds)
        single = found.alone()
        total += float(np.sum((rows - found.medians)[single] ** 2))
        count += int(np.count_nonzero(single))
        numbers += single.size
    return total / numbers if count >= _FEWEST else 0.0
