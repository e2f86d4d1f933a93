"""Options that say how files are read, and the group that they come in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from ikpca_cli.errors import UsageError
from ikpca_cli.formats.told import OF_TABLES, Standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ikpca_cli.formats.layout import ReadOptions


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


_FILES = "Reading files"
Dataset: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        rich_help_panel=_FILES,
        help="The dataset inside HDF5, npz or MATLAB files that hold several. "
        "FILE::PATH names one for a single file.",
    ),
]
Transpose: TypeAlias = Annotated[
    bool, typer.Option("--transpose", rich_help_panel=_FILES, help="Samples are the columns.")
]
Columns: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        rich_help_panel=_FILES,
        help="The data columns of text tables: 2-5, 2-, t0,t1; ^1 is all but the first.",
    ),
]
Labels: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        rich_help_panel=_FILES,
        help="Columns of text tables that are no data and come back as they are.",
    ),
]
Header: TypeAlias = Annotated[
    Heading | None,
    typer.Option(
        "--header",
        rich_help_panel=_FILES,
        show_default="auto",
        help="Whether text tables begin with a header.",
    ),
]
SkipRows: TypeAlias = Annotated[
    int | None,
    typer.Option(
        min=0,
        rich_help_panel=_FILES,
        show_default="0",
        help="Lines at the top of text tables to leave alone.",
    ),
]
Comment: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR", rich_help_panel=_FILES, help="What comment lines of text tables begin with."
    ),
]
Delimiter: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR",
        callback=_marked,
        rich_help_panel=_FILES,
        help="The delimiter of text tables.",
    ),
]
Decimal: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR",
        callback=_marked,
        rich_help_panel=_FILES,
        help="The decimal mark of text tables.",
    ),
]
Thousands: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR", rich_help_panel=_FILES, help="What text tables have between thousands."
    ),
]
MissingWords: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--na",
        metavar="WORDS",
        rich_help_panel=_FILES,
        help="What stands for a missing value in text tables, beside NA, NaN, null: OVER,-9999.",
    ),
]
MissingValues: TypeAlias = Annotated[
    Missing,
    typer.Option(
        "--missing",
        rich_help_panel=_FILES,
        help="Missing values: refuse, drop their samples, fill in the feature's mean or what the "
        "model makes of the sample; keep fills them in for the model but not in outputs.",
    ),
]

Resample: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--resample",
        rich_help_panel=_FILES,
        help="Bring signals of another axis to that of the training data, or of the first file; "
        "outputs keep their own.",
    ),
]


@dataclass(frozen=True)
class Reading:
    """How files are read."""

    dataset: Dataset = None
    transpose: Transpose = False
    columns: Columns = None
    labels: Labels = None
    header: Header = None
    skip_rows: SkipRows = None
    comment: Comment = None
    delimiter: Delimiter = None
    decimal: Decimal = None
    thousands: Thousands = None
    na: MissingWords = None
    missing: MissingValues = Missing.error
    resample: Resample = False

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
        from ikpca_cli.formats.layout import ReadOptions

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
            resample=self.resample,
            **tables,
            kept=tuple(kept),
        )
