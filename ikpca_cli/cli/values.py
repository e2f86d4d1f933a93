"""Values on the command line: numbers or auto, lists of them, and values for one method alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ikpca_cli.errors import UsageError
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.estimators.methods import METHODS

WHOLE = ("--components", "--rff", "--landmarks")
"""Options whose numbers are whole."""

NUMBERS = (*WHOLE, "--gamma", "--second-gamma", "--latent-gamma", "--ridge", "--noise-std")
"""Options that take a number or a word."""

WORDS = {"--rff": ("auto", "exact"), "--second-gamma": ("auto", "none"), "--landmarks": ("all",)}
"""Words that stand for a number; of the other options "auto"."""

MEAN = "mean"
"""In place of a file of clean rows: the mean of the noisy ones."""

PARAMETERS = {"--components": "n_components", "--rff": "n_rff", "--clean": "replicates"}
"""Options whose parameter has another name; of the others it is the option without dashes."""


def number_or_word(option: str, text: str) -> float | int | str:
    """Return the number in `text`, or the word: "auto", for --rff also "exact".

    Raises
    ------
    UsageError
        If the text is neither, naming the option.
    """
    words = WORDS.get(option, ("auto",))
    text = text.strip()
    if text in words:
        return text
    try:
        return int(text) if option in WHOLE else float(text)
    except ValueError:
        noun = "a whole number" if option in WHOLE else "a number"
        raise UsageError(f"{option} {text!r}: give {noun} or {' or '.join(words)}") from None


def method_values(option: str, texts: Sequence[str]) -> dict[str, list[float | int | str]]:
    """Parse a repeated option whose values are lists, such as ``5,10`` or ``kpca:10``.

    Returns
    -------
    dict
        Method name to its values in order; ``""`` holds those for every method without its own.

    Raises
    ------
    UsageError
        If a value is no number, or a prefix is no method that takes this option.
    """
    found: dict[str, list[float | int | str]] = {}
    for text in texts:
        method, colon, values = text.rpartition(":")
        if colon and method not in METHODS:
            raise UsageError(f"{option} {text!r}: {method!r} is none of {', '.join(METHODS)}")
        if method:
            check_applies(option, method)
        for value in values.split(","):
            number = number_or_word(option, value)
            if number not in found.setdefault(method, []):
                found[method].append(number)
    return found


def parameter(option: str) -> str:
    """Return the name of the estimators' parameter that an option sets."""
    return PARAMETERS.get(option, option.removeprefix("--").replace("-", "_"))


def check_applies(option: str, method: str) -> None:
    """Refuse an option that the method does not have."""
    if parameter(option) not in load_method(method).parameter_names():
        raise UsageError(f"{option} does not apply to the method {method}")


def method_params(method: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return constructor parameters from options as given; None leaves the method's default.

    Raises
    ------
    UsageError
        If a value is given for an option that the method does not have, or is no number.
    """
    params: dict[str, Any] = {}
    for option, value in options.items():
        if value is not None:
            check_applies(option, method)
            params[parameter(option)] = (
                number_or_word(option, value) if option in NUMBERS else value
            )
    return params
