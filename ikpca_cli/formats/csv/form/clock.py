"""Times that stand in several columns, or that are a number: hours, minutes, seconds; 20200131.

Each of such columns looks like a channel. Together they are told by what no channel does: in their
order they rise evenly, and where one of them comes to its end the one before goes on by a step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from ikpca_cli.formats.csv.form.table_form import TableForm

Matrix = npt.NDArray[np.float64]

_UNITS = ("year", "month", "day", "hour", "minute", "second", "millisecond")
_LIMITS = ((1900, 2100), (1, 12), (1, 31), (0, 24), (0, 59), (0, 60.999), (0, 999.999))
_NAMES = (
    r"y(ea)?r?s?|y{2,4}",
    r"mo(n(th)?s?)?|m{1,2}",
    r"d(ay)?s?|dd|dom",
    r"h(ou)?rs?|h{1,2}",
    r"m(in(ute)?)?s?|mm",
    r"s(ec(ond)?)?s?|ss",
    r"ms(ec)?|milli(second)?s?",
)
_DAY_FIRST = (2, 1, 0, 3, 4, 5, 6)  # day, month and year, and then the time
_PACKED = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
_DAY, _HOUR = 86400.0, 3600.0
_LEAP_YEAR, _YEAR = 2000.0, 366 * _DAY

MOST_COLUMNS = 8
"""Columns among which a time is, those of a channel and of a count of the rows with it."""

_SECOND = 5  # the place of this unit, from which on numbers may have decimals

_FEWEST = 5
"""Times that tell what they are."""

_SAME = 1e-6
"""Of a long step, by which others may differ."""

_EVEN, _APART = 0.9, 0.5
"""Share of the steps that are the usual one, up to so much of it."""

_SINCE = (9e8, 2.5e9)
"""Seconds since 1970: the years 1998 to 2049."""

_FAR_BELOW, _FASTEST = 0.01, 1e6
"""What all samples are, of such a time, at most; and samples a second."""


def clock_columns(columns: Sequence[Matrix], names: Sequence[str] | None) -> tuple[int, ...]:
    """Return which of the first columns of numbers say when their rows are; none if none do.

    Parameters
    ----------
    columns : sequence of ndarray of shape (n,)
    names
        What they are called, if they are.
    """
    for first in range(min(2, len(columns))):
        for count in range(min(len(_UNITS), len(columns) - first - 1), 0, -1):
            part = slice(first, first + count)
            if clock_seconds(columns[part], names[part] if names else None) is not None:
                return tuple(range(first, first + count))
    return ()


def take_start(rows: TableForm, columns: Sequence[int]) -> int:
    """Lay aside a time since 1970 above the samples, and their rate below it; return how many rows.

    `columns` are those of data.
    """
    head = rows.head
    if head.texts:
        return 0
    values = rows.matrix(columns).T
    if len(values) <= _FEWEST or not np.isfinite(values).all() or (values[0] != values[0, 0]).any():
        return 0
    first, rest = values[0, 0], values[1:]
    unit = next((unit for unit in (1.0, 1e3) if _SINCE[0] <= first / unit < _SINCE[1]), None)
    if unit is None or np.abs(rest).max() > _FAR_BELOW * first:
        return 0
    rate = float(rest[0, 0])
    count = 1 + bool((rest[0] == rate).all() and 0.0 < rate <= _FASTEST and rate == round(rate))
    if head.names is None:
        head.preamble = (*head.preamble, *rows.lines[:count])
    else:
        head.units = (*head.units, *rows.lines[:count])
    head.first += count
    told = f" and row 2, {rate:g}, for the samples a second" if count > 1 else ""
    head.guesses.append(f"row 1, {first:.10g}, for the time of the first sample{told}")
    return count


def clock_seconds(columns: Sequence[Matrix], names: Sequence[str] | None = None) -> Matrix | None:
    """Return the seconds that columns of numbers say, (n,), from any day on; None if they do not.

    Parameters are those of `clock_columns`; all of the columns have to be part of a time.
    """
    if len(columns[0]) < _FEWEST or not all(np.isfinite(column).all() for column in columns):
        return None
    if len(columns) == 1:
        return _packed(columns[0])
    count = len(columns)
    runs = [tuple(range(first, first + count)) for first in range(len(_UNITS) - count + 1)]
    for units in (*runs, _DAY_FIRST[:count]):
        found = _of_units(columns, units)
        if found is None:
            continue
        named = names is not None and all(
            re.fullmatch(_NAMES[unit], name.strip().strip('"').lower())
            for unit, name in zip(units, names, strict=True)
        )
        ordered = [columns[place] for place in np.argsort(units)]
        if named or _carries(ordered, found):
            return found
    return None


def _carries(columns: Sequence[Matrix], total: Matrix) -> bool:
    """Tell whether each column goes on where that of the next unit begins again, and nowhere else.

    Where steps are so long that one may go on without that, they have to be the same.
    """
    falls = [np.diff(column) < 0.0 for column in columns]
    moves = [np.diff(column) != 0.0 for column in columns]
    if not np.any(falls) or not _is_even(total, np.any(falls, axis=0)):
        return False
    pairs = list(zip(moves, falls[1:], moves[1:], strict=False))
    if any((fell & ~went).any() for went, fell, _ in pairs):
        return False
    if not any((went & ~fell).any() and moved.any() for went, fell, moved in pairs):
        return True
    whole = all((column == np.round(column)).all() for column in columns)
    steps = np.diff(total)
    return whole and float(np.ptp(steps)) <= _SAME * float(np.median(steps))


def _of_units(columns: Sequence[Matrix], units: Sequence[int]) -> Matrix | None:
    """Return the seconds of columns of such units, if these rise evenly."""
    for unit, column in zip(units, columns, strict=True):
        low, high = _LIMITS[unit]
        whole = (unit >= _SECOND and unit == units[-1]) or (column == np.round(column)).all()
        if not whole or column.min() < low or column.max() > high:
            return None
    by_unit = dict(zip(units, columns, strict=True))
    total = np.zeros(len(columns[0]))
    if {1, 2} <= by_unit.keys():
        months = (by_unit.get(0, _LEAP_YEAR) - 1970.0) * 12.0 + by_unit[1] - 1.0
        total += months.astype("datetime64[M]").astype("datetime64[s]").astype(float)
        total += (by_unit[2] - 1.0) * _DAY
    elif 1 in by_unit or 0 in by_unit:
        return None
    else:
        total += by_unit.get(2, 0.0) * _DAY
    for unit, size in ((3, _HOUR), (4, 60.0), (_SECOND, 1.0), (6, 1e-3)):
        total += size * by_unit.get(unit, 0.0)
    if units[0] >= 3:  # the hours begin again at midnight
        period = (_DAY, _HOUR, 60.0)[units[0] - 3]
        total = _going_on(total, period)
    return total if _is_even(total) else None


def _packed(numbers: Matrix) -> Matrix | None:
    """Return the seconds of dates that are written as one number: 20200131, or 31.01 for a day."""
    if (numbers == np.round(numbers)).all():
        length = len(f"{numbers[0]:.0f}")
        if length not in _PACKED or not _LIMITS[0][0] <= numbers[0] // 10 ** (length - 4) <= 2100:
            return None
        return _read(numbers, lambda number: _parsed(f"{number:.0f}", _PACKED[length]))
    found = _read(numbers, lambda number: _parsed(f"{number:.2f}.2000", "%d.%m.%Y"))
    turns_back = bool((np.diff(numbers) < 0.0).any())
    hundredths = bool(np.allclose(100.0 * numbers, np.round(100.0 * numbers), atol=1e-6))
    return found if hundredths and turns_back else None


def _read(numbers: Matrix, read: Callable[[float], float]) -> Matrix | None:
    try:
        total = np.array([read(number) for number in numbers.tolist()])
    except ValueError:
        return None
    total = _going_on(total, _YEAR)  # of days without a year
    return total if _is_even(total) else None


def _going_on(total: Matrix, period: float) -> Matrix:
    """Return times that begin again, as hours do at midnight, without that."""
    going: Matrix = total + period * np.cumsum(np.append(0.0, np.diff(total) < -0.5 * period))
    return going


def _parsed(text: str, form: str) -> float:
    from datetime import UTC, datetime

    return datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()


def _is_even(total: Matrix, where: npt.NDArray[np.bool_] | None = None) -> bool:
    """Tell whether times never go back, and most of their steps, or of some, are alike."""
    steps = np.diff(total)
    rising = steps[steps > 0.0]
    if (steps < 0.0).any() or len(rising) < _FEWEST - 1:
        return False
    usual = float(np.median(rising))
    some = rising if where is None else steps[where]
    return bool(np.mean(np.abs(some - usual) <= _APART * usual) >= _EVEN)
