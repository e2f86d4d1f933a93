"""What is told of many files, that of one kind as one line."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ikpca_cli.errors import about

_NUMBER = re.compile(r"\d[\d.,]*(?:e[+-]?\d+)?")

_KINDS = {
    "does not look like noise": "a residual that is not like noise",
    "are unlike those": "rows unlike those of the fit",
    "missing value": "missing values",
    "taken by name": "columns in another order",
    "taken by place": "other names of columns",
}
"""Words of a warning, and what its kind is called."""


def kind_of(text: str) -> str:
    """Return what the kind of a warning is called."""
    return next((kind for words, kind in _KINDS.items() if words in text), "other warnings")


def grouped(lines: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return a line for each that is told: that of the first file, and how many more have it.

    Parameters
    ----------
    lines : iterable of (str, str)
        A file, and what is said of it. What differs by numbers alone is of one kind.
    """
    kinds: dict[str, list[tuple[str, str]]] = {}
    for name, text in lines:
        kinds.setdefault(_NUMBER.sub("#", text), []).append((name, text))
    return tuple(
        about(found[0][0] + _more({name for name, _ in found}), found[0][1])
        for found in kinds.values()
    )


def _more(names: set[str]) -> str:
    return f" and {len(names) - 1} more" if len(names) > 1 else ""
