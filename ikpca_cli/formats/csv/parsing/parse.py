"""The numbers of a text table, block by block."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import dataclass, field
from shlex import quote

import numpy as np
import numpy.typing as npt

from ikpca_cli.data.row_source import Progress, silent
from ikpca_cli.errors import InputError
from ikpca_cli.formats.csv.faults import hints
from ikpca_cli.formats.csv.form.cells import is_comment, unquoted
from ikpca_cli.formats.csv.form.footer import LINES, cut_off, footer
from ikpca_cli.formats.csv.form.table_form import TableForm
from ikpca_cli.formats.csv.parsing.digits import Digits
from ikpca_cli.formats.csv.parsing.fast import parse_fast, reader
from ikpca_cli.formats.csv.parsing.late_marks import LateMarks
from ikpca_cli.formats.csv.parsing.left_out import LeftOut
from ikpca_cli.formats.csv.parsing.spool import Spool
from ikpca_cli.formats.csv.parsing.table_text import TableText

Matrix = npt.NDArray[np.float64]
Labels = list[tuple[str, ...]]


_TAIL = 1 << 16
"""Bytes at the end that tell whether the last number is complete."""


@dataclass
class Parsed:
    """What a table holds.

    Attributes
    ----------
    values : ndarray of shape (rows, columns)
        The numbers, NaN where missing; many lie in a temporary file without a name.
    labels : list of tuple of str
        The cells of the label columns as they stand there, by row.
    digits
        How the numbers are written.
    footer
        The lines at the end that are no rows.
    left_out
        Lines that look like rows and are comments.
    cut_off
        The last number, if the text breaks off within it.
    remarks
        What stands behind the last column in some rows, as it is, by their number from 0.
    """

    values: Matrix
    labels: Labels
    digits: Digits
    left_out: LeftOut
    footer: list[str] = field(default_factory=list)
    cut_off: str | None = None
    remarks: dict[int, str] = field(default_factory=dict)


def parse_table(
    text: TableText, table: TableForm, *, size: int | None, progress: Progress = silent
) -> Parsed:
    """Read the rows of a table.

    Parameters
    ----------
    text
        The file.
    table
        What to read.
    size
        The length of all the text in bytes, where it is known.
    progress
        Told of the bytes that were parsed.

    Raises
    ------
    InputError
        Naming row and column of the first cell that cannot be used.
    """
    spool = Spool(len(table.columns), table.name)
    labels: Labels = []
    digits, late = Digits(table), LateMarks(table)
    left_out = LeftOut(table.dialect, table.columns, table.encoding)
    line, done = table.first, 0
    read_block = reader(len(text.head))
    below: list[str] = []
    remarks: dict[int, str] = {}
    end: str | None = None
    with closing(spool):
        for block, last in text.blocks(table.first):
            if last:
                block, below = _without_footer(text, block, table)
                if not block.endswith(b"\n"):
                    end = cut_off(text.decode(block[-_TAIL:]).split("\n")[1:], table.dialect)
            parsed = parse_fast(block, table, read_block)
            if parsed is None:
                parsed = parse_exactly(text.decode(block), spool.count, line, table, remarks)
            part, marks = parsed
            digits.look(block, part)
            late.look(block, line)
            left_out.look(block, line, spool.count)
            done += len(block)
            count = spool.count + len(part)
            spool.add(part, count if size is None or not done else math.ceil(count * size / done))
            labels += marks
            line += block.count(b"\n")
            progress("parsing", done, size or 0)
        late.check()
        if spool.count == 0:
            raise InputError(f"{table.name}: holds no rows of numbers; give a table with some")
        return Parsed(spool.rows(), labels, digits, left_out, below, end, remarks)


def _without_footer(text: TableText, block: bytes, table: TableForm) -> tuple[bytes, list[str]]:
    """Take off the lines at the end that are no rows."""
    cut = len(block)
    for _ in range(LINES + 1):
        cut = max(block.rfind(b"\n", 0, cut), 0)
    rows = block[cut:].removeprefix(b"\n") if cut else block
    lines = text.decode(rows.removesuffix(b"\n")).split("\n")
    count = footer(lines, table.dialect, table.texts)
    if not count:
        return block, []
    kept = rows.split(b"\n")[: len(lines) - count]
    start = block[: len(block) - len(rows)]
    return start + b"".join(row + b"\n" for row in kept), lines[len(lines) - count :]


def parse_exactly(
    text: str, row: int, line: int, table: TableForm, remarks: dict[int, str]
) -> tuple[Matrix, Labels]:
    """Parse a block cell by cell: slowly, but knowing what stands where.

    Parameters
    ----------
    text
        Whole lines.
    row, line
        How many rows and lines come before.
    table
        What to read.
    remarks
        Takes what stands behind the last column, as `Parsed` has it.

    Returns
    -------
    values : ndarray of shape (rows, columns)
        The numbers.
    labels : list of tuple of str
        The cells of the label columns as they stand there, by row.

    Raises
    ------
    InputError
        Naming row and column of the first cell that cannot be used.
    """
    dialect = table.dialect
    rows: list[list[float]] = []
    labels: Labels = []
    lines = text.split("\n")
    for number, content in enumerate(lines, line + 1):
        if is_comment(content, dialect.comment):
            continue
        raw = dialect.raw_cells(content)
        cells = [unquoted(cell) for cell in raw]
        place = f"row {row + len(rows) + 1}"
        first = row + len(rows) == 0
        if number != row + len(rows) + 1:
            place += f" (line {number})"
        more = len(cells) > dialect.width
        if more and dialect.has_remark(cells, table.columns, table.most):
            mark = dialect.delimiter
            remarks[row + len(rows)] = mark + mark.join(raw[dialect.width :])
        elif len(cells) != dialect.width:
            if content.count('"') % 2:
                raise InputError(
                    f"{table.name}: {place} has a quote that is not closed in its line; take line "
                    "feeds out of cells, and single quotation marks"
                )
            hint = hints.of_line(content, table, lines[number - line :])
            raise InputError(
                f"{table.name}: {place} has {len(cells)} cell{'s' * (len(cells) != 1)} where "
                f"{dialect.width} are expected; {hint}"
            )
        if table.names == tuple(cells):
            raise InputError(
                f"{table.name}: {place} is the header again, as where files were put together; "
                "take it out"
            )
        try:
            rows.append([_cell(cells[c], c, place, table, first=first) for c in table.columns])
        except InputError as error:
            if first or not hints.begins_table(cells, lines[number - line :], table):
                raise
            said = f"{table.name}: {place} has no numbers, and {hints.ANOTHER}"
            raise InputError(said) from error
        labels.append(tuple(raw[label] for label in table.labels))
    values = np.array(rows, np.float64).reshape(len(rows), len(table.columns))
    return values, labels if table.labels else []


def _cell(cell: str, column: int, place: str, table: TableForm, *, first: bool) -> float:
    """Return the number in a cell, or say what is wrong with it."""
    value = table.dialect.grammar.number(cell)
    if value is not None and (math.isfinite(value) or (math.isnan(value) and table.allow_missing)):
        return value
    place += f", column {column + 1}"
    if table.names is not None and table.names[column]:
        place += f" {table.names[column]!r}"
    shown = cell if len(cell) <= 40 else cell[:37] + "..."
    if column in table.empty:
        left_out = ",".join(f"^{one + 1}" for one in table.empty)
        what = "missing" if not cell else repr(shown)
        raise InputError(
            f"{table.name}: {place} is {what}, and most or all below it is missing; give --columns "
            f"{left_out} to leave out what is empty{', or --missing' * (not cell)}"
        )
    if value is None:
        hint = hints.of_cell(cell)
        if first and table.names is None:
            hint = f"if these are names, give --header yes; else {hint}"
        raise InputError(f"{table.name}: {place} is {shown!r}, not a number; {hint}")
    if math.isnan(value):
        what = "missing" if not cell else f"missing ({shown})"
        raise InputError(
            f"{table.name}: {place} is {what}; mend it, or give --missing drop, mean or fill (for "
            "a recording, keep or fill)"
        )
    raise InputError(
        f"{table.name}: {place} is {shown}: infinite; mend it, leave its row out, "
        f"or give --na {quote(shown)} and --missing"
    )
