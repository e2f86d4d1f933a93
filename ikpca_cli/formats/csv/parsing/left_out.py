"""Lines between rows that are none: comments in the form of a row, blank lines, other tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ikpca_cli.errors import Note
from ikpca_cli.formats.csv.form.cells import is_comment
from ikpca_cli.formats.csv.form.dialect import Dialect

_BLANK = re.compile(rb"^\n+", re.MULTILINE)
_ROWS_EACH = 8  # of each table, on average at least
_BETWEEN_TABLES = 10  # rows for each blank line, or more; with fewer they part rows


class LeftOut:
    """A look at each block of a table for rows that a comment mark leads, and for blank lines.

    Parameters
    ----------
    dialect
        The form of the rows.
    columns
        Those of data.
    encoding
        Of the blocks.

    Attributes
    ----------
    count, first
        How many rows a mark leads, and the line of the first, counted from 1; 0 if there is none.
    blanks, first_blank
        The same of blank lines between rows.
    gaps
        Where blank lines or comments stand between rows: how many rows are above, and the line.
    remarks
        The same of those gaps that hold a comment, of a form of its own.
    """

    def __init__(self, dialect: Dialect, columns: Sequence[int], encoding: str) -> None:
        self._dialect, self._encoding = dialect, encoding
        self._known = [column for column in columns if column > 0]
        self._mark = dialect.comment.encode(encoding, "surrogateescape")
        self._between = re.compile(rb"(?:^ *(?:%s.*)?\n)+" % re.escape(self._mark), re.MULTILINE)
        self.count = self.first = self.blanks = self.first_blank = 0
        self.gaps: list[tuple[int, int]] = []
        self.remarks: list[tuple[int, int]] = []

    def look(self, block: bytes, line: int, row: int) -> None:
        """Take in whole lines, before which `line` lines and `row` rows stand."""
        if block.startswith(b"\n") or b"\n\n" in block:
            self._look_for_blanks(block, line)
        if self._mark in block or b"\n\n" in block:
            self._look_for_gaps(block, line, row)
        if self._mark not in block:
            return
        for number, text in enumerate(block.split(b"\n"), line + 1):
            if text.lstrip().startswith(self._mark) and self._is_row(text):
                self.count += 1
                self.first = self.first or number

    def _look_for_blanks(self, block: bytes, line: int) -> None:
        for found in _BLANK.finditer(block):
            if not block[found.end() :].strip():
                return  # nothing follows, or not here
            self.blanks += 1
            if not self.first_blank:
                self.first_blank = line + block.count(b"\n", 0, found.start()) + 1

    def _look_for_gaps(self, block: bytes, line: int, row: int) -> None:
        done = 0
        for found in self._between.finditer(block):
            above = block.count(b"\n", done, found.start())
            line, row, done = line + above, row + above, found.end()
            self.gaps.append((row, line + 1))
            if self._mark in found.group():
                self.remarks.append((row, line + 1))
            line += found.group().count(b"\n")

    def begins_again(self, axis: npt.NDArray[np.float64]) -> tuple[int, int] | None:
        """Return at which line, and how many, tables begin below each other; None if none does.

        They do where what rises, or falls, from row to row turns there and nowhere else.

        Parameters
        ----------
        axis : ndarray of shape (rows,)
            The first column.
        """
        lines = {row: line for row, line in self.gaps if 0 < row < len(axis)}
        if not lines or _ROWS_EACH * len(lines) > len(axis):
            return None
        way = np.sign(np.diff(axis))
        parted = np.zeros(len(way), bool)
        parted[np.array(list(lines)) - 1] = True
        turned = way[1:] != way[:-1]
        turns = np.flatnonzero(turned & parted[1:]) + 2
        if not turns.size or (turned & ~parted[1:] & ~parted[:-1]).any() or not way[~parted].all():
            return None
        return lines[int(turns[0])], len(turns)

    def said(self, rows: int) -> list[str]:
        """Return the lines that say so of a table of so many rows."""
        lines: list[str] = []
        if 0 < _BETWEEN_TABLES * self.blanks <= rows:
            more = f" ({self.blanks} such places)" if self.blanks > 1 else ""
            lines.append(
                f"line {self.first_blank} is blank{more}, and rows above and below it were read as "
                "those of one table; if they are not, save each table in a file of its own"
            )
        mark = self._dialect.comment
        remarks = [line for row, line in self.remarks if 0 < row < rows]
        if remarks and not self.count:
            more = f" ({len(remarks)} such places)" if len(remarks) > 1 else ""
            lines.append(
                Note(
                    f"line {remarks[0]} begins with {mark}{more}: comments between rows are not in "
                    "outputs; if they part signals or tables, save each in a file of its own"
                )
            )
        if not self.count:
            return lines
        more = f" ({self.count} such lines)" if self.count > 1 else ""
        return [
            *lines,
            f"line {self.first} has the form of a row{more}, but begins with {mark} and was left "
            "out as a comment; if it is a row, say by --comment what comments begin with",
        ]

    def _is_row(self, text: bytes) -> bool:
        """Tell whether a line has a number in each column of data, but perhaps the first."""
        dialect, known = self._dialect, self._known
        line = text.decode(self._encoding, "surrogateescape")
        if not is_comment(line, dialect.comment):
            return False
        cells = dialect.cells(line.strip().removeprefix(dialect.comment))
        return (
            len(cells) == dialect.width
            and len(known) > 0
            and all(dialect.grammar.number(cells[column]) is not None for column in known)
            and any(cells[column] for column in known)
        )
