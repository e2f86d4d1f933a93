"""The command line as one object, and the one place that turns errors into a line and a code."""

from __future__ import annotations

import os
import signal
import traceback
import warnings
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ikpca_cli.cli.commands.compare import compare
from ikpca_cli.cli.commands.cut_beats import beats
from ikpca_cli.cli.commands.demo import demo
from ikpca_cli.cli.commands.denoise import denoise
from ikpca_cli.cli.commands.evaluate import evaluate
from ikpca_cli.cli.commands.fit import fit
from ikpca_cli.cli.commands.guide import guide
from ikpca_cli.cli.commands.info import info
from ikpca_cli.cli.given.settings import read_settings, settings_file, settings_of
from ikpca_cli.cli.help import Command, arranged, as_plain_flag
from ikpca_cli.cli.streams import say, unprintable
from ikpca_cli.cli.words.refused import refusal
from ikpca_cli.data.signals import FIRST, INTERRUPTED, told
from ikpca_cli.errors import IkpcaError, IkpcaNote, IkpcaWarning
from ikpca_cli.formats.format_names import read_formats
from ikpca_cli.version import __version__

BROKEN_PIPE = 141


class _Guarded(TyperGroup):
    """A group whose commands end in plain lines instead of tracebacks."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; all are flags, and no variable such as a version is one."""
        found: list[Any] = super().get_params(ctx)
        for param in found:
            as_plain_flag(param)
        return found

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take what stands before the command; refuse what it is not in one line."""
        try:
            rest: list[str] = super().parse_args(ctx, args)
        except Exception as error:
            if not _is_wrong_usage(error):
                raise
            raise _refused(error, ctx) from None
        return rest

    def invoke(self, ctx: Any) -> Any:
        """Run the command; report what went wrong in one line unless --debug is given."""
        with warnings.catch_warnings():
            warnings.simplefilter("always", IkpcaWarning)
            warnings.showwarning = lambda message, kind, *_args, **_kwargs: _tell(
                ctx, str(message), is_note=issubclass(kind, IkpcaNote)
            )
            try:
                return super().invoke(ctx)
            except BrokenPipeError:
                raise typer.Exit(BROKEN_PIPE) from None
            except (Exception, KeyboardInterrupt) as error:
                if _is_wrong_usage(error):
                    raise _refused(error, ctx) from None
                if _is_typers(error):
                    raise
                if ctx.meta.get("debug"):
                    traceback.print_exception(error)
                code, text = _explain(error)
        say(text)
        raise typer.Exit(code)


def _explain(error: BaseException) -> tuple[int, str]:
    """Return the exit code and the line for a failure."""
    if isinstance(error, IkpcaError):
        return error.exit_code, f"error: {error}"
    if isinstance(error, KeyboardInterrupt):
        told.set()
        return FIRST + signal.SIGINT, INTERRUPTED
    if isinstance(error, MemoryError):
        return 1, "error: not enough memory: use fewer random features or rows"
    if isinstance(error, OSError) and error.errno is not None:
        if error.filename is None:
            if isinstance(error, FileNotFoundError):
                return 1, "error: the folder that this was started in is gone; change to another"
            return 1, unprintable(error)
        return 1, f"error: {error.filename}: {os.strerror(error.errno).lower()}"
    kind = type(error).__name__
    return 1, f"error: {kind}: {error}; run again with --debug for the details"


def _is_typers(error: BaseException) -> bool:
    """Tell control flow and usage errors, which typer reports by itself, from failures."""
    return type(error).__module__.split(".")[0] in ("typer", "click")


def _is_wrong_usage(error: BaseException) -> bool:
    """Tell a word of the command line that typer does not take; a help text is none."""
    told_by_typer = _is_typers(error) and hasattr(error, "format_message")
    return told_by_typer and type(error).__name__ != "NoArgsIsHelpError"


def _refused(error: Any, ctx: Any) -> typer.Exit:
    """Say in one line what typer does not take, and return what leaves with its exit code."""
    command = "" if ctx.invoked_subcommand is None else f" {ctx.invoked_subcommand}"
    where = f"{ctx.command_path}{command if hasattr(error, 'ctx') else ''}"
    say(refusal(error, where))
    return typer.Exit(error.exit_code)


def _tell(ctx: Any, text: str, *, is_note: bool) -> None:
    """Print a warning or a note, but not again for each of a thousand runs or files.

    The same note on another file is no news.
    """
    said = ctx.meta.setdefault("told", set())
    key = (is_note and text.partition(": ")[2]) or text
    if key not in said and not ctx.meta.get("quiet"):
        said.add(key)
        say(text if is_note else f"warning: {text}")


app = typer.Typer(
    name="ikpca",
    cls=_Guarded,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (fit, denoise, evaluate, compare, beats, info, demo, guide):
    app.command(cls=Command)(arranged(command))


def _version(value: bool) -> None:
    if value:
        typer.echo(f"ikpca {__version__}")
        raise typer.Exit


_HELP = f"""Denoise stacks of signals: heart beats, digit images, spectra, sensor windows.

`fit` learns a model from noisy rows, `denoise` cleans other rows with it, `evaluate` and
`compare` say by how much. Files are {read_formats()}.

    ikpca demo
    ikpca fit train.npy
    ikpca denoise model.joblib noisy.npy
"""


@app.callback(help=_HELP)
def root(
    ctx: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            callback=_version,
            is_eager=True,
            help="Print the version and stop.",
        ),
    ] = False,
) -> None:
    """Read the settings, which are defaults of all commands."""
    file = settings_file()
    if file is not None:
        commands = getattr(ctx.command, "commands", {})
        ctx.default_map = read_settings(file, commands)
        own = ctx.default_map.get(ctx.invoked_subcommand or "", {})
        if own:
            named = settings_of(own, commands[ctx.invoked_subcommand])
            typer.echo(f"defaults from {file}: {named}", err=True)
