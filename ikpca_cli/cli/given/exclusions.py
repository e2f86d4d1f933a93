"""Options of ``ikpca fit`` that exclude one another."""

from __future__ import annotations

from typing import Any

from ikpca_cli.errors import UsageError


def check_several(cluster: str | None) -> None:
    """Refuse what takes a single file where several are to be one training set."""
    if cluster is not None:
        raise UsageError("--cluster takes a single file: give one, or leave --cluster out")


def check_missing(missing: str, given: dict[str, bool]) -> None:
    """Refuse options that do not go with missing values that the model fills in."""
    for option, there in given.items():
        if there:
            raise UsageError(f"--missing {missing} does not go with {option}: give --missing mean")


def check_update(given: dict[str, Any]) -> None:
    """Refuse options of a new fit where a model is only to take in more rows."""
    unused = {None, "auto", 0}
    for option, value in given.items():
        if value not in unused:
            raise UsageError(f"--update keeps the model's parameters: leave {option} out")
