"""The first rows of a table, and all that is known when they are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ikpca_cli.formats.csv.form.axis import Matrix
from ikpca_cli.formats.csv.form.cells import numbers
from ikpca_cli.formats.csv.form.dialect import Dialect
from ikpca_cli.formats.csv.form.head import Head
from ikpca_cli.formats.read_options import ReadOptions


@dataclass(frozen=True, kw_only=True)
class FirstRows:
    """The first rows of a table, by which its form is told.

    Attributes
    ----------
    lines, cells
        The rows as text, and their cells.
    dialect
        Their form.
    head
        What is above them; it takes what is to be said.
    options
        What is known of the samples.
    name
        What messages call the file.
    """

    lines: Sequence[str]
    cells: Sequence[Sequence[str]]
    dialect: Dialect
    head: Head
    options: ReadOptions
    name: str

    def column(self, place: int) -> list[str]:
        """Return the cells of a column."""
        return [row[place] for row in self.cells]

    def numbers(self, place: int) -> Matrix:
        """Return the numbers in a column, (rows,), NaN where there is none."""
        return numbers(self.column(place), self.dialect.grammar)

    def matrix(self, columns: Sequence[int]) -> Matrix:
        """Return the numbers in some columns, (rows, columns)."""
        shape = len(self.cells), len(columns)
        return np.array([self.numbers(column) for column in columns]).T.reshape(shape)

    def called(self, place: int) -> str | None:
        """Return the name of a column, None where columns have none."""
        return self.head.names[place] if self.head.names else None

    def shown(self, place: int) -> str:
        """Return a column as messages name it: its place, and its name."""
        return f"column {place + 1}" + (f" {self.called(place)!r}" if self.called(place) else "")
