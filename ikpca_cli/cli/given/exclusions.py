"""Options of ``ikpca fit`` that exclude one another."""

from __future__ import annotations

from typing import Any

from ikpca_cli.errors import UsageError


def check_several(window: str | None, cluster: str | None) -> None:
    """Refuse what takes a single file where several are to be one training set."""
    single = {
        "--window": window not in (None, "none"),
        "--cluster": cluster is not None,
    }
    for option, given in single.items():
        if given:
            raise UsageError(f"{option} takes a single file: give one, or leave {option} out")


def check_update(given: dict[str, Any]) -> None:
    """Refuse options of a new fit where a model is only to take in more rows."""
    unused = {None, "auto", 0}
    for option, value in given.items():
        if value not in unused:
            raise UsageError(f"--update keeps the model's parameters: leave {option} out")
