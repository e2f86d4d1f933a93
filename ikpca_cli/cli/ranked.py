"""Methods by their estimated error: the best of them for a fit, and the table of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ikpca_cli.cli.progress import progress_bar
from ikpca_cli.cli.sources import open_rows
from ikpca_cli.cli.given.values import method_params, parameter
from ikpca_cli.estimators.methods import METHODS

if TYPE_CHECKING:
    from ikpca_cli.cli.options import Printing, Reading, Work
    from ikpca_cli.data.row_source import Progress, RowSource
    from ikpca_cli.estimators.denoiser import Denoiser
    from ikpca_cli.evaluation.ranking import Standing

COLUMNS = {
    "method": "method",
    "estimate": "estimated MSE",
    "gap": "more than the best",
}


def candidates(methods: Sequence[str], given: Mapping[str, Any]) -> list[Denoiser]:
    """Return unfitted methods, each with those of the options that it has."""
    from ikpca_cli.estimators.denoiser import load_method

    found = []
    for name in methods:
        cls = load_method(name)
        known = cls.parameter_names()
        own = {option: value for option, value in given.items() if parameter(option) in known}
        found.append(cls(**method_params(name, own)))
    return found


def best_method(
    given: Mapping[str, Any], rows: RowSource, seed: int, progress: Progress
) -> tuple[Denoiser, list[Standing]]:
    """Return the method of least estimated error, not fitted, and how all stand."""
    from ikpca_cli.evaluation.ranking import best_of, rank

    models = candidates(tuple(METHODS), given)
    standings = rank(models, rows, seed, progress)
    best = best_of(standings)
    return next(model for model in models if model.method == best), standings


def standing_sentence(standings: Sequence[Standing], chosen: str) -> str:
    """Return how methods stand, in words."""
    each = ", ".join(
        f"{one.method} {one.estimated_mse:.3g} ± {one.estimated_mse_error:.1g}" for one in standings
    )
    return f"Estimated on rows held out: {each}; {chosen} was taken."


def rank_file(
    train: str,
    methods: Sequence[str],
    given: Mapping[str, Any],
    reading: Reading,
    work: Work,
    printing: Printing,
) -> None:
    """Print how methods stand on the noisy rows of a file, the best first."""
    from ikpca_cli.cli.words.report import Spread, print_records
    from ikpca_cli.data import threads
    from ikpca_cli.evaluation.ranking import rank

    models = candidates(methods, {option: value for option, value in given.items() if value})
    with (
        threads.jobs(work.jobs),
        progress_bar(quiet=printing.quiet, verbose=printing.verbose) as progress,
        open_rows(train, reading.options(), progress) as rows,
    ):
        standings = rank(models, rows, int(given["--seed"]), progress)
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
