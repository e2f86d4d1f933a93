"""Options of how a picture of rows is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from ikpca_cli.errors import UsageError

if TYPE_CHECKING:
    from ikpca_cli.plots.shown import Shown
    from ikpca_cli.plots.stretch import Stretch

    Drawn = TypeVar("Drawn", Shown, Stretch)


@dataclass(frozen=True)
class AxisLabels:
    """What the axes of ``--plot`` are called."""

    x_label: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help='Name and unit of the horizontal axis in --plot, such as "time [s]".',
        ),
    ] = None
    y_label: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Name and unit of the vertical axis in --plot.",
        ),
    ] = None

    def check(self, plot: str | None) -> None:
        """Refuse labels of a picture that is not asked for."""
        if plot is None and (self.x_label or self.y_label):
            raise UsageError("--x-label and --y-label name the axes of --plot: give it, too")

    def on(self, shown: Drawn) -> Drawn:
        """Return what a picture shows, with these labels."""
        return shown.labelled(self.x_label, self.y_label)
