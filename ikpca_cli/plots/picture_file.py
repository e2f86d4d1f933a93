"""Pictures as outputs: refused before any work is done, written whole or not at all."""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO

from ikpca_cli.errors import OutputError, UsageError
from ikpca_cli.formats.output import atomic_write, check_target

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METADATA: dict[str, dict[str, Any]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
"""Formats, and what keeps the time of drawing out of each, so that pictures can be compared."""


def check_picture(
    target: str, *, inputs: Sequence[str], outputs: Sequence[str] = (), force: bool
) -> None:
    """Refuse a picture that cannot be drawn or written, before any work is done.

    Parameters
    ----------
    target
        Where the picture goes.
    inputs
        The files that are read.
    outputs
        What else is written.
    force
        Whether an existing file may be replaced.

    Raises
    ------
    UsageError
        If the suffix is that of no picture, or another output has the same name.
    OutputError
        If matplotlib is not installed, or the target cannot be written.
    """
    if _format(target) not in METADATA:
        known = ", ".join(f".{suffix}" for suffix in METADATA)
        raise UsageError(f"--plot {target}: give a name that ends in one of {known}")
    for other in outputs:
        if os.path.realpath(other) == os.path.realpath(target):
            raise UsageError(f"--plot and another output are both {target}: give two files")
    if find_spec("matplotlib") is None:
        raise OutputError(
            f"{target}: pictures need matplotlib, which is not installed: "
            "pip install 'ikpca-cli[plot]'"
        )
    check_target(target, inputs=inputs, force=force)


def write_picture(target: str, draw: Callable[[], Figure], *, force: bool) -> None:
    """Draw a figure in the style of `ikpca_cli.plots.style`, and write it.

    Parameters
    ----------
    target
        Where to; its suffix is the format.
    draw
        Returns the figure.
    force
        Whether an existing file may be replaced.

    Raises
    ------
    OutputError
        If the target exists without `force` or cannot be written.
    """
    # What matplotlib says of its font cache and folders is no news for a user.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    from ikpca_cli.plots.style import styled

    form = _format(target)
    with styled():
        figure = draw()
        with atomic_write(target, force=force) as handle:
            if form == "png":
                _write_png(figure, handle)
            else:
                figure.savefig(handle, format=form, metadata=METADATA[form])


def _write_png(figure: Figure, handle: BinaryIO) -> None:
    """Write a PNG with a palette: charts need few colours, and take a third of the room."""
    from PIL import Image

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    with Image.open(buffer) as image:
        few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        few.save(handle, "png", optimize=True)


def _format(target: str) -> str:
    return PurePath(target).suffix.lower().removeprefix(".")
