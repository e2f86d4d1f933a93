"""What ``ikpca compare`` prints of methods whose errors were measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from ikpca_cli.cli.options import Format, Printing
from ikpca_cli.cli.words.comparing import comparison_sentence
from ikpca_cli.cli.words.report import Spread, print_lines, print_records
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
            If no method could do what was asked for.
        """
        records = [result.record() for result in results]
        if not any(row["runs"] for row in records):
            raise UsageError(f"no method can do this: {records[0]['method']} {records[0]['note']}")
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
