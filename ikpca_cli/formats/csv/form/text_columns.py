"""Which columns of a table are text: names of samples, dates, classes; and which lines above it.

Names of columns are words, or an axis behind one word. A row whose first cell is a mistake looks
like the latter where its numbers happen to rise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ikpca_cli.formats.csv.form.axis import Verdict, beside_axis, is_alone, judge, rises
from ikpca_cli.formats.csv.form.cells import BLANK, Grammar, are_text, numbers
from ikpca_cli.formats.csv.form.dialect import Dialect

_SHORT, _LONG = 40, 1000
_DATE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}")
_WITH_CLASS = re.compile(r"[+-]?+\d*+\.\d++(?:[eE][+-]?+\d++)?+:.*+")
"""A number and, behind a colon, the class of its row, as files of time series have it."""

_WITH_UNIT = re.compile(
    r"[(<>~$€£¥\[{']{0,3}+ ?+[+-]?+\d[\d.,' ]*+[)%$€£¥\]}',;]{0,3}+[a-zA-Zµ°Ω/]{0,4}+"
)
_SEVERAL = re.compile(r"[,;|]\s*[+-]?\d*\.\d|\d*\.\d+\s*[,;|]|\d\.\d+\s+[+-]?\d*\.\d")
"""A decimal number and, beside it, what stands between the numbers of other tables."""

_MORE_BEHIND = re.compile(
    r"(?:[A-Z]{3} |ca\. |[a-zA-Z]{1,4}[:=])?+[(<>~≈±=\"'$€£¥\[{]{0,3}+ ?+"
    r"[+-]?+\d*+[.,]\d++(?![.,]?+\d)"
    r"(?! ?+[-–] ?+\d++[.,]?+\d*+$).*+"
)
"""A decimal number and what else may stand in its cell: a unit, a mark, an error, another number.

From one number to another is a range, and may be the name of a row.
"""

TOUCHING = re.compile(r"\d\.\d*+(?:[eEdD][+-]?\d++)?+[+-]\d*+\.\d")
"""Decimal numbers without a blank between them, where they fill columns of a fixed width."""

ARROW = re.compile(r".*(?:[-=]>|→)\s*+[+-]?+\d[\d.]*+\s*+")
"""A number behind an arrow, before which serial monitors write the time."""

_REMARKED = re.compile(r"[+-]?+(?:\d++\.?+\d*+|\.\d++)(?:[eEdD][+-]?+\d++)?+\s*+(?:[#!;%]|//).*+")
"""A number and a remark behind it."""


_MISTAKEN = re.compile(r"\W*\d[\d.,_]*+(?!\w).*")
"""A number with something beside it, which is not the name of an axis, as 2theta is."""

_ROWS = 3
"""Rows from which a column that is empty in all of them is no chance."""

_FEW = 5
"""Columns whose numbers rise by chance."""


@dataclass(frozen=True)
class Line:
    """A line of a table.

    Attributes
    ----------
    place
        Its place among the lines, counted from 0.
    cells
        What it holds.
    text
        Whether each cell is text: neither a number nor missing.
    quoted
        Whether its cells are in quotes.
    """

    place: int
    cells: list[str]
    text: list[bool]
    quoted: bool

    @classmethod
    def of(cls, place: int, line: str, dialect: Dialect) -> Line:
        """Return a line as a dialect reads it."""
        cells = dialect.cells(line)
        quoted = line.count('"') >= 2 * len(cells)
        return cls(place, cells, are_text(cells, dialect.grammar), quoted)

    @property
    def width(self) -> int:
        """How many cells there are."""
        return len(self.cells)

    @cached_property
    def has_text(self) -> bool:
        """Whether any cell is text."""
        return any(self.text)

    def is_row(self, columns: Sequence[int]) -> bool:
        """Tell whether the cells of some columns are numbers, at least one of them not missing."""
        return not any(self.text[c] for c in columns) and any(self.cells[c] for c in columns)

    def is_words(self, texts: Sequence[int]) -> bool:
        """Tell whether there are words, and no number but in columns of text."""
        full = [c for c in range(self.width) if self.cells[c] and c not in texts]
        return self.has_text and all(self.text[c] for c in full)


@dataclass(frozen=True)
class HeaderLines:
    """The first lines of a table.

    Attributes
    ----------
    lines
        In their order.
    columns, texts
        The columns of numbers, and those of text.
    dialect
        The form of the lines.
    """

    lines: Sequence[Line]
    columns: Sequence[int]
    texts: Sequence[int]
    dialect: Dialect

    def is_faulty_row(self, place: int) -> bool:
        """Tell whether a line above the first good row is a row, too, with something wrong."""
        line = self.lines[place]
        if line.width != self.dialect.width:
            return not line.has_text
        return not line.is_words(self.texts) and not self.is_header(place)

    def is_header(self, place: int) -> bool:
        """Tell whether a line has names, or units: words, or an axis after a word."""
        line, width = self.lines[place], self.dialect.width
        if line.width == width - 1 > 1:  # R leaves out the name of its index column
            return all(line.text)
        if line.width == width + 1:  # LabVIEW names a column of comments that rows seldom have
            return all(line.text) and line.cells[-1] == "Comment"
        if line.width != width:
            return False
        words = sum(line.text[c] for c in self.columns)
        if line.is_words(self.texts) or 2 * words > len(self.columns):
            return True
        if set(beside_axis(line.cells)) & set(self.columns) and self._names_numbers(place):
            return True
        if not self._is_axis_after_word(place) or self._is_below_names(place):
            return False
        return width <= _FEW or is_alone(*self._beside_rows(place))

    def doubts(self, place: int) -> list[str]:
        """Say where names are an axis that may as well be a row with a mistake."""
        line = self.lines[place]
        if not self._is_axis_after_word(place):
            return []
        if judge(*self._beside_rows(place)) is Verdict.AXIS:
            return []
        return [
            f"line {line.place + 1} was taken for names, {line.cells[0]!r} and an axis; if it is a "
            "row with a mistake, mend it"
        ]

    def _is_axis_after_word(self, place: int) -> bool:
        """Tell whether all cells behind the first, a word, are numbers that rise or fall."""
        line = self.lines[place]
        if line.width != self.dialect.width or line.width < 3 or self.columns[0] != 0:
            return False
        is_word = line.text[0] and not _MISTAKEN.fullmatch(line.cells[0])
        return is_word and rises(numbers(line.cells[1:], self.dialect.grammar))

    def _names_numbers(self, place: int) -> bool:
        """Tell whether cells of words stand in columns of numbers beside an axis of these rows."""
        line = self.lines[place]
        axis = [c for c in self.columns if not line.text[c]]
        if not axis or any(self.lines[place].text[c] for c in range(axis[0], axis[-1])):
            return False
        below = [[one.cells[c] for c in axis] for one in self._rows_below(place)]
        return is_alone([line.cells[c] for c in axis], below, self.dialect.grammar)

    def _is_below_names(self, place: int) -> bool:
        above = self.lines[place - 1] if place else None
        return above is not None and above.width == self.dialect.width and above.is_words(())

    def _beside_rows(self, place: int) -> tuple[list[str], list[list[str]], Grammar]:
        """Return a line and the rows below it, without their first cells, as `judge` has them."""
        below = [line.cells[1:] for line in self._rows_below(place)]
        return self.lines[place].cells[1:], below, self.dialect.grammar

    def _rows_below(self, place: int) -> list[Line]:
        width, below = self.dialect.width, self.lines[place + 1 :]
        return [line for line in below if line.width == width and line.is_row(self.columns)]


def text_columns(lines: Sequence[Line], width: int) -> tuple[int, ...]:
    """Return the columns without a number in the lower half of some lines, and with a word."""
    lower = [line for line in lines[len(lines) // 2 :] if line.width == width]
    return _wordy(lower, range(width))


def empty_below(lines: Sequence[Line], texts: Sequence[int], width: int) -> tuple[int, ...]:
    """Return the columns that are empty in the lower half of some lines, if others are not."""
    lower = [line for line in lines[len(lines) // 2 :] if line.width == width]
    empty = tuple(
        c for c in range(width) if c not in texts and not any(line.cells[c] for line in lower)
    )
    return empty if len(lower) >= _ROWS and len(empty) + len(texts) < width else ()


def spare_columns(rows: Sequence[Line], empty: Sequence[int], width: int) -> tuple[int, ...]:
    """Return those of empty columns that hold no data above either: nothing, or remarks.

    Numbers are part of a remark beside words in another of these columns. Numbers alone, however
    few, are data of which most is missing.
    """
    full = [row for row in rows if row.width == width]
    plain = [row for row in full if not any(row.text[c] for c in empty)]
    return tuple(c for c in empty if not any(row.cells[c] for row in plain))


def counts_rows(rows: Sequence[Line], columns: Sequence[int]) -> bool:
    """Tell whether the first of rows says how many there are in each channel, as BIOPAC's does."""
    (first, *counts), *below = ([row.cells[column] for column in columns] for row in rows)
    if first or len(set(counts)) != 1 or not counts[0].isdigit() or not below:
        return False
    return int(counts[0]) >= len(below) and all(cells[0] for cells in below)


