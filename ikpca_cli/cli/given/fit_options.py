"""What ``ikpca fit`` takes beside files: groups of options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ikpca_cli.cli import options as opt
from ikpca_cli.cli.given.values import MEAN, is_file
from ikpca_cli.cli.streams import standard


@dataclass(frozen=True)
class ModelFile:
    """Where the model goes, and which one it is to add to."""

    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            callback=standard,
            show_default="model.joblib, or MODEL with --update",
            help="Where the model goes.",
        ),
    ] = None
    update: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Add the rows to this model, which was fitted with --keep-sums.",
        ),
    ] = None
    keep_sums: Annotated[
        bool,
        typer.Option(
            help="Keep rff x rff numbers in the model, so that --update can add rows to it.",
        ),
    ] = False

    @property
    def path(self) -> str:
        """Where the model goes."""
        return (self.update or "model.joblib") if self.output is None else self.output


@dataclass(frozen=True)
class Windows:
    """How a recording or a picture is cut, if it is."""

    window: Annotated[
        str | None,
        typer.Option(
            metavar="N|HxW|auto|beats|none",
            show_default="none, but asked for where that is in doubt",
            help="The file is a recording, or pictures: learn from windows of N samples, or HxW "
            "pixels, or from heart beats. none: its rows are samples, whatever they look like.",
        ),
    ] = None
    hop: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="M",
            show_default="1, or an eighth of the window where there is much",
            help="Step from one window to the next when cleaning.",
        ),
    ] = None
    fs: opt.Rate = None

    @property
    def are_asked(self) -> bool:
        """Whether anything is to be cut."""
        return self.window not in (None, "none")


@dataclass(frozen=True)
class Parameters:
    """Parameters of the method, one value each."""

    rff: Annotated[
        str | None,
        typer.Option(
            metavar="auto|exact|N",
            help="Random Fourier features of ikpca; exact for infinitely many.",
        ),
    ] = None
    gamma: Annotated[
        str | None,
        typer.Option(help="Inverse squared width of the kernel."),
    ] = None
    ridge: Annotated[
        str | None,
        typer.Option(help="Ridge of the pre-image."),
    ] = None
    second_gamma: Annotated[
        str | None,
        typer.Option(
            help="A second gamma, of a kernel beside the first; with exact features.",
        ),
    ] = None
    latent_gamma: Annotated[
        str | None,
        typer.Option(
            help="Inverse squared width of the kernel between latent codes of kpca.",
        ),
    ] = None
    components: Annotated[str, typer.Option(help="Components to keep.")] = "auto"
    noise_rows: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Rows that hold noise alone, such as blanks, for its covariance: a file or "
            "folder.",
        ),
    ] = None
    clean: Annotated[
        str | None,
        typer.Option(
            metavar="mean",
            help="mean: all rows show one signal, so their mean is what they should become.",
        ),
    ] = None
    seed: opt.Seed = 0

    def given(self, common: opt.Model) -> dict[str, Any]:
        """Return these, and those that `compare` has as well, by the names of their options."""
        return {
            **common.given(),
            "--rff": self.rff,
            "--gamma": self.gamma,
            "--second-gamma": self.second_gamma,
            "--ridge": self.ridge,
            "--latent-gamma": self.latent_gamma,
            "--components": self.components,
            "--noise-std": "auto" if is_file(common.noise_std) else common.noise_std,
            "--clean": self.clean == MEAN,
            "--seed": self.seed,
        }
