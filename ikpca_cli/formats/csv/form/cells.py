"""What stands in a cell: how a line is split, and which cells are numbers.

Every pattern here takes a number of steps proportional to the length of a cell: its repetitions
never give back what they took.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

BLANK = " "  # as a delimiter: any run of spaces and tabs
MISSING_WORDS = frozenset(
    ("", "nan", "+nan", "-nan", "nan(ind)", "-nan(ind)", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan")
) | {"na", "<na>", "n/a", "#na", "#n/a", "#n/a n/a", "null", "none", "."}
"""In lower case, as pandas, R, spreadsheets, C libraries and SAS write them."""

_MINUS = str.maketrans({"\u2212": "-", "\u2013": "-", "\x96": "-"})
"""What word processors put for a minus; the last is a dash of Windows' code page, in Latin-1."""

LONGEST_CELL = 4096
"""Characters of a cell that may be a number; longer ones are text."""

_KNOWN = 2**15
"""Cells whose numbers are kept: the form of a table is told by looking at its first ones often."""

_GROUP_MARKS = {
    ",": ",",
    ".": r"\.",
    " ": "[ \u00a0\u202f\u2009]",  # with the spaces that do not break, as spreadsheets write them
    "'": "['\u2019]",
}
THOUSANDS = tuple(_GROUP_MARKS)
"""Marks that may stand between groups of three digits."""

_ERROR = re.compile(
    r"#(?:N/A|(?:NA|[^\s,;|!?]{1,20}[!?])\s*[,;|\t]|(?-i:[A-Z0/]{2,10})[!?]\s*$)", re.IGNORECASE
)
"""The first cell of a line where a spreadsheet could not compute it, in any language."""

_NUMBER_SIGN = re.compile(r"#\s*[,;]")
"""The name of a column that counts the rows, not the mark of a comment."""

_EXPONENT = r"(?:[eE][+-]?+\d++)?+"
_AFTER_A_MARK = r"(?:[eEdD][+-]?+\d++)?+"
"""Fortran has D in double precision; without a decimal mark 12D4 is a name."""

_SIGN_APART = re.compile(r"^([+-]) +(?=[\d.,])")
"""A sign and blanks before its number, as in columns of loggers."""

_INFINITE = re.compile(r"[+-]?+(?:inf(?:inity)?+|1\.#INF0*+|∞)", re.I)


@dataclass(frozen=True)
class Grammar:
    """How numbers are written.

    Attributes
    ----------
    decimal
        The decimal mark, ``.`` or ``,``.
    thousands
        The mark between groups of three digits, one of `THOUSANDS`, or None.
    missing
        Words, in lower case, that stand for a missing value.
    missing_values
        Numbers that do.
    """

    decimal: str = "."
    thousands: str | None = None
    missing: frozenset[str] = MISSING_WORDS
    missing_values: frozenset[float] = frozenset()

    def number(self, cell: str) -> float | None:
        """Return the number in a cell: NaN where it is missing, None where it is text."""
        known = self._known
        if cell not in known:
            if len(known) >= _KNOWN:
                known.clear()
            known[cell] = self._number(cell)
        return known[cell]

    def _number(self, cell: str) -> float | None:
        if len(cell) > LONGEST_CELL:
            return None
        if not cell.isascii():
            cell = cell.translate(_MINUS)
        value = self._value(cell)
        if value is None or math.isinf(value):
            return math.nan if cell.lower() in self.missing else value
        return math.nan if value in self.missing_values else value

    def _value(self, cell: str) -> float | None:
        if self._plain.fullmatch(cell):
            return python_float(cell.replace(",", ".") if self.decimal == "," else cell)
        if self._grouped is not None and self._grouped.fullmatch(cell):
            return float(self.ungrouped(cell).replace(",", "."))
        if _INFINITE.fullmatch(cell):
            return -math.inf if cell.startswith("-") else math.inf
        return None

    def ungrouped(self, cell: str) -> str:
        """Return a number without marks between thousands."""
        return cell if self.thousands is None else re.sub(_GROUP_MARKS[self.thousands], "", cell)

    @cached_property
    def _known(self) -> dict[str, float | None]:
        return {}

    @cached_property
    def _plain(self) -> re.Pattern[str]:
        return plain_number(self.decimal)

    @cached_property
    def _grouped(self) -> re.Pattern[str] | None:
        return None if self.thousands is None else grouped_number(self.decimal, self.thousands)


