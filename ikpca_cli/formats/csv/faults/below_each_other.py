"""Tables, or signals, that stand below each other in one file."""

from __future__ import annotations

import re

from ikpca_cli.errors import InputError
from ikpca_cli.formats.csv.form.table_form import TableForm
from ikpca_cli.formats.csv.parsing.parse import Parsed

_COUNT = re.compile(r"(?<![\w.,:/-])\d{2,9}(?![\w:/-]|[.,]\w)", re.ASCII)
"""A whole number of some size, and no part of a date, a version or a word."""

_LINES = 16
"""Lines over which one signal may be wrapped."""


def refuse_tables(parsed: Parsed, name: str) -> None:
    """Refuse tables below each other, whose first column begins again.

    Raises
    ------
    InputError
        Naming the first line between them.
    """
    found = parsed.left_out.begins_again(parsed.values[:, 0])
    if found is not None:
        line, count = found
        places = f" ({count} such places)" if count > 1 else ""
        raise InputError(
            f"{name}: its first column begins again below line {line}{places}, where another table "
            "seems to begin: save each in a file of its own, or, if they are signals along one "
            "axis, put a column before it that numbers them (--window none reads rows as they are)"
        )


def refuse_counted(table: TableForm, rows: int) -> None:
    """Refuse so many rows whose numbers a line above them counts as no samples are.

    Those of several channels in one column, as chromatography data systems (EZChrom) export what
    several detectors measured, or of one signal that is wrapped over lines, as seismographs'.

    Raises
    ------
    InputError
        Naming the line that counts them.
    """
    name, columns = table.name, len(table.columns)
    for number, line in enumerate(table.above, start=1):
        counts = [int(count) for count in _COUNT.findall(line)]
        if columns == 1 and len(counts) > 1 and sum(counts) == rows:
            shown = " and ".join(map(str, counts))
            raise InputError(
                f"{name}: line {number} counts {shown} numbers, and all {rows} stand in one "
                "column: save each channel in a file of its own (--window none reads rows as they "
                "are)"
            )
        if columns > 1 and rows >= _LINES and rows * columns in counts:
            raise InputError(
                f"{name}: line {number} counts {rows * columns} numbers, as one signal has that is "
                f"wrapped over lines of {columns}: give its numbers one a line (--window none "
                "reads rows as they are)"
            )
