"""What may help where a line of a table is no row, or a cell is no number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from shlex import quote

from ikpca_cli.formats.csv.form.table_form import TableForm
from ikpca_cli.formats.csv.form.text_columns import ARROW, TOUCHING

_COMMENTS = re.compile(r"\s*([;%!*/]|--)")
"""What comment lines begin with in the languages that write tables."""

_NO_EXPONENT = re.compile(r"[+-]?\d*\.\d+[+-]\d{3}")
_BESIDE = re.compile(r"[^\d+-]{0,4}[+-]?\d[\d.,]*(?:[eE][+-]?\d+)?\s?[^\d\s.,:/]{1,5}")
_BEFORE = re.compile(r"[^\w\s.,:/+-][+-]?\d[\d.,]*(?:[eE][+-]?\d+)?[^\w\s]?")
_LONGEST_WORD = 20

ANOTHER = (
    "another table seems to begin there: save each in a file of its own, or take the line out if "
    "none does"
)

_ROWS, _LOOKED_AT = 3, 12
"""Rows that make another table, and lines among which they are looked for."""


def of_line(content: str, table: TableForm, below: Sequence[str]) -> str:
    """Say what may help where a line has another number of cells than the rows.

    Parameters
    ----------
    content
        The line.
    table
        What is read.
    below
        Those after it.
    """
    mark = _COMMENTS.match(content)
    if mark is not None and table.dialect.grammar.number(table.dialect.cells(content)[0]) is None:
        return f"if it is a comment, give --comment {quote(mark[1][0])}"
    cells = table.dialect.cells(content)
    known = [table.dialect.grammar.number(cell) is not None for cell in cells]
    if _begins_table(cells, known, below, table):
        return ANOTHER
    if not any(sign.isdigit() for sign in content):
        return "mend it; if the table ends above it, take out what is below"
    if not "".join(below).strip():
        return (
            "mend it; a file that was cut off ends so: then copy it again; so does one signal that "
            "is wrapped over lines: save its numbers one a line"
        )
    others = "--skip-rows leaves out lines at the top, --comment those that begin with a mark"
    return f"mend it ({others})"


def begins_table(cells: Sequence[str], below: Sequence[str], table: TableForm) -> bool:
    """Tell whether the names of another table of the same width stand in a line, by its `cells`.

    The other parameters are those of `of_line`.
    """
    known = [table.dialect.grammar.number(cell) is not None for cell in cells]
    apart = len(set(cells)) == len(cells) > 1  # words that come again stand for missing values
    return apart and _begins_table(cells, known, below, table)


def _begins_table(
    cells: Sequence[str], known: Sequence[bool], below: Sequence[str], table: TableForm
) -> bool:
    """Tell whether a line is the first of another table: words, or rows of another width."""
    dialect = table.dialect
    rows = [dialect.cells(line) for line in below[:_LOOKED_AT] if line.strip()]
    numbers = [
        len(row)
        for row in rows
        if all(dialect.grammar.number(row[place]) is not None for place in _data(row, table))
    ]
    if len(numbers) < _ROWS or len(set(numbers[-_ROWS:])) > 1:
        return False
    return not any(known) or (len(cells) == numbers[-1] != dialect.width)


def _data(row: Sequence[str], table: TableForm) -> Sequence[int]:
    """Return the places of data in a row, all of them if it is of another width."""
    return table.columns if len(row) == table.dialect.width else range(len(row))


def of_cell(cell: str) -> str:
    """Say what may help where a cell is no number."""
    if _NO_EXPONENT.fullmatch(cell):
        return "Fortran leaves the E out of an exponent of three digits: write it with one"
    if ARROW.fullmatch(cell):
        return (
            "give what stands before the arrow, such as the time of a serial monitor, a cell of "
            "its own"
        )
    if TOUCHING.search(cell):
        return "put blanks between numbers that touch, or give --labels for a column of text"
    if _BESIDE.fullmatch(cell) or _BEFORE.fullmatch(cell):
        return (
            "leave the number alone in its cell, without unit, sign or quotes beside it and with "
            "its minus in front, or give --labels for a column of text"
        )
    if set("0123456789") & set(cell) and set(",.' ") & set(cell):
        return "if a mark is not what it was taken for, give --delimiter, --decimal or --thousands"
    others = "mend it, choose the columns of numbers with --columns, or give --labels for columns"
    if len(cell) <= _LONGEST_WORD and not any(sign.isdigit() or sign == "," for sign in cell):
        return f"if it stands for a missing value, give --na {quote(cell)}; else {others} of text"
    return f"{others} of text, --na for words that stand for a missing value"
