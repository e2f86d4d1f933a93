"""Polars as the fast reader of plain blocks of a table; it is asked only where it cannot err.

Polars parses numbers exactly, refuses text and long lines, and reads a short line's end as
missing. What is beyond it (comments, padded quotes, mixed decimal marks) is left to the exact
parser, and so is every block with a mistake, as that one knows the place.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ikpca_cli.formats.csv.dialect import BLANK, MISSING_WORDS
from ikpca_cli.formats.csv.plan import Plan

_MISSING = sorted({form for word in MISSING_WORDS for form in (word, word.upper(), word.title())})


def parse_fast(text: bytes, plan: Plan) -> tuple[npt.NDArray[np.float64], list[str]] | None:
    """Parse whole lines at once.

    Parameters
    ----------
    text
        Whole lines of a table.
    plan
        What to read.

    Returns
    -------
    tuple of an ndarray of shape (rows, columns) and the index column's cells
        The same as the exact parser's. None if a block is not plain enough, or has a cell that
        must be refused.
    """
    import polars
    from polars.exceptions import PolarsError

    dialect = plan.dialect
    plain = _plain(text, plan)
    if plain is None:
        return None
    fields = [f"column_{place + 1}" for place in range(dialect.width + dialect.trailing)]
    schema: dict[str, type[polars.DataType]] = dict.fromkeys(fields, polars.String)
    wanted = [fields[column] for column in plan.columns]
    schema.update(dict.fromkeys(wanted, polars.Float64))
    labels = [] if plan.index is None else [fields[plan.index]]
    try:
        # All columns are read, wanted or not: polars overlooks what follows the last it reads.
        frame = polars.read_csv(
            plain,
            has_header=False,
            schema=schema,
            separator=dialect.delimiter,
            quote_char='"' if b'"' in plain else None,
            null_values=_MISSING if plan.allow_missing else None,
        )
    except PolarsError:
        return None
    if dialect.trailing and frame[fields[-1]].str.len_bytes().sum():
        return None
    data = frame if frame.columns == wanted else frame.select(wanted)
    values = data.to_numpy(order="c").reshape(-1, len(wanted))
    if not np.isfinite(values).all() and not (plan.allow_missing and _even(plain, values, plan)):
        return None
    marks = [mark for column in labels for mark in frame[column].to_list()]
    if None in marks:  # a label that reads like a missing value
        return None
    return values, [mark.strip() for mark in marks]


def _plain(text: bytes, plan: Plan) -> bytes | None:
    """Return a block without padding and with decimal points, or None if that is not certain."""
    if b"#" in text:
        return None
    dialect = plan.dialect
    mark = dialect.delimiter.encode()
    if dialect.decimal == ",":
        if b"." in text or b'"' in text or plan.index is not None or mark == b",":
            return None
        text = text.replace(b",", b".")
    if plan.newline == "\r":
        text = text.replace(b"\r", b"\n")
    elif b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    if dialect.delimiter == BLANK:
        text = text.replace(b"\t", b" ")
    if b" " in text:
        if b'"' in text or plan.index is not None:
            return None
        while b"  " in text:
            text = text.replace(b"  ", b" ")
        text = text.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
        if dialect.delimiter != BLANK:
            text = text.replace(b" " + mark, mark).replace(mark + b" ", mark)
            if b" " in text:
                return None
    return text


def _even(plain: bytes, values: npt.NDArray[np.float64], plan: Plan) -> bool:
    """Tell whether the NaN of a block are all missing values: no infinity, no short or blank line.

    Polars refuses long lines, so that the number of delimiters tells of the short ones.
    """
    if np.isinf(values).any() or b'"' in plain:
        return False
    marks = np.count_nonzero(np.frombuffer(plain, np.uint8) == ord(plan.dialect.delimiter))
    between = plan.dialect.width - 1 + plan.dialect.trailing
    return between > 0 and int(marks) == len(values) * between
