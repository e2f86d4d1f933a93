"""Blocks of a table without anything odd, for readers that are fast and know no places.

What is odd (comments, quotes, blank lines, groups of three digits, words) is left to the exact
parser, and so is every block with a mistake, as that one knows the place. Both fast readers parse
numbers to the nearest double precision number, as Python does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt

from ikpca_cli.formats.csv.form.cells import BLANK, LONGEST_CELL
from ikpca_cli.formats.csv.form.table_form import TableForm
from ikpca_cli.formats.csv.parsing import by_numpy

LARGE = 512 << 10
"""Bytes of a table that are worth the import of polars."""

_NUMBERS = b"0123456789+-.eE\n"

Matrix = npt.NDArray[np.float64]
ReadBlock = Callable[..., Matrix | None]


def reader(size: int) -> ReadBlock:
    """Return what reads blocks of a table of so many bytes the fastest."""
    if size > LARGE and _has_polars():
        from ikpca_cli.formats.csv.parsing import by_polars

        return by_polars.read_block
    return by_numpy.read_block


def parse_fast(
    text: bytes, table: TableForm, read_block: ReadBlock
) -> tuple[Matrix, list[tuple[str, ...]]] | None:
    """Parse whole lines at once.

    Parameters
    ----------
    text
        Whole lines of a table.
    table
        What to read.
    read_block
        `by_numpy.read_block` or `by_polars.read_block`.

    Returns
    -------
    tuple of an ndarray of shape (rows, columns) and the label columns' cells by row
        The same as the exact parser's. None if a block is not plain enough, or has a cell that
        must be refused.
    """
    dialect = table.dialect
    if b'"' in text or dialect.grammar.missing_values or _has_blank_line(text):
        return None
    if dialect.trailing and dialect.delimiter == BLANK:
        return None
    labels: list[tuple[str, ...]] = []
    width = dialect.width
    if table.labels:
        parts = _without_labels(text, table)
        if parts is None:
            return None
        text, labels = parts
        width -= len(table.labels)
    plain = _plain(text, table, width)
    if plain is None:
        return None
    mark = dialect.delimiter
    if dialect.trailing:
        end = mark.encode() + b"\n"
        lines = plain if plain.endswith(b"\n") else plain + b"\n"
        if lines.count(end) != lines.count(b"\n"):
            return None
        plain = lines.replace(end, b"\n")
        if _has_blank_line(plain):
            return None
    values = read_block(plain, mark, width, allow_missing=table.allow_missing)
    if values is None or np.isinf(values).any():
        return None
    if labels and len(labels) != len(values):
        return None
    before = sum(label < table.columns[0] for label in table.labels)
    places = [column - before for column in table.columns]
    if places != list(range(width)):
        values = np.ascontiguousarray(values[:, places])
    return values, labels


@cache
def _has_polars() -> bool:
    return find_spec("polars") is not None


def _without_labels(text: bytes, table: TableForm) -> tuple[bytes, list[tuple[str, ...]]] | None:
    """Split the label columns off where they come first, or last; None where others do not."""
    dialect = table.dialect
    first = sum(label < table.columns[0] for label in table.labels)
    count = len(table.labels) - first
    whole = (*range(first), *range(dialect.width - count, dialect.width))
    mark = dialect.delimiter.encode()
    lines = text.removesuffix(b"\n").split(b"\n")
    if dialect.delimiter == BLANK or dialect.comment.encode() in text:
        return None
    if table.labels != whole or (count and dialect.trailing):
        return None
    split = [line.split(mark, first) for line in lines]
    if any(len(parts) != first + 1 for parts in split):
        return None
    ends = [parts.pop().rsplit(mark, count) for parts in split]
    if any(len(parts) != count + 1 for parts in ends):
        return None
    labels = [
        tuple(cell.decode(table.encoding, "surrogateescape") for cell in (*above, *below[1:]))
        for above, below in zip(split, ends, strict=True)
    ]
    return b"\n".join(parts[0] for parts in ends), labels


def _plain(text: bytes, table: TableForm, width: int) -> bytes | None:
    """Return a block without padding and with decimal points, or None if that is not certain."""
    dialect = table.dialect
    mark = dialect.delimiter.encode()
    decimal = dialect.grammar.decimal
    if text.translate(None, _NUMBERS + b"Dd" + mark + decimal.encode() + b" \t"):
        return None
    if decimal == ",":
        if b"." in text or mark == b",":
            return None
        text = text.replace(b",", b".")
    if b"D" in text or b"d" in text:
        # Fortran's exponents stand behind a decimal mark, which every number has here.
        if text.count(b".") != width * (text.count(b"\n") + (not text.endswith(b"\n"))):
            return None
        text = text.replace(b"D", b"e").replace(b"d", b"e")
    if dialect.delimiter == BLANK:
        text = text.replace(b"\t", b" ")
    elif mark != b"\t" and b"\t" in text:
        return None
    if b" " in text:
        while b"  " in text:
            text = text.replace(b"  ", b" ")
        text = text.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
        if dialect.delimiter != BLANK:
            text = text.replace(b" " + mark, mark).replace(mark + b" ", mark)
            if b" " in text:
                return None
    if not text or _has_blank_line(text):
        return None
    return None if _has_long_cell(text, mark) else text


def _has_blank_line(text: bytes) -> bool:
    """Tell whether a reader might skip a line that counts, or count one that does not."""
    return text.startswith(b"\n") or b"\n\n" in text


def _has_long_cell(text: bytes, mark: bytes) -> bool:
    """Tell whether a cell may be too long to be a number: half of it has no end of a cell."""
    half = LONGEST_CELL // 2
    return any(
        text.find(mark, start, start + half) < 0 and text.find(b"\n", start, start + half) < 0
        for start in range(0, len(text) - half, half)
    )
