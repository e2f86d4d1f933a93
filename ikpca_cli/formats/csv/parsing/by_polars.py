"""Polars as the fastest reader of plain blocks of a table, where it is installed.

Polars parses numbers exactly, refuses text and long lines, and reads a short line's end as
missing, which the number of delimiters tells.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def read_block(
    text: bytes, delimiter: str, width: int, *, allow_missing: bool
) -> npt.NDArray[np.float64] | None:
    """Parse lines of numbers, see `ikpca_cli.formats.csv.parsing.fast`.

    Parameters
    ----------
    text
        Lines of plain numbers, or of nothing where one is missing.
    delimiter
        A single character between them.
    width
        Numbers of a line.
    allow_missing
        Whether nothing is a missing value.

    Returns
    -------
    ndarray of shape (lines, width) or None
        None if a cell is no number, or a line has more or fewer.
    """
    import polars
    from polars.exceptions import PolarsError

    marks = np.count_nonzero(np.frombuffer(text, np.uint8) == ord(delimiter))
    try:
        frame = polars.read_csv(
            text,
            has_header=False,
            schema={str(column): polars.Float64 for column in range(width)},
            separator=delimiter,
            quote_char=None,
        )
    except PolarsError:
        return None
    values = frame.to_numpy(order="c").reshape(-1, width)
    even = int(marks) == len(values) * (width - 1)
    if not even or (not allow_missing and not np.isfinite(values).all()):
        return None
    return values
