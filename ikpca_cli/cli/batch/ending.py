"""What is said of a batch of files: lines by kind, files that need a look, and a last line."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import typer

from ikpca_cli.cli.batch.job import Outcome
from ikpca_cli.cli.options import Format, Printing
from ikpca_cli.cli.streams import say
from ikpca_cli.cli.words.grouped import grouped, kind_of
from ikpca_cli.cli.words.report import print_lines, print_records
from ikpca_cli.cli.words.sentences import batch_sentence, file_sentences
from ikpca_cli.errors import Note, tell
from ikpca_cli.formats.output import ExistsError

COLUMNS = {
    "input": "input",
    "output": "output",
    "n_samples": "rows",
    "unlike": "unlike",
    "spikes": "spikes",
    "removed_rms": "removed",
    "seconds": "seconds",
}

FEW = 5
"""Files that are all listed; of more, those that need a look."""

NAMED = 20
"""Files that failed which the last line names: each has had a line of its own."""


class Batch:
    """Outcomes as they come, and what is printed in the end.

    Parameters
    ----------
    count : int
        How many there will be.
    printing : Printing
    """

    def __init__(self, count: int, printing: Printing) -> None:
        self._count, self._printing = count, printing
        self._all: list[dict[str, Any]] = []
        self._told: list[tuple[str, str]] = []
        self._failed: list[str] = []
        self._existing: list[str] = []
        self._skipped = 0
        self._cleaned: list[tuple[int, str]] = []
        self._start = time.perf_counter()

    def take(self, outcome: Outcome) -> None:
        """Take in what became of a file; say at once why it failed.

        Raises
        ------
        IkpcaError
            Why it failed, if it is the only one.
        """
        job, source = outcome.job, outcome.job.source
        if outcome.cleaned is not None:
            self._cleaned.append(outcome.cleaned)
        if self._count == 1 or self._printing.verbose:
            for line in outcome.told:
                tell(line)
        lines = [line.removeprefix(f"{source}: ") for line in outcome.told]
        self._told += [(source, line) for line in lines]
        self._skipped += outcome.skipped
        if outcome.record is not None:
            self._all.append(outcome.record | parted(lines) | {"error": None})
        if outcome.error is not None:
            if self._count == 1:
                table = self._printing.output_format is Format.table
                if not table and "-" not in (job.target, job.residual):
                    print_records([failure(source, outcome.error)], self._printing.form)
                raise outcome.error
            self._all.append(failure(source, outcome.error))
            if isinstance(outcome.error, ExistsError):
                self._existing.append(job.target)
                return
            self._failed.append(source)
            say(f"error: {outcome.error}")

    def end(self, noise_std: float | None, keep_unlike: bool, *, quietly: bool) -> None:
        """Print what was done.

        Parameters
        ----------
        noise_std : float or None
            The noise level of the fit.
        keep_unlike : bool
            Whether rows unlike those of the fit were left as they are.
        quietly : bool
            Whether only what failed is said.

        Raises
        ------
        typer.Exit
            If a file failed.
        """
        printing = self._printing
        if self._count > 1 and not printing.verbose:
            for line in grouped(self._told):
                tell(line)
        done = [record for record in self._all if record["error"] is None]
        table = printing.output_format is Format.table
        if not quietly and not table:
            print_records(self._all, printing.form)
        elif not quietly and done:
            listed = done if printing.verbose else self._worth_a_look(done)
            if listed:
                columns = dict(COLUMNS)
                if not any(record["spikes"] for record in listed):
                    del columns["spikes"]
                print_records(listed, "table", columns=columns, spare=("seconds", "removed_rms"))
            if self._count > 1:
                print_lines([self._sentence(done)])
            else:
                cleaned = self._cleaned[0] if self._cleaned else None
                print_lines(file_sentences(done[0], noise_std, keep_unlike, cleaned))
        if self._skipped and not printing.quiet:
            say(f"skipped {self._skipped} of {self._count} files, whose outputs exist")
        if self._existing:
            say(
                f"error: {len(self._existing)} of {self._count} outputs exist already, such as "
                f"{self._existing[0]}; --skip-existing cleans the other files alone, --force all"
            )
        if self._failed:
            failed = ", ".join(self._failed[:NAMED]) + ", ..." * (len(self._failed) > NAMED)
            say(f"error: {len(self._failed)} of {self._count} files failed: {failed}")
        if self._failed or self._existing:
            raise typer.Exit(1)

    def _worth_a_look(self, done: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return all records of a few files, or of many those of which a warning was given."""
        if len(done) <= FEW:
            return done
        warned = {source for source, text in self._told if not isinstance(text, Note)}
        return [row for row in done if row["input"] in warned]

    def _sentence(self, done: list[dict[str, Any]]) -> str:
        kinds: dict[str, set[str]] = {}
        for source, text in self._told:
            if not isinstance(text, Note):
                kinds.setdefault(kind_of(text), set()).add(source)
        return batch_sentence(
            done,
            len(self._failed) + len(self._existing),
            self._skipped,
            len(set().union(*kinds.values())),
            time.perf_counter() - self._start,
            {kind: len(sources) for kind, sources in kinds.items()},
            self._cleaned,
        )


def failure(source: str, error: Exception) -> dict[str, Any]:
    """Return what JSON and CSV hold of a file that failed, beside the records of the others."""
    return {"input": source, "error": str(error)}


def parted(lines: Sequence[str]) -> dict[str, list[str]]:
    """Return what a record holds of the lines that are told of a file, by their kind."""
    return {
        "warnings": [line for line in lines if not isinstance(line, Note)],
        "notes": [line for line in lines if isinstance(line, Note)],
    }
