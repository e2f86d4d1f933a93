"""How a text table is written, found from its first lines: nothing guessed that can be known."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ikpca_cli.errors import InputError, UsageError

BLANK = " "  # as a delimiter: any run of spaces and tabs
MISSING_WORDS = frozenset({"", "nan", "na", "n/a", "#n/a", "null", "none", "-nan"})
_DELIMITERS = {"tab": "\t", "\\t": "\t", "space": BLANK, "comma": ",", "semicolon": ";"}
# In order of preference among those that explain the lines equally well.
_CANDIDATES = [(d, ".") for d in (",", "\t", ";", "|", BLANK)] + [
    (d, ",")
    for d in ("\t", ";", "|", BLANK, ",")  # the last with every number in quotes
]
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?inf(?:inity)?", re.I | re.A)
_DIGITS = re.compile(r"[0-9.,;| \t+-]+")
_COMMENT = re.compile(r"\s*#(?!N/A)")
_SAMPLE = 200


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """A table's form.

    Attributes
    ----------
    delimiter, decimal
        Single characters; a blank delimiter stands for any run of blanks.
    width
        Cells in a line, without one that only a trailing delimiter makes.
    names
        The header, one name a cell, or None.
    trailing
        Whether lines end in a delimiter.
    first
        How many lines come before the first row.
    preamble
        The comment lines among those.
    header_prefix
        What stands before the first name, where the header is itself a comment.
    quoted
        Whether the names are quoted.
    doubts
        What the user should check.
    """

    delimiter: str
    decimal: str
    width: int
    names: tuple[str, ...] | None
    trailing: bool
    first: int
    preamble: tuple[str, ...]
    header_prefix: str = ""
    quoted: bool = False
    doubts: tuple[str, ...] = ()

    def cells(self, line: str) -> list[str]:
        """Split a line into its cells, which need not be as many as `width`."""
        cells = split(line, self.delimiter)
        if self.trailing and len(cells) == self.width + 1 and not cells[-1]:
            cells.pop()
        return cells

    def number(self, cell: str) -> float | None:
        """Return the number in a cell: NaN where it is missing, None where it is text."""
        return number(cell, self.decimal)


def is_comment(line: str) -> bool:
    """Tell whether a line is blank or a comment, and so no row."""
    # Tabs alone are a row of missing values, between tabs.
    return not line.strip(" \r") or _COMMENT.match(line) is not None


def split(line: str, delimiter: str) -> list[str]:
    """Split a line into stripped cells, minding double quotes."""
    if delimiter == BLANK:
        line = " ".join(line.split())
    if '"' not in line:
        return [cell.strip() for cell in line.split(delimiter)]
    reader = csv.reader([line], delimiter=delimiter, skipinitialspace=True)
    return [cell.strip() for cell in next(reader)]


def number(cell: str, decimal: str) -> float | None:
    """Return the number in a cell: NaN where it is missing, None where it is text."""
    if decimal == ",":
        if "." in cell:
            return None  # a thousands separator, or a mistake
        cell = cell.replace(",", ".")
    if _NUMBER.fullmatch(cell):
        return float(cell)
    return float("nan") if cell.lower() in MISSING_WORDS else None


def sniff(
    lines: Sequence[str], name: str, *, delimiter: str | None = None, decimal: str | None = None
) -> Dialect:
    """Find the form of a table.

    Parameters
    ----------
    lines
        Its first lines, without their ends.
    name
        What messages call the file.
    delimiter, decimal
        What the user knows of it.

    Returns
    -------
    Dialect
        The form that makes the most cells numbers and the lines equally long.

    Raises
    ------
    InputError
        If there are no rows.
    UsageError
        If `delimiter` or `decimal` is not possible.
    """
    candidates = _possible(delimiter, decimal)
    start = 0
    if lines and lines[0].lower().startswith("sep=") and len(lines[0]) == 5:  # Excel's own hint
        start = 1
        if delimiter is None:
            candidates = _possible(lines[0][4], decimal)
    top = start
    while top < len(lines) and is_comment(lines[top]):
        top += 1
    body = [line for line in lines[top : top + _SAMPLE] if not is_comment(line)]
    preamble = tuple(lines[:top])
    if not body:
        raise InputError(f"{name}: holds no rows of numbers, only {top} blank or comment lines")
    mark, point = max(candidates, key=lambda candidate: _fit(body, *candidate))
    trailing, width = _shape(body, mark)
    rows = [_trim(split(line, mark), width, trailing) for line in body]
    doubts: list[str] = []
    header = _header(rows, width, point, doubts)
    prefix, quoted = "", False
    if header is not None:
        if len(rows) == 1:
            raise InputError(f"{name}: holds a header but no rows")
        quoted = body[0].count('"') >= 2 * len(header)
        top += 1
    elif top > start:
        comment = re.match(r"\s*#+\s*", preamble[-1])
        names = (
            _trim(split(preamble[-1][comment.end() :], mark), width, trailing) if comment else []
        )
        if comment and len(names) == width > 1:
            header, prefix, preamble = names, comment[0], preamble[:-1]
    if header is None and (mark, width, delimiter, decimal) == (",", 2, None, None):
        whole = all(cell.lstrip("+-").isdigit() for row in rows for cell in row)
        if whole and any(row[1].startswith("0") and len(row[1]) > 1 for row in rows):
            doubts.append("read as two columns; if the comma is a decimal mark, give --decimal ,")
    return Dialect(
        delimiter=mark,
        decimal=point,
        width=width,
        names=None if header is None else tuple(header),
        trailing=trailing,
        first=top,
        preamble=preamble,
        header_prefix=prefix,
        quoted=quoted,
        doubts=tuple(doubts),
    )


def _possible(delimiter: str | None, decimal: str | None) -> list[tuple[str, str]]:
    """Return the pairs of delimiter and decimal mark that the user's knowledge leaves."""
    if decimal not in (None, ".", ","):
        raise UsageError(f"--decimal {decimal}: give . or ,")
    if delimiter is None:
        return [pair for pair in _CANDIDATES if decimal in (None, pair[1])]
    mark = _DELIMITERS.get(delimiter, delimiter)
    if len(mark) != 1 or mark.isalnum() or mark in "\"'.+-#\r\n":
        raise UsageError(f"--delimiter {delimiter}: give one character, tab or space")
    return [(mark, point) for point in ".," if decimal in (None, point)]


