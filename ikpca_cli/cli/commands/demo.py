"""``ikpca demo``: a start without a file."""

from __future__ import annotations

import os
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ikpca_cli.cli import options as opt
from ikpca_cli.cli.streams import escaped
from ikpca_cli.cli.words.next_steps import no_option, quoted
from ikpca_cli.errors import OutputError

if TYPE_CHECKING:
    from ikpca_cli.data.row_source import FloatArray

ROWS_TO_FIT, ROWS_TO_CLEAN, COLUMNS, NOISE_STD = 240, 60, 60, 0.2
"""A set that is fitted, cleaned and compared in a few seconds."""


def demo(
    ctx: typer.Context,
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="Where the files go.")
    ] = "ikpca-demo",
    force: opt.Force = False,
    debug: opt.Debug = False,
) -> None:
    """Try it without a file: make a small noisy set, fit, clean, evaluate, compare and draw it.

    Each command is printed before it runs, to be run again or changed.

    Examples:

        ikpca demo
        ikpca demo try --force
    """
    place = Path(folder)
    _check_folder(place, force)
    start = time.perf_counter()
    typer.echo(
        f"{escaped(folder)}: {ROWS_TO_FIT} noisy pulses to learn from, and {ROWS_TO_CLEAN} others "
        f"to clean,\n{COLUMNS} numbers each, noise of standard deviation {NOISE_STD}; clean.csv "
        "has them without noise."
    )
    write_set(place)
    root = ctx.find_root().command
    for words in commands(place):
        typer.echo("\n$ " + " ".join(map(quoted, ["ikpca", *words])))
        extra = ["--force"] if force and "compare" not in words else []
        code = root.main([*words, *extra, *(["--debug"] if debug else [])], "ikpca",
                         standalone_mode=False)  # fmt: skip
        if code:
            raise typer.Exit(code)
    typer.echo(
        f"Done in {time.perf_counter() - start:.1f} s. With a file of yours, one signal a row:"
    )
    typer.echo("$ ikpca fit FILE")


def commands(folder: Path) -> list[list[str]]:
    """Return the commands that a demonstration runs, as lists of words without the program."""
    names = ("train.csv", "noisy.csv", "clean.csv", "model.joblib", "cleaned.png")
    train, noisy, clean, model, drawing = (no_option(str(folder / name)) for name in names)
    drawn = find_spec("matplotlib") is not None
    picture = ["--plot", drawing]
    return [
        ["fit", train, "-o", model],
        ["denoise", model, noisy, *([] if drawn else ["--preview"])],
        ["evaluate", model, noisy, "--clean", clean, *(picture if drawn else [])],
        ["compare", train, noisy, "--clean", clean],
    ]


def pulses() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return rows to fit on, rows to clean, and the latter without noise.

    A row is a pulse of a place, width and height of its own, with an echo some time later.
    """
    import numpy as np

    # Salted, so that no seed that a user may take draws the same noise again.
    rng = np.random.default_rng(np.random.SeedSequence([0x1C3D, 0x9E0AF]))
    count = ROWS_TO_FIT + ROWS_TO_CLEAN

    def drawn(low: float, high: float) -> FloatArray:
        return rng.uniform(low, high, (count, 1))

    t = np.linspace(0.0, 1.0, COLUMNS)
    centre = drawn(0.2, 0.6)
    pulse = drawn(0.8, 1.4) * np.exp(-0.5 * ((t - centre) / drawn(0.03, 0.06)) ** 2)
    echo = 0.4 * np.exp(-0.5 * ((t - centre - drawn(0.15, 0.35)) / 0.06) ** 2)
    clean = pulse + echo
    noisy = clean + rng.normal(scale=NOISE_STD, size=clean.shape)
    return noisy[:ROWS_TO_FIT], noisy[ROWS_TO_FIT:], clean[ROWS_TO_FIT:]


def write_set(folder: Path) -> None:
    """Write the three arrays as tables of text."""
    import numpy as np

    from ikpca_cli.formats.output import atomic_write

    for name, rows in zip(("train", "noisy", "clean"), pulses(), strict=True):
        with atomic_write(str(folder / f"{name}.csv"), force=True) as handle:
            np.savetxt(handle, rows, "%.4f", delimiter=",")


def _check_folder(folder: Path, force: bool) -> None:
    """Make the folder; refuse one that holds something already."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = not force and any(folder.iterdir())
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        raise OutputError(f"{folder}: cannot be made: {reason}; name another folder") from error
    if taken:
        raise OutputError(f"{folder}: is not empty; name another folder, or overwrite with --force")
