"""What a table ends in: what the numbers come to, in words, and what to do next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ikpca_cli.cli.words.next_steps import after_fit
from ikpca_cli.estimators.decisions.reasons import OF_NOISE, Reason

_CHANNELS = 8  # whose noise a sentence names

_LEAST_DB = 0.05  # what rounds to 0.1

_PER_DB = 10.0 / math.log(10.0)


def fit_sentences(
    record: Mapping[str, Any],
    *,
    given: bool,
    replicates: bool,
    sources: Sequence[str] = (),
    options: str = "",
) -> list[str]:
    """Say what a fit found and what may be expected of the model.

    Parameters
    ----------
    record : mapping
        As ``ikpca fit`` prints it.
    given : bool
        Whether the noise level was given.
    replicates : bool
        Whether all rows show one signal.
    sources : sequence of str, optional
        What it was fitted on, as the command line has it.
    options : str
        What has to be said of these files again.

    Returns
    -------
    list of str
    """
    level, risk = record["noise_std"], record["estimated_mse"]
    lines = []
    if level is not None:
        model = _kind(record)
        source = "as given" if given else "measured from the rows"
        channels = record.get("noise_std_channels")
        levels = plain(level)
        if channels:
            some = ", ".join(plain(one) for one in channels[:_CHANNELS])
            levels = some + ", ..." * (len(channels) > _CHANNELS) + " by channel"
        beside = _spikes(record.get("spike_share"))
        lines.append(f"Noise: standard deviation {levels} ({source}; {model}).{beside}")
    elif replicates:
        lines.append("Noise: all that is not the mean of the rows, as --clean mean says.")
    else:
        doubt = record.get("noise_doubt") or (
            "its level is not known, for signal and noise cannot be told apart in these rows"
        )
        lines.append(f"Noise: {doubt}; --noise-std gives it, if you know it.")
    if level is not None and risk is not None:
        lines.append(_expected(level, max(risk, 0.0), record["estimated_mse_error"]))
    elif not replicates:
        lines.append(_withheld(record))
    lines.append(after_fit(record, sources, options))
    return lines


def _kind(record: Mapping[str, Any]) -> str:
    """Say what the noise is like; what it is taken for, where that is what is doubted."""
    doubted = record.get("no_estimate_because") in {reason.words for reason in OF_NOISE}
    return "taken for " * doubted + (record.get("noise_model") or "white")


def _spikes(share: float | None) -> str:
    """Say how many values are left out, and how to keep them; with a space."""
    if not share:
        return ""
    return (
        f" Beside it, {plain(100 * share)} % of the values are taken for spikes and left out; "
        "--noise-model white keeps them."
    )


def _withheld(record: Mapping[str, Any]) -> str:
    """Say why no error is promised, what is known of it, and what harm there may be."""
    reason, most = record.get("no_estimate_because"), record.get("estimated_mse_at_most")
    if most is not None:
        before, after = plain(record["noise_std"]), plain(math.sqrt(most))
        return (
            f"Expected error: RMS {before} before, about {after} after, or less. It cannot be "
            f"told closer, for {reason}."
        )
    text = f"Expected error: not promised, for {reason}" if reason else "Expected error: not known"
    doubt = record.get("noise_doubt")
    if doubt and record["noise_std"] is not None:
        text = f"Expected error: not promised, for {doubt}; --noise-std gives it, if you know it"
    text += "." + rough_sentence(record)
    removed = record.get("removed_mse")
    if removed:
        text += f" Rows that are clean already would be off by RMS {plain(math.sqrt(removed))}."
    return text


def rough_sentence(record: Mapping[str, Any]) -> str:
    """Say what is known of an error that is not promised, and how to know more; with a space."""
    risk, error = record.get("rough_mse"), record.get("rough_mse_error") or 0.0
    if risk is None:
        return ""
    low, high = (plain(max(risk + sign * error, 0.0) ** 0.5) for sign in (-2.0, 2.0))
    if record.get("no_estimate_because") == Reason.UNSURE.words:
        return (
            f" It is likely to be RMS {low} to {high}; more rows, or `ikpca evaluate` on others, "
            "tell it better."
        )
    return f" If it were otherwise, it would be RMS {low} to {high}; it is likely to be more."


def _expected(level: float, risk: float, error: float | None) -> str:
    """Return the sentence of the expected error."""
    if risk >= (1.0 - 1e-9) * level**2:
        return "Expected error: no less than before, so these rows are best left as they are."
    sure = f" ± {plain(error)}" if error else ""
    before, after = plain(level), plain(math.sqrt(risk))
    text = (
        f"Expected error of cleaned rows: RMS {before} before, {after} after "
        f"(MSE {plain(level**2)} and {plain(risk)}{sure})"
    )
    if risk > 0.0:
        decibels = 10.0 * math.log10(level**2 / risk)
        text += f", {_decibels(decibels, _PER_DB * (error or 0.0) / risk)} less"
    return text + "."


def error_sentence(score: Mapping[str, Any]) -> str:
    """Say by how much the error fell, measured or estimated, from a record of evaluate."""
    estimated = "mse" not in score
    prefix = "estimated_" if estimated else ""
    before, after = score[f"{prefix}rms_noisy"], score[f"{prefix}rms"]
    gain = score[f"{prefix}snr_gain_db"]
    kind = "Estimated" if estimated else "Measured"
    reason = score.get("no_estimate_because")
    if reason:
        return f"Estimated error: RMS {plain(before)} before; after, not told, for {reason}." + (
            rough_sentence(score)
        )
    if after is None:
        return f"Estimated error: RMS {plain(before)} before; after, too little to be told."
    text = f"{kind} error: RMS {plain(before)} before, {plain(after)} after"
    if gain is None or not math.isfinite(gain):
        return text + "."
    if gain <= 0.0:
        more = f": {_decibels(-gain)} more" if gain <= -_LEAST_DB else ", the same"
        return text + f"{more}. These rows are best left as they are."
    if not estimated:
        return text + f", {_decibels(gain)} less."
    error, risk = score["estimated_mse_error"], score["estimated_mse"]
    return text + f", {_decibels(gain, _PER_DB * error / risk)} less."


def _decibels(value: float, spread: float = 0.0) -> str:
    """Return a gain and how sure it is, with a decimal where that is not 0."""
    shown = f"{value:.1f}" if value >= _LEAST_DB else "less than 0.1"
    sure = f" ± {spread:.1f}" if spread >= _LEAST_DB and value >= _LEAST_DB else ""
    return f"{shown}{sure} dB"


def file_sentences(
    record: Mapping[str, Any],
    noise_std: float | None,
    kept: bool,
    cleaned: tuple[int, str] | None = None,
) -> list[str]:
    """Say what was done to the rows of one file.

    Parameters
    ----------
    record : mapping
        As ``ikpca denoise`` prints it.
    noise_std : float or None
        The noise level of the fit.
    kept : bool
        Whether rows unlike those of the fit were left as they are.
    cleaned : (int, str), optional
        How many of what were cleaned, if not rows.

    Returns
    -------
    list of str
    """
    count, odd = record["n_samples"], record["unlike_rows"]
    done = count - len(odd) if kept else count
    level = "" if noise_std is None else f"; noise of the fit: {plain(noise_std)}"
    share = record["removed_db"]
    number, noun = cleaned or (done, "row")
    whose = "the rows'" if noun == "row" else "their"
    parts = "" if share is None else f", {plain(100 * 10 ** (share / 10))} % of {whose} variance"
    what, removed = _count(number, noun), record["removed_rms"]
    lines = [f"{what} cleaned. Removed: RMS {plain(removed)}{parts}{level}."]
    if removed == 0.0:
        came = _count(*(cleaned or (count, "row")))
        how = "it came" if came.startswith("1 ") else "they came"
        lines = [f"{came} left as {how}: nothing was removed{level}."]
    if odd:
        what = "left as they are" if kept else "cleaned all the same (--keep-unlike leaves them)"
        became = f": {what}" if removed else ""
        lines.append(f"{_count(len(odd), 'row')} unlike all rows of the fit{became}.")
    if record["spikes"]:
        lines.append(f"{_count(record['spikes'], 'value')} left out as spikes, and filled in.")
    return lines


def batch_sentence(
    records: Sequence[Mapping[str, Any]],
    failed: int,
    skipped: int,
    warned: int,
    seconds: float,
    kinds: Mapping[str, int] | None = None,
    cleaned: Sequence[tuple[int, str]] = (),
) -> str:
    """Say what became of many files, and of how many of them there was which kind of warning.

    What was cleaned is counted in rows, if not told otherwise for each.
    """
    odd, spikes = (sum(record[key] for record in records) for key in ("unlike", "spikes"))
    nouns = {noun for _, noun in cleaned}
    total, noun = sum(record["n_samples"] for record in records), "row"
    if len(nouns) == 1 and len(cleaned) == len(records):
        total, noun = sum(number for number, _ in cleaned), nouns.pop()
    parts = [f"{_count(len(records), 'file')} cleaned, {_count(total, noun)}"]
    for number, noun, text in (
        (odd, "row", "unlike those of the fit"),
        (spikes, "value", "left out as spikes"),
        (warned, "file", f"warned of{_by_kind(kinds or {})}"),
        (skipped, "file", "skipped, as their outputs exist"),
        (failed, "file", "failed"),
    ):
        if number:
            parts.append(f"{_count(number, noun)} {text}")
    return "; ".join(parts) + f". {_removed(records)}{seconds:.1f} s."


def _removed(records: Sequence[Mapping[str, Any]]) -> str:
    """Say how much was removed from files, and where their outputs are; with a space."""
    if not records:
        return ""
    least, most = (plain(end(row["removed_rms"] for row in records)) for end in (min, max))
    found = f"Removed: RMS {least}" + ("" if least == most else f" to {most}, by file") + ". "
    folders = {str(Path(row["output"]).parent) for row in records}
    if len(folders) > 1:
        return found
    (folder,) = folders
    return found + f"Outputs: {'this folder' if folder == '.' else folder}. "


def scores_sentence(
    total: Mapping[str, Any],
    worse: int = 0,
    failed: int = 0,
    warned: int = 0,
    *,
    seconds: float,
    noun: str = "row",
) -> str:
    """Say how many files were evaluated, and of how many something is to be seen."""
    parts = [f"{_count(total['n_files'], 'file')}, {_count(total['n_samples'], noun)}"]
    for number, text in (
        (worse, "farther from the clean rows than before"),
        (warned, "warned of"),
        (failed, "failed"),
    ):
        if number:
            parts.append(f"{_count(number, 'file')} {text}")
    return "; ".join(parts) + f". {seconds:.1f} s."


def _by_kind(kinds: Mapping[str, int]) -> str:
    listed = ", ".join(f"{count:,} for {kind}" for kind, count in kinds.items())
    return f" ({listed})" if listed else ""


def plain(value: float) -> str:
    """Return a number with three significant digits, without an exponent where it needs none."""
    return format(float(f"{value:.3g}"), ",.10g")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
