"""What a user told of how text tables are read, which a model keeps."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

OF_TABLES: dict[str, type] = {
    "columns": str,
    "labels": str,
    "header": str,
    "skip_rows": int,
    "comment": str,
    "delimiter": str,
    "decimal": str,
    "thousands": str,
    "na": str,
}
"""Options that only text tables have, by the names that `ReadOptions` has for them."""


class Standing(str):
    """An option of text tables that stands in settings, for all files: no other file minds it."""

    __slots__ = ()


def option_of(name: str) -> str:
    """Return an option as it stands on the command line."""
    return f"--{name.replace('_', '-')}"


def told_of(options: Mapping[str, str | int]) -> str:
    """Return options as they stand on the command line."""
    return " ".join(
        f"{option_of(name)} {shlex.quote(str(value))}" for name, value in options.items()
    )
