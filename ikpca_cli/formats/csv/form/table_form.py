"""The form of a table: what its first rows tell, by which all are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ikpca_cli.formats.csv.form.axis import Matrix
from ikpca_cli.formats.csv.form.cells import numbers
from ikpca_cli.formats.csv.form.dialect import Dialect
from ikpca_cli.formats.csv.form.head import Head
from ikpca_cli.formats.read_options import ReadOptions

_ROWS = 3
"""Rows from which a column that is empty in all of them is no chance."""


@dataclass(frozen=True)
class Arrangement:
    """How samples are arranged.

    Attributes
    ----------
    turned
        Whether they are the columns.
    stacked
        Whether they stand below each other in the last column.
    labels
        The columns that are an axis, or places, counted from 0.
    """

    turned: bool = False
    stacked: bool = False
    labels: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TableForm:
    """The form of a table, and its first rows.

    Attributes
    ----------
    dialect
        The form of the lines.
    name
        What messages call the file.
    options
        What is known of the samples.
    columns, labels
        The places of the data, and of the columns that are kept as they are, counted from 0.
    spare
        Those of `labels` that were thought to hold no data.
    head
        What is above the rows, and what there is to say of all that was guessed.
    lines, cells
        The first rows as text, and their cells.
    above
        The lines before the first row.
    skipped
        How many of these were skipped unread.
    encoding
        That of the bytes, UTF-8 or Latin-1.
    marks_decided
        As `ikpca_cli.formats.csv.form.marks.Marks.decided`.
    arranged
        How samples are arranged.
    parted
        After how many rows blank lines end a signal, and how many these are; None if none do.
    """

    dialect: Dialect
    name: str
    options: ReadOptions
    columns: tuple[int, ...]
    labels: tuple[int, ...] = ()
    spare: tuple[int, ...] = ()
    head: Head = field(default_factory=Head)
    lines: Sequence[str] = ()
    cells: Sequence[Sequence[str]] = ()
    above: Sequence[str] = ()
    skipped: int = 0
    encoding: str = "utf-8"
    marks_decided: bool = True
    arranged: Arrangement = Arrangement()
    parted: tuple[int, int] | None = None

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of all columns, or None."""
        return self.head.names

    @cached_property
    def texts(self) -> tuple[int, ...]:
        """Those of `labels` that hold text, and no numbers."""
        return tuple(label for label in self.labels if label in self.head.texts)

    @cached_property
    def first(self) -> int:
        """Lines before the first row."""
        return sum(line.count("\n") + 1 for line in self.above)

    @property
    def allow_missing(self) -> bool:
        """Whether a missing value is read as NaN; otherwise it is refused."""
        return self.options.missing != "error"

    @cached_property
    def most(self) -> int:
        """Cells of a row that have a name, with those behind its last column."""
        return len(self.dialect.cells(self.head.header or ""))

    @cached_property
    def empty(self) -> tuple[int, ...]:
        """The columns of data, if not all, that have no value in most of the first rows."""
        if len(self.cells) < _ROWS:
            return ()
        least = len(self.cells) // 2
        empty = tuple(c for c in self.columns if self.column(c).count("") > least)
        return () if len(empty) == len(self.columns) else empty

    @property
    def axis_at(self) -> int:
        """The place of the axis among `labels`, where there is one."""
        places = self.arranged.labels
        return self.labels.index(places[-1]) if places else 0

    def column(self, place: int) -> list[str]:
        """Return the cells of a column."""
        return [row[place] for row in self.cells]

    def numbers(self, place: int) -> Matrix:
        """Return the numbers in a column, (rows,), NaN where there is none."""
        return numbers(self.column(place), self.dialect.grammar)

    def matrix(self, columns: Sequence[int]) -> Matrix:
        """Return the numbers in some columns, (columns, rows)."""
        cells = (row[column] for column in columns for row in self.cells)
        return numbers(cells, self.dialect.grammar).reshape(len(columns), len(self.cells))

    def called(self, place: int) -> str | None:
        """Return the name of a column, None where columns have none."""
        return self.head.names[place] if self.head.names else None

    def shown(self, place: int) -> str:
        """Return a column as messages name it: its place, and its name."""
        return f"column {place + 1}" + (f" {self.called(place)!r}" if self.called(place) else "")
