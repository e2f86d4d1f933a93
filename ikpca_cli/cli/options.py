"""Options that several commands share, each declared once, and the groups that they come in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

import typer

from ikpca_cli.errors import UsageError


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


Rate: TypeAlias = Annotated[
    float | None,
    typer.Option(
        min=1.0,
        metavar="HZ",
        show_default="as the times tell, where they name their unit",
        help="Samples a second, to find heart beats.",
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
Seed: TypeAlias = Annotated[int, typer.Option(min=0, help="Same seed, same answer.")]
Force: TypeAlias = Annotated[
    bool, typer.Option("--force", "-f", help="Overwrite an output that exists.")
]
Plot: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Draw the result, as .png, .svg or .pdf. Needs matplotlib."),
]
Image: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="HxW",
        help="Draw rows as images of this height and width, where files do not say that they are.",
    ),
]
Debug: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--debug",
        callback=_remember("debug"),
        is_eager=True,
        help="Show where an error came from.",
    ),
]


@dataclass(frozen=True)
class Model:
    """What is fitted, but for what `fit` takes once and `compare` in lists."""

    kernel: Annotated[str | None, typer.Option(help="The kernel of ikpca and kpca.")] = None
    inverse: Annotated[
        str | None,
        typer.Option(
            help="Pre-image of ikpca's random features: the published one, or one that weighs "
            "errors.",
        ),
    ] = None
    activation: Annotated[
        str | None,
        typer.Option(
            help="What ikpca's random features pass through, with the paper's inverse.",
        ),
    ] = None
    order: Annotated[
        str | None,
        typer.Option(
            help="Whether ikpca may smooth along rows, where neighbouring numbers are alike.",
        ),
    ] = None
    shrink: Annotated[
        str | None,
        typer.Option(
            help="Whether pca and kpca cut after some components or weigh each by its signal.",
        ),
    ] = None
    noise_std: Annotated[
        str,
        typer.Option(
            metavar="auto|F|FILE",
            help="Standard deviation of the noise, if known; for fit also a file, one for each "
            "column.",
        ),
    ] = "auto"
    noise_model: Annotated[
        str | None,
        typer.Option(
            help="What the noise is like: of one level, of one for each column or each row, "
            "growing with the signal, or correlated along the row; auto tells it from the rows.",
        ),
    ] = None
    landmarks: Annotated[
        str | None,
        typer.Option(
            help="Rows that stand for all in kpca, if memory does not hold the kernel matrix of "
            "all.",
        ),
    ] = None
    dtype: Annotated[
        str | None,
        typer.Option(
            help="Precision of the model; float32 halves its size, and time with random features.",
        ),
    ] = None

    def given(self) -> dict[str, str | None]:
        """Return the options by name, as they were given."""
        return {f"--{name.replace('_', '-')}": value for name, value in vars(self).items()}


@dataclass(frozen=True)
class Work:
    """What does the work."""

    jobs: Jobs = None
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Work on the Dask cluster of this scheduler, tcp://HOST:8786. Its workers open "
            "the files themselves, so paths must mean the same to them.",
        ),
    ] = None


@dataclass(frozen=True)
class Printing:
    """What is printed, and how much of it."""

    output_format: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.table
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            callback=_remember("quiet"),
            is_eager=True,
            help="No progress bars, notes or warnings: results and errors alone.",
        ),
    ] = False
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            "-v",
            help="Say what is done, stage by stage, with times; list every file of a batch.",
        ),
    ] = False
    debug: Debug = False

    @property
    def form(self) -> str:
        """What standard output holds."""
        return self.output_format.value


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

    @property
    def both(self) -> tuple[str | None, str | None]:
        """The horizontal one and the vertical one."""
        return self.x_label, self.y_label
