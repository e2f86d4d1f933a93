"""What ``ikpca compare`` prints of methods: their errors, which is best, and by how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from ikpca_cli.cli.options import Format, Printing
from ikpca_cli.cli.words.report import Spread, print_lines, print_records
from ikpca_cli.cli.words.sentences import plain
from ikpca_cli.errors import UsageError
from ikpca_cli.evaluation.experiment import mean_and_std
from ikpca_cli.evaluation.metrics import snr_gain_db

if TYPE_CHECKING:
    from ikpca_cli.evaluation.experiment import Result

_COLUMNS = {
    "method": "method",
    "kernel": "kernel",
    "n_components": "components",
    "gamma": "gamma",
    "ridge": "ridge",
    "n_rff": "rff",
    "mse": "MSE",
    "snr_gain_db": "gain [dB]",
    "runs": "runs",
    "fit_seconds": "fit [s]",
    "denoise_seconds": "denoise [s]",
}

_SPARE = ("denoise_seconds", "fit_seconds", "runs", "n_rff", "ridge", "gamma", "kernel")
"""Columns that a narrow terminal can do without, the first first."""


_SURELY = 2.0  # standard errors
_SAME = 5e-4  # relative difference that no table shows


@dataclass(frozen=True)
class Comparison:
    """Errors of methods, and of the noisy rows.

    Attributes
    ----------
    records
        One for each setting of a method.
    noisy
        The mean and the standard deviation of the error before.
    """

    records: Sequence[dict[str, Any]]
    noisy: Mapping[str, Any]

    @classmethod
    def of(cls, results: Sequence[Result], mse_noisy: Sequence[float]) -> Self:
        """Take the results of `ikpca_cli.evaluation.experiment.compare`.

        Raises
        ------
        UsageError
            If no method has as many components as were asked for.
        """
        records = [result.record() for result in results]
        if not any(row["runs"] for row in records):
            first = records[0]
            raise UsageError(
                f"--components: no method has so many here, {first['method']} {first['note']}: "
                "give fewer"
            )
        noisy = mean_and_std(mse_noisy)
        before = noisy["mse_mean"] or 0.0
        gains = (snr_gain_db(before, row["mse_mean"]) if row["runs"] else None for row in records)
        pairs = zip(records, gains, strict=True)
        return cls([row | {"snr_gain_db": gain} for row, gain in pairs], noisy)

    @property
    def before(self) -> float:
        """Mean squared error of the noisy rows."""
        return self.noisy["mse_mean"] or 0.0

    def report(self, printing: Printing, *, repeats: bool) -> None:
        """Print the table, with a star at the least error, and what it comes to.

        Parameters
        ----------
        printing
            What is wanted of it.
        repeats
            Whether more runs would tell more.
        """
        in_words = printing.output_format is Format.table
        records = list(self.records)
        if in_words:
            errors = (row["note"] or Spread(row["mse_mean"], row["mse_std"]) for row in records)
            records = [row | {"mse": mse} for row, mse in zip(records, errors, strict=True)]
        ranked = [(row["mse_mean"], index) for index, row in enumerate(records) if row["runs"]]
        print_records(
            records,
            printing.form,
            columns=_COLUMNS,
            spare=_SPARE,
            json_value={"mse_noisy": self.noisy, "results": records},
            best=min(ranked)[1],
            title=("noisy rows: MSE", Spread(self.noisy["mse_mean"], self.noisy["mse_std"])),
        )
        if in_words:
            print_lines([comparison_sentence(records, self.before, repeats=repeats)])


def comparison_sentence(
    records: Sequence[Mapping[str, Any]], before: float, *, repeats: bool
) -> str:
    """Say which setting had the least error, and how far the best of each other method is from it.

    Parameters
    ----------
    records : sequence of mapping
        As ``ikpca compare`` prints them.
    before : float
        Mean squared error of the noisy rows.
    repeats : bool
        Whether further runs would take other rows or other noise.
    """
    measured = sorted((row for row in records if row["runs"]), key=lambda row: row["mse_mean"])
    best = measured[0]
    least, runs = best["mse_mean"], best["runs"]
    others: dict[str, Mapping[str, Any]] = {}
    for row in measured:
        if row["method"] != best["method"]:
            others.setdefault(row["method"], row)
    parts = [
        f"{method} {_more(row['mse_mean'] / least - 1)}"
        for method, row in others.items()
        if least > 0.0
    ]
    rms, rms_before = math.sqrt(least), math.sqrt(before)
    kernels = {row["kernel"] for row in measured if row["method"] == best["method"]}
    with_kernel = f" with kernel {best['kernel']}" if len(kernels) > 1 else ""
    text = f"Least error: {best['method']}{with_kernel}, "
    text += f"RMS {plain(rms_before)} before, {plain(rms)} after"
    if parts:
        text += "; " + ", ".join(parts)
    if least >= before:
        text += ". None brings the rows closer to the clean ones"
    if runs == 1 and repeats:
        text += ". This is one run; --runs 10 tells how sure it is"
    return text + "."


def _more(share: float) -> str:
    """Say how much more an error is, if it is more in the digits that a table shows."""
    return "as much" if share < _SAME else f"{plain(100 * share)} % more"


def ranking_sentence(records: Sequence[Mapping[str, Any]], source: str) -> str:
    """Say which method has the least estimated error, which are as good, and how to fit it.

    Parameters
    ----------
    records : sequence of mapping
        As ``ikpca compare`` prints them without clean rows, the best first.
    source : str
        The file whose rows they were tried on, and how it was read, as a shell takes it.
    """
    best, *others = records
    after = plain(math.sqrt(best["estimated_mse"]))
    text = f"Least estimated error: {best['method']}, about RMS {after} after"
    near = [row["method"] for row in others if row["behind"] <= _SURELY * row["behind_error"]]
    far = [row for row in others if row["method"] not in near]
    if near:
        text += f"; as good, as far as these rows tell: {', '.join(near)}"
    if far and best["estimated_mse"] > 0.0:
        more = (f"{r['method']} {plain(100 * r['behind'] / best['estimated_mse'])} %" for r in far)
        text += f"; more error: {', '.join(more)}"
    return f"{text}. Next: ikpca fit {source} --method {best['method']}"
