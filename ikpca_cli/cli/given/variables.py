"""Defaults of options in the environment: ``IKPCA_FIT_METHOD`` is ``ikpca fit --method``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ikpca_cli.errors import UsageError

_PREFIX = "IKPCA_"


def variable_of(command: str, option: str) -> str:
    """Return what the environment calls an option, given as ``noise-std`` or ``--noise-std``."""
    return f"{_PREFIX}{command}_{option.removeprefix('--').replace('-', '_')}".upper()


def check_variables(
    command: str, options: Iterable[str], environment: Mapping[str, str]
) -> list[str]:
    """Refuse a variable that is meant for a command and is none of its options.

    Parameters
    ----------
    command
        Its name.
    options
        Those it has, by their long names.
    environment
        Values by name. Others may use names that begin alike, so only what begins with the command
        is refused.

    Returns
    -------
    list of str
        Warnings of names that are an option's, and lack the command.

    Raises
    ------
    UsageError
        Naming the variable and, where one is near, the one that may be meant.
    """
    known = [variable_of(command, option) for option in options]
    own = f"{_PREFIX}{command}_".upper()
    warnings = []
    for name in sorted(environment):
        if name in (*known, own + "HELP") or not name.startswith(_PREFIX) or not environment[name]:
            continue
        if name.startswith(own):
            from difflib import get_close_matches

            options = [variable.removeprefix(own) for variable in known]
            near = get_close_matches(name.removeprefix(own), options, n=1)
            remedy = f"did you mean {own}{near[0]}?" if near else f"see ikpca {command} --help"
            raise UsageError(
                f"the environment variable {name} is no option of ikpca {command}; {remedy} "
                f"(unset {name} takes it away)"
            )
        meant = own + name.removeprefix(_PREFIX)
        if meant in known:
            warnings.append(
                f"the environment variable {name} does nothing: the command belongs into its "
                f"name, as in {meant}"
            )
    return warnings
