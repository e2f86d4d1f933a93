"""Which mark is the decimal one, and which stands between thousands: found, or asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ikpca_cli.errors import InputError, UsageError
from ikpca_cli.formats.csv.form.cells import BLANK, THOUSANDS, grouped_number

_SURE = 30
"""Cells that all have three digits after the point: they are decimals, as some would be whole."""

_GROUPED = {
    (decimal, mark): grouped_number(decimal, mark)
    for decimal in ".,"
    for mark in THOUSANDS
    if mark != decimal
}
_DECIMAL = {
    mark: re.compile(rf"[+-]?+(?:\d++{re.escape(mark)}\d*+|{re.escape(mark)}\d++)(?:[eEdD].*+)?+")
    for mark in ".,"
}
_EITHER = {
    mark: re.compile(rf"[+-]?+[1-9]\d{{0,2}}+{re.escape(mark)}\d{{3}}", re.A) for mark in ".,"
}
_ONE_MARK = re.compile(r"[+-]?+\d*+[.,]?+\d*+", re.A)
"""Most cells, in which nothing else can be looked for."""

_WHOLE = re.compile(r"[+-]?+\d{1,3}+", re.A)


@dataclass(frozen=True)
class Marks:
    """The marks within numbers.

    Attributes
    ----------
    decimal, thousands
        As in `ikpca_cli.formats.csv.form.cells.Grammar`.
    found
        Whether the thousands mark was found and not given.
    doubt
        What the user should check, or None.
    decided
        Whether a number tells the marks, or the user: otherwise later ones may.
    """

    decimal: str
    thousands: str | None = None
    found: bool = False
    doubt: str | None = None
    decided: bool = True


def check_marks(decimal: str | None, thousands: str | None) -> None:
    """Refuse marks that cannot be.

    Raises
    ------
    UsageError
        Naming the option.
    """
    if decimal not in (None, ".", ","):
        raise UsageError(f"--decimal {decimal}: give . or ,")
    if thousands is not None and thousands not in THOUSANDS:
        raise UsageError(f"--thousands {thousands}: give one of , . ' or a space in quotes")
    if thousands is not None and thousands == decimal:
        raise UsageError(f"--thousands {thousands}: is the decimal mark, too; give two marks")


def find_marks(
    columns: Sequence[Sequence[str]],
    delimiter: str,
    name: str,
    decimal: str | None,
    thousands: str | None,
) -> Marks:
    """Tell the decimal mark from the one between thousands.

    A mark with other than three digits behind it, or behind a zero, is a decimal mark; one that
    comes twice in a number stands between thousands. Where neither is met, ``1,682`` may be
    either, and is not guessed.

    Parameters
    ----------
    columns
        Cells by column.
    delimiter
        What is between them.
    name
        What messages call the file.
    decimal, thousands
        What the user knows.

    Raises
    ------
    InputError
        If a number may be one or the other.
    """
    cells = [cell for column in columns for cell in column]
    if decimal is None:
        decimal = _decimal(cells, thousands)
    if decimal is not None:
        if thousands is not None:
            return Marks(decimal, thousands)
        return _with_thousands(cells, decimal)
    for mark in ",.":
        unsure = [cell for cell in cells if _EITHER[mark].fullmatch(cell)]
        if not unsure or (mark == "." and delimiter in (",", BLANK)):
            continue
        if mark == "." and not _mixed(columns) and len(unsure) >= _SURE:
            doubt = f"{unsure[0]} was read as a decimal number; if . separates thousands, give "
            return Marks(".", None, doubt=doubt + "--thousands .", decided=False)
        raise InputError(f"{name}: {either(unsure[0], mark)}")
    return replace(_with_thousands(cells, "."), decided=delimiter in (",", BLANK))


def either(cell: str, mark: str) -> str:
    """Say that a cell may be two numbers."""
    whole = cell.replace(mark, "")
    return (
        f"{cell!r} may be {whole} or {cell.replace(',', '.')}: give --thousands {mark} or "
        f"--decimal {mark}"
    )


def _decimal(cells: Sequence[str], thousands: str | None) -> str | None:
    """Return the decimal mark, None if nothing tells."""
    if thousands in (",", "."):
        return "." if thousands == "," else ","
    votes = {
        mark: sum(
            bool(_DECIMAL[mark].fullmatch(cell)) and not _EITHER[mark].fullmatch(cell)
            for cell in cells
            if mark in cell
        )
        for mark in ".,"
    }
    several = [cell for cell in cells if not _ONE_MARK.fullmatch(cell)]
    for mark, other in ((".", ","), (",", ".")):
        # 1,682.5 has both marks, 1,682,000 has the same twice.
        both = sum(
            bool(_GROUPED[mark, other].fullmatch(cell)) and not _EITHER[other].fullmatch(cell)
            for cell in several
            if other in cell
        )
        votes[mark] += both
        # In 1 682,5 the blank tells nothing, but the comma is behind it.
        votes[mark] += sum(
            mark in cell and bool(_GROUPED[mark, blank].fullmatch(cell))
            for cell in several
            for blank in " '"
        )
    if not any(votes.values()):
        return None
    return max(".,", key=lambda mark: votes[mark])


def _with_thousands(cells: Sequence[str], decimal: str) -> Marks:
    """Return the mark that is between thousands, if any is."""
    cells = [cell for cell in cells if decimal not in cell or not _ONE_MARK.fullmatch(cell)]
    for mark in THOUSANDS:
        if mark != decimal and any(_GROUPED[decimal, mark].fullmatch(cell) for cell in cells):
            return Marks(decimal, mark, found=True)
    return Marks(decimal)


def _mixed(columns: Sequence[Sequence[str]]) -> bool:
    """Tell whether a column has numbers with three digits behind a point, and whole ones below."""
    return any(
        any(_EITHER["."].fullmatch(cell) for cell in column)
        and any(_WHOLE.fullmatch(cell) for cell in column)
        for column in columns
    )
