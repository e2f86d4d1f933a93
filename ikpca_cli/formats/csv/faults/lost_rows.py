"""Rows that would be lost above the others, and columns with hardly a number."""

from __future__ import annotations

from collections.abc import Sequence

from ikpca_cli.errors import InputError
from ikpca_cli.formats.csv.form.cells import Grammar, unquoted
from ikpca_cli.formats.csv.form.dialect import Dialect

_ROWS = 3
"""Rows from which a column that is empty in all of them is no chance."""


def empty_columns(rows: Sequence[Sequence[str]], columns: Sequence[int]) -> tuple[int, ...]:
    """Return those of the columns of data that have no value in most of some rows.

    None, if that are all of them.
    """
    if len(rows) < _ROWS:
        return ()
    most = len(rows) // 2
    empty = tuple(column for column in columns if sum(not row[column] for row in rows) > most)
    return () if len(empty) == len(columns) else empty


def refuse_late_numbers(
    labels: Sequence[tuple[str, ...]],
    places: Sequence[int],
    spare: Sequence[int],
    grammar: Grammar,
    name: str,
) -> None:
    """Refuse numbers in columns that are empty in the rows by which the form was told.

    Parameters
    ----------
    labels
        The cells of the columns that are no data, of the rows below these.
    places
        Those columns.
    spare
        Which of them were empty.
    grammar
        How numbers are written.
    name
        What messages call the file.

    Raises
    ------
    InputError
        Naming the first column with a number.
    """
    for column in spare:
        place = places.index(column)
        cells = (unquoted(row[place]) for row in labels)
        if any(cell and grammar.number(cell) is not None for cell in cells):
            raise InputError(
                f"{name}: column {column + 1} is empty in the first rows and has numbers further "
                f"down; give --columns ^{column + 1} to leave it out, or --columns with what is "
                "data and --missing"
            )


def refuse_open_quotes(above: Sequence[str], dialect: Dialect, name: str) -> None:
    """Refuse a line above the rows that would be a header, or a row, but for a quote.

    Parameters
    ----------
    above
        The lines above the rows.
    dialect
        The form of the rows.
    name
        What messages call the file.

    Raises
    ------
    InputError
        Naming the line of the quote that is not closed.
    """
    lines = [line for text in above for line in text.split("\n")]
    for number, line in enumerate(lines, start=1):
        unquoted = dialect.cells(line.replace('"', ""))
        # A quote within a cell, as of inches, opens none.
        opens = line.count('"') % 2 and len(dialect.cells(line)) != dialect.width
        if opens and len(unquoted) == dialect.width:
            raise InputError(
                f"{name}: line {number} has a quote that is not closed, so that a header or a row "
                "would be lost; close it, or take it out"
            )
