"""What typer does not take of a command line, in one line."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

_ABOUT_VALUE = re.compile(r"^Value error, |^Input (?=should )|, unable to .*$")
"""What pydantic says besides what is wrong."""


def refusal(error: Any, where: str) -> str:
    """Return the line for an error of typer's.

    Parameters
    ----------
    error
        With what typer says, and, for a value, its parameter and context.
    where
        The command that has the help.
    """
    text = error.format_message().rstrip(".")
    reason = str(getattr(error, "message", "")).rstrip(".")
    if getattr(error, "param", None) is not None and reason and text.endswith(reason):
        start = text.removesuffix(reason)
        plain = _ABOUT_VALUE.sub("", reason)
        value = _value(error)
        if value is not None and repr(value) not in plain:
            start = start.replace("Invalid value for", f"Invalid value {value!r} for", 1)
        text = start.removesuffix(": ") + _source(error) + ": " + plain
    dashed = next((word for word in sys.argv[1:] if word[:1] == "-" and os.path.isfile(word)), None)
    file = "" if dashed is None else f"; the file {dashed} is given as ./{dashed}"
    return f"error: {text[:1].lower()}{text[1:]}{file}; see {where} --help"


def _value(error: Any) -> str | None:
    """Return the text that is no value, where the error that led to this one has it."""
    errors = getattr(error.__cause__, "errors", None)
    value = errors()[0].get("input") if callable(errors) else None
    return value if isinstance(value, str) else None


def _source(error: Any) -> str:
    """Say where a value that is not on the command line stands."""
    ctx, param = error.ctx, error.param
    source = ctx.get_parameter_source(param.name) if ctx is not None else None
    if getattr(source, "name", "") != "ENVIRONMENT":
        return ""
    return f", in the environment as {param.envvar}"
