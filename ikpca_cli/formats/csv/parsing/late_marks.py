"""Marks in numbers further down, where the first lines of a table do not tell what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ikpca_cli.errors import InputError
from ikpca_cli.formats.csv.form.marks import either
from ikpca_cli.formats.csv.form.table_form import TableForm

_PLAIN = bytes(48 if 48 <= sign < 58 else 46 if sign == 46 else 32 for sign in range(256))
"""For each byte what it is: a digit, a point, or what stands between numbers."""

_LINES = 300
"""Lines of a block that are looked at for numbers with a point, and for those without."""

_GROUP = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}", re.A)
_BELOW_A_GROUP = re.compile(r"[+-]?\d{1,3}", re.A)


class LateMarks:
    """A look at each block of a table without a number that tells its marks.

    Read as decimal numbers, 1.682 below whole numbers may be 1682. It is one if nothing further
    down says otherwise: a number with other than three digits behind its point.

    Parameters
    ----------
    table
        What is read.
    """

    def __init__(self, table: TableForm) -> None:
        self._table = table
        self._open = not table.marks_decided
        self._whole: set[int] = set()  # columns with numbers below 1,000 that have no point
        self._first: dict[int, tuple[int, str]] = {}  # by column: the first that may be either

    def look(self, block: bytes, line: int) -> None:
        """Take in whole lines, `line` of which stand before them."""
        if not self._open:
            return
        plain = b" " + block.translate(_PLAIN) + b" "
        if _decides(block, plain):
            self._open = False
            return
        self._look_at(block, line, plain, (b".000",))
        self._look_at(block, line, plain, (b" 0 ", b" 00 ", b" 000 "))

    def _look_at(self, block: bytes, line: int, plain: bytes, forms: tuple[bytes, ...]) -> None:
        """Take in the first lines of a block that have a number of some form."""
        table, place, end = self._table, 0, 0
        for _ in range(_LINES):
            places = (plain.find(form, end) for form in forms)
            found = min((at for at in places if at >= 0), default=-1)
            if found < 0:
                return
            start = block.rfind(b"\n", 0, found) + 1
            end = block.find(b"\n", found) + 1 or len(block)
            line += block.count(b"\n", place, start)
            place = start
            cells = table.dialect.cells(
                block[start:end].decode(table.encoding, "replace").rstrip("\n")
            )
            if len(cells) != table.dialect.width:
                continue
            for column in table.columns:
                if _BELOW_A_GROUP.fullmatch(cells[column]):
                    self._whole.add(column)
                elif column not in self._first and _GROUP.fullmatch(cells[column]):
                    self._first[column] = (line + 1, cells[column])

    def check(self) -> None:
        """Refuse a table that nothing decides.

        Raises
        ------
        InputError
            Naming the line and column of a number that may be one or the other.
        """
        unsure = sorted(self._first.keys() & self._whole) if self._open else []
        if unsure:
            line, cell = self._first[unsure[0]]
            raise InputError(
                f"{self._table.name}: line {line}, column {unsure[0] + 1}: {either(cell, '.')}"
            )


def _decides(block: bytes, plain: bytes) -> bool:
    """Tell whether a point stands between other than one to three digits and three more."""
    points = plain.count(b".")
    if not points:
        return False
    thousandths = plain.count(b".000") - plain.count(b".0000")
    if thousandths != points or b" ." in plain or b"0000." in plain:
        return True
    return block.startswith(b"0.") or any(
        block[at - 1] not in b"0123456789" for at in _places(block, b"0.")
    )


def _places(block: bytes, form: bytes) -> Iterator[int]:
    """Yield where something stands after the first byte."""
    at = block.find(form, 1)
    while at >= 0:
        yield at
        at = block.find(form, at + 1)
