"""Values on the command line: those of the parameters, lists of them, and for one method alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ikpca_cli.errors import UsageError
from ikpca_cli.estimators.methods import METHODS
from ikpca_cli.estimators.parameters import PARAMETERS

MEAN = "mean"
"""In place of a file of clean rows: the mean of the noisy ones."""

_NAMES = {"--components": "n_components", "--rff": "n_rff", "--clean": "replicates"}


def parameter(option: str) -> str:
    """Return the name of the estimators' parameter that an option sets."""
    return _NAMES.get(option, option.removeprefix("--").replace("-", "_"))


def parsed(option: str, value: Any) -> Any:
    """Return what an option means: texts are parsed, and numbers and flags checked.

    Raises
    ------
    UsageError
        If its parameter may not be that, naming the option.
    """
    known = PARAMETERS[parameter(option)]
    return known.parse(option, value) if isinstance(value, str) else known.check(option, value)


def method_values(option: str, texts: Sequence[str]) -> dict[str, list[float | int | str]]:
    """Parse a repeated option whose values are lists, such as ``5,10`` or ``kpca:10``.

    Returns
    -------
    dict
        Method name to its values in order; ``""`` holds those for every method without its own.

    Raises
    ------
    UsageError
        If a value is not allowed, or a prefix is no method that takes this option.
    """
    found: dict[str, list[float | int | str]] = {}
    for text in texts:
        method, colon, values = text.rpartition(":")
        if colon and method not in METHODS:
            raise UsageError(f"{option} {text!r}: {method!r} is none of {', '.join(METHODS)}")
        if method:
            check_applies(option, method)
        for value in values.split(","):
            number = parsed(option, value)
            if number not in found.setdefault(method, []):
                found[method].append(number)
    return found


def check_applies(option: str, method: str) -> None:
    """Refuse an option that the method does not have."""
    from ikpca_cli.estimators.denoiser import load_method

    if parameter(option) not in load_method(method).parameter_names():
        raise UsageError(f"{option} does not apply to the method {method}: leave it out")


def method_params(method: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return constructor parameters from options as given; None leaves the method's default.

    Raises
    ------
    UsageError
        If a value is given for an option that the method does not have, or is not allowed.
    """
    params: dict[str, Any] = {}
    for option, value in options.items():
        if value is not None:
            check_applies(option, method)
            params[parameter(option)] = parsed(option, value)
    return params


def is_file(value: str) -> bool:
    """Tell whether a value that may be a number or a word names a file instead."""
    from pathlib import Path

    if value == "auto":
        return False
    try:
        float(value)
    except ValueError:
        path = Path(value.partition("::")[0])
        return path.exists() or path.suffix[1:2].isalpha()
    return False
