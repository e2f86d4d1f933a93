"""``ikpca denoise``: clean rows with a model."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Annotated

import typer

from ikpca_cli.cli import options as opt
from ikpca_cli.cli.batch.targets import check_plot, make_folders, targets_of
from ikpca_cli.cli.drawing import AxisLabels
from ikpca_cli.cli.given.composed import composed
from ikpca_cli.cli.given.gathered import gathered
from ikpca_cli.cli.given.reading_options import Reading
from ikpca_cli.cli.given.window_options import refuse_for_windows
from ikpca_cli.cli.progress import progress_bar
from ikpca_cli.cli.sources import absolute
from ikpca_cli.cli.streams import results_beside, standard
from ikpca_cli.errors import IkpcaWarning, UsageError

if TYPE_CHECKING:
    from ikpca_cli.plots.shown import Shown
    from ikpca_cli.plots.stretch import Stretch


@composed
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
            rich_help_panel="Output",
            help="Where the cleaned rows of a single input go; - is stdout.",
        ),
    ] = None,
    output_dir: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            rich_help_panel="Output",
            help="Folder for the outputs, made if need be, instead of beside each input; the "
            "files of a folder lie in it as they do there.",
        ),
    ] = None,
    residual: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            callback=standard,
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
    if skip_existing and force:
        raise UsageError(
            "--skip-existing leaves outputs that exist, --force replaces them: give one of them"
        )
    if residual is not None and len(noisy) > 1:
        raise UsageError(f"--residual is for one input, not {len(noisy)}: clean it by itself")
    if residual is not None and os.path.realpath(residual) == os.path.realpath(targets[0]):
        raise UsageError(f"--residual and the output are both {residual}: give two files")

    if plot is not None:
        check_plot(plot, [model, *noisy], [*targets, *([residual] if residual else [])], force)
    axes.check(plot)
    if image is not None and plot is None and not preview:
        raise UsageError("--image says how --plot and --preview draw: give one of them")

    from ikpca_cli.cli.batch.cleaning import model_of
    from ikpca_cli.cli.batch.cluster import cluster as on_cluster
    from ikpca_cli.cli.batch.ending import Batch
    from ikpca_cli.cli.batch.job import Job
    from ikpca_cli.cli.batch.parallel import clean_all
    from ikpca_cli.formats.output import new_names
    from ikpca_cli.plots.shown import image_shape
    from ikpca_cli.recordings.windowed import Windowed

    if model_of(model).is_useless():
        warnings.warn(
            f"{model}: when it was fitted, it was not expected to bring rows closer to clean ones; "
            "where it did not know their noise (`ikpca info`), fit it with --noise-std",
            IkpcaWarning,
            stacklevel=1,
        )
    if isinstance(model_of(model), Windowed):
        rows_alone = {"--keep-unlike": keep_unlike, "--image": image is not None}
        refuse_for_windows(rows_alone, f"{model} for windows: leave it out")
    size = image_shape(image, model_of(model).n_features_in_)
    options = reading.options(fills=True, known=model_of(model).reading_)
    if output_dir is not None:
        make_folders(os.path.dirname(target) for target in targets)
    todo = [
        Job(
            model,
            source,
            target,
            options,
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
    batch = Batch(len(noisy), printing)
    with (
        on_cluster(work.cluster),
        new_names,
        progress_bar(quiet=printing.quiet, verbose=printing.verbose) as progress,
    ):
        for outcome in clean_all(todo, work.jobs, progress):
            batch.take(outcome)
            if outcome.shown is not None:
                shown = outcome.shown.labelled(axes.x_label, axes.y_label)
                _show(shown, plot, preview, force)
    with results_beside(residual):
        batch.end(model_of(model).summary()["noise_std"], keep_unlike, quietly="-" in targets)


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
