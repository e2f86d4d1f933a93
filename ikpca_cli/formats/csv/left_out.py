"""Lines between the rows of a table that are comments by their mark, and rows by their form."""

from __future__ import annotations

from ikpca_cli.formats.csv.form.cells import is_comment
from ikpca_cli.formats.csv.plan import Plan


class LeftOut:
    """A look at each block of a table for rows that a comment mark leads.

    Parameters
    ----------
    plan
        What is read.

    Attributes
    ----------
    count
        How many there were.
    first
        The first of them, a line counted from 1; 0 if there is none.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._mark = plan.dialect.comment.encode(plan.encoding, "surrogateescape")
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
        mark = self._plan.dialect.comment
        more = f" ({self.count} such lines)" if self.count > 1 else ""
        return [
            f"line {self.first} has the form of a row{more}, but begins with {mark} and was left "
            "out as a comment; if it is a row, say by --comment what comments begin with"
        ]

    def _is_row(self, text: bytes) -> bool:
        """Tell whether a line has a number in each column of data, but perhaps the first."""
        dialect = self._plan.dialect
        line = text.decode(self._plan.encoding, "surrogateescape")
        if not is_comment(line, dialect.comment):
            return False
        cells = dialect.cells(line.strip().removeprefix(dialect.comment))
        known = [column for column in self._plan.columns if column > 0]
        return (
            len(cells) == dialect.width
            and len(known) > 0
            and all(dialect.grammar.number(cells[column]) is not None for column in known)
            and any(cells[column] for column in known)
        )
