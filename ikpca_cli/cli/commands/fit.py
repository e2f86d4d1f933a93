"""``ikpca fit``: learn a model from noisy rows."""

from __future__ import annotations

import time
import warnings
from typing import Annotated, Any

import typer

from ikpca_cli.cli import options as opt
from ikpca_cli.cli.progress import progress_bar
from ikpca_cli.cli.values import MEAN, is_file, method_params
from ikpca_cli.errors import IkpcaWarning, UsageError


def fit(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="Noisy rows; - reads stdin.")],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default="model.joblib, or MODEL with --update",
            help="Where the model goes.",
        ),
    ] = None,
    update: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Add the rows to this model, which was fitted with --keep-sums.",
        ),
    ] = None,
    keep_sums: Annotated[
        bool,
        typer.Option(
            "--keep-sums",
            help="Keep rff x rff numbers in the model, so that --update can add rows to it.",
        ),
    ] = False,
    method: opt.Method = "ikpca",
    kernel: opt.Kernel = None,
    rff: Annotated[
        str | None,
        typer.Option(
            metavar="auto|exact|N",
            rich_help_panel="Model",
            help="Random Fourier features of ikpca; exact for infinitely many.",
        ),
    ] = None,
    gamma: Annotated[
        str | None,
        typer.Option(metavar="auto|F", rich_help_panel="Model", help="Kernel width."),
    ] = None,
    ridge: Annotated[
        str | None,
        typer.Option(metavar="auto|F", rich_help_panel="Model", help="Ridge of the way back."),
    ] = None,
    inverse: opt.Inverse = None,
    second_gamma: Annotated[
        str | None,
        typer.Option(
            metavar="auto|none|F",
            rich_help_panel="Model",
            help="Another kernel width beside the first, with exact features.",
        ),
    ] = None,
    latent_gamma: Annotated[
        str | None,
        typer.Option(
            metavar="auto|F",
            rich_help_panel="Model",
            help="Kernel width between latent codes of kpca.",
        ),
    ] = None,
    landmarks: opt.Landmarks = None,
    components: Annotated[
        str, typer.Option(metavar="auto|N", rich_help_panel="Model", help="Components to keep.")
    ] = "auto",
    shrink: opt.Shrink = None,
    noise_std: opt.NoiseStd = "auto",
    noise_model: opt.NoiseModel = None,
    noise_rows: opt.NoiseRows = None,
    clean: Annotated[
        str | None,
        typer.Option(
            metavar="mean",
            rich_help_panel="Model",
            help="mean: all rows show one signal, so their mean is what they should become.",
        ),
    ] = None,
    dtype: opt.Dtype = None,
    seed: opt.Seed = 0,
    jobs: opt.Jobs = None,
    cluster: opt.Cluster = None,
    dataset: opt.Dataset = None,
    transpose: opt.Transpose = False,
    columns: opt.Columns = None,
    delimiter: opt.Delimiter = None,
    decimal: opt.Decimal = None,
    missing: opt.MissingValues = opt.Missing.error,
    plot: opt.Plot = None,
    force: opt.Force = False,
    output_format: opt.OutputFormat = opt.Format.table,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """Learn a model from noisy rows.

    What is "auto" is chosen from the rows alone, around what you give, and printed.

    Examples:

        ikpca fit ecg_train.npy
        ikpca fit s_curve_train.csv --rff 512 --gamma 0.5 --ridge 10 --keep-sums -o curve.joblib
        ikpca fit digits.h5 --dataset train --method pca -o digits.joblib --plot risk.png
        ikpca fit s_curve_noisy.csv --update curve.joblib
    """
    if clean not in (None, MEAN):
        raise UsageError(
            f"--clean {clean}: a model is learned from noisy rows alone; the one word here is "
            "mean, for rows that all show one signal"
        )
    levels = noise_std if is_file(noise_std) else None
    given = {
        "--kernel": kernel,
        "--rff": rff,
        "--gamma": gamma,
        "--second-gamma": second_gamma,
        "--ridge": ridge,
        "--inverse": inverse,
        "--latent-gamma": latent_gamma,
        "--landmarks": landmarks,
        "--components": components,
        "--shrink": shrink,
        "--noise-std": "auto" if levels else noise_std,
        "--noise-model": noise_model,
        "--dtype": dtype,
        "--clean": clean == MEAN,
        "--seed": seed,
    }
    params = method_params(method, given)
    if update is not None:
        _check_update(method, given)
    target = output or update or "model.joblib"

    from ikpca_cli.cli.batch.cluster import cluster as on_cluster
    from ikpca_cli.cli.report import print_record
    from ikpca_cli.cli.sources import open_rows, opener, read_options, split_source
    from ikpca_cli.data import threads
    from ikpca_cli.data.first_pass import FirstPass
    from ikpca_cli.estimators.denoiser import load_method
    from ikpca_cli.evaluation.diagnostics import noise_flaw
    from ikpca_cli.formats.arrays import check_target
    from ikpca_cli.modelfile.storage import load_model, save_model

    force = force or target == update
    check_target(target, inputs=[split_source(train)[0]], force=force)
    if plot is not None:
        from ikpca_cli.plots.picture_file import check_picture

        check_picture(plot, inputs=[split_source(train)[0]], outputs=[target], force=force)
    reading = read_options(dataset, transpose, columns, delimiter, decimal, missing)
    model = load_method(method)(**params) if update is None else load_model(update)
    if levels is not None or noise_rows is not None:
        if update is not None:
            raise UsageError("--update keeps what the model knows of noise: leave it out")
        from ikpca_cli.cli.noise_files import noise_of_files

        model.set_noise(noise_of_files(levels, noise_rows, noise_model, reading))
    with (
        threads.jobs(jobs),
        on_cluster(cluster),
        progress_bar(quiet=quiet) as progress,
        open_rows(train, reading, progress) as rows,
    ):
        start = time.perf_counter()
        opens = opener(rows, train, reading) if cluster else None
        if update is not None:
            more = rows if opens is None else FirstPass(rows, model.seed, opens)
            model.partial_fit(more, progress=progress)
        else:
            first_pass = FirstPass(rows, model.seed, opens)
            model.fit(first_pass, keep_sums=keep_sums, progress=progress)
        seconds = time.perf_counter() - start
        save_model(target, model, force=force)
        flaw = noise_flaw(model, first_pass) if update is None else None
    if plot is not None:
        from ikpca_cli.cli.pictures import picture_of_fit

        picture_of_fit(plot, model, train, force=force)
    if flaw is not None:
        warnings.warn(f"{train}: {flaw}", IkpcaWarning, stacklevel=1)
    record = model.summary() | {"seconds": seconds, "model": target}
    auto = [name for name, value in model.get_params().items() if value == "auto"]
    print_record(record, output_format.value, marked=auto, note="chosen from the rows")


def _check_update(method: str, given: dict[str, Any]) -> None:
    """Refuse options of a new fit where a model is only to take in more rows."""
    unused = {None, "auto", 0}
    for option, value in ({"--method": None if method == "ikpca" else method} | given).items():
        if value not in unused:
            raise UsageError(f"--update keeps the model's parameters: leave {option} out")
