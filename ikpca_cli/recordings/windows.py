"""Overlapping windows of a canvas, and weighted overlap-add, in bounded memory.

A canvas is an array of two axes that is read by slices of the first: the samples of a recording by
its channels, or a picture. It is continued at its edges by reflection, so that every number lies in
as many windows as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray, RowSource, row_name
from ikpca_cli.errors import InputError
from ikpca_cli.recordings.cutting import Cutting

TRAINING_WINDOWS = 20_000
"""Windows that a model is fitted on, spread evenly at random: more add little."""

KERNEL_WINDOWS = 3_000
"""The same, for methods whose cost grows with their square: windows that overlap share most."""

TRAINING_NUMBERS = 1 << 22
"""Numbers in them, which a long window may not exceed."""

FARTHEST = 4.0
"""Standard deviations of noise that a number may be beyond all noisy ones of its window."""

BAND_NUMBERS = 1 << 21
"""Numbers in the windows that are cleaned together."""

_LOUD = 2.0  # variance of noise in a window, at most, over the usual one: it may be correlated

Clean: TypeAlias = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""Maps windows to clean ones and the variance of their error, up to a factor: (n, p) each."""


def training_windows(
    canvases: Sequence[RowSource], cutting: Cutting, seed: int, method: str = ""
) -> FloatArray:
    """Return windows to learn from, less their levels: (n, height * width).

    All of them, at every offset, or a random share of each part of the canvases.

    Raises
    ------
    InputError
        If they are all alike.
    """
    counts = np.array([_places(canvas, cutting).prod() for canvas in canvases])
    usual = KERNEL_WINDOWS if method in ("ikpca", "kpca") else TRAINING_WINDOWS
    most = min(usual, max(TRAINING_NUMBERS // cutting.n_features, 100))
    total = int(counts.sum())
    chosen = np.arange(total)
    if total > most:
        # One from each of equal stretches: a file is read forward, and no part of it is left out.
        edges = np.linspace(0, total, most + 1).astype(np.intp)
        shifts = model_rng(seed, Stream.WINDOWS).random(most)
        chosen = (edges[:-1] + shifts * np.diff(edges)).astype(np.intp)
    parts, start = [], 0
    for canvas, count in zip(canvases, counts, strict=True):
        own = chosen[(chosen >= start) & (chosen < start + count)] - start
        if len(own):
            parts.append(_cut(canvas, cutting, own))
        start += int(count)
    windows = np.concatenate(parts)
    if (windows == windows[0]).all():
        raise InputError(
            f"{row_name(canvases[0])}: all windows are alike but for their levels, and tell no "
            "noise from signal; give a recording or picture that varies"
        )
    return windows


def cleaned_blocks(
    canvas: RowSource, cutting: Cutting, clean: Clean
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield (slice, clean rows of a canvas): windows cleaned, and put back by overlap-add.

    Where windows overlap, each counts by the inverse of the variance of its error there, to which
    that of its level adds one number's share.

    Parameters
    ----------
    canvas : RowSource, shape (n, width)
    cutting : Cutting
        The canvas is at least as long as its windows, and wider where it is an image.
    clean : callable
    """
    length, across = canvas.shape
    high, wide, hop = cutting.height, cutting.width, cutting.hop
    columns = np.arange(across)
    if cutting.kind == "image":
        columns = reflected(_covering(across, wide, hop), across)
    scales = np.array(cutting.scales or 1.0)
    in_band = max(1, BAND_NUMBERS // (cutting.n_features * max(1, len(columns) // hop)))
    first = 1 - high  # of the window, and of what is not yet whole
    total = np.zeros((0, len(columns)))
    weight = np.zeros_like(total)
    done = first
    while done < length:
        starts = first + hop * np.arange(in_band)
        starts = starts[starts < length]
        stop = int(starts[-1]) + high
        more = np.zeros((stop - done - len(total), len(columns)))
        total, weight = np.concatenate([total, more]), np.concatenate([weight, more])
        band = read_reflected(canvas, first, stop)[:, columns] / scales
        windows = sliding_window_view(band, (high, wide))[::hop, ::hop]
        level = cutting.level(windows)
        shape = windows.shape
        cleaned, left = clean((windows - level).reshape(-1, cutting.n_features))
        share = 1.0 / (left.reshape(shape) + 1.0 / cutting.n_features)
        values = (cleaned.reshape(shape) + level) * share
        _add(total, values, int(starts[0]) - done, hop)
        _add(weight, share, int(starts[0]) - done, hop)
        first = int(starts[-1]) + hop
        until = min(first, length) if first < length else length
        ready = until - done
        inner = slice(0, None) if cutting.kind != "image" else slice(wide - 1, wide - 1 + across)
        if until > 0:
            part = slice(max(0, -done), ready)
            yield slice(max(done, 0), until), (total[part] / weight[part])[:, inner] * scales
        total, weight, done = total[ready:], weight[ready:], until


def within(
    cleaned: FloatArray, windows: FloatArray, cutting: Cutting, level: float | None
) -> FloatArray:
    """Return cleaned windows (n, p) with no number farther out than noise hides one.

    The clean ones are hardly ever beyond the noisy ones of their channel, in the same window, by
    more than noise has; where they are brought back to these, the error falls. A component that
    explains a switch-on in one channel may throw others many times as far. Nor is a window moved
    farther, in all, than noise moves one: what is unlike all of the fit may be anywhere else.

    Parameters
    ----------
    cleaned, windows : ndarray, shape (n, p)
    cutting : Cutting
    level : float or None
        Standard deviation of the noise, nothing being done without it.
    """
    shape = (-1, cutting.height, cutting.width)
    along = (1, 2) if cutting.kind == "image" else (1,)
    noisy, margin = windows.reshape(shape), np.inf if level is None else FARTHEST * level
    low = noisy.min(axis=along, keepdims=True) - margin
    high = noisy.max(axis=along, keepdims=True) + margin
    found: FloatArray = np.asarray(np.clip(cleaned.reshape(shape), low, high))
    found = found.reshape(cleaned.shape)
    if level is None:
        return found
    moves = found - windows
    shares = level * reach(cutting.n_features) / np.maximum(np.linalg.norm(moves, axis=1), 1e-300)
    far = shares < 1.0
    found[far] = windows[far] + shares[far, None] * moves[far]
    return found


def reach(count: int) -> float:
    """Return how far noise of variance 1 moves so many numbers at most, as a root of squares.

    One of them may be as far beyond the others as the farthest two of noise are apart.
    """
    usual = count * max(_LOUD, 1.0 + FARTHEST * np.sqrt(2.0 / count))
    return float(np.sqrt(usual + (2.0 * FARTHEST) ** 2))


def _add(total: FloatArray, values: FloatArray, start: int, hop: int) -> None:
    """Add windows (i, j, height, width), `hop` apart, to what they were cut from."""
    down, right, high, wide = values.shape
    for i in range(high):
        for j in range(wide):
            rows = slice(start + i, start + i + (down - 1) * hop + 1, hop)
            columns = slice(j, j + (right - 1) * hop + 1, hop)
            total[rows, columns] += values[:, :, i, j]


def _covering(length: int, window: int, hop: int) -> NDArray[np.intp]:
    """Return the places, also beyond both ends, of windows that cover each number alike."""
    starts = np.arange(1 - window, length, hop)
    return np.arange(1 - window, int(starts[-1]) + window)


def reflected(places: NDArray[np.intp], length: int) -> NDArray[np.intp]:
    """Return the places in an axis that places beyond its ends mirror, the end itself once."""
    period = max(2 * (length - 1), 1)
    folded = places % period
    inside: NDArray[np.intp] = np.minimum(folded, period - folded).astype(np.intp)
    return inside if length > 1 else np.zeros_like(places)


def read_reflected(canvas: RowSource, start: int, stop: int) -> FloatArray:
    """Return rows of a canvas, reflected at its ends, as float64."""
    places = reflected(np.arange(start, stop), canvas.shape[0])
    low = int(places.min())
    rows = np.asarray(canvas[low : int(places.max()) + 1], dtype=np.float64)
    return rows[places - low]


def _places(canvas: RowSource, cutting: Cutting) -> NDArray[np.intp]:
    """Return how many places a window has along both axes of a canvas."""
    shape = (canvas.shape[0] - cutting.height + 1, canvas.shape[1] - cutting.width + 1)
    return np.maximum(np.array(shape, dtype=np.intp), 0)


def _cut(canvas: RowSource, cutting: Cutting, chosen: NDArray[np.intp]) -> FloatArray:
    """Return the windows at some places, counted along the rows of a canvas, less their levels."""
    across = int(_places(canvas, cutting)[1])
    rows, columns = np.divmod(chosen, across)
    out = np.empty((len(chosen), cutting.n_features))
    scales = np.array(cutting.scales or 1.0)
    step = max(1, BAND_NUMBERS // canvas.shape[1])
    begin = 0
    while begin < len(chosen):
        top = int(rows[begin])
        end = max(begin + 1, int(np.searchsorted(rows, top + step)))
        band = np.asarray(canvas[top : int(rows[end - 1]) + cutting.height], dtype=np.float64)
        view = sliding_window_view(band / scales, (cutting.height, cutting.width))
        windows = view[rows[begin:end] - top, columns[begin:end]]
        out[begin:end] = (windows - cutting.level(windows)).reshape(end - begin, -1)
        begin = end
    return out
