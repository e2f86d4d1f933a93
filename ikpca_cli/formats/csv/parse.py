"""The numbers of a text table, block by block."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from ikpca_cli.data.row_source import Progress, silent
from ikpca_cli.errors import InputError
from ikpca_cli.formats.csv.bulk import parse_fast
from ikpca_cli.formats.csv.dialect import is_comment
from ikpca_cli.formats.csv.plan import Plan
from ikpca_cli.formats.csv.spool import Spool

_BLOCK = 8 << 20  # bytes of text parsed together
_SMALL = 512 << 10  # bytes of a table not worth the import of a fast reader

Matrix = npt.NDArray[np.float64]


def parse_table(
    head: bytes,
    stream: BinaryIO,
    plan: Plan,
    *,
    size: int | None,
    progress: Progress = silent,
) -> tuple[Matrix, tuple[str, ...], bool]:
    """Read the rows of a table.

    Parameters
    ----------
    head
        The bytes already read.
    stream
        The rest.
    plan
        What to read.
    size
        The length of all the text in bytes, where it is known.
    progress
        Told of the bytes that were parsed.

    Returns
    -------
    values : ndarray of shape (rows, columns)
        The numbers, NaN where missing; many lie in a temporary file without a name.
    labels : tuple of str
        The cells of the index column, empty if there is none.
    integers : bool
        Whether every number was written as a whole one.

    Raises
    ------
    InputError
        Naming row and column of the first cell that cannot be used.
    """
    spool = Spool(len(plan.columns), plan.name)
    labels: list[str] = []
    line, done = plan.dialect.first, 0
    integers = True
    marks_of_fractions = (plan.dialect.decimal.encode(), b"e", b"E")
    large = len(head) > _SMALL
    with closing(spool):
        for text in _blocks(head, stream, plan):
            # A small table is parsed before polars is imported; what it leaves is parsed again.
            parsed = parse_fast(text, plan) if large else None
            part, marks = parsed or parse_exactly(text, spool.count, line, plan)
            integers = integers and not any(mark in text for mark in marks_of_fractions)
            done += len(text)
            end = spool.count + len(part)
            spool.add(part, end if size is None else math.ceil(end * size / done))
            labels += marks
            # What is parsed fast has no blank lines or comments.
            line += len(part) if parsed else text.count(plan.newline.encode()[-1:])
            progress("parsing", done, size or 0)
        if spool.count == 0:
            raise InputError(f"{plan.name}: holds no rows of numbers")
        return spool.rows(), tuple(labels), integers


def _blocks(head: bytes, stream: BinaryIO, plan: Plan) -> Iterator[bytes]:
    """Cut the text after the header into blocks of whole lines."""
    end = plan.newline.encode()[-1:]
    start = 0
    for _ in range(plan.dialect.first):
        start = head.find(end, start) + 1
    rest = head[start:]
    while more := stream.read(_BLOCK):
        cut = more.rfind(end) + 1
        if not cut:
            rest += more
            continue
        yield b"".join((rest, memoryview(more)[:cut]))
        rest = more[cut:]
    if rest:
        yield rest


def parse_exactly(text: bytes, row: int, line: int, plan: Plan) -> tuple[Matrix, list[str]]:
    """Parse a block cell by cell: slowly, but knowing what stands where.

    Parameters
    ----------
    text
        Whole lines.
    row, line
        How many rows and lines come before.
    plan
        What to read.

    Returns
    -------
    values : ndarray of shape (rows, columns)
        The numbers.
    labels : list of str
        The cells of the index column.

    Raises
    ------
    InputError
        Naming row and column of the first cell that cannot be used.
    """
    dialect = plan.dialect
    rows: list[list[float]] = []
    labels: list[str] = []
    for number, content in enumerate(text.decode("utf-8", "replace").split(plan.newline), line + 1):
        if is_comment(content):
            continue
        cells = dialect.cells(content)
        place = f"row {row + len(rows) + 1}"
        if number != row + len(rows) + 1:
            place += f" (line {number})"
        if len(cells) != dialect.width:
            raise InputError(
                f"{plan.name}: {place} has {len(cells)} cells where {dialect.width} are expected"
            )
        rows.append([_cell(cells[column], column, place, plan) for column in plan.columns])
        if plan.index is not None:
            labels.append(cells[plan.index])
    return np.array(rows, np.float64).reshape(len(rows), len(plan.columns)), labels


def _cell(cell: str, column: int, place: str, plan: Plan) -> float:
    """Return the number in a cell, or say what is wrong with it."""
    value = plan.dialect.number(cell)
    if value is not None and (math.isfinite(value) or (math.isnan(value) and plan.allow_missing)):
        return value
    place += f", column {column + 1}"
    names = plan.dialect.names
    if names is not None and names[column]:
        place += f" {names[column]!r}"
    if value is None:
        hint = "mend it, or choose the columns of numbers with --columns"
        if "," in cell or "." in cell:
            hint = "if the delimiter or decimal mark is wrong, give --delimiter and --decimal"
        shown = cell if len(cell) <= 40 else cell[:37] + "..."
        raise InputError(f"{plan.name}: {place} is {shown!r}, not a number; {hint}")
    if math.isnan(value):
        raise InputError(
            f"{plan.name}: {place} is missing; mend it, or give --missing drop or mean"
        )
    raise InputError(f"{plan.name}: {place} is {cell}: infinite; mend it or leave its row out")
