"""What may be wrong with a table that can be read: what the user should check."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ikpca_cli.formats.csv.form.axis import Verdict, decimals, is_even, judge, numbers_rows, rises
from ikpca_cli.formats.csv.form.cells import is_comment, numbers
from ikpca_cli.formats.csv.form.head import Head
from ikpca_cli.formats.csv.form.header_lines import Line
from ikpca_cli.formats.csv.form.table_form import TableForm
from ikpca_cli.formats.csv.parsing.digits import Digits
from ikpca_cli.formats.rows.class_column import class_column
from ikpca_cli.formats.rows.fillers import LONG, filler, too_long

Matrix = npt.NDArray[np.float64]

_ROWS = 5
"""Rows that chance seldom numbers."""

_LOOKED_AT = 1 << 22
"""Numbers of a table that are looked at; a longer one has rows by the thousand."""

_FINE = 2
"""Decimals of the others beside which a column of whole numbers may be one of classes."""

_THREE = re.compile(r"0\d\d")


def index_or_axis(rows: TableForm, columns: Sequence[int]) -> list[int]:
    """Return the first column if it is an index, or the axis of samples in columns; say so.

    What may be either, or data, is doubted. An index has no name and numbers the rows. Whoever
    cleans a recording tells its times, and keeps them.
    """
    head, dialect, options = rows.head, rows.dialect, rows.options
    first, transposed = columns[0], options.transpose
    if len(columns) < 2:
        return []
    values = rows.numbers(first)
    if first == 0 and rows.called(0) == "" and not transposed:
        named = len(dialect.cells(head.header or "")) == dialect.width
        if options.width == len(columns) or not numbers_rows(values, by_one=not named):
            return []  # more is said elsewhere
        head.guesses.append("column 1, which has no name and numbers the rows, for labels")
        return [first]
    if len(values) < _ROWS or not rises(values):
        return []
    cells = [rows.column(column) for column in columns]
    shown, labels = rows.shown(first), _labels(first, head)
    if transposed:
        verdict = judge(cells[0], cells[1:], dialect.grammar)
        if verdict is Verdict.AXIS:
            head.guesses.append(f"{shown} for the axis")
            return [first]
        if verdict is Verdict.PERHAPS:
            head.doubts.append(
                f"{shown} was read as a sample; if it is the axis of the samples, give --labels "
                f"{labels}"
            )
        return []
    even = (is_even(rows.numbers(c), decimals(own)) for c, own in zip(columns, cells, strict=True))
    if not options.recording and next(even) and not any(even):
        head.doubts.append(
            f"{shown} rises evenly, as an index or a time does; it was read as data. To leave it "
            f"out, and keep it in outputs, give --labels {labels}; if the other columns are "
            "signals along it, --transpose"
        )
    return []


def row_left_out(above: Sequence[str], rows: TableForm, columns: Sequence[int]) -> list[str]:
    """Say where lines `above` hold a row, which will not be cleaned as they are skipped."""
    dialect = rows.dialect
    texts = [column for column in rows.head.texts if column not in columns]
    for place, text in enumerate(above):
        line = Line.of(place, text, dialect)
        if line.width != dialect.width or is_comment(text, dialect.comment):
            continue
        words = all(line.text[column] or not line.cells[column] for column in texts)
        if words and line.is_row(columns):
            return [
                f"line {place + 1}, which --skip-rows leaves out, looks like a row and is not "
                "cleaned; if there is nothing to leave out above the rows, give --skip-rows 0"
            ]
    return []


def doubts_about(
    rows: TableForm, values: Matrix, digits: Digits, columns: Sequence[int]
) -> list[str]:
    """Return lines about what was read: `values` (rows, columns), and the `digits` they have."""
    lines = []
    head, options = rows.head, rows.options
    told = options.columns is not None or options.transpose
    unnamed = rows.called(0) == "" and columns[0] == 0
    if unnamed and len(columns) > 1 and not told and _may_count(values[:, 0]):
        lines.append(
            "the first column has no name, as pandas writes its index; it was read as data. To "
            f"leave it out, and keep it in outputs, give --labels {_labels(0, head)}"
        )
    if rows.dialect.delimiter == "," and digits.whole and head.names is None:
        lines += _commas(rows.cells)
    if not told and options.labels is None:
        lines += _classes(values, digits, columns, rows)
    if values.size <= _LOOKED_AT and values.size:
        lines += _fillers(values) + _totals(values, digits)
        lines += _axis_again(values, rows, columns)
        found = too_long(values) if digits.unmarked else None
        if found is not None:
            lines.append(f"row {found[0] + 1} {LONG.format(float(values[found]))}")
    return lines


def _may_count(values: Matrix) -> bool:
    """Tell whether a column (rows,) may number the rows: it is whole, rises or falls."""
    steps = np.diff(values)
    return bool((values == np.rint(values)).all() or (steps > 0).all() or (steps < 0).all())


def _labels(column: int, head: Head) -> str:
    """Return what ``--labels`` needs to have a column among the others."""
    return ",".join(str(place + 1) for place in sorted({column, *head.texts, *head.spare}))


def _commas(rows: Sequence[Sequence[str]]) -> list[str]:
    """Say where a comma may be no delimiter."""
    behind = list(zip(*rows, strict=True))[1:]
    if len(behind) == 1 and any(cell.startswith("0") and len(cell) > 1 for cell in behind[0]):
        return ["read as two columns; if the comma is a decimal mark, give --decimal ,"]
    three = [cells for cells in behind if all(len(cell) == 3 for cell in cells)]
    if any(_THREE.fullmatch(cell) for cells in three for cell in cells):
        return [
            "cells such as 075 may be the end of numbers in groups; if the comma separates "
            "thousands, save the table with another delimiter, or numbers in quotes"
        ]
    return []


def _classes(values: Matrix, digits: Digits, columns: Sequence[int], rows: TableForm) -> list[str]:
    """Say where a column at an end may be the class of each row."""
    fine = np.array(digits.most) >= _FINE
    found = class_column(values, None if digits.exponents else fine)
    if found is None:
        return []
    place = columns[found[0]]
    return [
        f"{rows.shown(place)} holds {found[1]} whole numbers, where the others have decimals; it "
        "was read as data. If it is the class of each row, give --labels "
        f"{_labels(place, rows.head)}"
    ]


def _fillers(values: Matrix) -> list[str]:
    """Say where a number may stand for a missing value."""
    found = filler(values)
    if found is None:
        return []
    value = float(values[found])
    return [
        f"row {found[0] + 1} holds {value:g}, far from all others: if that stands for a missing "
        f"value, give --na {value:g}"
    ]


def _axis_again(values: Matrix, rows: TableForm, columns: Sequence[int]) -> list[str]:
    """Say where a row is the axis above the rows again, as where files were put together."""
    names = rows.head.names
    if names is None:
        return []
    axis = numbers([names[column] for column in columns], rows.dialect.grammar)
    again = np.flatnonzero((values == axis).all(axis=1))
    if not again.size:
        return []
    return [
        f"row {again[0] + 1} is the axis above the rows again, as where files were put together; "
        "it was read as data: take it out"
    ]


def _totals(values: Matrix, digits: Digits) -> list[str]:
    """Say where the last row is the sum, or the mean, of the others."""
    body, last = values[:-1], values[-1]
    if len(body) < 3 or values.shape[1] < 2 or not np.isfinite(values).all() or not last.any():
        return []
    slack = 0.0 if digits.exponents else 0.51 * 10.0 ** -np.array(digits.most)
    size = np.abs(body).sum(axis=0)
    for word, count in (("sum", 1), ("mean", len(body))):
        close = np.abs(last - body.sum(axis=0) / count) <= slack + 1e-14 * size / count
        if close.all() and len(np.unique(body, axis=0)) > 1:
            return [
                f"the last row is the {word} of the others, and was read as one of them; if it is "
                "a summary, remove it"
            ]
    return []
