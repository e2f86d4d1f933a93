"""Names to implementations, which are imported on demand: listing names costs no numpy."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from ikpca_cli.errors import UsageError


def load_named(table: Mapping[str, str], kind: str, name: str) -> Any:
    """Return what is called `name` in a table of ``module:attribute``.

    Raises
    ------
    UsageError
        If nothing has that name; `kind` says what was looked for.
    """
    if name not in table:
        raise UsageError(f"unknown {kind} {name!r}: choose from {', '.join(table)}")
    module, attribute = table[name].split(":")
    return getattr(import_module(module), attribute)
