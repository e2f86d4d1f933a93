"""``ikpca denoise``: clean rows with a model."""

from __future__ import annotations

import os
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ikpca_cli.commands import options as opt
from ikpca_cli.commands.progress import progress_bar
from ikpca_cli.commands.sources import open_rows, read_options, split_source
from ikpca_cli.errors import IkpcaError, IkpcaWarning, UsageError

if TYPE_CHECKING:
    from ikpca_cli.core.base import Denoiser
    from ikpca_cli.core.rows import FloatArray, Progress
    from ikpca_cli.files.arrays import Rows
    from ikpca_cli.files.layout import ReadOptions


def denoise(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A file that fit wrote.")],
    noisy: Annotated[
        list[str], typer.Argument(metavar="NOISY...", help="Rows to clean; - reads stdin.")
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            rich_help_panel="Output",
            help="Where the cleaned rows of a single input go; - is stdout.",
        ),
    ] = None,
    output_dir: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            rich_help_panel="Output",
            help="Folder for the outputs, made if need be, instead of beside each input.",
        ),
    ] = None,
    residual: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            rich_help_panel="Output",
            help="Write what was removed, too, and warn if it does not look like noise.",
        ),
    ] = None,
    skip_existing: Annotated[
        bool,
        typer.Option(
            "--skip-existing",
            rich_help_panel="Output",
            help="Leave inputs alone whose output exists, to go on with a stopped batch.",
        ),
    ] = False,
    round_to_input: Annotated[
        bool,
        typer.Option(
            "--round",
            rich_help_panel="Output",
            help="Give integers and half precision back as they came, rounded.",
        ),
    ] = False,
    plot: opt.Plot = None,
    preview: Annotated[
        bool,
        typer.Option(
            "--preview",
            rich_help_panel="Output",
            help="Show some rows before and after, in the terminal (standard error).",
        ),
    ] = False,
    image: opt.Image = None,
    dataset: opt.Dataset = None,
    transpose: opt.Transpose = False,
    columns: opt.Columns = None,
    delimiter: opt.Delimiter = None,
    decimal: opt.Decimal = None,
    missing: opt.MissingValues = opt.Missing.error,
    force: opt.Force = False,
    output_format: opt.OutputFormat = opt.Format.table,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """Clean rows with a model. Outputs take the form of their inputs: noisy.denoised.npy.

    A file that cannot be cleaned does not stop the others; the exit code is then 1.

    Examples:

        ikpca denoise model.joblib ecg_noisy.npy --preview --plot ecg.png
        ikpca denoise model.joblib ecg_*.npy --output-dir clean --skip-existing
        cat ecg_noisy.npy | ikpca denoise model.joblib - > clean.npy
    """
    targets = _targets(noisy, output, output_dir)
    if residual is not None and len(noisy) > 1:
        raise UsageError(f"--residual names one file but there are {len(noisy)} inputs")
    if residual is not None and os.path.realpath(residual) == os.path.realpath(targets[0]):
        raise UsageError(f"--residual and the output are both {residual}: give two files")
    if plot is not None:
        _check_plot(plot, [model, *noisy], [*targets, *([residual] if residual else [])], force)
    if image is not None and plot is None and not preview:
        raise UsageError("--image says how --plot and --preview draw: give one of them")

    from ikpca_cli.files.models import load_model
    from ikpca_cli.plots.shown import image_shape
    from ikpca_cli.report import print_records

    reading = read_options(dataset, transpose, columns, delimiter, decimal, missing)
    fitted = load_model(model)
    if fitted.is_useless():
        warnings.warn(
            f"{model}: when it was fitted, it was not expected to bring rows closer to clean ones",
            IkpcaWarning,
            stacklevel=1,
        )
    size = image_shape(image, fitted.n_features_in_)
    if output_dir is not None:
        _make_folder(output_dir)
    records: list[dict[str, Any]] = []
    failed: list[str] = []
    skipped = 0
    with progress_bar(quiet=quiet) as progress:
        batch = _Batch(
            fitted, model, reading, residual, force, round_to_input, progress, plot, preview, size
        )
        for source, target in zip(noisy, targets, strict=True):
            if skip_existing and target != "-" and Path(target).exists():
                skipped += 1
                continue
            try:
                records.append(batch.clean(source, target))
            except IkpcaError as error:
                if len(noisy) == 1:
                    raise
                failed.append(source)
                typer.echo(f"error: {error}", err=True)
    if "-" not in targets and (records or output_format is not opt.Format.table):
        print_records(records, output_format.value)
    if skipped and not quiet:
        typer.echo(f"skipped {skipped} of {len(noisy)} files, whose outputs exist", err=True)
    if failed:
        typer.echo(
            f"error: {len(failed)} of {len(noisy)} files failed: {', '.join(failed)}", err=True
        )
        raise typer.Exit(1)


