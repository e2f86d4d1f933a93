"""``ikpca fit``: learn a model from noisy rows."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

import typer

from ikpca_cli.cli import options as opt
from ikpca_cli.cli.given import exclusions
from ikpca_cli.cli.given.fit_options import ModelFile, Parameters, Windows
from ikpca_cli.cli.given.gathered import gathered
from ikpca_cli.cli.given.reading_options import ReadingRows
from ikpca_cli.cli.given.window_options import as_rows_of, default_method
from ikpca_cli.cli.progress import progress_bar
from ikpca_cli.estimators.methods import METHODS, WINDOW_METHODS


def fit(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="TRAIN", help="Files, folders or @lists; - reads stdin."),
    ],
    *,
    file: ModelFile,
    windows: Windows,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="|".join([*(METHODS | WINDOW_METHODS), "auto"]),
            show_default="ikpca; mixture with --window",
            help="What to fit.",
        ),
    ] = None,
    parameters: Parameters,
    plot: opt.Plot = None,
    force: opt.Force = False,
    common: opt.Model,
    work: opt.Work,
    reading: ReadingRows,
    printing: opt.Printing,
) -> None:
    """Learn a model from noisy rows.

    Examples:

        ikpca fit ecg_train.npy
        ikpca fit digits.h5::train --method pca -o digits.joblib --plot fit.png
        ikpca fit s_curve_train.csv --noise-std 0.25 -o curve.joblib
        ikpca fit ecg_train.npy --method auto
        ikpca fit recording.csv --window auto
        ikpca fit ecg_train.npy ecg_noisy.npy

    What is "auto" is chosen from the rows alone, around what you give, and printed.
    """
    given = parameters.given(common)
    exclusions.check_fit(given, file, windows, method, parameters, common, reading, work.cluster)
    named, sources = sources, gathered(sources)
    exclusions.check_several(sources, work.cluster)
    method = default_method(method, windows.window)
    force = force or file.path == file.update
    exclusions.check_outputs(file.path, plot, inputs=sources, force=force)

    from ikpca_cli.cli.batch.cluster import cluster as on_cluster
    from ikpca_cli.cli.given.noise_files import noise_of_files
    from ikpca_cli.cli.learning import Lesson, files_of, keep, learn, model_to_update
    from ikpca_cli.cli.ranked import settled
    from ikpca_cli.cli.words.learned import report
    from ikpca_cli.data import threads
    from ikpca_cli.formats.output import identity

    rows = as_rows_of(reading.options(), windows.window) if method == "auto" else None
    chosen, standing = settled(method, sources, given, rows, work, printing)
    replaces = None if file.update is None else identity(file.update)
    old = model_to_update(file.update)
    files = files_of(reading, windows, old)
    noise = noise_of_files(common.noise_std, parameters.noise_rows, common.noise_model, files)
    lesson = Lesson(
        sources,
        files,
        windows,
        keep_sums=file.keep_sums,
        old=old,
        replaces=replaces,
        on_cluster=bool(work.cluster),
    )
    with (
        threads.jobs(work.jobs),
        on_cluster(work.cluster),
        progress_bar(quiet=printing.quiet, verbose=printing.verbose) as progress,
        ExitStack() as opened,
    ):
        learned = learn(lesson, chosen.set_noise(noise), progress, opened)
        keep(learned, lesson, reading.told, file, plot, force=force)
    report(learned, lesson, named, file.path, standing, printing)
