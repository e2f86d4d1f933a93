"""Times of a recording: which columns they are, how far apart samples lie, and where they leap.

A logger that was stopped and started again leaves a leap in its times. What lies on both sides of
one is no window: windows are cut from the stretches between leaps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ikpca_cli.data.row_source import FloatArray, RowSource
from ikpca_cli.formats.csv.form.clock import clock_seconds
from ikpca_cli.recordings.dates import seconds_since_first

LOOKED_AT = 4096
"""Rows at both ends of a file that tell whether a column is one of times."""

LEAP = 2.5
"""Usual steps from one time to the next beyond which something is left out in between."""

DIFFERS = 0.02
"""Logarithm of the ratio of two rates from which on they are not the same."""

UNEVEN = 0.01
"""Share of the steps that may be leaps; with more, the times are uneven all along."""

_SECONDS = {"s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6}
"""What the units of times are called, in seconds."""

_FEWEST = 16  # rows that tell whether a column is one of times
_BENT = 0.05  # distance from a straight line, over its length, of times that were rounded
_BLOCK = 1 << 18  # rows read together
_ROUNDS = 2  # of a count that begins again
_RISES_ALIKE, _FALLS_ALIKE = 0.9, 0.5  # share of its steps that are the usual one
_SAME_STEP = 1e-6  # of its period, by which its steps may differ


@dataclass(frozen=True)
class Times:
    """What the times of a recording say of its samples.

    Attributes
    ----------
    step : float
        From one sample to the next, usually; seconds where times are dates, else in their unit; 0
        where there are no times.
    leaps : tuple of int
        Samples, counted from 0, before which the times leap.
    uneven : bool
        Whether steps differ so often that samples are not evenly spaced at all.
    """

    step: float = 0.0
    leaps: tuple[int, ...] = ()
    uneven: bool = False

    def stretches(self, length: int) -> Iterator[slice]:
        """Yield the samples between leaps."""
        edges = [0, *self.leaps, length]
        for start, stop in pairwise(edges):
            yield slice(start, stop)

    def remark(self) -> str | None:
        """Return what there is to say of a recording with such times."""
        if self.uneven:
            return (
                "its times are uneven, and windows take samples as evenly spaced; bring it to even "
                "times first, if it matters"
            )
        if not self.leaps:
            return None
        count = len(self.leaps) - 1
        more = f" and {count} other place{'s' * (count != 1)}" if count else ""
        return f"its times leap at sample {self.leaps[0] + 1}{more}: no window spans a leap"

    def differs(self, step: float) -> bool:
        """Tell whether samples lie otherwise apart than those of another recording do."""
        return self.step > 0.0 and step > 0.0 and abs(np.log(self.step / step)) > DIFFERS


NONE = Times()
"""Of a recording that has no times."""


def times_of(rows: RowSource, columns: Sequence[int]) -> Times:
    """Return what is known of the times of a recording.

    Parameters
    ----------
    rows : RowSource, shape (n, p)
        Times may be a column, or the labels of a table.
    columns : sequence of int
        The columns that hold times, see `time_columns`.
    """
    if columns:
        place = columns[0]
        return _of_blocks(lambda part: _column(rows, part, place), int(rows.shape[0]))
    told = _labels(rows)
    if told is None or len(told[0]) < _FEWEST:
        return even_times(rows)
    labels = told[0]
    if labels[0] >= labels[-1] and not _period(np.diff(labels)):
        return even_times(rows)
    return _of_blocks(lambda part: labels[part], len(labels))


def even_times(rows: RowSource) -> Times:
    """Return what the attributes of a file tell: how many samples there are a second."""
    rate = _told_rate(rows)
    return Times(1.0 / rate) if rate else NONE


def _told_rate(rows: Any) -> float:
    layout: Any = getattr(rows, "layout", None)
    told = getattr(getattr(layout, "beside", None), "rate", None)
    return 0.0 if told is None else float(told(layout.dataset or ""))


def shown_times(
    rows: RowSource, columns: Sequence[int], part: slice
) -> tuple[FloatArray, str] | None:
    """Return the times of some samples, (k,), and what they are called; None if there are none.

    Parameters
    ----------
    rows : RowSource, shape (n, p)
    columns : sequence of int
        As for `times_of`.
    part : slice
        The samples.
    """
    names = names_of(rows)
    if columns:
        return _column(rows, part, columns[0]), names[columns[0]] if names else "time"
    told = _labels(rows)
    if told is None:
        rate = _told_rate(rows)
        return (np.arange(part.start, part.stop) / rate, "time (s)") if rate else None
    table = rows.layout.table  # type: ignore[attr-defined]
    first = next((place for place, cell in enumerate(table.labels[0]) if cell.strip()), 0)
    name = table.label_names[first].strip().strip('"') if table.label_names else ""
    if told[1]:
        name = f"time since {' '.join(cell.strip() for cell in table.labels[0])} (s)"
    return told[0][part], name or "time"


def seconds_of(name: str) -> float:
    """Return the unit that a name of times ends in, as ``time (ms)``, in seconds; 0 if in none."""
    *_, last = re.split(r"[^a-zµ]+", name.lower().replace("μ", "µ").rstrip("])}. "))
    return _SECONDS.get(last, 0.0)


def names_of(rows: Any) -> tuple[str, ...] | None:
    """Return the names of the columns of rows, where their file has some."""
    names: tuple[str, ...] | None = getattr(getattr(rows, "layout", None), "feature_names", None)
    return names


def column_name(rows: Any, column: int) -> str:
    """Return what messages call a column of rows: its place in its file, and its name there."""
    layout: Any = getattr(rows, "layout", None)
    table: Any = getattr(layout, "table", None)
    is_read = table is not None and not layout.transposed and table.places
    place = table.places[column] if is_read else column
    names = names_of(rows)
    return f"column {place + 1}" + (f" {names[column]!r}" if names and names[column] else "")


def _column(rows: RowSource, part: slice, place: int) -> FloatArray:
    values: FloatArray = np.asarray(rows[part], dtype=np.float64)[:, place]
    return values


def _of_blocks(read: Callable[[slice], FloatArray], length: int) -> Times:
    """Return the times that a function reads by slices."""
    first = np.diff(read(slice(0, min(length, _BLOCK))))
    period = _period(first)
    first = np.where(first < 0.0, first + period, first)
    rising = first[first > 0.0]
    if not len(rising):
        return NONE
    usual = float(np.median(rising))
    leaps: list[int] = []
    for start in range(0, length - 1, _BLOCK):
        steps = np.diff(read(slice(start, min(length, start + _BLOCK + 1))))
        steps = np.where(steps < 0.0, steps + period, steps)
        odd = (steps > LEAP * usual) | (steps < -0.5 * usual)
        leaps += (start + 1 + np.flatnonzero(odd)).tolist()
        if len(leaps) > max(UNEVEN * length, 8):
            return Times(_mean_step(first, usual), (), uneven=True)
    return Times(_mean_step(first, usual), tuple(leaps))


def _mean_step(steps: FloatArray, usual: float) -> float:
    """Return the usual step: the mean of those that are no leaps, as times may be rounded."""
    return float(np.mean(steps[np.abs(steps) <= LEAP * usual]))


def _labels(rows: Any) -> tuple[FloatArray, bool] | None:
    """Return the first labels of a table's samples as numbers, and whether these are seconds."""
    table = getattr(getattr(rows, "layout", None), "table", None)
    if table is None or not table.labels or not table.labels[0]:
        return None
    full = [place for place, cell in enumerate(table.labels[0]) if cell.strip()]
    if not full:
        return None
    words = [[cells[place].strip().strip("\"'[]") for place in full] for cells in table.labels]
    columns = []
    for place in range(len(full)):
        try:
            columns.append(np.array([float(row[place].replace(",", ".")) for row in words]))
        except ValueError:
            break
    if columns:
        names = [table.label_names[place] for place in full] if table.label_names else None
        clock = clock_seconds(columns, names and names[: len(columns)])
        if clock is not None:
            return clock - clock[0], True
        rising = (column for column in columns if _rises(column, straight=False))
        return next(rising, columns[0]), False
    seconds = seconds_since_first(words)
    return None if seconds is None else (seconds, True)


