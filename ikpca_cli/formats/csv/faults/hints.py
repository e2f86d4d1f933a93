"""What may help where a line of a table is no row, or a cell is no number."""

from __future__ import annotations

import re
from shlex import quote

from ikpca_cli.formats.csv.form.text_columns import ARROW, TOUCHING
from ikpca_cli.formats.csv.plan import Plan

_COMMENTS = re.compile(r"\s*([;%!*/]|--)")
"""What comment lines begin with in the languages that write tables."""

_NO_EXPONENT = re.compile(r"[+-]?\d*\.\d+[+-]\d{3}")
_BESIDE = re.compile(r"[^\d+-]{0,4}[+-]?\d[\d.,]*(?:[eE][+-]?\d+)?\s?[^\d\s.,:/]{1,5}")
_BEFORE = re.compile(r"[^\w\s.,:/+-][+-]?\d[\d.,]*(?:[eE][+-]?\d+)?[^\w\s]?")
_LONGEST_WORD = 20


def of_line(content: str, plan: Plan, *, is_last: bool) -> str:
    """Say what may help where a line has another number of cells than the rows.

    Parameters
    ----------
    content
        The line.
    plan
        What is read.
    is_last
        Whether no row follows.
    """
    mark = _COMMENTS.match(content)
    if mark is not None and plan.dialect.grammar.number(plan.dialect.cells(content)[0]) is None:
        return f"if it is a comment, give --comment {quote(mark[1][0])}"
    cells, width = plan.dialect.cells(content), plan.dialect.width
    known = [plan.dialect.grammar.number(cell) is not None for cell in cells]
    behind = [cell for cell in cells[width:] if cell]
    if behind and all(known[:width]) and not any(known[width:]):
        return (
            f"take out remarks behind the numbers, such as {behind[0][:_LONGEST_WORD]!r}, or give "
            "each row a cell for them"
        )
    if not any(sign.isdigit() for sign in content):
        return "mend it; if the table ends above it, take out what is below"
    if is_last:
        return (
            "mend it; a file that was cut off ends so: then copy it again; so does one signal that "
            "is wrapped over lines: save its numbers one a line"
        )
    others = "--skip-rows leaves out lines at the top, --comment those that begin with a mark"
    return f"mend it ({others})"


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
