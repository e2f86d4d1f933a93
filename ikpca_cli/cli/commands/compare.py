"""``ikpca compare``: methods side by side, over random splits, fresh noise and fresh features."""

from __future__ import annotations

from itertools import chain
from typing import Annotated, Any

import typer

from ikpca_cli.cli import options as opt
from ikpca_cli.cli.batch.cluster import cluster as on_cluster
from ikpca_cli.cli.given.comparison import settings_of, splits_of
from ikpca_cli.cli.given.reading_options import ReadingRows
from ikpca_cli.cli.given.values import MEAN
from ikpca_cli.cli.given.window_options import as_rows_of
from ikpca_cli.cli.help import list_completions
from ikpca_cli.cli.progress import progress_bar
from ikpca_cli.cli.sources import split_source
from ikpca_cli.estimators.methods import METHODS


def compare(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="Rows to fit on, or all rows.")],
    noisy: Annotated[
        str | None,
        typer.Argument(metavar="NOISY", help="Rows to clean; without it TRAIN is split."),
    ] = None,
    clean: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|mean",
            help="What the rows to clean should become: the same rows without noise, or their "
            "mean where all show one shape. With --noise, the rows before noise was added.",
        ),
    ] = None,
    methods: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="Methods to compare.",
            autocompletion=lambda incomplete: list_completions(METHODS, incomplete),
        ),
    ] = ",".join(METHODS),
    components: Annotated[
        list[str] | None,
        typer.Option(metavar="LIST", help="Components: 5,10 or pca:3."),
    ] = None,
    gamma: Annotated[
        list[str] | None,
        typer.Option(metavar="LIST", help="Gammas: 0.1 or kpca:10."),
    ] = None,
    ridge: Annotated[
        list[str] | None,
        typer.Option(metavar="LIST", help="Ridges: 0.1,2 or kpca:15."),
    ] = None,
    rff: Annotated[
        list[str] | None,
        typer.Option(metavar="LIST", help="Random features of ikpca."),
    ] = None,
    oracle: Annotated[
        bool,
        typer.Option(
            help="Choose what is auto by the clean rows: a bound, not a method.",
        ),
    ] = False,
    noise: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="The rows are clean: add Gaussian noise of this standard deviation for each run.",
        ),
    ] = None,
    train_size: Annotated[
        float | None,
        typer.Option(min=0.0, help="Rows to fit on, a number or a share."),
    ] = None,
    test_size: Annotated[
        float | None,
        typer.Option(min=0.0, help="Rows to clean, a number or a share."),
    ] = None,
    runs: Annotated[
        int,
        typer.Option(min=1, help="Repetitions with fresh randomness."),
    ] = 1,
    window: Annotated[
        str | None,
        typer.Option(
            metavar="none",
            help="none: rows are samples, whatever they look like.",
        ),
    ] = None,
    seed: opt.Seed = 0,
    plot: opt.Plot = None,
    force: opt.Force = False,
    *,
    common: opt.Model,
    work: opt.Work,
    reading: ReadingRows,
    printing: opt.Printing,
) -> None:
    """Fit methods and print their mean squared errors, mean ± standard deviation over runs.

    Examples:

        ikpca compare ecg_train.npy ecg_noisy.npy --clean ecg_clean.npy
        ikpca compare s_curve_clean.csv --noise 0.25 --runs 3 --components 3,6
        ikpca compare ecg_train.npy --clean mean --methods pca --components 1
        ikpca compare ecg_train.npy

    A list such as 5,10,20 tries each value, --kernel gaussian,matern52 each kernel; kpca:10 is a
    value for one method alone. The star
    marks the least error. Without NOISY, each run splits TRAIN anew. What is "auto" is chosen from
    the noisy rows to fit on; with --clean mean, to bring rows that are held out to their mean.
    Without clean rows and noise to add, methods are ranked by their estimated errors.
    """
    fixed: dict[str, Any] = common.given() | {"--clean": clean == MEAN}
    settings = settings_of(
        list(dict.fromkeys(name.strip() for name in methods.split(","))),
        {"--components": components, "--rff": rff, "--gamma": gamma, "--ridge": ridge},
        fixed,
    )

    files = as_rows_of(reading.options(), window)
    if clean is None and noise is None:
        from ikpca_cli.cli.ranked import rank_file

        rank_file(train, noisy, methods, fixed | {"--seed": seed}, files, work, printing)
        return

    from ikpca_cli.cli.words.compared import Comparison
    from ikpca_cli.data import threads
    from ikpca_cli.evaluation import experiment

    if plot is not None:
        from ikpca_cli.plots.picture_file import check_picture

        inputs = [split_source(name)[0] for name in (train, noisy, clean) if name is not None]
        check_picture(plot, inputs=inputs, force=force)
    with (
        threads.jobs(work.jobs),
        on_cluster(work.cluster),
        progress_bar(quiet=printing.quiet, verbose=printing.verbose) as progress,
    ):
        sizes = train_size, test_size
        splits = splits_of(train, noisy, clean, noise, sizes, runs, seed, files)
        first = next(splits)
        results, mse_noisy = experiment.compare(
            settings,
            chain([first], splits),
            runs=runs,
            seed=seed,
            oracle=oracle,
            progress=progress,
        )
    found = Comparison.of(results, mse_noisy)
    if plot is not None:
        from ikpca_cli.cli.pictures import picture_of_comparison, picture_of_methods

        title = (noisy or train) + ("" if noise is None else f", noise {noise:g}")
        if clean == MEAN:
            picture_of_methods(plot, results, first, seed, oracle, title, force=force)
        else:
            picture_of_comparison(plot, results, found.before, title, force=force)
    found.report(printing, repeats=noisy is None or noise is not None)
