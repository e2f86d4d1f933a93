"""How the lines of a text table are written: found from the first ones, unless it is told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ikpca_cli.errors import UsageError
from ikpca_cli.formats.csv.form.cells import (
    BLANK,
    THOUSANDS,
    Grammar,
    grouped_number,
    is_comment,
    missing_words,
    plain_number,
    raw_cells,
    split,
)
from ikpca_cli.formats.csv.form.marks import Marks, check_marks, find_marks
from ikpca_cli.formats.read_options import ReadOptions

_DELIMITERS = {"tab": "\t", "\\t": "\t", "space": BLANK, "comma": ",", "semicolon": ";"}
# In order of preference among those that explain the lines equally well.
_CANDIDATES = [(d, ".") for d in (",", "\t", ";", "|", BLANK)] + [
    (d, ",")
    for d in ("\t", ";", "|", BLANK, ",")  # the last with every number in quotes
]
_PLAIN = {decimal: plain_number(decimal) for decimal in ".,"}
_GROUPED = {
    decimal: [grouped_number(decimal, mark) for mark in THOUSANDS if mark != decimal]
    for decimal in ".,"
}
_SIMPLE = {decimal: Grammar(decimal) for decimal in ".,"}
_DIGITS = re.compile(r"[0-9.,;| \t+-]+")
_GROUPED_WEIGHT = 0.98
"""Weight of a number in groups: 100,200,300 is sooner three numbers than one."""

_QUANTITY = re.compile(r"[+-]?+\d++(?:[.,]\d++)?+ ?+(?:%|[a-zA-Zµ°Ω]{1,3}+)", re.A)
_QUANTITY_WEIGHT = 0.3
"""Weight of a number with its unit, whose blank is no delimiter: the reader will refuse it."""

_NO_NAMES = 0.9
"""Weight of a form in which what stands above the rows are not their names."""

_LINES, _CELLS = 40, 100
"""Lines, and cells of each, that are compared for each candidate."""

_POOR = 0.5
"""Part of the lines explained below which those further down are asked."""

_EVIDENCE = 10_000
"""Cells that are searched for marks."""


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """The form of a table's lines.

    Attributes
    ----------
    delimiter
        A single character; a blank stands for any run of blanks.
    grammar
        How numbers are written.
    width
        Cells in a line, without one that only a trailing delimiter makes.
    trailing
        Whether lines end in a delimiter.
    comment
        What comment lines begin with.
    """

    delimiter: str
    grammar: Grammar
    width: int
    trailing: bool = False
    comment: str = "#"

    def cells(self, line: str) -> list[str]:
        """Split a line into its cells, which need not be as many as `width`."""
        return trim(split(line, self.delimiter), self.width, self.trailing)

    def has_remark(self, cells: Sequence[str], columns: Sequence[int], most: int) -> bool:
        """Tell whether something stands behind a row, whose `columns` are data: words, or a cell.

        Up to `most` cells of a row have a name.
        """
        numbers, behind = [cells[c] for c in columns if c < len(cells)], cells[self.width :]
        if not any(behind) or not all(map(self._is_number, numbers)):
            return False
        return len(cells) <= most or not all(map(self._is_number, filter(None, behind)))

    def _is_number(self, cell: str) -> bool:
        return bool(cell) and self.grammar.number(cell) is not None

    def raw_cells(self, line: str) -> list[str]:
        """Split a line into its cells as they stand there."""
        return trim(raw_cells(line, self.delimiter), self.width, self.trailing)


def find_dialect(
    lines: Sequence[str], later: Sequence[str], name: str, options: ReadOptions, hint: str | None
) -> tuple[Dialect, Marks]:
    """Find the form that makes the most cells numbers and the lines equally long.

    Parameters
    ----------
    lines
        The first lines that are neither blank nor comments.
    later
        Some of those after them, which are searched for marks.
    name
        What messages call the file.
    options
        What the user knows.
    hint
        The delimiter that the file itself names, if it does.

    Raises
    ------
    InputError
        If a mark may be a decimal one or stand between thousands.
    UsageError
        If an option is not possible.
    """
    check_marks(options.decimal, options.thousands)
    comment = check_comment(options.comment)
    candidates = _possible(options.delimiter or hint, options.decimal)
    some = [*lines[: _LINES // 2], *lines[_LINES // 2 :: 1 + 2 * len(lines) // _LINES]]
    (mark, point), fit = _best(some, candidates)
    if fit < _POOR:  # what stands above the rows may be long, and says little
        other, fit = _best(lines[len(lines) // 2 :][:_LINES], candidates)
        mark, point = other if fit >= _GROUPED_WEIGHT else (mark, point)
    rows = [split(line, mark) for line in lines]
    first, trailing, width = _shape(rows, _weights(rows, point))
    rows = [*rows[first:], *(split(line, mark) for line in later)]
    body = [row for row in (trim(row, width, trailing) for row in rows) if len(row) == width]
    columns = list(zip(*body[:: 1 + len(body) * width // _EVIDENCE], strict=True))
    marks = find_marks(columns, mark, name, options.decimal, options.thousands)
    words, numbers = missing_words(options.na)
    grammar = Grammar(marks.decimal, marks.thousands, words, numbers)
    dialect = Dialect(
        delimiter=mark, grammar=grammar, width=width, trailing=trailing, comment=comment
    )
    return dialect, marks


def check_comment(comment: str | None) -> str:
    """Return what comment lines begin with.

    Raises
    ------
    UsageError
        If numbers begin with it, too.
    """
    if comment is not None and (not comment.strip() or comment[0] in "0123456789+-.\"'"):
        raise UsageError(f"--comment {comment}: give what comment lines begin with, such as %")
    return comment or "#"


def data_lines(lines: Sequence[str], comment: str) -> list[int]:
    """Return the places of the lines that are neither blank nor comments."""
    return [place for place, line in enumerate(lines) if not is_comment(line, comment)]


def trim(cells: list[str], width: int, trailing: bool) -> list[str]:
    """Return cells without the one that a trailing delimiter makes."""
    return cells[:-1] if trailing and len(cells) == width + 1 and not cells[-1] else cells


def _possible(delimiter: str | None, decimal: str | None) -> list[tuple[str, str]]:
    """Return the pairs of delimiter and decimal mark that the user's knowledge leaves."""
    if delimiter is None:
        return [pair for pair in _CANDIDATES if decimal in (None, pair[1])]
    mark = _DELIMITERS.get(delimiter, delimiter)
    if len(mark) != 1 or mark.isalnum() or mark in "\"'.+-#\r\n":
        raise UsageError(f"--delimiter {delimiter}: give one character, tab or space")
    return [(mark, point) for point in ".," if decimal in (None, point)]


