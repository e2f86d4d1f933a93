"""Lines between the rows of a table that are comments by their mark, and rows by their form."""

from __future__ import annotations

from collections.abc import Sequence

from ikpca_cli.formats.csv.form.cells import is_comment
from ikpca_cli.formats.csv.form.dialect import Dialect


class LeftOut:
    """A look at each block of a table for rows that a comment mark leads.

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
    count
        How many there were.
    first
        The first of them, a line counted from 1; 0 if there is none.
    """

    def __init__(self, dialect: Dialect, columns: Sequence[int], encoding: str) -> None:
        self._dialect, self._encoding = dialect, encoding
        self._known = [column for column in columns if column > 0]
        self._mark = dialect.comment.encode(encoding, "surrogateescape")
        self.count = self.first = 0

    def look(self, block: bytes, line: int) -> None:
        """Take in whole lines, `line` of which stand before them."""
        if self._mark not in block:
            return
        for number, text in enumerate(block.split(b"\n"), line + 1):
            if text.lstrip().startswith(self._mark) and self._is_row(text):
                self.count += 1
                self.first = self.first or number

    def said(self) -> list[str]:
        """Return the line that says so."""
        if not self.count:
            return []
        mark = self._dialect.comment
        more = f" ({self.count} such lines)" if self.count > 1 else ""
        return [
            f"line {self.first} has the form of a row{more}, but begins with {mark} and was left "
            "out as a comment; if it is a row, say by --comment what comments begin with"
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
