"""``ikpca evaluate``: how much closer to the clean rows a model brings noisy ones."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Annotated

import typer

from ikpca_cli.cli import options as opt
from ikpca_cli.cli.given.gathered import gathered
from ikpca_cli.cli.given.reading_options import ReadingRows
from ikpca_cli.cli.given.values import MEAN
from ikpca_cli.cli.given.window_options import refuse_for_windows
from ikpca_cli.cli.progress import progress_bar
from ikpca_cli.errors import UsageError


def evaluate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A file that fit wrote.")],
    noisy: Annotated[list[str], typer.Argument(metavar="NOISY", help="Files, folders or @lists.")],
    clean: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|FOLDER|mean",
            help="The same rows without noise, in a folder in files of the same names; or mean, "
            "for rows of one shape: the noisy rows' mean. Without it the error is estimated, "
            "unless the model was fitted with --clean mean, too.",
        ),
    ] = None,
    jobs: opt.Jobs = None,
    plot: opt.Plot = None,
    image: opt.Image = None,
    force: opt.Force = False,
    *,
    axes: opt.AxisLabels,
    reading: ReadingRows,
    printing: opt.Printing,
) -> None:
    """Print the mean squared error before and after cleaning, and the gain in decibels.

    Examples:

        ikpca evaluate model.joblib ecg_noisy.npy
        ikpca evaluate model.joblib ecg_noisy.npy --clean ecg_clean.npy --plot ecg.png
        ikpca evaluate digits.joblib digits.h5::noisy --clean digits.h5::clean

    Of several files each is measured against that of its name in the folder --clean.

    Without clean rows the error is estimated from the noise level (Stein's unbiased risk
    estimate), and what was removed is checked for signal.
    """
    from ikpca_cli.cli.batch.scores import score_files
    from ikpca_cli.cli.scoring import Test, score_of
    from ikpca_cli.cli.sources import split_source
    from ikpca_cli.cli.words.report import print_lines, print_record
    from ikpca_cli.cli.words.sentences import error_sentence, scores_sentence
    from ikpca_cli.data import threads
    from ikpca_cli.modelfile.storage import load_model
    from ikpca_cli.plots.shown import image_shape
    from ikpca_cli.recordings.windowed import Windowed

    if plot is not None:
        from ikpca_cli.plots.picture_file import check_picture

        inputs = [model, *(split_source(name)[0] for name in (*noisy, clean) if name is not None)]
        check_picture(plot, inputs=inputs, force=force)
    elif image is not None:
        raise UsageError("--image says how --plot draws: give --plot too")
    axes.check(plot)
    start = time.perf_counter()
    fitted = load_model(model)
    noisy = gathered(noisy)
    size = image_shape(image, fitted.n_features_in_)
    options = reading.options(fills=True, known=fitted.reading_).of_files(len(noisy))
    if isinstance(fitted, Windowed):
        rows_alone = {f"--clean {MEAN}": clean == MEAN, "--image": bool(image)}
        refuse_for_windows(rows_alone, f"{model} for windows: leave it out")
    else:
        clean = MEAN if clean is None and fitted.replicates_ else clean
        options = replace(options, width=fitted.n_features_in_, axis=fitted.feature_names_)
    apart = len(noisy) > 1 and (isinstance(fitted, Windowed) or clean not in (None, MEAN))
    if apart and plot is not None:
        raise UsageError(f"--plot is for one input, not {len(noisy)}: give one of them")
    test = Test(noisy, clean, options, plot, axes, size, force)
    with (
        threads.jobs(jobs),
        progress_bar(quiet=printing.quiet, verbose=printing.verbose) as progress,
    ):
        if apart:
            score_files(fitted, noisy, clean, options, printing, progress)
            return
        score = score_of(fitted, test, progress)
    print_record(score, printing.form)
    if printing.output_format is opt.Format.table:
        lines = [error_sentence(score)]
        if len(noisy) > 1:
            lines.append(scores_sentence(score, seconds=time.perf_counter() - start))
        print_lines(lines)