def _weight(cell: str, point: str) -> float:
    """Return how surely a cell is a number or missing, up to 1."""
    if _PLAIN[point].fullmatch(cell):
        return 1.0
    if any(pattern.fullmatch(cell) for pattern in _GROUPED[point]):
        return _GROUPED_WEIGHT
    if _QUANTITY.fullmatch(cell):
        return _QUANTITY_WEIGHT
    return float(_SIMPLE[point].number(cell) is not None)


def _weights(rows: Sequence[list[str]], point: str) -> list[list[float]]:
    """Return how surely the first cells of each row are numbers."""
    return [[_weight(cell, point) for cell in row[:_CELLS]] for row in rows]


def _is_row(row: Sequence[str], weights: Sequence[float]) -> bool:
    """Tell whether half of what a line holds, or more, is numbers."""
    full = [weight > 0 for cell, weight in zip(row, weights, strict=False) if cell]
    return bool(full) and 2 * sum(full) >= len(full)


def _shape(rows: Sequence[list[str]], weights: Sequence[list[float]]) -> tuple[int, bool, int]:
    """Return the first row, whether lines end in a delimiter, and how many cells the most have."""
    alike = list(map(_is_row, rows, weights))
    first = alike.index(True) if True in alike else 0
    data = [row for row, is_row in zip(rows, alike, strict=True) if is_row] or rows
    longest = max(map(len, data))
    trailing = longest > 1 and all(not row[-1] for row in data)
    trailing = trailing and all(not row[-1] or len(row) < longest for row in rows[: first + 1])
    counts: Counter[int] = Counter()
    for row, known in zip(rows[first:], weights[first:], strict=True):
        # What holds more numbers weighs more than what may be a preamble.
        counts[len(trim(row, longest - 1, trailing))] += sum(weight > 0 for weight in known)
    # The first line decides a draw: `max` keeps the first of equals.
    return first, trailing, max(counts, key=lambda width: counts[width])


def _best(
    lines: Sequence[str], candidates: Sequence[tuple[str, str]]
) -> tuple[tuple[str, str], float]:
    """Return the first of the delimiters and decimal marks that explain the most of some lines.

    And which part of them that is.
    """
    best, most = candidates[0], -1.0
    untabbed = [place for place, line in enumerate(lines, 1) if "\t" not in line]
    rows = lines[max([len(lines) // 2, *untabbed[-1:]]) :]
    tabbed = 4 * len(rows) >= len(lines)  # below what may stand above them
    by_tabs: set[str] = set()  # decimal marks with which tabs explain all rows
    whole: set[str] = set()  # decimal marks with which lines were one cell each
    for mark, point in candidates:
        absent = mark != " " and not any(mark in line for line in lines)
        if absent and point in whole:
            continue  # as with another delimiter that is not there
        if mark == BLANK and point in by_tabs:
            continue  # 12 345 between tabs is one number
        whole |= {point} if absent else set()
        fit = _fit(lines, mark, point)
        if mark == "\t" and tabbed and _fit(rows, mark, point) >= _GROUPED_WEIGHT:
            by_tabs.add(point)
        if fit > most:
            best, most = (mark, point), fit
        if most >= 1.0:
            break
    return best, most


def _fit(lines: Sequence[str], mark: str, point: str) -> float:
    """Return which part of the lines a delimiter and a decimal mark explain, up to 1."""
    rows = [split(line, mark) for line in lines]
    weights = _weights(rows, point)
    first, trailing, width = _shape(rows, weights)
    body = rows[first:]
    alike = sum(len(trim(row, width, trailing)) == width for row in body)
    known = total = 0.0
    for row, found in zip(body, weights[first:], strict=True):
        count = len(trim(row, width, trailing)[:_CELLS])
        known += sum(found[:count])
        total += count
    if first:
        # A name has a letter: digits and marks that are no number speak against the candidate.
        above = zip(rows[first - 1], weights[first - 1], strict=False)
        total += sum(weight == 0 and _is_digits(cell) for cell, weight in above)
    covered = 0.5 + 0.5 * len(body) / len(rows)
    if first and len(trim(rows[first - 1], width, trailing)) not in (width, max(width - 1, 2)):
        covered *= _NO_NAMES
    return covered * alike / len(body) * known / max(total, 1.0)


def _is_digits(cell: str) -> bool:
    return _DIGITS.fullmatch(cell) is not None
