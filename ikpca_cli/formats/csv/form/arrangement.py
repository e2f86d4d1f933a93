"""How the samples of a table are arranged: its rows, its columns, or stretches of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ikpca_cli.errors import InputError
from ikpca_cli.formats.csv.form.dialect import Dialect
from ikpca_cli.formats.csv.form.doubts import index_or_axis
from ikpca_cli.formats.csv.form.head import Head
from ikpca_cli.formats.csv.form.signal_columns import (
    are_signals,
    coordinates,
    length_of_each,
    numbers,
    turns_at,
)
from ikpca_cli.formats.layout import ReadOptions


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


def arrangement(
    rows: Sequence[Sequence[str]],
    dialect: Dialect,
    head: Head,
    columns: Sequence[int],
    options: ReadOptions,
) -> Arrangement:
    """Find how the samples of a table are arranged, and say so.

    Parameters
    ----------
    rows
        Cells of the first rows.
    dialect
        Their form.
    head
        What is above them; it takes what is to be said.
    columns
        The columns of data.
    options
        What is known of the samples.
    """
    if head.coordinates:
        places = tuple(range(head.coordinates))
        return Arrangement(labels=tuple(place for place in places if place in columns))
    if rows:
        values = [numbers([row[column] for row in rows], dialect) for column in columns]
        as_rows = options.orientation == "rows" or options.recording or options.transpose
        if not as_rows and options.width != len(columns):
            before = coordinates(values)
            if before:
                head.guesses.append(
                    f"columns 1 to {before} for the places of spectra that stand below each other, "
                    f"column {before + 1} for their axis"
                )
                return Arrangement(stacked=True, labels=tuple(columns[:-1]))
        first = columns[0]
        name = head.names[first] if head.names else None
        if are_signals(values, name, head, options):
            count = len(columns) - 1
            shown = f"column {first + 1}" + (f" {name!r}" if name else "")
            signals = "a signal" if count == 1 else f"{count} signals"
            head.guesses.append(f"{shown} for the axis of {signals}, one a column")
            return Arrangement(turned=True, labels=(first,))
    axis = index_or_axis(rows, dialect, head, columns, transposed=options.transpose)
    return Arrangement(turned=options.transpose, labels=tuple(axis))


def check_axis(cells: Sequence[str], dialect: Dialect, name: str, *, stacked: bool) -> int:
    """Return the length of an axis, of which the first rows alone were looked at.

    Raises
    ------
    InputError
        If it is none all the way down.
    """
    axis = numbers([cell.strip().strip('"') for cell in cells], dialect)
    if stacked:
        length = length_of_each(axis)
        if length is None:
            raise InputError(
                f"{name}: looks like spectra below each other, but their axis is not the same for "
                "all; save one a file, or all on one axis (--window none reads rows as they are)"
            )
        return length
    place = turns_at(axis)
    if place is not None:
        raise InputError(
            f"{name}: its first column looks like the axis of a signal, but row {place + 1} of it, "
            f"{cells[place].strip()}, does not go on as the rows before; mend it, or save one "
            "signal a file"
        )
    return len(axis)
