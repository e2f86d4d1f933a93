"""``ikpca denoise``: clean rows with a model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ikpca_cli.commands import options as opt
from ikpca_cli.commands.progress import progress_bar
from ikpca_cli.commands.sources import open_rows, split_source
from ikpca_cli.errors import IkpcaError, UsageError

if TYPE_CHECKING:
    from ikpca_cli.core.base import Denoiser
    from ikpca_cli.core.rows import Progress
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

        ikpca denoise model.joblib ecg_noisy.npy
        ikpca denoise model.joblib ecg_*.npy --output-dir clean --skip-existing
        cat ecg_noisy.npy | ikpca denoise model.joblib - > clean.npy
    """
    targets = _targets(noisy, output, output_dir)

    from ikpca_cli.files.layout import ReadOptions
    from ikpca_cli.files.models import load_model
    from ikpca_cli.report import print_records

    reading = ReadOptions(
        dataset=dataset,
        transpose=transpose,
        columns=columns,
        delimiter=delimiter,
        decimal=decimal,
        missing=missing.value,
    )
    fitted = load_model(model)
    if output_dir is not None:
        _make_folder(output_dir)
    records: list[dict[str, Any]] = []
    failed: list[str] = []
    with progress_bar(quiet=quiet) as progress:
        for source, target in zip(noisy, targets, strict=True):
            if skip_existing and target != "-" and Path(target).exists():
                continue
            try:
                records.append(
                    _denoise_file(
                        fitted, model, source, target, reading, force, round_to_input, progress
                    )
                )
            except IkpcaError as error:
                if len(noisy) == 1:
                    raise
                failed.append(source)
                typer.echo(f"error: {error}", err=True)
    if "-" not in targets and (records or output_format is not opt.Format.table):
        print_records(records, output_format.value)
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
                "clean them in two calls"
            )
        seen[target] = source
    return targets


def _make_folder(folder: str) -> None:
    from ikpca_cli.errors import OutputError

    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from error


def _denoise_file(
    fitted: Denoiser,
    model: str,
    source: str,
    target: str,
    reading: ReadOptions,
    force: bool,
    round_to_input: bool,
    progress: Progress,
) -> dict[str, Any]:
    from ikpca_cli.files.arrays import check_target, write_rows

    check_target(target, inputs=[split_source(source)[0], model], force=force)
    start = time.perf_counter()
    with open_rows(source, reading) as rows:
        cleaned = fitted.denoise(rows, progress=progress).astype(rows.dtype, copy=False)
        write_rows(target, cleaned, rows.layout, force=force, round_to_input=round_to_input)
    return {
        "input": source,
        "output": target,
        "n_samples": len(cleaned),
        "seconds": time.perf_counter() - start,
    }
