"""What a table of methods ends in: which is best, and by how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ikpca_cli.cli.words.sentences import plain

_SURELY = 2.0  # standard errors


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
    others = {row["method"]: row for row in reversed(measured) if row["method"] != best["method"]}
    parts = [
        f"{method} {plain(100 * (row['mse_mean'] / least - 1))} % more"
        for method, row in reversed(others.items())
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
