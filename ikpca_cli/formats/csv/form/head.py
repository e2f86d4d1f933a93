"""What stands above the rows of a table: a preamble, names, units, or an axis instead of names.

The rows begin at the first line whose cells are numbers in every column that holds numbers further
down. Words directly above it, as many as there are columns, are names and units; what is above
these is a preamble.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ikpca_cli.data.axes import counts
from ikpca_cli.errors import InputError, UsageError
from ikpca_cli.formats.csv.form.axis import Verdict, is_alone, judge, rises
from ikpca_cli.formats.csv.form.cells import numbers, split
from ikpca_cli.formats.csv.form.dialect import Dialect, data_lines, trim
from ikpca_cli.formats.csv.form.footer import LINES, footer
from ikpca_cli.formats.csv.form.header_lines import (
    HeaderLines,
    Line,
    counts_rows,
    more_axes,
    names_among,
    without_remarks,
)
from ikpca_cli.formats.csv.form.text_columns import (
    empty_below,
    label_columns,
    shape,
    spare_columns,
    text_columns,
)

HEADERS = ("auto", "yes", "no")

_CORNER = 5
"""Rising numbers after a blank cell that are no row with a missing value."""

_PROPERTIES = 20
"""Columns with names before an axis that may be properties of the samples."""

_SETTINGS = 4
"""Lines of numbers above a line of words, below which the rows begin, are fewer."""

_PLACES = 3
"""Cells by which the axis of a map may be shorter than its rows, which begin with places."""


@dataclass(kw_only=True)
class Head:
    """What is above the rows.

    Attributes
    ----------
    first
        Lines before the first row.
    names
        The header, one name a cell, or None.
    quoted
        Whether the names are quoted.
    prefix
        What stands before the first name, where the header is itself a comment.
    preamble, header, units
        The lines above the header, the header, and those between it and the rows, as they are.
    texts
        Columns that hold text.
    spare
        Those that are empty, but for words in a few rows.
    coordinates
        Columns before those under the axis of a map.
    guesses
        What was taken for what.
    doubts
        What the user should check.
    """

    first: int = 0
    names: tuple[str, ...] | None = None
    quoted: bool = False
    prefix: str = ""
    preamble: tuple[str, ...] = ()
    header: str | None = None
    units: tuple[str, ...] = ()
    texts: tuple[int, ...] = ()
    spare: tuple[int, ...] = ()
    coordinates: int = 0
    guesses: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)


def read_head(
    text: Sequence[str], skipped: int, dialect: Dialect, name: str, *, header: str, whole: bool
) -> Head:
    """Find what is above the rows.

    Parameters
    ----------
    text
        The first lines of the file.
    skipped
        How many of them are not to be looked at.
    dialect
        The form of the others.
    name
        What messages call the file.
    header
        One of `HEADERS`.
    whole
        Whether the lines are all that there are.

    Raises
    ------
    InputError
        If there are no rows.
    UsageError
        If `header` is none of `HEADERS`.
    """
    if header not in HEADERS:
        raise UsageError(f"--header {header}: give one of {', '.join(HEADERS)}")
    places = [place + skipped for place in data_lines(text[skipped:], dialect.comment)]
    lines = [Line.of(place, text[place], dialect) for place in places]
    width = dialect.width
    if whole:
        last = [text[line.place] for line in lines[1:]][-LINES:]
        below = footer(last, dialect, text_columns(lines, width))
        lines = lines[: len(lines) - below]
    texts = text_columns(lines, width)
    if len(texts) == width:
        texts = ()
    empty = empty_below(lines, texts, width)
    lines = without_remarks(lines, [c for c in range(width) if c not in (*texts, *empty)], dialect)
    head = Head()
    if header == "no":
        top, start = None, 0
    elif header == "yes":
        top = next((i for i, line in enumerate(lines) if line.width in (width, width - 1)), 0)
        start = top + 1
        while start < len(lines) and lines[start].is_words(texts):
            start += 1
    else:
        top, start = _find_top(lines, texts, empty, dialect, head)
    if start >= len(lines):
        raise InputError(f"{name}: holds a header but no rows; if it is a row, give --header no")
    start += more_axes(lines[start:], texts, dialect.grammar) if top is not None else 0
    head.texts = label_columns(lines[start:], texts, width, dialect.delimiter)
    head.spare = spare_columns(lines[start:], empty, width)
    head.first = lines[start].place
    if top is None:
        end = head.first
        _take_commented_names(text, skipped, dialect, head)
    else:
        end = lines[top].place
        _take_names(text, lines[top], dialect, head)
        if top + 1 < start:
            levels = HeaderLines(lines, (), texts, dialect).second_level(top + 1)
            head.names = levels or head.names
    if data_lines(text[skipped:end], dialect.comment):
        head.guesses.insert(0, f"{_lines(skipped + 1, end)} for a preamble")
    return head


def _find_top(
    lines: Sequence[Line], texts: Sequence[int], empty: Sequence[int], dialect: Dialect, head: Head
) -> tuple[int | None, int]:
    """Return the line of names, or None, and the first row."""
    width = dialect.width
    columns = [c for c in range(width) if c not in texts and c not in empty]
    rows = (i for i, line in enumerate(lines) if line.width == width and line.is_row(columns))
    start = next(rows, None)
    for axis in range(len(lines) if start is None else start + 1):
        if _is_axis_of_map(lines[axis], lines[axis + 1 :], texts, dialect, head):
            return axis, axis + 1
    if start is None:  # only words, or a mistake in each row, which the reader will name
        return (0, 1) if lines[0].is_words(()) else (None, 0)
    near = range(start + 1, min(start + _SETTINGS, len(lines) // 2))
    titles = [i for i in near if lines[i].width != width and all(lines[i].text)]
    if titles:  # numbers above are settings
        start = next((i for i in rows if i > titles[-1]), start)
    above = HeaderLines(lines, columns, texts, dialect)
    if above.second_level(start):
        start = next((i for i in rows if i > start), start)
    body = [line for line in lines[start:] if line.width == width]
    top = start
    while top and above.is_faulty_row(top - 1):
        top -= 1
    start, mistakes = top, start - top
    while top and above.is_header(top - 1):
        top -= 1
    if top < start:
        start += not mistakes and counts_rows(body, columns)
        head.doubts += above.doubts(start - 1)
        return names_among(lines, top, start), start
    if top and not any(line.has_text for line in lines[:top]):
        return None, 0  # numbers, but not as many as there are columns: the reader will name them
    if mistakes or _axis(lines[start:], columns, dialect, head) is not Verdict.AXIS:
        return None, start
    return start, start + 1


def _is_axis_of_map(
    line: Line, below: Sequence[Line], texts: Sequence[int], dialect: Dialect, head: Head
) -> bool:
    """Tell whether a line is the axis of rows that begin with something else; say so.

    Above that, their places or properties, there are names, blank cells or none: then the line is
    up to three cells shorter.
    """
    count = next((c for c, cell in enumerate(line.cells) if cell and not line.text[c]), 0)
    named, axis = count > 0 and any(line.text[:count]), line.cells[count:]
    if any(line.text[count:]) or len(axis) < _CORNER:
        return False
    values = numbers(axis, dialect.grammar)
    if not rises(values) or (named and counts(values)):
        return False
    count += dialect.width - line.width
    rows = [row for row in below if row.width == dialect.width]
    if not rows or not 1 <= count <= (_PROPERTIES if named else _PLACES):
        return False
    if not all(all(row.cells[:count]) and not any(row.text[count:]) for row in rows):
        return False
    if not is_alone(axis, [row.cells[count:] for row in rows], dialect.grammar):
        return False
    if not set(range(count)) <= set(texts):
        head.coordinates = count
    head.guesses.append(f"the first line of numbers, {axis[0]} to {axis[-1]}, for the axis")
    return True


def _axis(lines: Sequence[Line], columns: Sequence[int], dialect: Dialect, head: Head) -> Verdict:
    """Tell whether the first line of numbers is an axis, and say so."""
    width, first = dialect.width, lines[0]
    below = [line for line in lines[1:] if line.width == width and line.is_row(columns)]
    if not below:
        return Verdict.ROW
    labelled = columns[0] > 0 and shape(first.cells[0]) not in {
        shape(line.cells[0]) for line in below
    }
    if columns[0] == 0 and not first.cells[0] and all(line.cells[0] for line in below):
        columns = columns[1:]
        numbered = numbers([line.cells[0] for line in below], dialect.grammar)
        labelled = len(columns) >= _CORNER or bool((np.diff(numbered) == 1.0).all())
    cells = [[line.cells[c] for c in columns] for line in (first, *below)]
    # Spreadsheets and R quote names, and not numbers.
    named = first.quoted and not any(line.quoted for line in below)
    named |= labelled and len(columns) > 1 and rises(numbers(cells[0], dialect.grammar))
    verdict = Verdict.AXIS if named else judge(cells[0], cells[1:], dialect.grammar)
    if verdict is not Verdict.ROW:
        shown = f"the first line of numbers, {cells[0][0]} to {cells[0][-1]},"
        if verdict is Verdict.AXIS:
            head.guesses.append(f"{shown} for the axis")
        else:
            head.doubts.append(
                f"{shown} was read as a row; if it is the axis of the columns, give --header yes "
                "(--header no says that it is not)"
            )
    return verdict


def _take_commented_names(text: Sequence[str], skipped: int, dialect: Dialect, head: Head) -> None:
    """Take names from the last comment line above the rows, as numpy writes them."""
    head.preamble = tuple(text[: head.first])
    last = text[head.first - 1].lstrip() if head.first > skipped else ""
    names = last.lstrip(dialect.comment).lstrip()
    if names == last:
        return
    cells = trim(split(names, dialect.delimiter), dialect.width, dialect.trailing)
    if len(cells) > dialect.width and dialect.delimiter == "\t":  # two of them, as of WiRE's
        cells = [cell for cell in cells if cell]
    if len(cells) == dialect.width > 1:
        head.header = head.preamble[-1]
        head.preamble = head.preamble[:-1]
        head.names = tuple(cells)
        head.prefix = head.header[: len(head.header) - len(names)]


def _take_names(text: Sequence[str], top: Line, dialect: Dialect, head: Head) -> None:
    """Note the header, and what is between it and the rows."""
    missing = [""] * (dialect.width - top.width)
    head.names = (*missing, *top.cells)[: dialect.width]
    head.header = text[top.place]
    head.quoted = head.header.count('"') >= 2 * top.width
    head.preamble = tuple(text[: top.place])
    head.units = tuple(text[top.place + 1 : head.first])
    if data_lines(head.units, dialect.comment):
        head.guesses.append(f"{_lines(top.place + 2, head.first)} for units or remarks")


def _lines(first: int, last: int) -> str:
    """Name some lines, counted from 1."""
    return f"line {first}" if first >= last else f"lines {first} to {last}"
