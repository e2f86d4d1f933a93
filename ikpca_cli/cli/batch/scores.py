"""The errors of several files: each against its clean version, and all of them together."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from ikpca_cli.cli.batch.ending import failure
from ikpca_cli.cli.given.gathered import gathered
from ikpca_cli.cli.options import Format, Printing
from ikpca_cli.cli.scoring import Score, Test, score_of
from ikpca_cli.cli.several import clean_of
from ikpca_cli.cli.streams import say
from ikpca_cli.cli.words.grouped import grouped
from ikpca_cli.cli.words.report import print_lines, print_record, print_records
from ikpca_cli.data.row_source import silent
from ikpca_cli.errors import IkpcaError, IkpcaWarning, Note, tell
from ikpca_cli.evaluation.metrics import snr_gain_db
from ikpca_cli.recordings.windowed import Windowed

if TYPE_CHECKING:
    from ikpca_cli.data.row_source import Progress
    from ikpca_cli.estimators.denoiser import Denoiser
    from ikpca_cli.formats.read_options import ReadOptions

FEW = 5
"""Files that are all listed; of more, those whose error rose, or that were warned of."""

_ERRORS = ("mse_noisy", "mse")
_ESTIMATES = ("estimated_mse_noisy", "estimated_mse")


def score_files(
    model: Denoiser | Windowed,
    noisy: Sequence[str],
    clean: str | None,
    options: ReadOptions,
    printing: Printing,
    progress: Progress,
) -> None:
    """Print how much closer to the clean rows each of several files comes, and all together.

    Parameters
    ----------
    model : Denoiser or Windowed
    noisy : sequence of str
    clean : str or None
        A folder, or a list, of the clean versions; None for estimates, of recordings alone.
    options : ReadOptions
    printing : Printing
    progress : callable

    Raises
    ------
    InputError
        If a file has no clean version, before any work.
    typer.Exit
        If a file failed.
    """
    if clean is not None:
        files = gathered([clean])
        for source in noisy:
            clean_of(source, files, clean)
    start = time.perf_counter()
    records: list[dict[str, Any]] = []
    said: list[tuple[str, str]] = []
    failed: list[dict[str, Any]] = []
    for done, source in enumerate(noisy, start=1):
        try:
            record, lines = _score(model, source, clean, options)
        except IkpcaError as error:
            failed.append(failure(source, error))
            say(f"error: {error}")
        else:
            records.append({"input": source, **record})
            said += [(source, line.removeprefix(f"{source}: ")) for line in lines]
        progress("files", done, len(noisy))
    for line in grouped(said):
        tell(line)
    if records or (failed and printing.output_format is not Format.table):
        warned = {source for source, text in said if not isinstance(text, Note)}
        is_signal = isinstance(model, Windowed) and model.cutting.kind != "image"
        noun = "sample" if is_signal else "row"
        _print(records, failed, warned, time.perf_counter() - start, printing, noun)
    if failed:
        raise typer.Exit(1)


def _score(
    model: Denoiser | Windowed, source: str, clean: str | None, options: ReadOptions
) -> tuple[Score, list[str]]:
    """Return the errors of a file, and what is to be said of it; how clean rows lie is no news."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IkpcaWarning)
        score = score_of(model, Test([source], clean, options), silent)
    lines: list[str] = [one.message.args[0] for one in caught if isinstance(one.message, Warning)]
    own = f"{source}: "
    return score, [line for line in lines if line.startswith(own) or not isinstance(line, Note)]


def together(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the error of all rows of some files; None after cleaning where one is not known."""
    estimated = _ESTIMATES[0] in records[0]
    counts = [int(record["n_samples"]) for record in records]
    total = sum(counts)

    unknown = [record for record in records if record.get("no_estimate_because")]

    def mean(key: str) -> float | None:
        if unknown and key == _ESTIMATES[1]:
            return None
        # An estimate below zero is given as none: hardly any error is left.
        values = (float(record[key] or 0.0) for record in records)
        return sum(count * value for count, value in zip(counts, values, strict=True)) / total

    names = _ESTIMATES if estimated else _ERRORS
    before, after = mean(names[0]) or 0.0, mean(names[1])
    found: dict[str, Any] = dict(zip(names, (before, after), strict=True))
    prefix = "estimated_" if estimated else ""
    if estimated and after is not None:
        errors = (float(record["estimated_mse_error"]) for record in records)
        spread = sum((n * error) ** 2 for n, error in zip(counts, errors, strict=True))
        found["estimated_mse_error"] = math.sqrt(spread) / total
    found[f"{prefix}rms_noisy"] = math.sqrt(before)
    found[f"{prefix}rms"] = None if after is None else math.sqrt(after)
    found[f"{prefix}snr_gain_db"] = snr_gain_db(before, after) if after else None
    if unknown:
        where = f", in {unknown[0]['input']}" + (" and others" if unknown[1:] else "")
        found["no_estimate_because"] = unknown[0]["no_estimate_because"] + where
    return found | {"n_samples": total, "n_files": len(records)}


def _print(
    records: list[dict[str, Any]],
    failed: list[dict[str, Any]],
    warned: set[str],
    seconds: float,
    printing: Printing,
    noun: str,
) -> None:
    from ikpca_cli.cli.words.sentences import error_sentence, scores_sentence

    every = [record | {"error": None} for record in records] + failed
    if printing.output_format is Format.csv:
        print_records(every, "csv")
        return
    total = together(records) if records else {"n_files": 0}
    if printing.output_format is Format.json:
        print_record(total | {"files": every}, "json")
        return
    names = _ESTIMATES if _ESTIMATES[0] in total else _ERRORS
    listed = records
    if len(records) > FEW and not printing.verbose:
        listed = [
            row for row in records if row["input"] in warned or (row[names[1]] or 0) > row[names[0]]
        ]
    if listed:
        gain = names[1].replace("mse", "snr_gain_db")
        keys = {
            "input": "input",
            "n_samples": f"{noun}s",
            names[0]: "MSE before",
            names[1]: "after",
        }
        print_records(listed, "table", columns=keys | {gain: "gain [dB]"})
    print_record(total, "table")
    worse = sum((row[names[1]] or 0) > row[names[0]] for row in records)
    sentence = scores_sentence(total, worse, len(failed), len(warned), seconds=seconds, noun=noun)
    print_lines([error_sentence(total), sentence])