def plain_number(decimal: str) -> re.Pattern[str]:
    """Return the pattern of a number without groups."""
    mark = re.escape(decimal)
    whole = rf"\d++(?:{mark}\d*+{_AFTER_A_MARK}|{_EXPONENT})"
    return re.compile(rf"[+-]?+(?:{whole}|{mark}\d++{_AFTER_A_MARK})", re.A)


def python_float(cell: str) -> float:
    """Return a number with a decimal point, whose exponent may be written with a D."""
    if "D" in cell or "d" in cell:
        cell = cell.replace("D", "e").replace("d", "e")
    return float(cell)


def grouped_number(decimal: str, thousands: str) -> re.Pattern[str]:
    """Return the pattern of a number of 1,000 or more in groups of three digits."""
    group, mark = _GROUP_MARKS[thousands], re.escape(decimal)
    return re.compile(rf"[+-]?+[1-9]\d{{0,2}}+(?:{group}\d{{3}}(?!\d))++(?:{mark}\d*+)?+", re.A)


def missing_words(text: str | None) -> tuple[frozenset[str], frozenset[float]]:
    """Return the words, and the numbers, that a list with commas says are missing values."""
    words = frozenset(word.strip().lower() for word in (text or "").split(",")) - {""}
    numbers = {python_float(word) for word in words if plain_number(".").fullmatch(word)}
    return MISSING_WORDS | words, frozenset(numbers)


def is_comment(line: str, mark: str) -> bool:
    """Tell whether a line is blank or a comment, and so no row."""
    # Tabs alone are a row of missing values, between tabs.
    text = line.strip(" ")
    if not text:
        return True
    text = text.lstrip()
    if mark == "#" and (_ERROR.match(text) or _NUMBER_SIGN.match(text)):
        return False
    return text.startswith(mark)


def split(line: str, delimiter: str) -> list[str]:
    """Split a line into stripped cells, without the double quotes around them."""
    if '"' not in line and delimiter == BLANK:
        return line.split() or [""]
    if not any(mark in line for mark in ('"', "+ ", "- ")):
        return [cell.strip() for cell in line.split(delimiter)]
    return [unquoted(cell) for cell in raw_cells(line, delimiter)]


def raw_cells(line: str, delimiter: str) -> list[str]:
    """Split a line into cells as they stand there, minding double quotes."""
    if delimiter == BLANK:
        line = line.strip().replace("\t", BLANK)
    if '"' not in line:
        return line.split() if delimiter == BLANK else line.split(delimiter)
    cells: list[str] = []
    pieces: list[str] = []
    inside = False
    for piece in line.split(delimiter):
        if inside or piece.lstrip().startswith('"'):
            inside ^= piece.count('"') % 2 == 1
        pieces.append(piece)
        if not inside:
            cell = delimiter.join(pieces)
            pieces = []
            if cell or delimiter != BLANK:
                cells.append(cell)
    if pieces:
        cells.append(delimiter.join(pieces))
    return cells


def unquoted(cell: str) -> str:
    """Return what a cell says, without padding, within a signed number too, and quotes."""
    text = cell.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].replace('""', '"').strip()
    return _SIGN_APART.sub(r"\1", text) if text[1:2] == " " else text


def quoted(cell: str, delimiter: str, *, always: bool = False) -> str:
    """Return a cell that reads as itself."""
    special = any(mark in cell for mark in (delimiter, '"', "\n", "\r"))
    if always or special or cell.startswith("#"):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def are_text(cells: Iterable[str], grammar: Grammar) -> list[bool]:
    """Tell for each cell whether it holds something that is no number."""
    return [grammar.number(cell) is None for cell in cells]


def numbers(cells: Iterable[str], grammar: Grammar) -> npt.NDArray[np.float64]:
    """Return the numbers in cells, NaN where there is none, or an infinite one."""
    found = (grammar.number(cell) for cell in cells)
    return np.array([np.nan if value is None or math.isinf(value) else value for value in found])
