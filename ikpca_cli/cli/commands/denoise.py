"""``ikpca denoise``: clean rows with a model."""

from __future__ import annotations

import os
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ikpca_cli.cli import options as opt
from ikpca_cli.cli.drawing import AxisLabels
from ikpca_cli.cli.given.composed import composed
from ikpca_cli.cli.given.gathered import gathered
from ikpca_cli.cli.given.reading_options import Reading
from ikpca_cli.cli.progress import progress_bar
from ikpca_cli.cli.sources import absolute, split_source
from ikpca_cli.cli.streams import results_beside, say
from ikpca_cli.errors import IkpcaWarning, UsageError

if TYPE_CHECKING:
    from ikpca_cli.plots.shown import Shown
    from ikpca_cli.plots.stretch import Stretch

_COLUMNS = {
    "input": "input",
    "output": "output",
    "n_samples": "rows",
    "unlike": "unlike",
    "removed_rms": "removed",
    "seconds": "seconds",
}


_LISTED = 20
"""A batch of more files lists those alone that are worth a look."""


@composed
def denoise(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A file that fit wrote.")],
    noisy: Annotated[
        list[str],
        typer.Argument(metavar="NOISY...", help="Files, folders or @lists; - reads stdin."),
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
    digits: opt.Digits = None,
    keep_unlike: Annotated[
        bool,
        typer.Option(
            "--keep-unlike",
            rich_help_panel="Output",
            help="Leave rows as they are that are unlike all that the model was fitted on.",
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
    force: opt.Force = False,
    *,
    axes: AxisLabels,
    work: opt.Work,
    reading: Reading,
    printing: opt.Printing,
) -> None:
    """Clean rows with a model. Outputs take the form of their inputs: noisy.denoised.npy.

    Examples:

        ikpca denoise model.joblib ecg_noisy.npy --preview --plot ecg.png
        ikpca denoise model.joblib ecg_*.npy --output-dir clean --skip-existing
        cat ecg_noisy.npy | ikpca denoise model.joblib - > clean.npy

    A file that cannot be cleaned does not stop the others; the exit code is then 1.
    """
    noisy = gathered(noisy)
    if work.cluster is not None:  # whose workers have other current folders
        model, noisy = absolute(model), [absolute(source) for source in noisy]
        output_dir = output_dir and absolute(output_dir)
    targets = _targets(noisy, output, output_dir)
    if residual is not None and len(noisy) > 1:
        raise UsageError(f"--residual names one file but there are {len(noisy)} inputs")
    if residual is not None and os.path.realpath(residual) == os.path.realpath(targets[0]):
        raise UsageError(f"--residual and the output are both {residual}: give two files")

    if plot is not None:
        _check_plot(plot, [model, *noisy], [*targets, *([residual] if residual else [])], force)
    axes.check(plot)
    if image is not None and plot is None and not preview:
        raise UsageError("--image says how --plot and --preview draw: give one of them")

    from ikpca_cli.cli.batch.cleaning import Job, model_of
    from ikpca_cli.cli.batch.cluster import cluster as on_cluster
    from ikpca_cli.cli.batch.parallel import clean_all
    from ikpca_cli.cli.words.report import print_lines, print_records
    from ikpca_cli.cli.words.sentences import batch_sentence, file_sentences
    from ikpca_cli.plots.shown import image_shape

    if model_of(model).is_useless():
        warnings.warn(
            f"{model}: when it was fitted, it was not expected to bring rows closer to clean ones",
            IkpcaWarning,
            stacklevel=1,
        )
    size = image_shape(image, model_of(model).n_features_in_)
    if output_dir is not None:
        _make_folder(output_dir)
    todo = [
        Job(
            model,
            source,
            target,
            reading.options(fills=True),
            residual,
            force,
            round_to_input,
            keep_unlike,
            digits=digits,
            shows=preview or plot is not None,
            image=size,
            skip_existing=skip_existing,
        )
        for source, target in zip(noisy, targets, strict=True)
    ]
    skipped = 0
    records: list[dict[str, Any]] = []
    failed: list[str] = []
    warned: set[str] = set()
    start = time.perf_counter()
    with (
        on_cluster(work.cluster),
        progress_bar(quiet=printing.quiet, verbose=printing.verbose) as progress,
    ):
        for outcome in clean_all(todo, work.jobs, progress):
            for line in outcome.warnings:
                warnings.warn(line, IkpcaWarning, stacklevel=1)
            if outcome.warnings:
                warned.add(outcome.job.source)
            if outcome.shown is not None:
                shown = outcome.shown.labelled(axes.x_label, axes.y_label)
                _show(shown, plot, preview, force)
            skipped += outcome.skipped
            if outcome.record is not None:
                records.append(outcome.record)
            if outcome.error is not None:
                if len(noisy) == 1:
                    raise outcome.error
                failed.append(outcome.job.source)
                say(f"error: {outcome.error}")
    if "-" not in targets and (records or printing.output_format is not opt.Format.table):
        listed = records
        if printing.output_format is opt.Format.table and not printing.verbose:
            listed = _worth_a_look(records, warned)
        with results_beside(residual):
            if listed or not records:
                print_records(
                    listed, printing.form, columns=_COLUMNS, spare=("seconds", "removed_rms")
                )
            if printing.output_format is opt.Format.table and len(noisy) > 1:
                seconds = time.perf_counter() - start
                print_lines([batch_sentence(records, len(failed), skipped, len(warned), seconds)])
            elif printing.output_format is opt.Format.table:
                print_lines(file_sentences(records[0], model_of(model).noise_std_, keep_unlike))
    if skipped and not printing.quiet:
        say(f"skipped {skipped} of {len(noisy)} files, whose outputs exist")
    if failed:
        say(f"error: {len(failed)} of {len(noisy)} files failed: {', '.join(failed)}")
        raise typer.Exit(1)


def _worth_a_look(records: list[dict[str, Any]], warned: set[str]) -> list[dict[str, Any]]:
    """Return all records of a few files, or of many those of which a warning was given."""
    if len(records) <= _LISTED:
        return records
    return [row for row in records if row["input"] in warned]


def _targets(noisy: list[str], output: str | None, output_dir: str | None) -> list[str]:
    """Return where each input's output goes; refuse before any work what cannot be right."""
    from ikpca_cli.formats.arrays import default_output

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


def _show(shown: Shown | Stretch, plot: str | None, preview: bool, force: bool) -> None:
    """Draw some of a file before and after, and print some, where that was asked for."""
    from ikpca_cli.cli.pictures import picture_of_rows, picture_of_stretch
    from ikpca_cli.cli.preview import print_preview
    from ikpca_cli.plots.stretch import Stretch

    if plot is not None:
        if isinstance(shown, Stretch):
            picture_of_stretch(plot, shown, force=force)
        else:
            picture_of_rows(plot, shown, force=force)
    if preview:
        print_preview(shown.as_rows() if isinstance(shown, Stretch) else shown)


def _check_plot(plot: str, inputs: list[str], outputs: list[str], force: bool) -> None:
    """Refuse a picture that cannot be, before any work."""
    from ikpca_cli.plots.picture_file import check_picture

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
