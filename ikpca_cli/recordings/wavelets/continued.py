"""A signal beyond its ends, for a smooth wavelet to look at."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray, RowSource
from ikpca_cli.recordings.windows import read_reflected

_SHORTEST, _LONGEST = 64, 2048  # samples of a line; a quarter of the noise of one is left by 64

_SPIKE = 10.0  # median distances from a line that a number may be away: 6.7 standard deviations


def read_continued(canvas: RowSource, start: int, stop: int, stds: FloatArray) -> FloatArray:
    """Return rows of a canvas, turned about its ends beyond them, as float64.

    A straight line goes on as one: what rises up to an end does not fall again behind it.

    Parameters
    ----------
    canvas : RowSource, shape (length, c)
    start, stop : int
        The part, which may begin before and end behind it.
    stds : ndarray, shape (c,)
        Noise level of each channel.
    """
    length = int(canvas.shape[0])
    rows = read_reflected(canvas, start, stop)
    if (start >= 0 and stop <= length) or length < 2:
        return rows
    count = min(max(_SHORTEST, min(_LONGEST, length // 2)), length)
    first = _end_of(np.asarray(canvas[0:count], dtype=np.float64), stds)
    last = _end_of(np.asarray(canvas[length - count : length], dtype=np.float64)[::-1], stds)
    turns, place = np.divmod(np.arange(start, stop), 2 * (length - 1))
    turned = place > length - 1
    rows[turned] = 2.0 * last - rows[turned]
    rows += 2.0 * (last - first) * turns[:, None]
    return rows


def _end_of(rows: FloatArray, stds: FloatArray) -> FloatArray:
    """Return where a signal begins, (c,): as the longest line through its first samples has it.

    One sample has all of its noise, a long line bends with the signal. Lines grow as long as they
    agree with all shorter ones within their standard errors (Goldenshluger and Nemirovski 1997).
    """
    count = min(_SHORTEST, len(rows))
    found = _on_line(rows[:count])
    low, high = np.full(len(found), -np.inf), np.full(len(found), np.inf)
    while count <= len(rows):
        end = _on_line(rows[:count])
        error = 2.0 * stds / np.sqrt(count)  # of a line, at its end
        low, high = np.maximum(low, end - error), np.minimum(high, end + error)
        if not (low <= high).any():
            break
        found = np.where(low <= high, end, found)
        count *= 2
    return found


def _on_line(rows: FloatArray) -> FloatArray:
    """Return where the straight line through rows (n, c) is at the first of them, (c,).

    Numbers far from a line of medians, such as a spike, have no part in it.
    """
    count = len(rows)
    places = np.arange(count)[:, None] - 0.5 * (count - 1)
    half = count // 2
    off = rows - places * np.median((rows[half:] - rows[: count - half]) / half, axis=0)
    off = np.abs(off - np.median(off, axis=0))
    rounding = 1e-9 * np.median(np.abs(rows), axis=0)
    near = off <= np.maximum(_SPIKE * np.median(off, axis=0), rounding + off.min(axis=0))
    total = near.sum(axis=0)
    center, mean = (places * near).sum(axis=0) / total, (rows * near).sum(axis=0) / total
    apart = (places - center) * near
    slopes = (apart * rows).sum(axis=0) / np.maximum((apart**2).sum(axis=0), 0.5)
    end: FloatArray = mean + slopes * (places[0] - center)
    return end
