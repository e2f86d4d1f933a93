"""The noise level of a recording or picture, from what changes from one number to the next.

The median absolute second difference, which smooth signals hardly reach and edges, being few, do
not move (Donoho and Johnstone 1994; across both directions of a picture Immerkaer 1996). Texture
does, where it is more than half of a picture: then the level is that which most of its places have.
Of signals, the mean square of the differences that are not far beyond it, as a normal distribution
cut off there has it, varies less and is moved less by bends (the trimmed scale of Huber 1981).
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
_SPREAD = 0.166  # of the logarithm of such a mean square, of white noise
_MODE_ERROR, _SURE = 0.62, 2.0  # error of their mode, over spread and root of squares; twice that
_SHORT, _FEWEST_TIMES = 64, 8  # samples of a short time, and how many of these tell a level
_TONES = 0.75  # of the level by differences: noise whose level at most frequencies is lower
_FINE = 16  # steps of a density to the width of its kernel
_CALMEST = 0.25  # of the usual mean square: calmer places are flat, or at a limit
_AT_LIMIT = 0.02  # of the pixels of a place that is left out, as a limit takes noise off
_MAD = 0.6744897501960817  # median absolute deviation of a standard normal number
_FAR, _ROUNDS = 2.5, 3  # differences that are left out, over the level; times that it is found
_NEAR_VARIANCE = 0.911_256_4  # of a standard normal number that is no farther than `_FAR` from 0
_ROOT = 6.0**0.5  # norm of (1, -2, 1)


def channel_noise(canvases: Sequence[RowSource], kind: Kind) -> FloatArray:
    """Return the standard deviation of white noise in each channel, or in the picture: (c,).

    0 where more than half of all numbers continue those before.
    """
    levels = changes(canvases, kind, 1)
    if kind == "image" and levels[0] > 0.0:
        levels = np.minimum(levels, _usual_place(_squares(canvases, limits=False), levels[0]))
    elif kind != "image":
        floor = between_tones(canvases)
        levels = np.where(floor < _TONES * levels, floor, levels)
    return levels


def between_tones(canvases: Sequence[RowSource]) -> FloatArray:
    """Return the noise level of each channel, (c,), at most frequencies of a short time.

    Fast oscillations, as of machines, are few frequencies at a time, and pass for noise in second
    differences. The median of a periodogram of white noise is its mean times the logarithm of 2.
    """
    found = [np.empty((0, int(canvases[0].shape[1])))]
    taper = np.hanning(_SHORT)[:, None]
    for rows in stretches(canvases, _SHORT):
        count = len(rows) // _SHORT
        times = rows[: count * _SHORT].reshape(count, _SHORT, rows.shape[1])
        powers = np.abs(np.fft.rfft(times * taper, axis=1)[:, 1:-1]) ** 2
        found.append(np.median(powers, axis=1) / (np.log(2.0) * float(np.sum(taper**2))))
    means = np.concatenate(found)
    none = np.full(means.shape[1], np.inf)
    return np.sqrt(means.mean(axis=0)) if len(means) >= _FEWEST_TIMES else none


def _usual_place(variances: FloatArray, level: float) -> float:
    """Return the noise level that most places of a picture have, if it is surely below another.

    The mean squares of noise spread by a known factor: their mode is sought with a kernel as wide.
    Its error follows from that of the slope of such an estimate (Parzen 1962).
    """
    from scipy.ndimage import gaussian_filter1d

    logs = np.log(variances[variances > _CALMEST * level**2] / level**2)
    if len(logs) < _FEWEST_SQUARES:
        return level
    bins = np.arange(logs.min() - _SPREAD, logs.max() + 2.0 * _SPREAD, _SPREAD / _FINE)
    density = gaussian_filter1d(np.histogram(logs, bins)[0].astype(float), _FINE)
    place = int(density.argmax())
    mode = 0.25 * float(bins[place] + bins[place + 1])
    sure = mode < -_SURE * _MODE_ERROR * _SPREAD / np.sqrt(len(logs))
    return level * float(np.exp(mode)) if sure else level


def changes(canvases: Sequence[RowSource], kind: Kind, lag: int) -> FloatArray:
    """Return the size of second differences over `lag` samples in each channel, (c,).

    That of white noise is its standard deviation; that of too few samples 0.
    """
    found = []
    for rows in stretches(canvases, 2 * lag):
        moved = _second(rows, lag)
        if kind == "image":
            moved = _second(moved.T, lag).reshape(-1, 1)
        found.append(moved)
    moves = np.abs(np.concatenate(found))
    levels: FloatArray = np.median(moves, axis=0) / _MAD if len(moves) else moves.sum(axis=0)
    return levels if kind == "image" else _trimmed(moves, levels)


def _trimmed(moves: FloatArray, levels: FloatArray) -> FloatArray:
    """Return the levels (c,) that absolute differences (n, c) up to `_FAR` of them have."""
    squares = moves**2
    for _ in range(_ROUNDS):
        near = moves <= _FAR * levels
        means = (squares * near).sum(axis=0) / np.maximum(near.sum(axis=0), 1)
        levels = np.where(levels > 0.0, np.sqrt(means / _NEAR_VARIANCE), 0.0)
    return levels


def texture(canvases: Sequence[RowSource]) -> float:
    """Return how much of the noise level of pictures may be texture: a relative error of it.

    The level is that of the usual place; where the quietest tenth of all squares is quieter than
    the quietest tenth of noise would be, the rest is likely to hold more than noise.
    """
    variances = _squares(canvases)
    if len(variances) < _FEWEST_SQUARES:
        return 0.0
    quiet = float(np.quantile(variances, 0.1)) / _QUIET_TENTH
    level = float(channel_noise(canvases, "image")[0])
    return max(0.5 * float(np.log(level**2 / quiet)), 0.0) if quiet > 0.0 < level else 0.0


def _squares(canvases: Sequence[RowSource], *, limits: bool = True) -> FloatArray:
    """Return the mean squares of the changes in places of pictures, (n,).

    Those where pixels are at the limits of their picture are left out unless `limits`.
    """
    squares: list[FloatArray] = [np.empty(0)]
    for rows in stretches(canvases, 2):
        found = _by_square(_second(_second(rows, 1).T, 1).T ** 2)
        if not limits:
            extreme = (rows == rows.max(initial=-np.inf)) | (rows == rows.min(initial=np.inf))
            found = found[_by_square(extreme[1:-1, 1:-1].astype(float)) < _AT_LIMIT]
        squares.append(found)
    return np.concatenate(squares)


def _by_square(numbers: FloatArray) -> FloatArray:
    """Return the mean of numbers (height, width) in each square, (n,)."""
    high, wide = (length // _SQUARE for length in numbers.shape)
    blocks = numbers[: high * _SQUARE, : wide * _SQUARE].reshape(high, _SQUARE, wide, _SQUARE)
    means: FloatArray = blocks.mean(axis=(1, 3)).ravel()
    return means


def at_limits(canvases: Sequence[RowSource], kind: Kind) -> str | None:
    """Return why no error can be told where numbers lie at a limit of their channel; else None.

    What a limit takes off the noise there changes its mean, too.
    """
    width = 1 if kind == "image" else int(canvases[0].shape[1])  # pictures are of any width
    some = np.concatenate([rows.reshape(-1, width) for rows in stretches(canvases, 0)])
    share = clipped_share(some)
    if share <= CLIPPED:
        return None
    return f"{share:.0%} of the numbers are at a limit, as if they were clipped"


def stretches(canvases: Sequence[RowSource], margin: int) -> Iterator[FloatArray]:
    """Yield stretches (n, c), longer than a margin if there are such, of the numbers looked at."""
    share = max(1, MOST_NUMBERS // len(canvases))
    canvases = [canvas for canvas in canvases if int(canvas.shape[0]) > margin] or canvases
    for canvas in canvases[:: max(1, len(canvases) // 64)]:
        length, width = canvas.shape
        count = max(1, -(-min(length, share // width) // _STRETCH))
        starts = np.linspace(0, max(0, length - _STRETCH), count).astype(int)
        for start in np.unique(starts):
            yield np.asarray(canvas[start : start + _STRETCH], dtype=np.float64)


def _second(rows: FloatArray, lag: int) -> FloatArray:
    """Return second differences (n - 2 lag, c), of the variance of white noise."""
    once = rows[lag:] - rows[:-lag]
    return (once[lag:] - once[:-lag]) / _ROOT
