"""Options that several commands share, each declared once."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, TypeAlias

import typer

from ikpca_cli.estimators.methods import METHODS
from ikpca_cli.models.kernels.names import KERNELS
from ikpca_cli.noise.models.names import NOISE_MODELS

_METHODS, _KERNELS = "|".join(METHODS), "|".join(KERNELS)


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
        help="The data columns of text tables: 2-5, 2-, t0,t1; -1 is all but the first.",
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
MissingValues: TypeAlias = Annotated[
    Missing,
    typer.Option(
        "--missing",
        rich_help_panel=_FILES,
        help="Missing values: refuse, drop their samples, or fill in the feature's mean.",
    ),
]
Method: TypeAlias = Annotated[
    str, typer.Option("--method", metavar=_METHODS, rich_help_panel=_MODEL, help="What to fit.")
]
Kernel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--kernel", metavar=_KERNELS, rich_help_panel=_MODEL, help="The kernel of ikpca and kpca."
    ),
]
Inverse: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--inverse",
        metavar="auto|paper|refined",
        rich_help_panel=_MODEL,
        help="Way back of ikpca's random features: the published one, or one that weighs errors.",
    ),
]
Landmarks: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--landmarks",
        metavar="all|N",
        rich_help_panel=_MODEL,
        help="Rows that stand for all in kpca, where the kernel matrix of all does not fit.",
    ),
]
Dtype: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dtype",
        metavar="float64|float32",
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
        metavar="auto|cut|optimal",
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
