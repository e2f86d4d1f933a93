"""What is to be read of a table."""

from __future__ import annotations

from dataclasses import dataclass

from ikpca_cli.formats.csv.dialect import Dialect


@dataclass(frozen=True)
class Plan:
    """What to read of a table: its form, columns, and how to speak of it.

    Attributes
    ----------
    dialect
        The form of the lines.
    columns
        The places of the data, counted from 0.
    index
        The place of a column kept as text, or None.
    name
        What messages call the file.
    newline
        What ends a line.
    allow_missing
        Whether a missing value is read as NaN; otherwise it is refused.
    """

    dialect: Dialect
    columns: tuple[int, ...]
    index: int | None
    name: str
    newline: str
    allow_missing: bool
