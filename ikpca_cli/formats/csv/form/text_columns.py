"""Which columns of a table are text: names of samples, dates, classes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ikpca_cli.formats.csv.form.cells import BLANK
from ikpca_cli.formats.csv.form.header_lines import Line

_SHORT, _LONG = 40, 1000
_DATE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}")
_WITH_CLASS = re.compile(r"[+-]?+\d*+\.\d++(?:[eE][+-]?+\d++)?+:.*+")
"""A number and, behind a colon, the class of its row, as files of time series have it."""

_WITH_UNIT = re.compile(
    r"[(<>~$€£¥\[{']{0,3}+ ?+[+-]?+\d[\d.,' ]*+[)%$€£¥\]}',;]{0,3}+[a-zA-Zµ°Ω/]{0,4}+"
)
_SEVERAL = re.compile(r"[,;|]\s*[+-]?\d*\.\d|\d*\.\d+\s*[,;|]|\d\.\d+\s+[+-]?\d*\.\d")
"""A decimal number and, beside it, what stands between the numbers of other tables."""

_MORE_BEHIND = re.compile(
    r"(?:[A-Z]{3} |ca\. |[a-zA-Z]{1,4}[:=])?+[(<>~≈±=\"'$€£¥\[{]{0,3}+ ?+"
    r"[+-]?+\d*+[.,]\d++(?![.,]?+\d)"
    r"(?! ?+[-–] ?+\d++[.,]?+\d*+$).*+"
)
"""A decimal number and what else may stand in its cell: a unit, a mark, an error, another number.

From one number to another is a range, and may be the name of a row.
"""

TOUCHING = re.compile(r"\d\.\d*+(?:[eEdD][+-]?\d++)?+[+-]\d*+\.\d")
"""Decimal numbers without a blank between them, where they fill columns of a fixed width."""

ARROW = re.compile(r".*(?:[-=]>|→)\s*+[+-]?+\d[\d.]*+\s*+")
"""A number behind an arrow, before which serial monitors write the time."""

_REMARKED = re.compile(r"[+-]?+(?:\d++\.?+\d*+|\.\d++)(?:[eEdD][+-]?+\d++)?+\s*+(?:[#!;%]|//).*+")
"""A number and a remark behind it."""


_ROWS = 3
"""Rows from which a column that is empty in all of them is no chance."""


def text_columns(lines: Sequence[Line], width: int) -> tuple[int, ...]:
    """Return the columns without a number in the lower half of some lines, and with a word."""
    lower = [line for line in lines[len(lines) // 2 :] if line.width == width]
    return _wordy(lower, range(width))


def empty_below(lines: Sequence[Line], texts: Sequence[int], width: int) -> tuple[int, ...]:
    """Return the columns that are empty in the lower half of some lines, if others are not."""
    lower = [line for line in lines[len(lines) // 2 :] if line.width == width]
    empty = tuple(
        c for c in range(width) if c not in texts and not any(line.cells[c] for line in lower)
    )
    return empty if len(lower) >= _ROWS and len(empty) + len(texts) < width else ()


def spare_columns(rows: Sequence[Line], empty: Sequence[int], width: int) -> tuple[int, ...]:
    """Return those of empty columns that hold no data above either: nothing, or remarks.

    Numbers are part of a remark beside words in another of these columns. Numbers alone, however
    few, are data of which most is missing.
    """
    full = [row for row in rows if row.width == width]
    plain = [row for row in full if not any(row.text[c] for c in empty)]
    return tuple(c for c in empty if not any(row.cells[c] for row in plain))


def label_columns(
    rows: Sequence[Line], texts: Sequence[int], width: int, delimiter: str
) -> tuple[int, ...]:
    """Return which columns of text may be labels.

    They have a word in every row, or nothing, and not numbers with something beside them such as
    a unit, which are to be read and not to be laid aside. Some column has to be left.
    """
    full = [row for row in rows if row.width == width]
    labels = [
        c
        for c in _wordy(full, texts)
        if not all(_is_quantity(row.cells[c], touching=delimiter == BLANK) for row in full)
    ]
    return tuple(labels) if len(labels) < width else ()


def _wordy(lines: Sequence[Line], columns: Sequence[int]) -> tuple[int, ...]:
    with_words = [line for line in lines if line.has_text]
    if not with_words:
        return ()
    return tuple(
        c
        for c in columns
        if any(line.text[c] for line in with_words)
        and all(line.text[c] or not line.cells[c] for line in lines)
    )


def _is_quantity(cell: str, *, touching: bool) -> bool:
    """Tell whether a cell is a number with a unit, a currency or a mark that is not known.

    It may be `touching` another one.
    """
    if not cell or len(cell) > _LONG or _WITH_CLASS.fullmatch(cell) or _REMARKED.fullmatch(cell):
        return True
    if ARROW.fullmatch(cell):
        return True
    if touching and TOUCHING.search(cell) is not None:
        return True
    if _DATE.search(cell) is not None:
        return False
    if _SEVERAL.search(cell) is not None:
        return True
    if len(cell) > _SHORT:
        return False
    return _WITH_UNIT.fullmatch(cell) is not None or _MORE_BEHIND.fullmatch(cell) is not None


def shape(label: str) -> str:
    """Return a label with its digits and letters made alike: those of S001 and S002 are equal."""
    return re.sub(r"[^\W\d]+", "a", re.sub(r"\d+", "9", label[:_SHORT]))