def _shape(body: Sequence[str], mark: str) -> tuple[bool, int]:
    """Tell whether lines end in a delimiter, and how many cells the most have."""
    rows = [split(line, mark) for line in body]
    head, data = rows[0], rows[1:] or rows
    longest = max(map(len, data))
    trailing = mark != BLANK and longest > 1 and all(not row[-1] for row in data)
    trailing = trailing and (not head[-1] or len(head) < longest)
    counts = Counter(len(_trim(row, longest - 1, trailing)) for row in rows)
    # The first line decides a draw: `max` keeps the first of equals.
    return trailing, max(counts, key=lambda width: counts[width])


def _trim(cells: list[str], width: int, trailing: bool) -> list[str]:
    return cells[:-1] if trailing and len(cells) == width + 1 and not cells[-1] else cells


def _fit(body: Sequence[str], mark: str, point: str) -> float:
    """Return which part of the lines a delimiter and a decimal mark explain, up to 1."""
    trailing, width = _shape(body, mark)
    rows = [_trim(split(line, mark), width, trailing) for line in body]
    alike = sum(len(row) == width for row in rows)
    if len(rows[0]) == width - 1 > 1:
        alike += 1  # R leaves out the name of its index column
    data = rows[1:] or rows
    cells = sum(map(len, data))
    known = sum(number(cell, point) is not None for row in data for cell in row)
    # A name has a letter: digits and marks that are no number speak against the candidate.
    cells += sum(number(cell, point) is None and bool(_DIGITS.fullmatch(cell)) for cell in rows[0])
    return alike / len(rows) * known / cells


def _header(rows: list[list[str]], width: int, point: str, doubts: list[str]) -> list[str] | None:
    """Return the names in the first line, if it holds names."""
    first = rows[0]
    text = [number(cell, point) is None for cell in first]
    if len(first) == width - 1 > 1 and all(text):
        return ["", *first]
    if len(first) != width:
        return None
    counts = [str(i) for i in range(width)]
    if width > 2 and not first[0] and first[1:] == counts[:-1]:
        return first
    if width > 2 and first == counts and any(point in cell for row in rows[1:] for cell in row):
        doubts.append("the first line, 0, 1, 2 and so on, was read as column names")
        return first
    if not any(text):
        return None
    if all(text) or sum(text) > width / 2:
        return first
    # Names among numbers, as wavelengths after a label: a header if the rows below have no text
    # there and the line starts with a name; otherwise the text is a mistake in a row.
    below = [number(cell, point) is None for cell in rows[1]] if len(rows) > 1 else text
    return first if (text[0] or not first[0]) and not any(below[:1]) else None
