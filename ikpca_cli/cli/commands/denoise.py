"""``ikpca denoise``: clean rows with a model."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from ikpca_cli.cli import options as opt
from ikpca_cli.cli.batch.targets import check_plot, check_residual, make_folders, targets_of
from ikpca_cli.cli.given.gathered import gathered
from ikpca_cli.cli.given.reading_options import ReadingRows
from ikpca_cli.cli.progress import progress_bar
from ikpca_cli.cli.sources import absolute
from ikpca_cli.cli.streams import results_beside, standard
from ikpca_cli.errors import UsageError


def denoise(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A file that fit wrote.")],
    noisy: Annotated[
        list[str],
        typer.Argument(metavar="NOISY", help="Files, folders or @lists; - reads stdin."),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            callback=standard,
            help="Where the cleaned rows of a single input go; - is stdout.",
        ),
    ] = None,
    output_dir: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the outputs, made if need be, instead of beside each input; the "
            "files of a folder lie in it as they do there.",
        ),
    ] = None,
    residual: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            callback=standard,
            help="Write what was removed, too, and warn if it does not look like noise.",
        ),
    ] = None,
    skip_existing: Annotated[
        bool,
        typer.Option(
            help="Leave inputs alone whose output exists, to go on with a stopped batch.",
        ),
    ] = False,
    round_to_input: Annotated[
        bool,
        typer.Option(
            "--round",
            help="Give integers and half precision back as they came, rounded.",
        ),
    ] = False,
    digits: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=17,
            show_default="about the input's",
            help="Digits behind the decimal mark in text tables.",
        ),
    ] = None,
    keep_unlike: Annotated[
        bool,
        typer.Option(
            help="Leave rows as they are that are unlike all that the model was fitted on.",
        ),
    ] = False,
    plot: opt.Plot = None,
    preview: Annotated[
        bool,
        typer.Option(
            help="Show some rows before and after, in the terminal (standard error).",
        ),
    ] = False,
    image: opt.Image = None,
    force: opt.Force = False,
    *,
    axes: opt.AxisLabels,
    work: opt.Work,
    reading: ReadingRows,
    printing: opt.Printing,
) -> None:
    """Clean rows with a model: noisy.npy becomes noisy.denoised.npy, of the same form.

    Examples:

        ikpca denoise model.joblib ecg_noisy.npy --preview --plot ecg.png
        ikpca denoise model.joblib ecg_*.npy --output-dir clean --skip-existing
        cat ecg_noisy.npy | ikpca denoise model.joblib - > clean.npy

    A file that cannot be cleaned does not stop the others; the exit code is then 1.
    """
    named, noisy = noisy, gathered(noisy, apart=True)
    if work.cluster is not None:  # whose workers have other current folders
        model, noisy = absolute(model), [absolute(source) for source in noisy]
        named = [absolute(word) for word in named]
        output_dir = output_dir and absolute(output_dir)
    targets = targets_of(noisy, output, output_dir, model, named)
    check_residual(residual, targets)
    if skip_existing and force:
        raise UsageError(
            "--skip-existing leaves outputs that exist, --force replaces them: give one of them"
        )
    if plot is not None:
        check_plot(plot, [model, *noisy], [*targets, *([residual] if residual else [])], force)
    axes.check(plot)
    if image is not None and plot is None and not preview:
        raise UsageError("--image says how --plot and --preview draw: give one of them")

    from ikpca_cli.cli.batch.cleaning import checked_model
    from ikpca_cli.cli.batch.cluster import cluster as on_cluster
    from ikpca_cli.cli.batch.ending import Batch
    from ikpca_cli.cli.batch.job import Job
    from ikpca_cli.cli.batch.parallel import clean_all
    from ikpca_cli.cli.pictures import show
    from ikpca_cli.formats.output import new_names
    from ikpca_cli.plots.shown import image_shape

    fitted = checked_model(model, {"--keep-unlike": keep_unlike, "--image": image is not None})
    if output_dir is not None:
        make_folders(os.path.dirname(target) for target in targets)
    options = reading.options(fills=True, known=fitted.reading_).of_files(len(noisy))
    size = image_shape(image, fitted.n_features_in_)
    jobs = [
        Job(
            model,
            source,
            target,
            options,
            residual=residual,
            force=force,
            round_to_input=round_to_input,
            keep_unlike=keep_unlike,
            digits=digits,
            shows=preview or plot is not None,
            image=size,
            skip_existing=skip_existing,
        )
        for source, target in zip(noisy, targets, strict=True)
    ]
    batch = Batch(len(noisy), printing)
    with (
        on_cluster(work.cluster),
        new_names,
        progress_bar(quiet=printing.quiet, verbose=printing.verbose) as progress,
    ):
        for outcome in clean_all(jobs, work.jobs, progress):
            batch.take(outcome)
            if outcome.shown is not None:
                show(outcome.shown.labelled(*axes.both), plot, force=force, preview=preview)
    with results_beside(residual):
        batch.end(fitted.summary()["noise_std"], keep_unlike, quietly="-" in targets)
