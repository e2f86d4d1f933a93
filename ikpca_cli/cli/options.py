"""Options that several commands share, each declared once, and the groups that they come in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from ikpca_cli.errors import UsageError
from ikpca_cli.estimators.methods import METHODS, WINDOW_METHODS
from ikpca_cli.estimators.parameters import PARAMETERS
from ikpca_cli.noise.models.noise_names import NOISE_MODELS

if TYPE_CHECKING:
    from ikpca_cli.formats.layout import ReadOptions

_METHODS = "|".join([*(METHODS | WINDOW_METHODS), "auto"])


class Format(StrEnum):
    """What standard output holds."""

    table = "table"
    json = "json"
    csv = "csv"


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


def _remember(name: str) -> Any:
    """Return a callback that puts a flag where the error and warning handlers find it."""

    def callback(ctx: typer.Context, value: bool) -> bool:
        ctx.meta[name] = value
        return value

    return callback


_FILES, _MODEL, _OUTPUT = "Reading files", "Model", "Output"

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
    Heading,
    typer.Option(
        "--header", rich_help_panel=_FILES, help="Whether text tables begin with a header."
    ),
]
SkipRows: TypeAlias = Annotated[
    int,
    typer.Option(
        min=0, rich_help_panel=_FILES, help="Lines at the top of text tables to leave alone."
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
    typer.Option(metavar="CHAR", rich_help_panel=_FILES, help="The delimiter of text tables."),
]
Decimal: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="CHAR", rich_help_panel=_FILES, help="The decimal mark of text tables."),
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
Method: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar=_METHODS,
        rich_help_panel=_MODEL,
        show_default="ikpca; mixture with --window",
        help="What to fit.",
    ),
]
Window: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--window",
        metavar="N|HxW|auto|beats|none",
        rich_help_panel=_MODEL,
        help="The file is a recording, or pictures: learn from windows of N samples, or HxW "
        "pixels, or from heart beats. none: its rows are samples, whatever they look like.",
    ),
]
Rate: TypeAlias = Annotated[
    float | None,
    typer.Option("--fs", min=1.0, metavar="HZ", help="Samples a second, to find heart beats."),
]
Hop: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--hop",
        min=1,
        metavar="M",
        rich_help_panel=_MODEL,
        show_default="1, or an eighth of the window where there is much",
        help="Step from one window to the next when cleaning.",
    ),
]
Kernel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--kernel",
        metavar=PARAMETERS["kernel"].metavar,
        rich_help_panel=_MODEL,
        help="The kernel of ikpca and kpca.",
    ),
]
Inverse: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--inverse",
        metavar=PARAMETERS["inverse"].metavar,
        rich_help_panel=_MODEL,
        help="Way back of ikpca's random features: the published one, or one that weighs errors.",
    ),
]
Activation: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--activation",
        metavar=PARAMETERS["activation"].metavar,
        rich_help_panel=_MODEL,
        help="What ikpca's random features pass through, with the paper's inverse.",
    ),
]
Order: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--order",
        metavar=PARAMETERS["order"].metavar,
        rich_help_panel=_MODEL,
        help="Whether ikpca may smooth along rows, where neighbouring numbers are alike.",
    ),
]
Landmarks: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--landmarks",
        metavar=PARAMETERS["landmarks"].metavar,
        rich_help_panel=_MODEL,
        help="Rows that stand for all in kpca, where the kernel matrix of all does not fit.",
    ),
]
Dtype: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dtype",
        metavar=PARAMETERS["dtype"].metavar,
        rich_help_panel=_MODEL,
        help="Precision of the model; float32 halves its size, and time with random features.",
    ),
]
Jobs: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        show_default="all cores allowed",
        help="Threads to work with; any number gives the same result.",
    ),
]
Shrink: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar=PARAMETERS["shrink"].metavar,
        rich_help_panel=_MODEL,
        help="Whether pca and kpca cut after some components or weigh each by its signal.",
    ),
]
Seed: TypeAlias = Annotated[
    int, typer.Option(min=0, rich_help_panel=_MODEL, help="Same seed, same answer.")
]
NoiseStd: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="auto|F|FILE",
        rich_help_panel=_MODEL,
        help="Standard deviation of the noise, where it is known; in a file one for each column.",
    ),
]
NoiseModel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--noise-model",
        metavar="|".join(("auto", *NOISE_MODELS)),
        rich_help_panel=_MODEL,
        help="What the noise is like: of one level, of one for each column, growing with the "
        "signal, or correlated along the row; auto tells it from the rows.",
    ),
]
NoiseRows: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--noise-rows",
        metavar="FILE",
        rich_help_panel=_MODEL,
        help="Rows that hold noise alone, for its covariance.",
    ),
]
Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Work on the Dask cluster of this scheduler, tcp://HOST:8786. Its workers open the "
        "files themselves, so paths must mean the same to them.",
    ),
]
Force: TypeAlias = Annotated[
    bool,
    typer.Option("--force", "-f", rich_help_panel=_OUTPUT, help="Overwrite an output that exists."),
]
Digits: TypeAlias = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=17,
        rich_help_panel=_OUTPUT,
        show_default="about the input's",
        help="Digits behind the decimal mark in text tables.",
    ),
]
OutputFormat: TypeAlias = Annotated[
    Format, typer.Option("--format", rich_help_panel=_OUTPUT, help="What to print.")
]
Plot: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        rich_help_panel=_OUTPUT,
        help="Draw the result, as .png, .svg or .pdf. Needs matplotlib.",
    ),
]
Image: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--image",
        metavar="HxW",
        rich_help_panel=_OUTPUT,
        help="Draw rows as images of this height and width, where files do not say that they are.",
    ),
]
Quiet: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        callback=_remember("quiet"),
        is_eager=True,
        rich_help_panel=_OUTPUT,
        help="No progress bars and no warnings.",
    ),
]
Verbose: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        rich_help_panel=_OUTPUT,
        help="Say what is done, stage by stage, with times; list every file of a batch.",
    ),
]
Debug: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--debug",
        callback=_remember("debug"),
        is_eager=True,
        rich_help_panel=_OUTPUT,
        help="Show where an error came from.",
    ),
]


@dataclass(frozen=True)
class Reading:
    """How files are read."""

    dataset: Dataset = None
    transpose: Transpose = False
    columns: Columns = None
    labels: Labels = None
    header: Header = Heading.auto
    skip_rows: SkipRows = 0
    comment: Comment = None
    delimiter: Delimiter = None
    decimal: Decimal = None
    thousands: Thousands = None
    na: MissingWords = None
    missing: MissingValues = Missing.error

    @property
    def left_to_model(self) -> bool:
        """Whether missing values are left to a model to fill in."""
        return self.missing in (Missing.fill, Missing.keep)

    def options(self, *, fills: bool = False) -> ReadOptions:
        """Return what the readers take, for a command that has a model to fill in values or not.

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

        return ReadOptions(
            dataset=self.dataset,
            transpose=self.transpose,
            columns=self.columns,
            labels=self.labels,
            header=self.header.value,
            skip_rows=self.skip_rows,
            comment=self.comment,
            delimiter=self.delimiter,
            decimal=self.decimal,
            thousands=self.thousands,
            na=self.na,
            missing=self.missing.value,
        )


@dataclass(frozen=True)
class Model:
    """What is fitted, but for what `fit` takes once and `compare` in lists."""

    kernel: Kernel = None
    inverse: Inverse = None
    activation: Activation = None
    order: Order = None
    shrink: Shrink = None
    noise_std: NoiseStd = "auto"
    noise_model: NoiseModel = None
    landmarks: Landmarks = None
    dtype: Dtype = None

    def given(self) -> dict[str, str | None]:
        """Return the options by name, as they were given."""
        return {f"--{name.replace('_', '-')}": value for name, value in vars(self).items()}


@dataclass(frozen=True)
class Work:
    """What does the work."""

    jobs: Jobs = None
    cluster: Cluster = None


@dataclass(frozen=True)
class Printing:
    """What is printed, and how much of it."""

    output_format: OutputFormat = Format.table
    quiet: Quiet = False
    verbose: Verbose = False
    debug: Debug = False

    @property
    def form(self) -> str:
        """What standard output holds."""
        return self.output_format.value
