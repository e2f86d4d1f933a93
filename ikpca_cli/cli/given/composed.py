"""Groups of options: declared once as dataclasses, spread out for typer, handed over whole."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

Command = Callable[..., None]


def composed(command: Command) -> Command:
    """Return a command in whose place of each group of options stand the options themselves.

    A group is a parameter whose type is a dataclass. Its fields are options of their own, annotated
    as typer wants it; the command gets an instance of the group.
    """
    groups: dict[str, Any] = {}
    spread: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        group = parameter.annotation
        if not is_dataclass(group):
            spread.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        groups[name] = group
        hints = get_type_hints(group, include_extras=True)
        spread += [
            inspect.Parameter(
                option.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=option.default,
                annotation=hints[option.name],
            )
            for option in fields(group)
        ]

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{option.name: given.pop(option.name) for option in fields(group)})
        command(**given)

    del run.__wrapped__  # or else typer would read the signature of the command itself
    run.__signature__ = inspect.Signature(spread)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in spread}
    return run
