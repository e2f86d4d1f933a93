"""Tables whose columns are signals along an axis, which is their first column, not rows of samples.

Instruments write one spectrum a file, axis and value in two columns; or many side by side; or those
of a map below each other, with the place of each before its numbers. The first column of such a
table rises, or falls. So do times of a recording, and a count of the samples: these are told apart
by their names, by what is known of the samples, and by the order of the other numbers, which is
along the columns and not across them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ikpca_cli.data.axes import NEAR, SHORTEST, axis_of, counts, steps_apart
from ikpca_cli.formats.csv.form.axis import rises
from ikpca_cli.formats.csv.form.head import Head
from ikpca_cli.formats.read_options import ReadOptions

Matrix = npt.NDArray[np.float64]

_SPECTRAL = re.compile(
    r"wave|λ|lambda|raman|cm\s*[-^−(⁻/]*\s*[1¹]|1/cm|\bnm\b|\bm/?z\b"
    r"|2?[-_ ]?theta|2θ|chemical.?shift|\(XY\.\.XY\)",
    re.I,
)
"""What axes of spectra are called."""

_OTHER = re.compile(
    r"\W*(id|index|idx|no|nr|num|number|order"
    r"|(sample|row|scan|frame|subject|patient|batch|trial|cycle)s?"
    r"|year|month|day|date|time|t|sec|seconds?|min|minutes?|hours?|ms|elapsed)\b.*",
    re.I | re.S,
)
"""What counts of samples, and times of recordings, are called."""

_CLEAR = 16
"""Points of an axis that is told by nothing but its order."""

_BENT, _PLACES = 0.02, 10
"""Steps by which an axis that bends leaves a straight line, and digits that are looked for."""

_TIES = 0.1
"""Share of an axis that may repeat the number before."""

_FEW = 3
"""Signals below which their order tells nothing."""

_ALONG, _ACROSS = 0.3, 0.5
"""Squared differences of neighbours, over those of any two, at most and at least."""

COORDINATES = (1, 2, 3)
"""Columns before the axis that say where a spectrum of a map was taken."""


def are_signals(
    columns: Sequence[Matrix], name: str | None, head: Head, options: ReadOptions
) -> bool:
    """Tell whether columns of numbers (n,) are an axis, which has a name, and signals along it.

    `head` and `options` are those of `arrangement`.
    """
    axis, count = columns[0], len(columns) - 1
    if options.orientation == "rows" or options.recording or count < 1:
        return False
    if len(axis) < SHORTEST or turns_at(axis) is not None or options.width == count + 1:
        return False
    if options.axis is not None and _begins(axis, options.axis):
        return True
    called = _SPECTRAL.search(name or "") is not None
    falls = axis[0] > axis[-1] and len(axis) >= _CLEAR
    if count == 1:
        return called or falls or options.width is not None or options.orientation == "signals"
    names = axis_of(head.names[-count:] if head.names else None)
    if (
        counts(axis)
        or (not called and _OTHER.match(name or ""))
        or (names is not None and not counts(names))
    ):
        return False
    return (
        called
        or _bends(axis)
        or ((falls or _is_far_from_zero(axis)) and _along(np.stack(columns[1:], axis=1)))
    )


def are_stacked(places: Sequence[npt.NDArray[np.generic]], axis: Matrix) -> bool:
    """Tell whether spectra stand below each other, with the place of each before its numbers.

    Parameters
    ----------
    places : sequence of ndarray of shape (n,)
        What stands before the axis in the first rows.
    axis : ndarray of shape (n,)
    """
    if len(axis) < SHORTEST:
        return False
    length = _first_length(axis)
    still = all((place[:length] == place[0]).all() for place in places)
    moved = length == len(axis) or any(place[length] != place[0] for place in places)
    return length >= SHORTEST and still and moved and rises(axis[:length])


def length_of_each(axis: Matrix) -> tuple[int, float] | None:
    """Return how many numbers an axis has that comes again and again, None if it does not.

    Also, how many steps of it the others are from the first, at the most.
    """
    length = _first_length(axis)
    if len(axis) % length:
        return None
    each = axis.reshape(-1, length)
    apart = steps_apart(each, each[0])
    return (length, apart) if apart <= NEAR else None


def _first_length(axis: Matrix) -> int:
    """Return how many numbers rise, or fall, until the first turns back."""
    back = np.flatnonzero(np.sign(np.diff(axis)) != np.sign(axis[1] - axis[0]))
    return int(back[0]) + 1 if back.size else len(axis)


def turns_at(axis: Matrix) -> int | None:
    """Return the place at which numbers no longer rise, or fall, as they did; None if nowhere.

    A few may be as the one before, to which they were rounded.
    """
    steps = np.sign(np.diff(axis))
    way = next((step for step in steps if step), 1.0)
    wrong = np.flatnonzero((steps != way) & (steps != 0.0))
    if not wrong.size and np.mean(steps != way) > _TIES:
        wrong = np.flatnonzero(steps != way)
    if np.isnan(steps).any():
        wrong = np.flatnonzero(np.isnan(steps))
    return int(wrong[0]) + 1 if wrong.size else None


def _begins(axis: Matrix, names: Sequence[str]) -> bool:
    """Tell whether numbers are the first, or last, of a known axis."""
    known = axis_of(names)
    if known is None or counts(known):
        return False
    count = min(len(axis), len(known))
    step = np.abs(np.gradient(known)).max()
    ends = (known[:count], known[::-1][:count])
    return any(bool(np.abs(axis[:count] - end).max() <= NEAR * step) for end in ends)


def _bends(axis: Matrix) -> bool:
    """Tell whether the steps of an axis change as a calibration has them, and no clock.

    The numbers of its pixels are a cubic polynomial, but for rounding.
    """
    if len(axis) < _CLEAR or not np.isfinite(axis).all():
        return False
    unit = next((10.0**-places for places in range(_PLACES) if _ends(axis, places)), 0.0)
    pixels = np.linspace(-1.0, 1.0, len(axis))
    off, straight = (
        np.abs(axis - np.polynomial.Chebyshev.fit(pixels, axis, degree)(pixels)).max()
        for degree in (3, 1)
    )
    step = float(abs(axis[-1] - axis[0])) / (len(axis) - 1)
    return bool(unit and off <= unit and straight >= max(_BENT * step, 20.0 * unit))


def _ends(values: Matrix, places: int) -> bool:
    """Tell whether numbers have no more than so many digits behind the decimal mark."""
    return bool(np.abs(values - np.round(values, places)).max() <= 1e-12 * np.abs(values).max())


def _is_far_from_zero(axis: Matrix) -> bool:
    """Tell whether an axis begins far from zero, but not as far as dates do."""
    first, length = abs(float(axis[0])), abs(float(axis[-1] - axis[0]))
    step = length / (len(axis) - 1)
    return 3.0 * step < first < 100.0 * length


def _along(signals: Matrix) -> bool:
    """Tell whether numbers (n, k) are in order along columns, and not across them."""
    if signals.shape[1] < _FEW or not np.isfinite(signals).all():
        return False
    return _order(signals) < _ALONG and _order(signals.T) > _ACROSS


def _order(rows: Matrix) -> float:
    """Return how much less rows differ from the next than from any: 1 where order is chance."""
    spread = 2.0 * float(rows.var(axis=0).sum())
    steps = float(np.mean(np.sum(np.diff(rows, axis=0) ** 2, axis=1)))
    return steps / spread if spread > 0.0 else 1.0
