"""What the noise on rows is like: the noise models there are, and the choice of one.

The white model is left only for what `acceptance` finds evidence for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.data.threads import parallel_map
from ikpca_cli.errors import InputError
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.low_rank import plateau_of
from ikpca_cli.noise.models import band_limited, by_column, by_row, correlated, counts
from ikpca_cli.noise.models.acceptance import Proposed, SeenAsWhite, centred, evidence_for
from ikpca_cli.noise.models.spikes import Spikes
from ikpca_cli.noise.models.spikes import propose as propose_spikes
from ikpca_cli.transforms.frequency_band import FrequencyBand
from ikpca_cli.transforms.protocol import Transform

PROPOSALS: dict[str, tuple[Callable[[FloatArray], Transform | None], ...]] = {
    "counts": (counts.propose, counts.propose_logarithm),
    "columns": (by_column.propose,),
    "rows": (by_row.propose,),
    "correlated": (band_limited.propose, correlated.propose),
}
"""Name of each noise model that is not white, those with fewest unknowns first."""

FEW_ROWS, FEW_COLUMNS = 30, 20
"""Fewer tell nothing: independent columns of a table are like columns of different noise."""

LEAST_SIGNAL, MOST_SPIKES = 0.2, 4.0
"""Share of the variance of rows without spikes that has to be signal, and how many times that
variance the mean square of spikes may be."""

RARE, MOSTLY_SIGNAL = 0.02, 0.5
"""Share of values up to which spikes may have any power (cosmic rays), and least share of the
variance of the others that leading directions explain there."""

_AS_LONG = 0.93  # of the longest plateau, that a model of fewer unknowns has


@dataclass(frozen=True)
class Noise:
    """What noise is like.

    Attributes
    ----------
    name : str
        "white", or a key of `PROPOSALS`.
    transform : Transform or None
        What makes it white; None where it is.
    spikes : Spikes or None
        What finds values to leave out, None where there are none.
    evidence : str
        How that is known, in words.
    is_doubtful : bool
        Whether it is of another kind than any model has, so that no error can be promised.
    """

    name: str = "white"
    transform: Transform | None = None
    spikes: Spikes | None = None
    evidence: str = ""
    is_doubtful: bool = False


def noise_of(rows: FloatArray, asked: str = "auto", name: str = "the array") -> Noise:
    """Return what the noise on rows is like.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
        In random order.
    asked : str
        "auto", "white", or the name of the noise model to take.
    name : str
        What the rows are called in an error.

    Raises
    ------
    InputError
        If the model that was asked for does not fit the rows.
    """
    if asked == "white":
        return Noise()
    if asked != "auto":
        found = [one for one in (propose(rows) for propose in PROPOSALS[asked]) if one]
        if not found:
            others = [
                other for other, some in PROPOSALS.items() if any(propose(rows) for propose in some)
            ]
            raise InputError(
                f"{name}: no noise of the kind {asked} is found in these rows: "
                f"use --noise-model {', '.join(('auto', *others))} or white, or give its level"
            )
        best = max(found, key=lambda one: plateau_of(centred(one.forward(rows))))
        return Noise(asked, best, evidence="as asked")
    if rows.shape[0] < FEW_ROWS:
        return Noise()
    spikes = propose_spikes(rows)
    repaired = rows if spikes is None else spikes.repair(rows)[0]
    if spikes is not None and not (spikes.are_sure or _has_signal(repaired, rows, spikes)):
        spikes, repaired = None, rows
    if rows.shape[1] < FEW_COLUMNS:
        return Noise(spikes=spikes)
    return replace(_other(repaired), spikes=spikes)


def _has_signal(repaired: FloatArray, rows: FloatArray, spikes: Spikes) -> bool:
    """Tell whether rows (n, p) without spikes hold signal still: else spikes may be the signal."""
    X = centred(repaired)
    left, std = float(np.mean(X**2)), estimate_noise(X).std or 0.0
    removed = float(np.mean((rows - repaired) ** 2))
    signal = 1.0 - std**2 / left if left > 0.0 else 0.0
    explained = float(np.mean(centred(spikes.find(rows)[1]) ** 2))
    are_rare = spikes.share <= RARE and explained > MOSTLY_SIGNAL * left
    return signal > LEAST_SIGNAL and (are_rare or removed < MOST_SPIKES * left)


def _other(rows: FloatArray) -> Noise:
    """Return a noise model that is better than the white one, or that."""
    seen = SeenAsWhite.of(rows)
    named = [
        (name, one)
        for name, proposals in PROPOSALS.items()
        if name != "rows" or seen.statistics.has_uneven_rows()
        for one in proposals
    ]
    tried = parallel_map(partial(_proposed, rows), [one for _, one in named])
    proposed = [
        Proposed(name, transform, plateau)
        for (name, _), (transform, plateau) in zip(named, tried, strict=True)
        if transform is not None
    ]
    found = [one for one in proposed if one.plateau >= seen.enough(one)]
    longest = max((one.plateau for one in found), default=0)
    for one in found:
        # A band has fewer directions, all of which may be noise.
        if one.plateau < _AS_LONG * longest and not isinstance(one.transform, FrequencyBand):
            continue
        evidence = evidence_for(rows, one, seen)
        if evidence is not None:
            return Noise(one.name, one.transform, evidence=evidence)
    is_doubtful = not seen.is_white or any(
        one.plateau >= seen.longer and one.name != "rows" for one in proposed
    )
    return Noise(is_doubtful=is_doubtful)


def _proposed(
    rows: FloatArray, propose: Callable[[FloatArray], Transform | None]
) -> tuple[Transform | None, int]:
    """Return a transform of rows (n, p), and how long a plateau it makes."""
    transform = propose(rows)
    return transform, 0 if transform is None else plateau_of(centred(transform.forward(rows)))
