"""Options of how a picture of rows is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ikpca_cli.errors import UsageError


@dataclass(frozen=True)
class AxisLabels:
    """What the axes of ``--plot`` are called."""

    x_label: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            rich_help_panel="Output",
            help="What --plot calls that along which a row's numbers lie, with its unit.",
        ),
    ] = None
    y_label: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            rich_help_panel="Output",
            help="What --plot calls the numbers, with their unit.",
        ),
    ] = None

    def check(self, plot: str | None) -> None:
        """Refuse labels of a picture that is not asked for."""
        if plot is None and (self.x_label or self.y_label):
            raise UsageError("--x-label and --y-label name the axes of --plot: give it, too")
