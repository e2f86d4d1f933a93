"""Which columns of a table are data, or labels: the small language of ``--columns``."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from ikpca_cli.errors import UsageError

_PLACES = re.compile(r"(\d{1,9})(-?)(\d{0,9})")
_FROM_THE_END = re.compile(r"-\d[\d-]*")


def select(
    text: str, names: Sequence[str] | None, width: int, option: str = "--columns"
) -> list[int]:
    """Find the columns that a selection names.

    A selection is a list with commas. Each item is a place counted from 1 (``3``), a range with
    both ends (``2-5``), a range to the end (``2-``), or a name of the header, in double quotes if
    it holds a comma. An item after a caret is left out (``^1``: all but the first column); if the
    first item is one of those, the selection starts with all columns. A number is always a place,
    also where a name looks like it. Columns come in the order in which they are named.

    Parameters
    ----------
    text
        The selection.
    names
        The names of the columns, or None if the table has no header.
    width
        How many columns there are.
    option
        What messages call the selection.

    Returns
    -------
    list of int
        Places counted from 0, none twice.

    Raises
    ------
    UsageError
        If an item is no column, one is named twice, or none is left.
    """
    items = [item.strip() for item in next(csv.reader([text], skipinitialspace=True), [])]
    given = f"{option} {text}"
    chosen: list[int] = []
    for number, item in enumerate(items):
        if _FROM_THE_END.fullmatch(item) and item not in (names or ()):
            raise UsageError(
                f"{given}: {item} could be the last column or all but the first; write "
                f"^{item[1:]} to leave a column out, or the place or name of the one you mean"
            )
        negative = item.startswith("^") and item not in (names or ())
        places = _places(item[1:] if negative else item, given, names, width)
        if negative:
            if number == 0:
                chosen = list(range(width))
            chosen = [place for place in chosen if place not in places]
            continue
        twice = [place for place in places if place in chosen]
        if twice:
            raise UsageError(f"{given}: column {twice[0] + 1} is named twice; name it once")
        chosen += places
    if not chosen:
        raise UsageError(f"{given}: leaves no column; leave out fewer")
    return chosen


def _places(item: str, given: str, names: Sequence[str] | None, width: int) -> list[int]:
    """Return the places that one item names."""
    match = _PLACES.fullmatch(item)
    if match:
        first = int(match[1])
        last = int(match[3]) if match[3] else (width if match[2] else first)
        if not 1 <= first <= last <= width:
            raise UsageError(f"{given}: {item} is not one of the columns 1 to {width}")
        return list(range(first - 1, last))
    if names is None:
        raise UsageError(f"{given}: the table has no header, so {item!r} must be a number")
    found = [place for place, name in enumerate(names) if name == item]
    if not found:
        hint = f"; ^{item[1:]} leaves a column out" if item.startswith("-") else ""
        raise UsageError(f"{given}: no column is named {item!r}{hint}")
    if len(found) > 1:
        raise UsageError(f"{given}: several columns are named {item!r}; give their places")
    return found


def columns_named(places: Sequence[int], names: Sequence[str] | None = None) -> str:
    """Return what a message calls columns, given by their places from 0, with names they have."""
    own = [names[place] if names else "" for place in places]
    shown = [
        f"{k + 1} {name!r}" if name else f"{k + 1}" for k, name in zip(places, own, strict=True)
    ]
    return f"column{'s' * (len(shown) > 1)} {', '.join(shown)}"
