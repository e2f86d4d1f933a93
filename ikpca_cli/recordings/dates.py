"""Dates and times of day, as words: what loggers and spreadsheets write beside their samples."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence

import numpy as np

from ikpca_cli.data.row_source import FloatArray

_COLON = re.compile(r"(:\d\d:\d\d):(\d{1,6})\Z")
"""Where loggers write milliseconds behind a colon, which numpy takes for a zone."""

_ANY = re.compile(r"\d[-:]\d", re.ASCII)
"""What a date or a time has and a number has not, which numpy takes for a year."""

_YEAR_FIRST = re.compile(r"(\d{4})([./-])(\d{1,2})\2(\d{1,2})(?:[T ,]+(.*))?", re.ASCII)
"""A date that begins with its year, and what follows it."""

_MONTHS = (
    "jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?"
    "|oct(ober)?|nov(ember)?|dec(ember)?"
)
_FIRST_LETTERS = [name[:3] for name in _MONTHS.split("|")]

_NAMED = re.compile(
    rf"(?:(?P<day>\d{{1,2}})[ ./-]+)?(?P<month>{_MONTHS})[ .,/-]+"
    r"(?(day)|(?P<later>\d{1,2}),? +)(?P<year>\d{4}|\d\d)(?P<rest>[T ,].*)?",
    re.ASCII | re.IGNORECASE,
)
"""A date whose month has a name: 31-Jan-2021, January 31, 2021."""

_PARTS = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)(?:[T ,]+(.*))?", re.ASCII)
"""A date that begins with its day, or month, and what follows it."""

_HALF = re.compile(r"(\d{1,2})(:\d\d(?::\d\d(?:[.,]\d+)?)?)\s*([AaPp])\.?[Mm]\.?\Z", re.ASCII)
"""A time of one half of the day."""

_ELAPSED = re.compile(r"(\d+):([0-5]\d[.,]\d+)", re.ASCII)
"""Minutes and seconds: with a fraction, it is no hour and minute."""

_DAY, _HALF_DAY, _ANY_DAY = 86400.0, 12, "2000-01-01T"
_CENTURY, _LAST = 2000, 70  # what a year of two digits stands for: 1970 to 2069


def seconds_since_first(rows: Sequence[Sequence[str]]) -> FloatArray | None:
    """Return the seconds from the first of dates and times to each, (n,); None if they are none.

    Parameters
    ----------
    rows : sequence of sequence of str
        The words of each row. A date alone is that of many samples, which the time beside it tells
        apart. Of a date such as 03/04/2021, the day is what is above 12 in some row, and else what
        has the dates go on in the shorter time.
    """
    for place in range(len(rows[0])):
        for stamps in (_column(rows, place, 2), _column(rows, place)):
            found = _shortest(stamps)
            if found is not None:
                return found
    found = _seconds([_ANY_DAY + _whole_day(one) for one in _column(rows, 0)])
    if found is not None:  # they go on at midnight
        return found + _DAY * np.cumsum(np.append(0.0, np.diff(found) < -0.5 * _DAY))
    return _elapsed(_column(rows, 0))


def _column(rows: Sequence[Sequence[str]], place: int, count: int = 1) -> list[str]:
    """Return the words at a place of each row, and those of the next ones, if asked for."""
    return [" ".join(row[place : place + count]) for row in rows]


def _shortest(stamps: Sequence[str]) -> FloatArray | None:
    """Return the seconds of dates, whichever way round they are."""
    if _NAMED.match(stamps[0]) is not None:
        stamps = [_month_as_number(stamp) for stamp in stamps]
    if _YEAR_FIRST.match(stamps[0]) is not None:
        return _seconds([_year_first(stamp) for stamp in stamps])
    if _PARTS.match(stamps[0]) is None:
        return _seconds(stamps)
    ways: tuple[Callable[[str], str], ...] = (_month_first, _day_first)
    if stamps[0][1:3].strip("0123456789") == ".":  # as nobody writes a month first
        ways = ways[::-1]
    readings = [found for way in ways if (found := _seconds(list(map(way, stamps)))) is not None]
    return min(readings, key=lambda found: float(np.abs(np.diff(found)).sum()), default=None)


def _month_as_number(stamp: str) -> str:
    """Return a date whose month has a name as one that begins with its year."""
    found = _NAMED.fullmatch(stamp)
    if found is None:
        return ""
    month = _FIRST_LETTERS.index(found["month"][:3].lower()) + 1
    date = f"{_full_year(found['year'])}-{month}-{found['day'] or found['later']}"
    return date + (found["rest"] or "")


def _year_first(stamp: str) -> str:
    """Return a date that begins with its year, and what follows it, as numpy reads them."""
    found = _YEAR_FIRST.fullmatch(stamp)
    return _standard_of(int(found[1]), found[3], found[4], found[5]) if found else ""


def _month_first(stamp: str) -> str:
    return _standard(stamp, month=1, day=3)


def _day_first(stamp: str) -> str:
    return _standard(stamp, month=3, day=1)


def _standard(stamp: str, *, month: int, day: int) -> str:
    """Return a date and what follows it as numpy reads them; these are its parts of `_PARTS`."""
    found = _PARTS.fullmatch(stamp)
    if found is None:
        return ""
    return _standard_of(_full_year(found[4]), found[month], found[day], found[5])


def _full_year(digits: str) -> int:
    """Return a year of four digits, or of two."""
    year = int(digits)
    return year + _CENTURY - 100 * (year >= _LAST) if len(digits) == len("21") else year


def _standard_of(year: int, month: str, day: str, time: str | None) -> str:
    date = f"{year:04}-{int(month):02}-{int(day):02}"
    return f"{date}T{_whole_day(time)}" if time else date


def _whole_day(time: str) -> str:
    """Return a time of day in 24 hours, of two digits each."""
    found = _HALF.fullmatch(time)
    if found is not None:
        hour = int(found[1]) % _HALF_DAY + _HALF_DAY * (found[3] in "Pp")
        time = f"{hour}{found[2]}"
    return f"0{time}" if time[1:2] == ":" else time


def _seconds(stamps: Sequence[str]) -> FloatArray | None:
    """Return the seconds of what numpy reads as dates; None if it does not, or all are one."""
    plain = [_COLON.sub(r"\1.\2", one) for one in stamps]
    if _ANY.search(plain[0]) is None:
        return None
    try:
        with warnings.catch_warnings():  # of zones, which the differences of times do not have
            warnings.simplefilter("ignore")
            dates = np.array(plain, dtype="datetime64[us]")
    except ValueError:
        return None
    if np.isnat(dates).any() or dates[0] == dates[-1]:
        return None
    seconds: FloatArray = (dates - dates[0]).astype(np.float64) / 1e6
    return seconds


def _elapsed(stamps: Sequence[str]) -> FloatArray | None:
    """Return the seconds of minutes and seconds."""
    found = [_ELAPSED.fullmatch(one) for one in stamps]
    parts = [(int(one[1]), float(one[2].replace(",", "."))) for one in found if one is not None]
    if len(parts) < len(stamps):
        return None
    minutes, seconds = np.array(parts).T
    total: FloatArray = 60.0 * (minutes - minutes[0]) + (seconds - seconds[0])
    return total
