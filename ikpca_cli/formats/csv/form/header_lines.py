"""The lines at the top of a table, by their cells: names, units, rows, rows with a mistake.

Names of columns are words, or an axis behind one word, or numbers below the names of groups. A row
whose first cell is a mistake looks like an axis where its numbers happen to rise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

from ikpca_cli.formats.csv.form.axis import Verdict, beside_axis, is_alone, judge, rises
from ikpca_cli.formats.csv.form.cells import Grammar, are_text, numbers
from ikpca_cli.formats.csv.form.dialect import Dialect

_MISTAKEN = re.compile(r"\W*\d[\d.,_]*+(?!\w).*")
"""A number with something beside it, which is not the name of an axis, as 2theta is."""

_WITH_UNIT = re.compile(r"\w[^()\[\]]*[(\[][^()\[\]]+[)\]]")
"""A name with a unit, such as ``Time (min)`` or ``Signal [mAU]``."""

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
    behind
        How many more stand behind those of a row.
    """

    place: int
    cells: list[str]
    text: list[bool]
    quoted: bool
    behind: int = 0

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
        if line.width != self.dialect.width:  # a number by itself is a setting
            return not line.has_text and line.width > 1
        return not line.is_words(self.texts) and not self.is_header(place)

    def is_header(self, place: int) -> bool:
        """Tell whether a line has names, or units: words, or an axis after a word."""
        line, width = self.lines[place], self.dialect.width
        if line.width == width - 1 > 1:  # R leaves out the name of its index column
            return all(line.text)
        if line.width > width:  # it names what stands behind some rows alone
            named = {one.width + one.behind for one in self.lines[place + 1 :]}
            return all(line.text) and (line.cells[-1] == "Comment" or line.width in named)
        if line.width != width:
            return False
        words = sum(line.text[c] for c in self.columns)
        if line.is_words(self.texts) or 2 * words > len(self.columns) or self.second_level(place):
            return True
        if set(beside_axis(line.cells)) & set(self.columns) and self._names_numbers(place):
            return True
        if not self._is_axis_after_word(place) or self._is_below_names(place):
            return False
        return width <= _FEW or is_alone(*self._beside_rows(place))

    def second_level(self, place: int) -> tuple[str, ...]:
        """Return names of two levels if numbers that rise below each name above are the second.

        Spreadsheets write a name above several columns once, pandas above each.
        """
        line, above = self.lines[place], self.lines[place - 1]
        if not place or not line.width == above.width == self.dialect.width or line.width < 3:
            return ()
        if (line.cells[0] and not line.text[0]) or not above.is_words(()):
            return ()
        names: list[str] = []
        for own in above.cells[1:]:
            names.append(own or (names[-1] if names else ""))
        groups = [[*group] for _, group in groupby(range(len(names)), names.__getitem__)]
        values = numbers(line.cells[1:], self.dialect.grammar)
        if len(groups) == len(names) or not all(rises(values[group]) for group in groups):
            return ()
        return "", *map(" ".join, zip(names, line.cells[1:], strict=True))

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


def without_remarks(lines: Sequence[Line], columns: Sequence[int], dialect: Dialect) -> list[Line]:
    """Return lines without what stands behind those that are rows."""
    width, most, found = dialect.width, 0, []
    for line in lines:
        if line.width > width and dialect.has_remark(line.cells, columns, most):
            cells, text = line.cells[:width], line.text[:width]
            line = replace(line, cells=cells, text=text, behind=line.width - width)
        elif all(line.text):
            most = line.width
        found.append(line)
    return found


def counts_rows(rows: Sequence[Line], columns: Sequence[int]) -> bool:
    """Tell whether the first of rows says how many there are in each channel, as BIOPAC's does."""
    (first, *counts), *below = ([row.cells[column] for column in columns] for row in rows)
    if first or len(set(counts)) != 1 or not counts[0].isdigit() or not below:
        return False
    return int(counts[0]) >= len(below) and all(cells[0] for cells in below)


def more_axes(rows: Sequence[Line], texts: Sequence[int], grammar: Grammar) -> int:
    """Return how many of the first rows, named with units as no others, are an axis and more."""
    named = [bool(_WITH_UNIT.fullmatch(row.cells[0])) for row in rows if 0 in texts]
    count = named.index(False) if False in named else 0
    is_axis = count == sum(named) and rises(numbers(rows[0].cells[1:], grammar))
    return count if is_axis else 0


def names_among(lines: Sequence[Line], top: int, start: int) -> int:
    """Return which lines of words has the names: the first without blanks and repetitions.

    Names with their units, directly above the rows, are more surely names than what is above them.
    """
    if all(_WITH_UNIT.fullmatch(cell) for cell in lines[start - 1].cells):
        return start - 1
    for i in range(top, start):
        if all(lines[i].cells) and len(set(lines[i].cells)) == lines[i].width:
            return i
    return top
