"""Rows that would be lost above the others, and columns with hardly a number."""

from __future__ import annotations

from collections.abc import Sequence

from ikpca_cli.errors import InputError
from ikpca_cli.formats.csv.form.cells import unquoted
from ikpca_cli.formats.csv.form.table_form import TableForm


def refuse_late_numbers(table: TableForm, labels: Sequence[tuple[str, ...]]) -> None:
    """Refuse numbers in columns that are empty in the rows by which the form was told.

    `labels` are the cells of the columns that are no data, of the rows below these.

    Raises
    ------
    InputError
        Naming the first column with a number.
    """
    for column in table.spare:
        place = table.labels.index(column)
        cells = (unquoted(row[place]) for row in labels)
        if any(cell and table.dialect.grammar.number(cell) is not None for cell in cells):
            raise InputError(
                f"{table.name}: column {column + 1} is empty in the first rows and has numbers "
                f"further down; give --columns ^{column + 1} to leave it out, or --columns with "
                "what is data and --missing"
            )


def refuse_open_quotes(table: TableForm) -> None:
    """Refuse a line above the rows that would be a header, or a row, but for a quote.

    Raises
    ------
    InputError
        Naming the line of the quote that is not closed.
    """
    dialect = table.dialect
    lines = [line for text in table.above for line in text.split("\n")]
    for number, line in enumerate(lines, start=1):
        unquoted = dialect.cells(line.replace('"', ""))
        # A quote within a cell, as of inches, opens none.
        opens = line.count('"') % 2 and len(dialect.cells(line)) != dialect.width
        if opens and len(unquoted) == dialect.width:
            raise InputError(
                f"{table.name}: line {number} has a quote that is not closed, so that a header or "
                "a row would be lost; close it, or take it out"
            )
