"""Single samples far from all around them: spikes of a sensor, hits, lost bits.

The median of nine samples has no part in them. A peak or an edge of a signal is as far from it,
but a sample next to one is so, too: the samples next to a spike are as those around it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray

AROUND = 9
"""Samples that tell what one of them should be."""

FAR, NEAR = 8.0, 3.0
"""Standard deviations of noise that a spike is off at least, and samples next to it at most."""

_BESIDE = 0.25  # of the distance of a spike, what is beside it at most
_MARGIN = AROUND // 2 + 1  # samples on either side that take part in what becomes of one


@dataclass(frozen=True)
class Distances:
    """How far samples are from those around them.

    Attributes
    ----------
    medians : ndarray, shape (n, c)
        Of `AROUND` samples.
    away : ndarray, shape (n, c)
        Distances from these, in standard deviations of the noise.
    """

    medians: FloatArray
    away: FloatArray

    @classmethod
    def of(cls, rows: FloatArray, stds: FloatArray) -> Distances:
        """Measure samples (n, c) by the noise levels (c,) of their channels."""
        from scipy.ndimage import median_filter

        medians = median_filter(rows, (AROUND, 1), mode="nearest")
        return cls(medians, np.abs(rows - medians) / stds)

    def alone(self, least: float = FAR, most: float = np.inf) -> NDArray[np.bool_]:
        """Return which samples are so far off, and those next to them near, (n, c)."""
        found = np.zeros(self.away.shape, dtype=bool)
        near = self.away <= NEAR
        far = (self.away > least) & (self.away <= most)
        found[1:-1] = far[1:-1] & near[:-2] & near[2:]
        return found

    def struck(self) -> NDArray[np.bool_]:
        """Return which samples are spikes where there are some, (n, c); noise is beside them."""
        found = self.alone()
        away = self.away
        beside = np.maximum(away[:-2], away[2:])
        found[1:-1] |= (away[1:-1] > FAR) & (beside <= _BESIDE * away[1:-1])
        return found

    def narrow(self) -> NDArray[np.bool_]:
        """Return the tops of what is far off for up to three samples, (n, c)."""
        found = np.zeros(self.away.shape, dtype=bool)
        away, near = self.away, self.away <= NEAR
        top = (away[2:-2] >= away[1:-3]) & (away[2:-2] >= away[3:-1])
        found[2:-2] = (away[2:-2] > FAR) & top & near[:-4] & near[4:]
        return found


def read_without(
    read: Callable[[slice], FloatArray], part: slice, length: int, stds: FloatArray
) -> FloatArray:
    """Return a part of a recording, the median of those around it in the place of each spike.

    Parameters
    ----------
    read : callable
        Returns samples (n, c).
    part : slice
    length : int
        Samples of the recording.
    stds : ndarray, shape (c,)
        Noise level of each channel; infinite where spikes stay.
    """
    first, last = max(0, part.start - _MARGIN), min(length, part.stop + _MARGIN)
    rows = read(slice(first, last))
    found = Distances.of(rows, stds)
    repaired = np.where(found.struck(), found.medians, rows)
    return repaired[part.start - first : part.stop - first]
