"""Options that say how files are read, and the group that they come in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ikpca_cli.errors import UsageError
from ikpca_cli.formats.read_options import OF_TABLES, Standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ikpca_cli.formats.read_options import ReadOptions


class Missing(StrEnum):
    """What to do with missing values."""

    error = "error"
    drop = "drop"
    mean = "mean"
    fill = "fill"
    keep = "keep"


class Heading(StrEnum):
    """Whether a table has a header."""

    auto = "auto"
    yes = "yes"
    no = "no"


def _marked(ctx: typer.Context, param: typer.CallbackParam, value: str | None) -> str | None:
    """Return a mark of tables so that one of a locale, in settings, is told from a given one."""
    source = ctx.get_parameter_source(param.name or "")
    if value is None or (source is not None and source.name == "COMMANDLINE"):
        return value
    return Standing(value)


@dataclass(frozen=True)
class Reading:
    """How files are read."""

    dataset: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="The dataset inside HDF5, npz or MATLAB files that hold several. "
            "FILE::PATH names one for a single file.",
        ),
    ] = None
    transpose: Annotated[bool, typer.Option(help="Samples are the columns.")] = False
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="The data columns of text tables: 2-5, 2-, t0,t1; ^1 is all but the first.",
        ),
    ] = None
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Columns of text tables that are no data and come back as they are.",
        ),
    ] = None
    header: Annotated[
        Heading | None,
        typer.Option(
            show_default="auto",
            help="Whether text tables begin with a header.",
        ),
    ] = None
    skip_rows: Annotated[
        int | None,
        typer.Option(
            min=0,
            show_default="0",
            help="Lines at the top of text tables to leave alone.",
        ),
    ] = None
    comment: Annotated[
        str | None,
        typer.Option(metavar="CHAR", help="What comment lines of text tables begin with."),
    ] = None
    delimiter: Annotated[
        str | None,
        typer.Option(
            metavar="CHAR",
            callback=_marked,
            help="The delimiter of text tables.",
        ),
    ] = None
    decimal: Annotated[
        str | None,
        typer.Option(
            metavar="CHAR",
            callback=_marked,
            help="The decimal mark of text tables.",
        ),
    ] = None
    thousands: Annotated[
        str | None,
        typer.Option(metavar="CHAR", help="What text tables have between thousands."),
    ] = None
    na: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="What stands for a missing value in text tables, beside NA, NaN, null: "
            "OVER,-9999.",
        ),
    ] = None
    missing: Annotated[
        Missing,
        typer.Option(
            help="Missing values: refuse, drop their samples, fill in the feature's mean or what "
            "the model makes of the sample; keep fills them in for the model but not in outputs.",
        ),
    ] = Missing.error

    @property
    def left_to_model(self) -> bool:
        """Whether missing values are left to a model to fill in."""
        return self.missing in (Missing.fill, Missing.keep)

    @property
    def told(self) -> dict[str, str | int]:
        """What was given of how text tables are read, which a model keeps for `denoise`."""
        given = {name: getattr(self, name) for name in OF_TABLES}
        return {
            name: value if isinstance(value, int) else str(value)
            for name, value in given.items()
            if value not in (None, "", 0, Heading.auto)
        }

    def options(
        self, *, fills: bool = False, known: Mapping[str, str | int] | None = None
    ) -> ReadOptions:
        """Return what the readers take.

        Parameters
        ----------
        fills
            Whether the command has a model to fill in missing values.
        known
            What a model knows of how its training tables were read: it holds where nothing else
            is given, an empty text among it.

        Raises
        ------
        UsageError
            If missing values are left to a model where there is none.
        """
        from ikpca_cli.formats.read_options import ReadOptions

        if self.left_to_model and not fills:
            raise UsageError(
                f"--missing {self.missing.value} is for fit with one method, denoise and evaluate, "
                "whose model fills them in: give --missing drop or mean here"
            )

        kept = {name: value for name, value in (known or {}).items() if getattr(self, name) is None}
        told = self.told
        standing = {
            name: value for name in told if isinstance(value := getattr(self, name), Standing)
        }
        tables: dict[str, Any] = kept | told | standing
        return ReadOptions(
            dataset=self.dataset,
            transpose=self.transpose,
            missing=self.missing.value,
            **tables,
            kept=tuple(kept),
        )


@dataclass(frozen=True)
class ReadingRows(Reading):
    """How files of rows are read."""

    resample: Annotated[
        bool,
        typer.Option(
            help="Bring signals of another axis to that of the training data, or of the first "
            "file; outputs keep their own.",
        ),
    ] = False

    def options(
        self, *, fills: bool = False, known: Mapping[str, str | int] | None = None
    ) -> ReadOptions:
        """Return what the readers take, as `Reading` says."""
        return replace(super().options(fills=fills, known=known), resample=self.resample)