def time_columns(rows: RowSource) -> tuple[int, ...]:
    """Return the columns that rise from row to row, as times or a count of the rows do.

    Rounded times may stay the same for some rows, or fall back where a clock was set, and those of
    rows in reverse order fall, if they lie along a straight line, or frequencies if their
    logarithms do. Behind these come counts that begin again whenever they are full, as those of
    samples in packets and seconds of a clock do.
    """
    n_rows, n_columns = rows.shape
    if n_rows < _FEWEST or n_columns < 2:
        return ()
    ends = [
        np.asarray(rows[part], dtype=np.float64)
        for part in (slice(0, LOOKED_AT), slice(max(0, n_rows - LOOKED_AT), n_rows))
    ]
    found, counts = [], []
    for column in range(n_columns):
        first, last = (end[:, column] for end in ends)
        way = np.sign(last[-1] - first[0])
        if all(_period(np.diff(end)) > 0.0 for end in (first, last)):
            counts.append(column)
        elif way and all(_is_axis(end, way) for end in (first, last)):
            found.append(column)
    return (*found, *counts)


def _is_axis(values: FloatArray, way: float) -> bool:
    """Tell whether numbers rise, or fall along a line as they are or on a logarithmic scale."""
    if way > 0.0 or _rises(-values, straight=True):
        return _rises(way * values, straight=way < 0.0)
    return bool((values > 0.0).all()) and _rises(-np.log(values), straight=True)


def _rises(values: FloatArray, *, straight: bool) -> bool:
    steps = np.diff(values)
    if not straight and (steps > 0.0).all():
        return True
    falls = steps < 0.0  # as those of a clock that was set
    # A missing value is no time.
    if np.isnan(steps).any() or np.mean(falls) > UNEVEN or np.sum(steps > 0.0) < _FEWEST - 1:
        return False
    usual = float(np.median(steps[steps > 0.0]))
    values = np.cumsum(np.where(falls | (steps > LEAP * usual), usual, steps))  # leaps left out
    line = np.linspace(values[0], values[-1], len(values))
    return bool(np.abs(values - line).max() <= max(_BENT * (values[-1] - values[0]), usual))


def _period(steps: FloatArray) -> float:
    """Return after how much a count begins again, from its steps (n - 1,); 0 if it is none.

    It goes up by one step, but where some are left out, and falls by one less than its period.
    """
    rises, falls = steps[steps > 0.0], -steps[steps < 0.0]
    if min(len(rises), len(falls)) < _ROUNDS or np.isnan(steps).any():
        return 0.0
    usual, fall = float(np.median(rises)), float(np.median(falls))
    slack = _SAME_STEP * fall
    is_count = fall >= (_FEWEST - 1) * usual - slack and float(falls.max()) <= fall + slack
    is_count &= float(np.mean(np.abs(rises - usual) <= slack)) >= _RISES_ALIKE
    is_count &= float(np.mean(np.abs(falls - fall) <= slack)) >= _FALLS_ALIKE
    return fall + usual if is_count else 0.0
