"""Numpy's reader of text, written in C, for plain blocks of a table."""

from __future__ import annotations

import io
import re

import numpy as np
import numpy.typing as npt


def read_block(
    text: bytes, delimiter: str, width: int, *, allow_missing: bool
) -> npt.NDArray[np.float64] | None:
    """Parse lines of numbers, as `ikpca_cli.formats.csv.parsing.by_polars.read_block` does."""
    if allow_missing:
        mark = re.escape(delimiter.encode())
        nothing = rb"(?m)(?:^|(?<=%s))(?=%s|$)" % (mark, mark)
        text = re.sub(nothing, b"nan", text.removesuffix(b"\n"))
    if not text.strip():
        return None  # loadtxt warns where there is no number at all
    try:
        values = np.loadtxt(
            io.BytesIO(text), delimiter=delimiter, comments=None, ndmin=2, encoding="latin-1"
        )
    except ValueError:
        return None
    lines = text.count(b"\n") + (not text.endswith(b"\n"))
    if values.shape != (lines, width):
        return None  # loadtxt skips lines without anything in them
    return values
