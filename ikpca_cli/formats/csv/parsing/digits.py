"""How many digits the numbers of a table have, so that an output need not have more."""

from __future__ import annotations

import io
import math
import re

import numpy as np
import numpy.typing as npt

from ikpca_cli.formats.csv.form.cells import is_comment
from ikpca_cli.formats.csv.form.table_form import TableForm

_CELLS = 2_000
"""Cells of a block whose text is looked at; all their values are."""

_SMALL = 64 << 10
"""Bytes of a block that is cut into lines to choose some of them."""

MANY = 13
"""More decimals than rounding can be told by from the digits of a double precision number."""

LONGEST = 19
"""Significant digits of the numbers that numpy writes; more are none."""

_LARGEST = 2.0**50


class Digits:
    """What is known of the digits of a table's numbers, column by column.

    Parameters
    ----------
    table
        What is read of the table.

    Attributes
    ----------
    most : list of int
        Decimals that give every number of a column back; `MANY` if there are too many to tell.
    least : list of int or None
        The fewest decimals behind a decimal mark; None if a column has no mark.
    significant : int
        Significant digits of the longest number.
    exponents : bool
        Whether numbers have exponents.
    quoted : bool
        Whether all cells are in quotes.
    missing : str or None
        What stands in the first cell without a value.
    thousands : str or None
        What stands between thousands of the first number in groups.
    least_mantissa : int
        The fewest digits behind the decimal mark of a number with an exponent.
    """

    def __init__(self, table: TableForm) -> None:
        mark = re.escape(table.dialect.grammar.decimal)
        self._number = re.compile(rf"[+-]?+(\d*+)(?:{mark}(\d*+))?+([eEdD].*+)?+")
        self._table = table
        self.most = [0] * len(table.columns)
        self.least: list[int | None] = [None] * len(table.columns)
        self.significant = 0
        self.exponents = False
        self.quoted = True
        self.missing: str | None = None
        self.thousands: str | None = None
        self.least_mantissa = LONGEST
        self._all_exponents, self._letter = True, "e"

    @property
    def whole(self) -> bool:
        """Whether all numbers are written as whole ones."""
        return not any(self.most) and self.unmarked

    @property
    def unmarked(self) -> bool:
        """Whether no number has a decimal mark or an exponent, however long it is."""
        return self.least == [None] * len(self.least) and not self.exponents

    @property
    def exponent(self) -> str | None:
        """What begins the exponents, if all numbers have one."""
        return self._letter if self.exponents and self._all_exponents else None

    def look(self, block: bytes, values: npt.NDArray[np.float64]) -> None:
        """Take a block into account.

        Parameters
        ----------
        block
            Its lines.
        values : ndarray of shape (rows, columns)
            The numbers in them.
        """
        if self.missing is None and self._table.allow_missing:
            self._look_for_missing(block, values)
        columns = self._table.columns
        for line in _some_lines(block, _CELLS // len(columns)):
            cells = self._table.dialect.cells(line.decode(self._table.encoding, "replace"))
            if len(cells) == self._table.dialect.width:
                self.quoted &= line.count(b'"') >= 2 * len(cells)
                for place, column in enumerate(columns):
                    self._look_at(place, cells[column])
        if not self.exponents:
            self._count(values)

    def _look_for_missing(self, block: bytes, values: npt.NDArray[np.float64]) -> None:
        """Note what stands in the first cell without a value, if a block has any."""
        holes = np.isnan(values).any(axis=0)
        if not holes.any():
            return
        dialect, place = self._table.dialect, int(np.argmax(holes))
        for line in io.BytesIO(block):  # which splits no more lines than are looked at
            text = line.removesuffix(b"\n").decode(self._table.encoding, "replace")
            cells = dialect.cells(text)
            if len(cells) != dialect.width or is_comment(text, dialect.comment):
                continue
            value = dialect.grammar.number(cells[self._table.columns[place]])
            if value is not None and math.isnan(value):
                self.missing = cells[self._table.columns[place]]
                return

    def _look_at(self, place: int, cell: str) -> None:
        grammar = self._table.dialect.grammar
        plain = cell if grammar.thousands is None else grammar.ungrouped(cell)
        found = self._number.fullmatch(plain)
        if found is None or not cell:
            return
        if plain != cell and self.thousands is None:
            self.thousands = next(sign for sign in cell if sign not in plain)
        before, behind, exponent = found.groups()
        digits = (before + (behind or "")).lstrip("0")
        self.significant = max(self.significant, len(digits))
        if exponent is None:
            self._all_exponents = False
        else:
            self.exponents = True
            self._letter = exponent[0]
            self.least_mantissa = min(self.least_mantissa, len(behind or ""))
        if exponent is None and behind is not None:
            least = self.least[place]
            self.least[place] = len(behind) if least is None else min(least, len(behind))
            self.most[place] = min(MANY, max(self.most[place], len(behind)))

    def _count(self, values: npt.NDArray[np.float64]) -> None:
        """Raise the number of decimals of each column until it gives every number back."""
        todo = np.arange(len(self.most))
        while len(values) and todo.size:
            most = np.array([self.most[place] for place in todo])
            todo, most = todo[most < MANY], most[most < MANY]
            block = np.nan_to_num(values[:, todo], nan=0.0)
            with np.errstate(over="ignore", invalid="ignore"):
                scaled = block * 10.0**most
                slack = np.minimum(4.0 * np.finfo(np.float64).eps * np.abs(scaled), 1e-3)
                far = ~(np.abs(scaled - np.rint(scaled)) <= slack)
            todo = todo[far.any(axis=0) | (np.abs(scaled) > _LARGEST).any(axis=0)]
            for place in todo:
                self.most[place] += 1


def _some_lines(block: bytes, count: int) -> list[bytes]:
    """Return all lines of a small block, or at least two and about `count` of a larger one."""
    if len(block) <= _SMALL:
        lines = block.split(b"\n")
        return lines[:: 1 + len(lines) // max(2, count)]
    found = []
    for offset in range(0, len(block), 1 + len(block) // max(2, count)):
        start = block.rfind(b"\n", 0, offset) + 1
        found.append(block[start : max(block.find(b"\n", start), start)])
    return found
