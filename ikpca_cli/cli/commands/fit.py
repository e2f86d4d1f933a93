"""``ikpca fit``: learn a model from noisy rows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from ikpca_cli.cli import options as opt
from ikpca_cli.cli.given import exclusions
from ikpca_cli.cli.given.composed import composed
from ikpca_cli.cli.given.gathered import gathered
from ikpca_cli.cli.given.reading_options import Reading
from ikpca_cli.cli.given.values import MEAN, is_file, method_params
from ikpca_cli.cli.given.window_options import (
    as_rows_of,
    check_windows,
    default_method,
    stretch_of,
    window_size,
)
from ikpca_cli.cli.progress import progress_bar
from ikpca_cli.cli.streams import results_beside, standard
from ikpca_cli.errors import UsageError, about, tell

if TYPE_CHECKING:
    from ikpca_cli.cli.learning import Learned


@composed
def fit(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="TRAIN", help="Files, folders or @lists; - reads stdin."),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            callback=standard,
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
    window: opt.Window = None,
    hop: opt.Hop = None,
    fs: opt.Rate = None,
    method: opt.Method = None,
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
        typer.Option(
            metavar="auto|F", rich_help_panel="Model", help="Inverse squared width of the kernel."
        ),
    ] = None,
    ridge: Annotated[
        str | None,
        typer.Option(metavar="auto|F", rich_help_panel="Model", help="Ridge of the pre-image."),
    ] = None,
    second_gamma: Annotated[
        str | None,
        typer.Option(
            metavar="auto|none|F",
            rich_help_panel="Model",
            help="A second gamma, of a kernel beside the first; with exact features.",
        ),
    ] = None,
    latent_gamma: Annotated[
        str | None,
        typer.Option(
            metavar="auto|F",
            rich_help_panel="Model",
            help="Inverse squared width of the kernel between latent codes of kpca.",
        ),
    ] = None,
    components: Annotated[
        str, typer.Option(metavar="auto|N", rich_help_panel="Model", help="Components to keep.")
    ] = "auto",
    noise_rows: opt.NoiseRows = None,
    clean: Annotated[
        str | None,
        typer.Option(
            metavar="mean",
            rich_help_panel="Model",
            help="mean: all rows show one signal, so their mean is what they should become.",
        ),
    ] = None,
    seed: opt.Seed = 0,
    plot: opt.Plot = None,
    force: opt.Force = False,
    *,
    common: opt.Model,
    work: opt.Work,
    reading: Reading,
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
    if clean not in (None, MEAN):
        raise UsageError(
            f"--clean {clean}: a model is learned from noisy rows alone; the one word here is "
            "mean, for rows that all show one signal"
        )
    levels = common.noise_std if is_file(common.noise_std) else None
    given = {
        **common.given(),
        "--rff": rff,
        "--gamma": gamma,
        "--second-gamma": second_gamma,
        "--ridge": ridge,
        "--latent-gamma": latent_gamma,
        "--components": components,
        "--noise-std": "auto" if levels else common.noise_std,
        "--clean": clean == MEAN,
        "--seed": seed,
    }
    if update is not None:
        exclusions.check_update(
            given
            | {
                "--method": None if method == "ikpca" else method,
                "--window": window,
                "--hop": hop,
                "--fs": fs,
            }
        )
    window_size(window, hop, fs)
    if window not in (None, "none"):
        rows_alone = {"--clean mean": clean == MEAN, "--keep-sums": keep_sums}
        check_windows(common.noise_model, levels or noise_rows, rows_alone)
    named, sources = sources, gathered(sources)
    train = sources[0]
    if len(sources) > 1:
        exclusions.check_several(work.cluster)
    method = default_method(method, window)
    params = {} if method == "auto" else method_params(method, given)
    target = (update or "model.joblib") if output is None else output
    force = force or target == update
    exclusions.check_outputs(target, plot, inputs=sources, force=force)
    standing: list[str] = []
    if method == "auto":
        exclusions.check_ranking(levels or noise_rows)
        from ikpca_cli.cli.ranked import settle

        method, given, standing = settle(
            sources, given, as_rows_of(reading.options(), window), work, printing
        )
        params = method_params(method, given)

    from ikpca_cli.cli.batch.cluster import cluster as on_cluster
    from ikpca_cli.cli.learning import Lesson, learn
    from ikpca_cli.cli.private import warn_of_open_rows
    from ikpca_cli.cli.words.next_steps import again
    from ikpca_cli.cli.words.report import print_lines, print_record
    from ikpca_cli.cli.words.sentences import fit_sentences
    from ikpca_cli.data import threads
    from ikpca_cli.estimators.denoiser import load_method
    from ikpca_cli.formats.output import identity
    from ikpca_cli.modelfile.storage import load_model, save_model
    from ikpca_cli.recordings.windowed import Windowed

    old = None if update is None else load_model(update)
    files = reading.options(fills=True, known=None if old is None else old.reading_)
    if reading.left_to_model:
        exclusions.check_missing(files.missing, {"--cluster": bool(work.cluster)})
    if window == "none":
        files = replace(files, orientation="rows")
    replaces = identity(update) if update is not None and target == update else None
    if isinstance(old, Windowed):
        raise UsageError(f"{update} is for windows and cannot take in more: fit all files at once")
    if old is not None:
        files = replace(files, width=old.n_features_in_, axis=old.feature_names_)
    chosen = load_method(method)(**params)
    gives_noise = levels is not None or noise_rows is not None
    if gives_noise:
        if update is not None:
            raise UsageError("--update keeps what the model knows of noise: leave it out")
        from ikpca_cli.cli.given.noise_files import noise_of_files

        whole = replace(files, missing="error") if reading.left_to_model else files
        chosen.set_noise(noise_of_files(common.noise_std, noise_rows, common.noise_model, whole))
    lesson = Lesson(sources, files, window, hop, fs, keep_sums, on_cluster=bool(work.cluster))
    with (
        threads.jobs(work.jobs),
        on_cluster(work.cluster),
        progress_bar(quiet=printing.quiet, verbose=printing.verbose) as progress,
        ExitStack() as opened,
    ):
        learned = learn(lesson, chosen, old, progress, opened)
        model = learned.model
        inner = model.model if isinstance(model, Windowed) else model
        inner.reading_ = reading.told if old is None else old.reading_
        save_model(target, model, force=force, replaces=replaces)
        if plot is not None:
            _draw(plot, learned, sources, force=force)
    if learned.flaw is not None:
        tell(about(train, learned.flaw))
    warn_of_open_rows(target, inner, train)
    record = model.summary() | {"seconds": learned.seconds, "model": target}
    auto = [name for name, value in inner.get_params().items() if value == "auto"]
    auto += ["window"] if window == "auto" else []
    with results_beside(target):
        in_words = printing.output_format is opt.Format.table
        shown = record | {"noise_doubt": None} if in_words else record  # a sentence says it
        print_record(shown, printing.form, notes=dict.fromkeys(auto, "chosen from the rows"))
        if in_words:
            told = model.level_given if isinstance(model, Windowed) else inner.noise_std != "auto"
            found = fit_sentences(
                record,
                given=told or gives_noise,
                replicates=inner.replicates,
                sources=named,
                options=again(files),
            )
            print_lines([*found, *standing])


def _draw(plot: str, learned: Learned, sources: Sequence[str], *, force: bool) -> None:
    """Draw what a fit made of its rows, or of the first recording or picture."""
    from ikpca_cli.cli.pictures import picture_of_fit, picture_of_stretch
    from ikpca_cli.recordings.windowed import Windowed

    if isinstance(learned.model, Windowed):
        picture_of_stretch(plot, stretch_of(learned.model, learned.seen), force=force)
    else:
        more = f" and {len(sources) - 1} more" if len(sources) > 1 else ""
        picture_of_fit(plot, learned.model, sources[0] + more, learned.seen, force=force)
