"""How the samples of a table are arranged: its rows, its columns, or stretches of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from ikpca_cli.errors import InputError
from ikpca_cli.formats.csv.columns import columns_named
from ikpca_cli.formats.csv.form.axis import Matrix, decimals, is_even
from ikpca_cli.formats.csv.form.cells import numbers
from ikpca_cli.formats.csv.form.clock import MOST_COLUMNS, clock_columns
from ikpca_cli.formats.csv.form.doubts import index_or_axis
from ikpca_cli.formats.csv.form.row_numbers import (
    beside_numbers,
    count_of_rows,
    uncertainties,
)
from ikpca_cli.formats.csv.form.signal_columns import (
    COORDINATES,
    are_signals,
    are_stacked,
    length_of_each,
    turns_at,
)
from ikpca_cli.formats.csv.form.table_form import Arrangement, TableForm

_UNLIKE = 0.25
"""Share of the signals that may vary by ten times less or more than most, or not at all."""

_CLEAR = 16
"""Rows of which evenly spaced numbers are no chance."""


def arrangement(first: TableForm, columns: Sequence[int]) -> Arrangement:
    """Find how the samples of a table are arranged, by the columns of data, and say so.

    Raises
    ------
    InputError
        If signals have axes of their own.
    """
    head, options = first.head, first.options
    if head.coordinates:
        places = tuple(place for place in range(head.coordinates) if place in columns)
        if options.columns is not None or not places:
            return Arrangement()
        head.guesses.append(f"{columns_named(places)} for labels")
        return Arrangement(labels=places)
    errors: tuple[int, ...] = ()
    if first.cells:
        errors = uncertainties(first, columns)
        aside = (*count_of_rows(first, columns), *errors)
        found = _of_columns(first, [column for column in columns if column not in aside])
        if errors and (found is not None or options.recording):
            head.guesses.append(f"{columns_named(errors, head.names)} for uncertainties of others")
        if found is not None:
            return replace(found, labels=(*aside, *found.labels))
    if options.columns is not None:
        return Arrangement(turned=options.transpose)
    aside = errors if options.recording else ()
    if first.cells and not (
        options.transpose or options.recording or options.orientation != "auto"
    ):
        aside = beside_numbers(first, columns)
    axis = index_or_axis(first, [column for column in columns if column not in aside])
    return Arrangement(turned=options.transpose, labels=(*aside, *axis))


def _of_columns(rows: TableForm, columns: Sequence[int]) -> Arrangement | None:
    """Return how signals that are columns, or stand in one, are arranged; None for other tables."""
    head, options = rows.head, rows.options
    as_rows = options.orientation == "rows" or options.recording or options.transpose
    if len(columns) == 1 and not as_rows and not head.texts and options.of_signals:
        head.guesses.append("its only column for a signal")
        return Arrangement(turned=True)
    values = list(rows.matrix(columns))
    before = _before_axis(rows, columns)
    if not as_rows and options.width != len(columns) and before:
        spots = [np.array(rows.column(column)) for column in before]
        if are_stacked(spots, values[-2]):
            head.guesses.append(
                f"{columns_named(before)} for the places of signals that stand below each other, "
                f"column {columns[-2] + 1} for their axis"
            )
            return Arrangement(stacked=True, labels=tuple(columns[:-1]))
    first = columns[0]
    pairs = [line for line in head.preamble[-1:] if "(XY..XY)" in line.upper()]
    units = (rows.dialect.cells(line)[first : first + 1] for line in head.units)
    called = " ".join([rows.called(first) or "", *chain.from_iterable(units), *pairs])
    if not are_signals(values, called, head, options):
        return None
    same = [c for c, own in zip(columns, values, strict=True) if (own == values[0]).all()]
    others = [column for column in columns if column not in same]
    count = len(others)
    _refuse_other_axes(rows, others, values[0])
    if options.axis is None and not options.transpose:
        _refuse_unlike(columns, values, same, rows.name)
    signals = "a signal" if count == 1 else f"{count} signals, one a column"
    still = [c for c, own in zip(columns, values, strict=True) if (own == own[0]).all()]
    if still and count > 1:
        head.doubts.append(
            f"{columns_named(still)} hold one number all along, and were read as signals; give "
            "--columns with the axis and the signals"
        )
    again = f", which {columns_named(same[1:])} repeat" if same[1:] else ""
    head.guesses.append(f"{rows.shown(first)} for the axis of {signals}{again}")
    return Arrangement(turned=count > 0, labels=tuple(same) if count else ())


def times_apart(rows: TableForm, columns: Sequence[int]) -> tuple[int, ...]:
    """Return the columns of data that are times together, see `clock_columns`, and say so."""
    head, options = rows.head, rows.options
    if options.transpose or options.columns is not None or len(columns) < 2 or head.coordinates:
        return ()
    first = columns[:MOST_COLUMNS]
    names = [head.names[column] for column in first] if head.names else None
    places = clock_columns([rows.numbers(column) for column in first], names)
    found = tuple(columns[place] for place in places)
    if not found or options.width == len(columns):  # as which a model knows them
        return ()
    head.guesses.append(f"{columns_named(found)} for times")
    return found


def _refuse_other_axes(rows: TableForm, columns: Sequence[int], axis: Matrix) -> None:
    """Refuse signals beside which stand axes that go the way of the first, over much the same."""
    found = []
    for column in columns:
        values, cells = rows.numbers(column), rows.column(column)
        if len(cells) >= _CLEAR and is_even(values, decimals(cells)) and _go_together(values, axis):
            found.append(column)
    if found:
        are = "looks like an axis" if len(found) == 1 else "look like axes"
        raise InputError(
            f"{rows.name}: {columns_named(found)} {are}, other than that in the first: save each "
            "signal with its own in a file, or choose one by --columns (--window none reads rows "
            "as they are)"
        )


def _refuse_unlike(
    columns: Sequence[int], values: Sequence[Matrix], axis: Sequence[int], name: str
) -> None:
    """Refuse columns along an axis that are of other sizes, as of other quantities."""
    pairs = zip(columns, values, strict=True)
    own = {column: float(np.std(numbers)) for column, numbers in pairs if column not in axis}
    sizes = {column: size for column, size in own.items() if size > 0.0 and np.isfinite(size)}
    if len(own) < 2 or not sizes:
        return
    decades = np.log10(list(sizes.values()))
    far = int(np.sum(np.abs(decades - np.median(decades)) > 1.0)) + len(own) - len(sizes)
    if far >= _UNLIKE * len(own):
        least, most = min(own, key=lambda one: own[one]), max(own, key=lambda one: own[one])
        raise InputError(
            f"{name}: {columns_named(axis[:1])} looks like an axis, and the others like different "
            f"quantities along it ({columns_named([most])} varies by {own[most]:.2g}, "
            f"{columns_named([least])} by {own[least]:.2g}): choose the axis and signals of one "
            "kind by --columns, or give --window auto, which cleans each by itself (--transpose "
            "takes all for signals)"
        )


def _go_together(values: Matrix, axis: Matrix) -> bool:
    """Tell whether two lines of numbers in order cover half of what either does, in one order."""
    (low, high), (least, most) = sorted(values[[0, -1]]), sorted(axis[[0, -1]])
    common = min(high, most) - max(low, least)
    same_way = (values[0] < values[-1]) == (axis[0] < axis[-1])
    return bool(same_way and common > 0.5 * max(high - low, most - least))


def _before_axis(rows: TableForm, columns: Sequence[int]) -> list[int]:
    """Return the columns before the last two, of numbers and text, if all are in order.

    None, if they are more than say where a spectrum was taken.
    """
    before = [*columns[:-2], *rows.head.texts]
    if len(before) not in COORDINATES:
        return []
    whole = [*sorted(before), *columns[-2:]] == list(range(min(before), columns[-1] + 1))
    return before if whole and len(columns) > 1 else []


def check_axis(table: TableForm, cells: Sequence[str]) -> int:
    """Return the length of an axis, the first of whose `cells` alone were looked at.

    Axes that are nearly the same are taken for the same, and that is said.

    Raises
    ------
    InputError
        If it is none all the way down.
    """
    name = table.name
    axis = numbers([cell.strip().strip('"') for cell in cells], table.dialect.grammar)
    if table.arranged.stacked:
        found = length_of_each(axis)
        if found is None:
            raise InputError(
                f"{name}: looks like spectra below each other, but their axis is not the same for "
                "all; save one a file, or all on one axis (--window none reads rows as they are)"
            )
        length, apart = found
        if apart > 0.0:
            table.head.doubts.append(
                f"the axes of its signals are up to {apart:.2g} of a step apart, and were taken "
                "for the same"
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
