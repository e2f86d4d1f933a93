"""The noise level of a recording or picture, from what changes from one number to the next.

The median absolute second difference, which smooth signals hardly reach and edges, being few, do
not move (Donoho and Johnstone 1994; across both directions of a picture Immerkaer 1996).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ikpca_cli.data.row_source import FloatArray, RowSource
from ikpca_cli.noise.quiet_columns import CLIPPED, clipped_share
from ikpca_cli.recordings.cutting import Kind

MOST_NUMBERS = 1 << 20
"""Numbers that are looked at, in stretches spread evenly."""

_STRETCH = 1 << 12  # rows read together
_SQUARE = 16  # pixels on both sides of what is called a place
_QUIET_TENTH = 0.796  # tenth of the mean squares of such places of white noise of variance 1
_FEWEST_SQUARES = 20  # whose tenth means something
_MAD = 0.6744897501960817  # median absolute deviation of a standard normal number
_ROOT = 6.0**0.5  # norm of (1, -2, 1)


def channel_noise(canvases: Sequence[RowSource], kind: Kind) -> FloatArray:
    """Return the standard deviation of white noise in each channel, or in the picture: (c,).

    0 where more than half of all numbers continue those before.
    """
    return changes(canvases, kind, 1)


def changes(canvases: Sequence[RowSource], kind: Kind, lag: int) -> FloatArray:
    """Return the size of second differences over `lag` samples in each channel, (c,).

    That of white noise is its standard deviation; that of too few samples 0.
    """
    found = []
    for rows in _stretches(canvases, 2 * lag):
        moved = _second(rows, lag)
        if kind == "image":
            moved = _second(moved.T, lag).reshape(-1, 1)
        found.append(moved)
    moves = np.abs(np.concatenate(found))
    levels: FloatArray = np.median(moves, axis=0) / _MAD if len(moves) else moves.sum(axis=0)
    return levels


def texture(canvases: Sequence[RowSource]) -> float:
    """Return how much of the noise level of pictures may be texture: a relative error of it.

    The level is that of the usual place; where the quietest tenth of all squares is quieter than
    the quietest tenth of noise would be, the rest is likely to hold more than noise.
    """
    squares = []
    for rows in _stretches(canvases, 2):
        moved = _second(_second(rows, 1).T, 1)
        high, wide = (length // _SQUARE for length in moved.shape)
        moved = moved[: high * _SQUARE, : wide * _SQUARE]
        blocks = moved.reshape(high, _SQUARE, wide, _SQUARE)
        squares.append((blocks**2).mean(axis=(1, 3)).ravel())
    variances = np.concatenate(squares)
    if len(variances) < _FEWEST_SQUARES:
        return 0.0
    quiet = float(np.quantile(variances, 0.1)) / _QUIET_TENTH
    level = float(channel_noise(canvases, "image")[0])
    return max(0.5 * float(np.log(level**2 / quiet)), 0.0) if quiet > 0.0 < level else 0.0


def at_limits(canvases: Sequence[RowSource], kind: Kind) -> str | None:
    """Return why no error can be told where numbers lie at a limit of their channel; else None.

    What a limit takes off the noise there changes its mean, too.
    """
    width = 1 if kind == "image" else int(canvases[0].shape[1])  # pictures are of any width
    some = np.concatenate([rows.reshape(-1, width) for rows in _stretches(canvases, 0)])
    share = clipped_share(some)
    if share <= CLIPPED:
        return None
    return f"{share:.0%} of the numbers are at a limit, as if they were clipped"


def _stretches(canvases: Sequence[RowSource], margin: int) -> Iterator[FloatArray]:
    """Yield stretches (n, c), longer than a margin if there are such, of the numbers looked at."""
    share = max(1, MOST_NUMBERS // len(canvases))
    canvases = [canvas for canvas in canvases if int(canvas.shape[0]) > margin] or canvases
    for canvas in canvases[:: max(1, len(canvases) // 64)]:
        length, width = canvas.shape
        count = max(1, min(length, share // width) // _STRETCH)
        starts = np.linspace(0, max(0, length - _STRETCH), count).astype(int)
        for start in np.unique(starts):
            yield np.asarray(canvas[start : start + _STRETCH], dtype=np.float64)


def _second(rows: FloatArray, lag: int) -> FloatArray:
    """Return second differences (n - 2 lag, c), of the variance of white noise."""
    once = rows[lag:] - rows[:-lag]
    return (once[lag:] - once[:-lag]) / _ROOT
