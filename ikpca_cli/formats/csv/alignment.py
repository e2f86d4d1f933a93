"""Columns of a fixed width: how many signs a number takes, so that outputs are aligned as well."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ikpca_cli.formats.csv.form.cells import BLANK

_WORD = re.compile(r"\S+")


def widths_of(lines: Sequence[str], delimiter: str) -> tuple[int, ...] | None:
    """Return the width of each column of some rows, None where numbers are not aligned.

    Parameters
    ----------
    lines
        Rows of a table.
    delimiter
        What is between their numbers. Blanks belong to the width of the number behind them.

    Returns
    -------
    tuple of int or None
        The numbers end where their columns do.
    """
    if len(lines) < 2 or any('"' in line for line in lines):
        return None
    if delimiter != BLANK:
        cells = [line.split(delimiter) for line in lines]
        widths = {tuple(map(len, row)) for row in cells}
        padded = any(cell.startswith(" ") for row in cells for cell in row)
        ragged = any(cell.endswith(" ") for row in cells for cell in row)
        return widths.pop() if padded and not ragged and len(widths) == 1 else None
    if any("\t" in line for line in lines):
        return None
    ends = {tuple(word.end() for word in _WORD.finditer(line)) for line in lines}
    if len(ends) != 1:
        return None
    places = (0, *ends.pop())
    return tuple(end - start for start, end in pairwise(places))


def gap_of(lines: Sequence[str], delimiter: str) -> str:
    """Return the blank that stands behind every delimiter of some rows, if one does.

    But for a delimiter that ends a row.
    """
    spaced = delimiter != BLANK and all(
        line.count(f"{delimiter} ") == line.count(delimiter) > line.count(f"{delimiter}  ")
        for line in (line.rstrip().removesuffix(delimiter) for line in lines)
    )
    return " " if lines and spaced else ""


def aligned(line: str, widths: Sequence[int], delimiter: str) -> str:
    """Return a line with each cell at the end of its column, as far as there is room."""
    cells = line.split(delimiter)
    if len(cells) != len(widths):  # a label with a delimiter in it
        return line
    if delimiter != BLANK:
        pairs = zip(cells, widths, strict=True)
        return delimiter.join(cell.rjust(width) for cell, width in pairs)
    line = cells[0].rjust(widths[0])
    for cell, width in zip(cells[1:], widths[1:], strict=True):
        line += BLANK + cell.rjust(width - 1)
    return line
