"""Options that several commands share, each declared once, and the groups that they come in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from ikpca_cli.estimators.methods import METHODS, WINDOW_METHODS
from ikpca_cli.estimators.parameters import PARAMETERS
from ikpca_cli.noise.models.noise_names import NOISE_MODELS

if TYPE_CHECKING:
    pass

_METHODS = "|".join([*(METHODS | WINDOW_METHODS), "auto"])


class Format(StrEnum):
    """What standard output holds."""

    table = "table"
    json = "json"
    csv = "csv"


def _remember(name: str) -> Any:
    """Return a callback that puts a flag where the error and warning handlers find it."""

    def callback(ctx: typer.Context, value: bool) -> bool:
        ctx.meta[name] = value
        return value

    return callback


_MODEL, _OUTPUT = "Model", "Output"

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
        show_default="none, but asked for where that is in doubt",
        rich_help_panel=_MODEL,
        help="The file is a recording, or pictures: learn from windows of N samples, or HxW "
        "pixels, or from heart beats. none: its rows are samples, whatever they look like.",
    ),
]
Rate: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--fs",
        min=1.0,
        metavar="HZ",
        show_default="as the times tell, where they name their unit",
        help="Samples a second, to find heart beats.",
    ),
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
        help="Pre-image of ikpca's random features: the published one, or one that weighs errors.",
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
        help="Rows that stand for all in kpca, if memory does not hold the kernel matrix of all.",
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
        help="Standard deviation of the noise, if known; for fit also a file, one for each column.",
    ),
]
NoiseModel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--noise-model",
        metavar="|".join(("auto", *NOISE_MODELS)),
        rich_help_panel=_MODEL,
        help="What the noise is like: of one level, of one for each column or each row, growing "
        "with the signal, or correlated along the row; auto tells it from the rows.",
    ),
]
NoiseRows: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--noise-rows",
        metavar="FILE",
        rich_help_panel=_MODEL,
        help="Rows that hold noise alone, such as blanks, for its covariance: a file or folder.",
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
        help="No progress bars, notes or warnings: results and errors alone.",
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
