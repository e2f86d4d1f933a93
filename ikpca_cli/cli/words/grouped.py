"""Warnings of many files, those of one kind as one line."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBER = re.compile(r"\d[\d.,]*(?:e[+-]?\d+)?")

REMARKS = ("took ", "brought from its axis", "read with --")
"""What a line about a file begins with that says no more than how it was read."""

_NOTE = re.compile(rf"^.*?(: )(?={'|'.join(REMARKS)})")

_KINDS = {
    "does not look like noise": "a residual that is not like noise",
    "are unlike those": "rows unlike those of the fit",
    "missing value": "missing values",
    "of a step from that of": "an axis a little off",
    "taken by name": "columns in another order",
    "taken by place": "other names of columns",
}
"""Words of a warning, and what its kind is called."""


def is_remark(text: str) -> bool:
    """Tell whether a line about a file says no more than how it was read."""
    return text.startswith(REMARKS)


def is_note(line: str) -> bool:
    """Tell whether a line that begins with the name of a file is a remark."""
    return _NOTE.search(line) is not None


def remark_of(line: str) -> str:
    """Return what a line says of a file, without its name."""
    found = _NOTE.search(line)
    return line if found is None else line[found.end(1) :]


def kind_of(text: str) -> str:
    """Return what the kind of a warning is called."""
    return next((kind for words, kind in _KINDS.items() if words in text), "other warnings")


def grouped(warnings: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return a line for each kind of warning: that of the first file, and how many more have it.

    Parameters
    ----------
    warnings : iterable of (str, str)
        A file, and what is said of it. What differs by numbers alone is of one kind.
    """
    kinds: dict[str, list[tuple[str, str]]] = {}
    for name, text in warnings:
        kinds.setdefault(_NUMBER.sub("#", text), []).append((name, text))
    return tuple(
        f"{found[0][0]}{_more({name for name, _ in found})}: {found[0][1]}"
        for found in kinds.values()
    )


def _more(names: set[str]) -> str:
    return f" and {len(names) - 1} more" if len(names) > 1 else ""
