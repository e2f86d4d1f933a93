"""Whether the first line of numbers is a row, or the axis: wavelengths, times, 1 to N.

An axis is evenly or smoothly spaced where the rows are not, is written with other decimals, or
lies outside the numbers below it. One sign alone may be chance, and is only worth a warning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from enum import Enum

import numpy as np
import numpy.typing as npt

from ikpca_cli.formats.csv.form.cells import Grammar, numbers

Matrix = npt.NDArray[np.float64]

_LIKELY = 5
"""Evenly spaced numbers that chance seldom makes."""

_SURE = 10
"""Evenly spaced numbers that chance never makes."""

_BY_CHANCE = 1e-5
"""Chance of a line that is no axis to be so even."""

_RISING = 8
"""Numbers in order that chance seldom makes."""

_FEW = 4
"""Numbers in order, far from all others, that are worth a question."""

_MOST_RISE = 0.5
"""Share of lines in order from which one that is in order, too, is no axis for it."""

_COUNTED = 2.0**52
"""Rows that numbers can count."""

_STEPS = 1.25
"""Largest ratio of neighbouring steps on a smooth axis."""


_NUMBERED = re.compile(r"(\D*?)([+-]?\d{1,15}(?:[.,]\d{1,15})?)(|\D.*)")
"""A name and its first number: 1100, 1100.5 cm-1, X1100."""

_MOST_BESIDE = 20
"""Columns beside an axis that may be properties of the samples."""


def beside_axis(names: Sequence[str] | None) -> tuple[int, ...]:
    """Return the places of names beside others that are an axis, or numbered.

    These are alike but for a number, which rises or falls (1100, 1102 or pixel0, pixel1), without
    another name between them, and no other name is like them.
    """
    if names is None:
        return ()
    found = [_NUMBERED.fullmatch(name.strip().strip("\"'")) for name in names]
    kinds = [None if one is None else (one[1].strip(), one[3].strip()) for one in found]
    counted = Counter(kind for kind in kinds if kind is not None).most_common(2)
    if not counted or any(2 * others > counted[0][1] for _, others in counted[1:]):
        return ()  # or several groups, as wells A1 to A12 and B1 to B12 are
    kind, count = counted[0]
    alike = [one for one, own in zip(found, kinds, strict=True) if one and own == kind]
    values = np.array([float(one[2].replace(",", ".")) for one in alike])
    beside = tuple(place for place, own in enumerate(kinds) if own != kind)
    places = [place for place, own in enumerate(kinds) if own == kind]
    is_whole = places[-1] - places[0] == count - 1 and rises(values)
    is_long = count >= (_RISING if kind == ("", "") else _SURE) and count >= len(beside)
    return beside if is_whole and is_long and len(beside) <= _MOST_BESIDE else ()


class Verdict(Enum):
    """What a line of numbers is."""

    ROW = "row"
    PERHAPS = "perhaps"
    AXIS = "axis"


def judge(cells: Sequence[str], rows: Sequence[Sequence[str]], grammar: Grammar) -> Verdict:
    """Tell whether a line of numbers is the axis of the lines below it.

    Parameters
    ----------
    cells
        The cells of the line.
    rows
        Those of lines below it.
    grammar
        How their numbers are written.

    Returns
    -------
    Verdict
        PERHAPS is a row about which the user should be asked.
    """
    values = np.array([numbers(row, grammar) for row in (cells, *rows)])
    others = np.flatnonzero(
        (values[1:] != values[0]).any(axis=1)
    ).tolist()  # an axis may come again
    # What is beyond the largest number when it is subtracted is no axis.
    with np.errstate(over="ignore", invalid="ignore"):
        return _judge(cells, [rows[place] for place in others], values[0], values[1:][others])


def _judge(
    cells: Sequence[str], rows: Sequence[Sequence[str]], line: Matrix, body: Matrix
) -> Verdict:
    if len(line) < 3 or not len(body) or not np.isfinite(line).all() or not rises(line):
        return Verdict.ROW
    even = is_even(line, decimals(cells))
    others = [row for row in body if np.isfinite(row).all()]
    rising = sum(rises(row) for row in others) / max(1, len(others))
    pairs = zip(body, rows, strict=True)
    if any(rises(row) and is_even(row, decimals(texts)) for row, texts in pairs):
        return Verdict.ROW
    apart = _is_apart(line, body) or _differs(cells, rows)
    if even:
        if len(line) >= _SURE and (apart or rising < 0.5):
            return Verdict.AXIS
        if _chance(line, decimals(cells)) < _BY_CHANCE:
            return Verdict.AXIS
        if len(line) >= _LIKELY or _differs(cells, rows):
            return Verdict.AXIS if apart else Verdict.PERHAPS
        return Verdict.PERHAPS if _counts(line) else Verdict.ROW
    if len(line) >= _RISING and not rising:
        return Verdict.AXIS if apart else Verdict.PERHAPS
    return Verdict.PERHAPS if apart and not rising and len(line) >= _FEW else Verdict.ROW


def is_alone(cells: Sequence[str], rows: Sequence[Sequence[str]], grammar: Grammar) -> bool:
    """Tell whether most lines are not in order as the first is, or it is their axis for sure.

    Parameters
    ----------
    cells, rows, grammar
        As for `judge`.
    """
    rising = sum(rises(numbers(row, grammar)) for row in rows)
    few = rising < _MOST_RISE * max(1, len(rows))
    return few or judge(cells, rows, grammar) is Verdict.AXIS


def rises(line: Matrix) -> bool:
    """Tell whether numbers rise, or fall, at each step."""
    steps = np.diff(line)
    return bool((steps > 0).all() or (steps < 0).all())


def numbers_rows(values: Matrix, *, by_one: bool) -> bool:
    """Tell whether numbers (rows,) may number rows, some of which are gone, or in another order.

    They are whole, none comes twice, and no step, as times have, divides their differences; or
    they rise `by_one`.
    """
    steps = np.diff(values)
    if by_one:
        return len(steps) > 0 and bool((steps == 1.0).all())
    if not len(values) or not (values == np.rint(values)).all() or np.abs(values).max() > _COUNTED:
        return False
    divisor = np.gcd.reduce(steps.astype(np.int64)) if len(steps) else 1
    return bool(divisor == 1) and len(np.unique(values)) == len(values)


def is_even(line: Matrix, places: int) -> bool:
    """Tell whether numbers are evenly or smoothly spaced, or their logarithms are.

    Parameters
    ----------
    line : ndarray of shape (n,)
    places
        Decimals with which they are written, to which they are rounded.
    """
    if len(line) < 3 or not np.isfinite(line).all() or not rises(line):
        return False
    straight = np.linspace(line[0], line[-1], len(line))
    unit = 10.0 ** -min(places, 300)
    step = abs(line[-1] - line[0]) / (len(line) - 1)
    slack = min(0.76 * unit, 0.3 * step) + 1e-9 * float(np.abs(line).max())
    if np.abs(line - straight).max() <= slack:
        return True
    if len(line) < _RISING:
        return False
    scales = [line] if line.min() <= 0 else [line, np.log(line)]
    return any(_is_smooth(np.abs(np.diff(scale)), unit) for scale in scales)


def decimals(cells: Sequence[str]) -> int:
    """Return the most digits behind a decimal mark."""
    return max(
        len(cell) - 1 - max(cell.rfind("."), cell.rfind(",")) if set(".,") & set(cell) else 0
        for cell in cells
    )


def _is_smooth(steps: Matrix, unit: float) -> bool:
    """Tell whether steps change little from one to the next, but for rounding."""
    if steps.min() <= 2.0 * unit and steps.max() > _STEPS * steps.min():
        return False
    ratio = steps[1:] / steps[:-1]
    return bool((ratio < _STEPS).all() and (ratio > 1.0 / _STEPS).all())


def _is_apart(line: Matrix, body: Matrix) -> bool:
    """Tell whether a line leaves the range of the others by half of that range.

    The same is said of one that leaves the range of nearly every column.
    """
    low, high = np.fmin.reduce(body, axis=None), np.fmax.reduce(body, axis=None)
    margin = 0.5 * (high - low)
    if line.max() > high + margin or line.min() < low - margin:
        return True
    lows, highs = np.fmin.reduce(body), np.fmax.reduce(body)
    return len(body) >= _LIKELY and bool(np.mean((line < lows) | (line > highs)) > 0.8)


def _chance(line: Matrix, places: int) -> float:
    """Return how likely numbers between the first and the last fall on even steps by chance."""
    step = abs(line[-1] - line[0]) / (len(line) - 1)
    return float(min(1.0, 2.0 * 10.0 ** -min(places, 300) / step) ** (len(line) - 2))


def _differs(cells: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether a line has fewer decimals than every other, or more."""
    own = decimals(cells)
    others = [decimals(row) for row in rows]
    return all(own < other for other in others) or all(own > other for other in others)


def _counts(line: Matrix) -> bool:
    """Tell whether numbers count from 0 or 1."""
    return bool(line[0] in (0.0, 1.0) and (np.diff(line) == 1.0).all())
