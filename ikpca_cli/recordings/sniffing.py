"""Whether rows are rows at all: recordings and pictures are told by their shape and their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ikpca_cli.data.row_source import FloatArray, RowSource
from ikpca_cli.recordings.cutting import Kind
from ikpca_cli.recordings.guesses.numbered import are_cases, number_of_rows
from ikpca_cli.recordings.times import (
    column_name,
    names_of,
    seconds_of,
    time_columns,
    times_of,
)

MANY_ROWS = 500
"""Rows of one or two numbers from which their order is looked at."""

LONG_ROW = 64
"""Numbers in a single row that are worth windows."""

FEW_CHANNELS = 8
"""Columns up to which rows that are in order beside their times are no samples of their own."""

IN_ORDER = 0.8
"""Squared differences of neighbours, over those of any two, below which they are in order."""

MOST_CHANNELS = 64
"""Columns that the channels of a recording without times may be."""

FOLLOWING, FARTHER = 0.3, 8
"""Squared differences of neighbours, over those of any two, at most, and how far apart rows are
that differ by twice as much: those that are sorted by kind differ by no more."""

WRAPPED, LINES = (3, 20), 32
"""Numbers on a line that one signal may be wrapped over, and lines that tell it."""

STEADY = 2.0
"""How much steps and variances may differ, as ratios, that are the same but for chance."""

IN_COMMON = 0.05
"""Share of the steps along a row that all rows have in common, from which they have a shape."""

SHORTEST = 16
"""Rows of a file that tell their order, where several files do."""

SMALLEST_PICTURE = 32
"""Rows and columns of a picture that stands alone."""

FEW_PICTURES = 50
"""Pictures that are few to learn from as rows, where each shows something else."""

COLOURS = (3, 4)
"""Channels of a coloured picture, with or without transparency."""

_SOME_FILES = 16
_LOOKED_AT = 1 << 14  # rows in the middle of a file


@dataclass(frozen=True)
class Guess:
    """What a file looks like.

    Attributes
    ----------
    what : str
        In words, with its shape.
    kind : {"signal", "image"}
    is_wrapped : bool
        Whether it is one signal that goes on from line to line.
    """

    what: str
    kind: Kind
    is_wrapped: bool = False

    @property
    def option(self) -> str:
        """The option that takes it as what it looks like."""
        if self.is_wrapped:
            return "its numbers one a line, with --window auto,"
        return "--window 8x8, or auto," if self.kind == "image" else "--window auto, or a number,"


def looks_like(
    rows: RowSource, sample_shape: tuple[int, ...] = (), *, counted: bool = False
) -> Guess | None:
    """Return what a file looks like if not a stack of samples; None if it may be one.

    Parameters
    ----------
    rows : RowSource, shape (n, p)
    sample_shape : tuple of int
        The shape that a row has in its file.
    counted : bool
        Whether the first column is known to count the rows.
    """
    n_rows, n_columns = rows.shape
    if len(sample_shape) == 2 and n_rows == 1:
        return Guess(f"one picture of {sample_shape[0]} x {sample_shape[1]} pixels", "image")
    is_coloured = len(sample_shape) == 3 and sample_shape[-1] in COLOURS
    size = " x ".join(map(str, sample_shape[:2]))
    if is_coloured and n_rows == 1:
        return Guess(f"one coloured picture of {size} pixels", "image")
    if (is_coloured or len(sample_shape) == 2) and _show_other_things(rows, sample_shape):
        kind = "coloured pictures" if is_coloured else "pictures"
        return Guess(f"{n_rows} {kind} of {size} pixels, too few to learn from as rows", "image")
    if n_rows == 1 and n_columns >= LONG_ROW and len(sample_shape) < 2:
        return Guess(f"one recording of {n_columns} samples, in a single row", "signal")
    if len(sample_shape) > 1:
        return None
    if n_columns == 1 and n_rows >= LONG_ROW:
        return Guess(f"one recording of {n_rows} samples", "signal")
    time = time_columns(rows) if n_rows > n_columns and not counted else ()
    if 0 < len(time) < n_columns:
        channels = n_columns - len(time)
        of = f"{column_name(rows, time[0])} holds times, or counts the rows"
        return Guess(
            f"a recording of {n_rows} samples and {channels} channel{'s' * (channels != 1)}: {of}",
            "signal",
        )
    number = number_of_rows(rows)
    if number:  # a name that may be one of samples, too
        timed = n_columns <= MOST_CHANNELS and n_rows > n_columns
    else:
        timed = n_rows >= max(LONG_ROW, n_columns) and n_columns <= MOST_CHANNELS
        timed = timed and _have_times(rows) and _are_channels(_middle(rows))
    if timed and (number is None or not are_cases(rows, _middle_of(rows))):
        return Guess(
            f"a recording of {n_rows} samples and {n_columns} channel{'s' * (n_columns != 1)}: "
            "each row is like the next, and labels hold times, or count the rows",
            "signal",
        )
    fits = WRAPPED[0] <= n_columns <= WRAPPED[1] and n_rows >= LINES
    if fits and _has_lines(rows) and _goes_on(_middle(rows)):
        what = f"one signal that is wrapped over lines of {n_columns} numbers"
        return Guess(what, "signal", is_wrapped=True)
    if n_columns == 2 and n_rows >= MANY_ROWS and _order(_middle(rows)) < IN_ORDER:
        return Guess(f"a recording of {n_rows} samples and 2 channels, in order", "signal")
    if n_rows == n_columns >= SMALLEST_PICTURE:
        picture = _middle(rows)
        if _order(picture) < IN_ORDER and _order(picture.T) < IN_ORDER:
            return Guess(f"one picture of {n_rows} x {n_columns} pixels", "image")
    return None


def _show_other_things(rows: RowSource, shape: tuple[int, ...]) -> bool:
    """Tell whether a few pictures differ by more than noise, as those of one scene do."""
    if rows.shape[0] >= FEW_PICTURES or min(shape[:2]) < SMALLEST_PICTURE:
        return False
    first, second = np.asarray(rows[:2], dtype=np.float64)
    change = (second - first).reshape(*shape[:2], -1)[..., 0]
    return _order(change) < IN_ORDER and _order(change.T) < IN_ORDER


def counts_rows(rows: RowSource) -> bool:
    """Tell whether the first column rises by one from row to row, as an index of pandas does."""
    first = np.asarray(rows[:_LOOKED_AT], dtype=np.float64)[:, 0]
    return bool((np.diff(first) == 1.0).all())


def times_among(rows: RowSource) -> str:
    """Say which columns of rows (n, p) are their times, and no part of a sample; "" if none is.

    That is the first, where hardly another rises from row to row, and others that are called so.
    """
    names, found = names_of(rows), time_columns(rows)
    called = {column for column in found if names and seconds_of(names[column])}
    first = {0} if 0 in found and len(found) <= 1 + len(called) else set()
    times = sorted(first | called)
    if not times or len(times) == rows.shape[1]:
        return ""
    shown = " and ".join(column_name(rows, column) for column in times)
    labels = as_labels(rows, times)
    aside = f"give {labels}" if labels else "save the rows without it"
    rise = "rises" if len(times) == 1 else "rise"
    return f"{shown} {rise} from row to row, as times of the rows do: {aside}"


def as_labels(rows: RowSource, columns: Sequence[int]) -> str:
    """Return the option that lays columns of a table aside, beside its labels; "" of an array."""
    table: Any = getattr(getattr(rows, "layout", None), "table", None)
    if table is None:
        return ""
    places = table.places or range(rows.shape[1])
    labels = {*(places[column] for column in columns), *table.label_places}
    return f"--labels {','.join(str(place + 1) for place in sorted(labels))}"


def may_follow(rows: RowSource) -> bool:
    """Tell whether rows (n, p) of several columns may be samples of a recording, by their order."""
    if rows.shape[0] < MANY_ROWS or not 2 < rows.shape[1] <= MOST_CHANNELS:
        return False
    some = _middle(rows)
    near = _order(some)
    return near < FOLLOWING and 2.0 * near < _order(some, FARTHER)


def _are_channels(rows: FloatArray) -> bool:
    """Tell whether rows (n, p) are in order, and are not what is measured along an axis.

    Many columns are along one if each is like the next: those of other quantities are not.
    """
    order = _order(rows)
    if rows.shape[1] <= FEW_CHANNELS:
        return order < IN_ORDER
    return order < FOLLOWING < _order(rows.T)


def may_be_columns(rows: RowSource) -> bool:
    """Tell whether samples may be the columns: each row is like the next, and no column is."""
    if not SHORTEST <= rows.shape[0] < rows.shape[1]:
        return False
    some = _middle(rows)
    return _order(some) < FOLLOWING and _order(some.T) > IN_ORDER


def each_file_looks_like(rows: RowSource, parts: Sequence[slice]) -> Guess | None:
    """Return what each of several files looks like if not a stack of samples; None if it may be.

    Parameters
    ----------
    rows : RowSource, shape (n, p)
        Those of all files.
    parts : sequence of slice
        The rows of each file.
    """
    n_columns = rows.shape[1]
    lengths = {part.stop - part.start for part in parts}
    length = lengths.pop()
    if lengths or len(parts) < 2 or length < SHORTEST or n_columns < 2:
        return None
    looked_at = parts[:: 1 + len(parts) // _SOME_FILES]
    files = [np.asarray(rows[part], dtype=np.float64) for part in looked_at]
    if max(map(_order, files)) > FOLLOWING:
        return None
    if min(length, n_columns) >= SHORTEST and max(_order(file.T) for file in files) <= FOLLOWING:
        return Guess(f"one picture of {length} x {n_columns} pixels", "image")
    return Guess(f"a recording of {length} samples and {n_columns} channels", "signal")


def _has_lines(rows: Any) -> bool:
    """Tell whether rows are lines, at whose ends a signal may go on.

    In an array no line ends: rows that go on are windows, which somebody cut.
    """
    layout = getattr(rows, "layout", None)
    return layout is None or layout.table is not None


def _goes_on(rows: FloatArray) -> bool:
    """Tell whether rows (n, p) go on from each end to the next beginning, as within.

    Then all columns have one mean, one variance and one step to the next, over the ends of rows as
    well, and what lies a row apart differs more than neighbours do: channels with a signal in
    common differ by no more, rows with a shape in common have columns of other means.
    """
    steps, powers = np.diff(rows, axis=1), rows.var(axis=0)
    step = float(np.mean(steps**2))
    if not 0.0 < step <= 2.0 * FOLLOWING * float(rows.var()):
        return False
    over = float(np.mean((rows[1:, 0] - rows[:-1, -1]) ** 2)) / step
    apart = float(np.mean((rows[1:] - rows[:-1]) ** 2)) / step
    shape = float(np.mean(steps.mean(axis=0) ** 2)) / step
    steady = 1.0 / STEADY <= over <= STEADY and powers.max() <= STEADY * powers.min()
    return bool(steady and apart >= 0.75 * STEADY and shape <= max(4.0 / len(rows), IN_COMMON))


def _have_times(rows: RowSource) -> bool:
    """Tell whether the labels of rows are times, evenly spaced but for leaps."""
    times = times_of(rows, ())
    return times.step > 0.0 and not times.uneven


def _middle(rows: RowSource) -> FloatArray:
    return np.asarray(rows[_middle_of(rows)], dtype=np.float64)


def _middle_of(rows: RowSource) -> slice:
    start = max(0, (rows.shape[0] - _LOOKED_AT) // 2)
    return slice(start, start + _LOOKED_AT)


def _order(rows: FloatArray, lag: int = 1) -> float:
    """Return how much less rows differ from near ones than from any: 1 where order is chance."""
    spread = 2.0 * float(rows.var(axis=0).sum())
    steps = float(np.mean(np.sum((rows[lag:] - rows[:-lag]) ** 2, axis=1)))
    return steps / spread if spread > 0.0 else 1.0
