"""Numbers with a comma in them that commas stand between, too: ``1,5,2,7`` for 1.5 and 2.7."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ikpca_cli.errors import InputError
from ikpca_cli.formats.csv.form.table_form import TableForm

_WHOLE = re.compile(r"[+-]?+(?:0|[1-9]\d*+)", re.A)
_BEHIND = re.compile(r"\d++", re.A)


def refuse_split_numbers(found: TableForm, columns: Sequence[int]) -> None:
    """Refuse a table, with these columns of data, if every other comma is plainly within a number.

    Raises
    ------
    InputError
        Naming one of the numbers.
    """
    if not found.lines or len(columns) % 2:
        return
    rows, before, behind = [], [], []
    for line in found.lines:
        raw = found.dialect.raw_cells(line)
        rows.append([raw[column] for column in columns])
        cells = [cell.strip() for cell in rows[-1]]
        before += cells[::2]
        behind += cells[1::2]
        if not all(map(_WHOLE.fullmatch, cells[::2])) or not all(
            map(_BEHIND.fullmatch, cells[1::2])
        ):
            return
    below_zero = not {"-0", "+0"}.isdisjoint(before)
    if not (below_zero or _are_decimals(behind) or _is_apart(rows) or _is_halved(found)):
        return
    remedy = "save the table with another delimiter, or its numbers in quotes"
    if len(columns) == 2:
        remedy = "give --decimal , if that is the decimal mark"
    raise InputError(
        f"{found.name}: commas stand within numbers, as in {before[0]},{behind[0]}, and between "
        f"them: {remedy}; if none is within a number, give --delimiter ,"
    )


def _are_decimals(behind: Sequence[str]) -> bool:
    """Tell whether all have as many digits, some beginning with a zero."""
    lengths = set(map(len, behind))
    return len(lengths) == 1 < max(lengths) and any(cell.startswith("0") for cell in behind)


def _is_apart(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether a blank follows every other comma alone."""
    return len(rows[0]) > 2 and all(
        cell.startswith(" ") is (place % 2 == 0)
        for row in rows
        for place, cell in enumerate(row[1:], start=1)
    )


def _is_halved(found: TableForm) -> bool:
    """Tell whether the line above the rows has a name for every two cells."""
    head, dialect = found.head, found.dialect
    if head.names is not None or not head.preamble:
        return False
    named = dialect.cells(head.preamble[-1])
    return 2 < 2 * len(named) == dialect.width and all(
        cell and dialect.grammar.number(cell) is None for cell in named
    )
