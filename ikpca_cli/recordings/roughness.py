"""The noise level of a recording or picture, from what changes from one number to the next.

The median absolute second difference, which smooth signals hardly reach and edges, being few, do
not move (Donoho and Johnstone 1994; across both directions of a picture Immerkaer 1996).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ikpca_cli.data.row_source import FloatArray, RowSource
from ikpca_cli.recordings.cutting import Kind

MOST_NUMBERS = 1 << 20
"""Numbers that are looked at, in stretches spread evenly."""

_STRETCH = 1 << 12  # rows read together
_MAD = 0.6744897501960817  # median absolute deviation of a standard normal number
_ROOT = 6.0**0.5  # norm of (1, -2, 1)


def channel_noise(canvases: Sequence[RowSource], kind: Kind) -> FloatArray:
    """Return the standard deviation of white noise in each channel, or in the picture: (c,).

    0 where more than half of all numbers continue those before.
    """
    return changes(canvases, kind, 1)


def changes(canvases: Sequence[RowSource], kind: Kind, lag: int) -> FloatArray:
    """Return the size of second differences over `lag` samples in each channel, (c,).

    That of white noise is its standard deviation.
    """
    found = []
    share = max(1, MOST_NUMBERS // len(canvases))
    canvases = [canvas for canvas in canvases if int(canvas.shape[0]) > 2 * lag] or canvases
    for canvas in canvases[:: max(1, len(canvases) // 64)]:
        length, width = canvas.shape
        count = max(1, min(length, share // width) // _STRETCH)
        starts = np.linspace(0, max(0, length - _STRETCH), count).astype(int)
        for start in np.unique(starts):
            rows = np.asarray(canvas[start : start + _STRETCH], dtype=np.float64)
            moved = _second(rows, lag)
            if kind == "image":
                moved = _second(moved.T, lag).reshape(-1, 1)
            found.append(moved)
    levels: FloatArray = np.median(np.abs(np.concatenate(found)), axis=0) / _MAD
    return levels


def _second(rows: FloatArray, lag: int) -> FloatArray:
    """Return second differences (n - 2 lag, c), of the variance of white noise."""
    once = rows[lag:] - rows[:-lag]
    return (once[lag:] - once[:-lag]) / _ROOT
