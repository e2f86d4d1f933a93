"""The help of commands: options in the order in which people need them, values that complete.

Options are declared where they are used. What is the same for all of them is done here, once:
panels and their order, defaults that are shown, words that a shell completes, flags without a type.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from typer.core import TyperCommand
from typer.models import OptionInfo

from ikpca_cli.cli.given.values import parameter as parameter_of
from ikpca_cli.cli.given.variables import check_variables, variable_of
from ikpca_cli.errors import tell
from ikpca_cli.estimators.parameters import PARAMETERS
from ikpca_cli.formats.read_options import OF_TABLES

PANELS = {
    "Data": (
        *("clean", "dataset", "window", "fs", "transpose", "columns", "missing", "labels"),
        *("header", "skip_rows", "comment", "delimiter", "decimal", "thousands", "na", "resample"),
    ),
    "Output": (
        *("explain", "output", "output_dir", "force", "plot", "preview", "output_format"),
        *("residual", "skip_existing", "round_to_input", "digits", "keep_unlike"),
        *("align", "apart", "restore", "image", "x_label", "y_label", "quiet"),
    ),
    "Model": (
        *("method", "methods", "noise_model", "noise_std", "components", "gamma", "ridge", "rff"),
        "kernel",
    ),
    "Experiment": ("noise", "train_size", "test_size", "runs"),
    "Advanced": (
        *("inverse", "activation", "second_gamma", "latent_gamma", "landmarks", "shrink", "dtype"),
        *("oracle", "hop", "order", "noise_rows", "update", "keep_sums", "seed", "jobs"),
        *("cluster", "verbose", "debug"),
    ),
}
"""Panels of a help and the parameters in them, in order; every option has its place here."""

_PLACES = {name: (panel, place) for panel in PANELS for place, name in enumerate(PANELS[panel])}
_LAST = list(PANELS)[-1]

_WIDE = 14
"""Characters of the values of an option that stand in one line of a narrow terminal."""


class Command(TyperCommand):
    """A command whose ``--help`` stands among the last of its options."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, the option for help last."""
        found: list[Any] = super().get_params(ctx)
        for param in found[-1:]:
            if "--help" in param.opts:
                param.rich_help_panel = _LAST
                as_plain_flag(param)
        for param in found:
            long = _long_name(param)
            if long is not None:
                param.envvar = variable_of(str(self.name), long)
                param.show_envvar = False  # the same rule for all, which the guide says
            if param.param_type_name == "argument":
                param.display_type_rich = lambda ctx: None  # its name says what it is
        return found

    def invoke(self, ctx: Any) -> Any:
        """Run the command, once no variable of the environment is one it does not know."""
        names = map(_long_name, self.params)
        for line in check_variables(str(self.name), filter(None, names), os.environ):
            tell(line)
        return super().invoke(ctx)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage line: what is given once, may be left out, or repeated."""
        names = [one for one in self.get_params(ctx) if one.param_type_name == "argument"]
        return ["[OPTIONS]", *(_usage(one) for one in names)]


def _long_name(param: Any) -> str | None:
    """Return the name of an option as the command line has it; None for an argument, or help."""
    names = [text for text in param.opts if text.startswith("--") and text != "--help"]
    return names[0] if names else None


def as_plain_flag(param: Any) -> None:
    """Show a flag without a type."""
    param.metavar = ""


def _usage(argument: Any) -> str:
    """Return an argument as the usage line has it."""
    name = argument.metavar if argument.required else f"[{argument.metavar}]"
    return name if argument.nargs == 1 else f"{name}..."


def arranged(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose options have panels, defaults and completion, in order.

    A parameter whose type is a dataclass is a group of options: its fields stand in its place,
    annotated as typer wants it, and the command gets an instance of it.
    """
    given = inspect.signature(command, eval_str=True).parameters
    groups: dict[str, Any] = {
        name: one.annotation for name, one in given.items() if is_dataclass(one.annotation)
    }
    spread = [field for one in given.values() for field in _spread(one)]
    kept = OF_TABLES if "model" in given else ()
    parameters = [_shown(one, is_kept=one.name in kept) for one in spread]
    parameters.sort(key=_rank)

    def run(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__module__ = command.__module__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _spread(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """Return a parameter, by its name alone, or the options of the group that it is."""
    group, kind = parameter.annotation, inspect.Parameter.KEYWORD_ONLY
    if not is_dataclass(group):
        return [parameter.replace(kind=kind)]
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(field.name, kind, default=field.default, annotation=hints[field.name])
        for field in fields(group)
    ]


def _shown(parameter: inspect.Parameter, *, is_kept: bool) -> inspect.Parameter:
    """Return a parameter with what its help needs; where it is kept, the model has its default."""
    option = _option(parameter)
    if option is None:
        return parameter
    kind = get_args(parameter.annotation)[0]
    option = copy(option)
    option.rich_help_panel = _PLACES[parameter.name][0]
    long = f"--{parameter.name.replace('_', '-')}"
    if option.metavar is None and parameter_of(long) in PARAMETERS:
        option.metavar = PARAMETERS[parameter_of(long)].metavar
    words = _words(option.metavar)
    if kind is bool:
        option.metavar = ""
        if not isinstance(option.default, str):  # where typer has the first of an option's names
            option.param_decls = (long,)
    elif option.min is not None and option.metavar is None:
        option.metavar = "N" if kind in (int, int | None) else "F"
    elif option.metavar is None:
        option.metavar = "|".join(_choices(kind)) or None
    if is_kept:
        option.show_default = "as for the fit"
    elif parameter.default is None and option.show_default is True and _is_first(words, option):
        option.show_default = words[0]
    if option.metavar is not None and len(option.metavar) > _WIDE:
        option.metavar = option.metavar.replace("|", " | ")  # so that lines break between words
    if option.autocompletion is None and words:
        option.autocompletion = lambda incomplete: [w for w in words if w.startswith(incomplete)]
    return parameter.replace(annotation=Annotated[kind, option])


def _choices(kind: Any) -> list[str]:
    """Return the values of an enumeration, which may be left out."""
    kinds = [one for one in (kind, *get_args(kind)) if isinstance(one, type)]
    return [str(one.value) for each in kinds if issubclass(each, Enum) for one in each]


def _option(parameter: inspect.Parameter) -> OptionInfo | None:
    """Return what typer is told of an option; None for an argument."""
    if get_origin(parameter.annotation) is not Annotated:
        return None
    found = [one for one in get_args(parameter.annotation) if isinstance(one, OptionInfo)]
    return found[0] if found else None


def _words(metavar: str | None) -> list[str]:
    """Return the words among the values that a metavar like ``N|auto|exact`` names.

    There are none where a file may stand instead, whose name the shell completes.
    """
    values = (metavar or "").split("|")
    if len(values) < 2 or not {"FILE", "FOLDER"}.isdisjoint(values):
        return []
    return [value for value in values if value.islower()]


def _is_first(words: Sequence[str], option: OptionInfo) -> bool:
    """Tell whether the values of an option begin with a word, which then is the default."""
    return bool(words) and (option.metavar or "").startswith(words[0])


def list_completions(words: Iterable[str], incomplete: str) -> list[str]:
    """Return a list of words with commas between, begun in `incomplete`, with each next word."""
    *done, last = incomplete.split(",")
    left = [word for word in words if word.startswith(last) and word not in done]
    return [",".join([*done, word]) for word in left]


def _rank(parameter: inspect.Parameter) -> tuple[int, int]:
    """Return where a parameter comes: arguments first, then panel by panel."""
    if _option(parameter) is None:
        return -1, 0
    panel, place = _PLACES[parameter.name]
    return list(PANELS).index(panel), place
