"""Defaults of options that a user sets once: ``ikpca.toml`` in the folder or for the user.

Environment variables (`ikpca_cli.cli.given.variables`) come before a file, and what stands on the
command line before both.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from typer import get_app_dir

from ikpca_cli.errors import InputError

NAME = "ikpca.toml"


def settings_file() -> Path | None:
    """Return the file of defaults: that of the current folder, or else the user's own."""
    places = (Path(NAME), Path(get_app_dir("ikpca")) / NAME)
    return next((place for place in places if place.is_file()), None)


def read_settings(file: Path, commands: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return defaults by command and parameter.

    Parameters
    ----------
    file : Path
        A table of TOML for each command, ``[fit]``, with options by their long names without
        dashes in front: ``noise-std = 0.2``. What stands before all tables is for each command
        that has the option.
    commands : mapping of str to typer command
        All there are, with their parameters.

    Raises
    ------
    InputError
        If the file cannot be read, or names a command or an option that there is not.
    """
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{file}: {os.strerror(error.errno or 0).lower()}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: is no TOML: {error}; mend or remove it") from error
    shared = {key: value for key, value in found.items() if not isinstance(value, dict)}
    own = {key: value for key, value in found.items() if isinstance(value, dict)}
    for name in own.keys() - commands.keys():
        raise InputError(f"{file}: [{name}] is no command: there are {', '.join(commands)}")
    used: set[str] = set()
    defaults: dict[str, dict[str, Any]] = {}
    for name, command in commands.items():
        options = _options(command)
        for key in own.get(name, {}).keys() - options.keys():
            raise InputError(f"{file}: [{name}] has no option {key}: see ikpca {name} --help")
        given = {key: value for key, value in shared.items() if key in options}
        used |= given.keys()
        defaults[name] = {
            options[key].name: _text(value, f"{file}: {key}", is_flag=options[key].is_flag)
            for key, value in (given | own.get(name, {})).items()
        }
    for key in shared.keys() - used:
        raise InputError(f"{file}: no command has an option {key}; see ikpca --help")
    return defaults


def settings_of(defaults: Mapping[str, Any], command: Any) -> str:
    """Return the defaults of a command, as `read_settings` has them, by the names of a file."""
    names = {param.name: name for name, param in _options(command).items()}
    shown = {names[name]: value for name, value in defaults.items()}
    return ", ".join(
        f"{name} = {str(value).lower() if isinstance(value, bool) else value}"
        for name, value in shown.items()
    )


def _options(command: Any) -> dict[str, Any]:
    """Return a command's parameters by the names of their options, without dashes."""
    return {
        text.removeprefix("--"): param
        for param in command.params
        for text in param.opts
        if text.startswith("--") and text != "--help"
    }


def _text(value: Any, where: str, *, is_flag: bool = False) -> Any:
    """Return a value as the command line would have it: a flag, a text, or a list of texts."""
    if isinstance(value, bool) and not is_flag:
        raise InputError(f"{where} = {str(value).lower()}: it is no flag; give a number or a text")
    if isinstance(value, bool):
        return value
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, list):
        return [_text(item, where) for item in value]
    raise InputError(f"{where} = {value!r}: give a number, a text, true, false or a list")