def _targets(noisy: list[str], output: str | None, output_dir: str | None) -> list[str]:
    """Return where each input's output goes; refuse before any work what cannot be right."""
    from ikpca_cli.files.arrays import default_output

    if output is not None and output_dir is not None:
        raise UsageError("--output and --output-dir exclude each other: give one of them")
    if output is not None:
        if len(noisy) > 1:
            raise UsageError(
                f"--output names one file but there are {len(noisy)} inputs: use --output-dir"
            )
        return [output]
    targets = [default_output(split_source(source)[0], output_dir) for source in noisy]
    seen: dict[str, str] = {}
    for source, target in zip(noisy, targets, strict=True):
        if target in seen:
            raise UsageError(
                f"{seen[target]} and {source} would both be written to {target}: "
                "clean one of them by a call of its own, with --output"
            )
        seen[target] = source
    return targets


def _check_plot(plot: str, inputs: list[str], outputs: list[str], force: bool) -> None:
    """Refuse a picture that cannot be, before any work."""
    from ikpca_cli.plots.output import check_picture

    if len(inputs) > 2:
        raise UsageError(f"--plot names one file but there are {len(inputs) - 1} inputs")
    files = [split_source(source)[0] for source in inputs]
    check_picture(plot, inputs=files, outputs=outputs, force=force)


def _make_folder(folder: str) -> None:
    from ikpca_cli.errors import OutputError

    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from error


@dataclass(frozen=True)
class _Batch:
    """What all files of a call have in common."""

    fitted: Denoiser
    model: str
    reading: ReadOptions
    residual: str | None
    force: bool
    round_to_input: bool
    progress: Progress
    plot: str | None
    preview: bool
    image: tuple[int, int] | None

    def clean(self, source: str, target: str) -> dict[str, Any]:
        """Clean one file into another, and return what was done."""
        from ikpca_cli.files.arrays import check_target, write_rows

        for path in (target, self.residual):
            if path is not None:
                inputs = [split_source(source)[0], self.model]
                check_target(path, inputs=inputs, force=self.force)
        start = time.perf_counter()
        with open_rows(source, self.reading) as rows:
            cleaned = self.fitted.denoise(rows, progress=self.progress)
            cleaned = cleaned.astype(rows.dtype, copy=False)
            write_rows(
                target,
                cleaned,
                rows.layout,
                force=self.force,
                round_to_input=self.round_to_input,
            )
            if self.residual is not None:
                self._write_residual(self.residual, rows, cleaned)
            self._show(rows)
        return {
            "input": source,
            "output": target,
            "n_samples": len(cleaned),
            "seconds": time.perf_counter() - start,
        }

    def _show(self, rows: Rows) -> None:
        """Draw some rows before and after, and print some, where that was asked for."""
        if self.plot is None and not self.preview:
            return
        from ikpca_cli.plots.shown import Shown

        shown = Shown.of(rows, self.fitted, image=self.image)
        if self.plot is not None:
            from ikpca_cli.commands.pictures import picture_of_rows

            picture_of_rows(self.plot, shown, force=self.force)
        if self.preview:
            from ikpca_cli.preview import print_preview

            print_preview(shown)

    def _write_residual(self, target: str, rows: Rows, cleaned: FloatArray) -> None:
        from ikpca_cli.core.trust import Residual
        from ikpca_cli.files.arrays import write_rows

        noisy = rows.read()
        write_rows(target, noisy - cleaned, rows.layout, force=self.force)
        flaw = Residual.of(noisy, cleaned).flaw()
        if flaw is not None:
            warnings.warn(
                f"{rows.name}: what was removed does not look like noise: {flaw}; look at {target}",
                IkpcaWarning,
                stacklevel=2,
            )
