"""``ikpca evaluate``: how much closer to the clean rows a model brings noisy ones."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from ikpca_cli.cli import options as opt
from ikpca_cli.cli.drawing import AxisLabels
from ikpca_cli.cli.given.composed import composed
from ikpca_cli.cli.given.gathered import gathered
from ikpca_cli.cli.given.reading_options import Reading
from ikpca_cli.cli.given.values import MEAN
from ikpca_cli.cli.given.window_options import refuse_for_windows, stretch_of, times_as_labels
from ikpca_cli.cli.progress import progress_bar
from ikpca_cli.errors import UsageError


@composed
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
    axes: AxisLabels,
    reading: Reading,
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
    from ikpca_cli.cli.pictures import picture_of_stretch
    from ikpca_cli.cli.several import open_all, open_clean, open_clean_recording
    from ikpca_cli.cli.sources import split_source
    from ikpca_cli.cli.words.report import print_lines, print_record
    from ikpca_cli.cli.words.sentences import error_sentence, scores_sentence
    from ikpca_cli.data import threads
    from ikpca_cli.estimators.missing_values import refill
    from ikpca_cli.evaluation.metrics import evaluate_model
    from ikpca_cli.evaluation.without_clean import estimate_error
    from ikpca_cli.modelfile.storage import load_model
    from ikpca_cli.plots.shown import MOST, Shown, image_shape
    from ikpca_cli.recordings.evaluation import evaluate_windows
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
    if isinstance(fitted, Windowed):
        rows_alone = {f"--clean {MEAN}": clean == MEAN, "--image": bool(image)}
        refuse_for_windows(rows_alone, f"{model} for windows: leave it out")
    elif clean is None and fitted.replicates_:
        clean = MEAN
    score: Mapping[str, float | int | str | None]
    options = reading.options(fills=True, known=fitted.reading_)
    if not isinstance(fitted, Windowed):
        options = replace(options, width=fitted.n_features_in_, axis=fitted.feature_names_)
    alone = isinstance(fitted, Windowed) or clean not in (None, MEAN)
    if len(noisy) > 1 and alone:
        if plot is not None:
            raise UsageError(f"--plot is for one input, not {len(noisy)}: give one of them")
        from ikpca_cli.cli.batch.scores import score_files

        with (
            threads.jobs(jobs),
            progress_bar(quiet=printing.quiet, verbose=printing.verbose) as progress,
        ):
            score_files(fitted, noisy, clean, options, printing, progress)
        return
    if isinstance(fitted, Windowed):
        with (
            threads.jobs(jobs),
            open_all(noisy, times_as_labels(noisy[0], options)) as rows,
            open_clean_recording(clean, options, rows, fitted.cutting.kind) as reference,
        ):
            score = evaluate_windows(fitted, rows, reference, rows.layout.sample_shape)
            if plot is not None:
                stretch = stretch_of(fitted, rows, reference)
                stretch = stretch.labelled(axes.x_label, axes.y_label).scored(score)
                picture_of_stretch(plot, stretch, force=force)
        print_record(score, printing.form)
        if printing.output_format is opt.Format.table:
            print_lines([error_sentence(score)])
        return
    with (
        threads.jobs(jobs),
        open_all(noisy, options, names=fitted.feature_names_) as rows,
        open_clean(clean, options, rows) as reference,
    ):
        if rows.has_holes:
            rows.fill_by(partial(refill, fitted))
        if clean is None:
            score = estimate_error(fitted, rows)
        else:
            with progress_bar(quiet=printing.quiet, verbose=printing.verbose) as progress:
                score = evaluate_model(fitted, rows, reference, progress)
        if plot is not None:
            from ikpca_cli.cli.pictures import picture_of_beats, picture_of_rows

            if clean == MEAN:
                shown = Shown.of(rows, fitted, most=MOST)
                shown = shown.labelled(axes.x_label, axes.y_label)
                picture_of_beats(plot, shown, fitted.method, force=force)
            else:
                shown = Shown.of(rows, fitted, clean=reference, image=size)
                if clean is None:
                    shown = replace(shown, estimate=score)
                shown = shown.labelled(axes.x_label, axes.y_label)
                picture_of_rows(plot, shown, force=force)
    if len(noisy) > 1:
        score = score | {"n_files": len(noisy)}
    print_record(score, printing.form)
    if printing.output_format is opt.Format.table:
        lines = [error_sentence(score)]
        if len(noisy) > 1:
            lines.append(scores_sentence(score, seconds=time.perf_counter() - start))
        print_lines(lines)
