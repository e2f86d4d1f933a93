"""Methods by their estimated error: the best of them for a fit, and the table of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ikpca_cli.cli.given.gathered import gathered
from ikpca_cli.cli.given.looks import check_rows
from ikpca_cli.cli.given.values import method_params, parameter
from ikpca_cli.cli.progress import progress_bar
from ikpca_cli.cli.several import open_all
from ikpca_cli.errors import UsageError
from ikpca_cli.estimators.methods import METHODS

if TYPE_CHECKING:
    from ikpca_cli.cli.options import Printing, Work
    from ikpca_cli.estimators.denoiser import Denoiser
    from ikpca_cli.evaluation.ranking import Standing
    from ikpca_cli.formats.read_options import ReadOptions

COLUMNS = {
    "method": "method",
    "estimate": "estimated MSE",
    "gap": "more than the best",
}


def settled(
    method: str,
    sources: Sequence[str],
    given: Mapping[str, Any],
    reading: ReadOptions | None,
    work: Work,
    printing: Printing,
) -> tuple[Denoiser, list[str]]:
    """Return an estimator with the options that were given, and what is told of others.

    For "auto" it is the best by estimated error on rows that are read as `reading` says.

    Raises
    ------
    UsageError
        If the rows come through a pipe, which can be read once only, or an option is not for the
        method.
    """
    from ikpca_cli.estimators.denoiser import load_method

    if reading is None:
        return load_method(method)(**method_params(method, given)), []
    from ikpca_cli.evaluation.ranking import best_of

    if "-" in sources:
        raise UsageError("--method auto reads its rows twice: give a file, or name a method")
    if given.get("--clean"):
        raise UsageError("--method auto is for rows that differ: with --clean mean name a method")
    standings = _standings(sources, tuple(METHODS), given, reading, work, printing)
    best = best_of(standings)
    known = _parameters(best)
    own = {option: value for option, value in given.items() if parameter(option) in known}
    each = ", ".join(
        f"{one.method} {one.estimated_mse:.3g} ± {one.estimated_mse_error:.1g}" for one in standings
    )
    taken = f"Estimated on rows held out: {each}; {best} was taken."
    return load_method(best)(**method_params(best, own)), [taken]


def rank_file(
    train: str,
    noisy: str | None,
    methods: str,
    given: Mapping[str, Any],
    reading: ReadOptions,
    work: Work,
    printing: Printing,
) -> None:
    """Print how methods stand on the noisy rows of a file, the best first.

    Raises
    ------
    UsageError
        If there are other noisy rows, too.
    """
    if noisy is not None:
        raise UsageError(
            "without clean rows methods are ranked on rows of TRAIN that are held out: leave "
            f"{noisy} out, or give --clean FILE, --clean mean or --noise F"
        )
    from ikpca_cli.cli.words.compared import ranking_sentence
    from ikpca_cli.cli.words.next_steps import anew, shell_word
    from ikpca_cli.cli.words.report import Spread, print_lines, print_records

    names = list(dict.fromkeys(name.strip() for name in methods.split(",")))
    standings = _standings(gathered([train]), names, given, reading, work, printing)
    form = printing.form
    records: list[dict[str, Any]] = [asdict(standing) for standing in standings]
    if form == "table":
        for record in records:
            record["estimate"] = Spread(record["estimated_mse"], record["estimated_mse_error"])
            record["gap"] = Spread(record["behind"], record["behind_error"])
    print_records(
        records,
        form,
        columns=COLUMNS,
        json_value={"results": records},
        best=0,
    )
    if form == "table":
        print_lines([ranking_sentence(records, shell_word(train) + anew(reading))])


def _standings(
    sources: Sequence[str],
    methods: Sequence[str],
    given: Mapping[str, Any],
    reading: ReadOptions,
    work: Work,
    printing: Printing,
) -> list[Standing]:
    """Return how methods, each with those of the options that it has, stand on a file's rows."""
    from ikpca_cli.data import threads
    from ikpca_cli.estimators.denoiser import load_method
    from ikpca_cli.evaluation.ranking import rank

    models = []
    for name in methods:
        known = _parameters(name)
        own = {o: value for o, value in given.items() if value and parameter(o) in known}
        models.append(load_method(name)(**method_params(name, own)))
    with (
        threads.jobs(work.jobs),
        progress_bar(quiet=printing.quiet, verbose=printing.verbose) as progress,
        open_all(sources, reading, progress) as rows,
    ):
        if reading.orientation != "rows":
            check_rows(rows, sources[0], compared=True)
        return rank(models, rows, int(given["--seed"]), progress)


def _parameters(method: str) -> tuple[str, ...]:
    from ikpca_cli.estimators.denoiser import load_method

    return load_method(method).parameter_names()