def label_columns(
    rows: Sequence[Line], texts: Sequence[int], width: int, delimiter: str
) -> tuple[int, ...]:
    """Return which columns of text may be labels.

    They have a word in every row, or nothing, and not numbers with something beside them such as
    a unit, which are to be read and not to be laid aside. Some column has to be left.
    """
    full = [row for row in rows if row.width == width]
    labels = [
        c
        for c in _wordy(full, texts)
        if not all(_is_quantity(row.cells[c], touching=delimiter == BLANK) for row in full)
    ]
    return tuple(labels) if len(labels) < width else ()


def _wordy(lines: Sequence[Line], columns: Sequence[int]) -> tuple[int, ...]:
    with_words = [line for line in lines if line.has_text]
    if not with_words:
        return ()
    return tuple(
        c
        for c in columns
        if any(line.text[c] for line in with_words)
        and all(line.text[c] or not line.cells[c] for line in lines)
    )


def _is_quantity(cell: str, *, touching: bool) -> bool:
    """Tell whether a cell is a number with a unit, a currency or a mark that is not known.

    It may be `touching` another one.
    """
    if not cell or len(cell) > _LONG or _WITH_CLASS.fullmatch(cell) or _REMARKED.fullmatch(cell):
        return True
    if ARROW.fullmatch(cell):
        return True
    if touching and TOUCHING.search(cell) is not None:
        return True
    if _DATE.search(cell) is not None:
        return False
    if _SEVERAL.search(cell) is not None:
        return True
    if len(cell) > _SHORT:
        return False
    return _WITH_UNIT.fullmatch(cell) is not None or _MORE_BEHIND.fullmatch(cell) is not None


def shape(label: str) -> str:
    """Return a label with its digits and letters made alike: those of S001 and S002 are equal."""
    return re.sub(r"[^\W\d]+", "a", re.sub(r"\d+", "9", label[:_SHORT]))
