"""What the noise on rows is like: the noise models there are, and the choice of one.

Noise that is white has equal variance in all directions without signal, so that a transform is
right that makes the plateau of equal variances longer. With white noise hardly any does. It is
taken if it has the longest plateau of all, noise is then told from signal with certainty, and the
risk of a quick denoiser, in the units of the data, falls by more than its standard error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.errors import InputError
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.low_rank import plateau_of
from ikpca_cli.noise.models import by_column, correlated, counts
from ikpca_cli.noise.models.spikes import Spikes
from ikpca_cli.noise.models.spikes import propose as propose_spikes
from ikpca_cli.noise.quick import quick_risks
from ikpca_cli.transforms.protocol import Transform

PROPOSALS: dict[str, tuple[Callable[[FloatArray], Transform | None], ...]] = {
    "counts": (counts.propose, counts.propose_logarithm),
    "columns": (by_column.propose,),
    "correlated": (correlated.propose,),
}
"""Name of each noise model that is not white, those with fewest unknowns first."""

FEW_ROWS, FEW_COLUMNS = 30, 20
"""Fewer tell nothing: independent columns of a table are like columns of different noise."""

LONGER, BY, SHARE = 1.2, 3, 3
"""A plateau has to be so many times longer, by so many directions, and a third of all of them."""

WITHOUT_SPIKES = 1.6
"""How many times longer it has to be if values are left out."""

_AS_LONG = 0.97  # of the longest plateau, that a model of fewer unknowns has


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
    """

    name: str = "white"
    transform: Transform | None = None
    spikes: Spikes | None = None
    evidence: str = ""


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
            raise InputError(
                f"{name}: its noise cannot be that of {asked}: use another noise model"
            )
        best = max(found, key=lambda one: plateau_of(_centred(one.forward(rows))))
        return Noise(asked, best, evidence="as asked")
    if rows.shape[0] < FEW_ROWS or rows.shape[1] < FEW_COLUMNS:
        return Noise()
    white = plateau_of(_centred(rows))
    spikes = propose_spikes(rows)
    if spikes is not None:
        repaired = spikes.repair(rows)
        plateau = plateau_of(_centred(repaired))
        if plateau > WITHOUT_SPIKES * white + BY:
            found_in = _other(repaired, plateau)
            return Noise(found_in.name, found_in.transform, spikes, found_in.evidence)
    return _other(rows, white)


def _other(rows: FloatArray, white: int) -> Noise:
    """Return a noise model that is better than the white one, or that."""
    found = []
    for name, proposals in PROPOSALS.items():
        for propose in proposals:
            transform = propose(rows)
            if transform is None:
                continue
            Z = transform.forward(rows)
            plateau = plateau_of(_centred(Z))
            # Two unknowns, and a variance that surely grows, are evidence of their own.
            enough = white if name == "counts" else LONGER * white + BY
            if plateau >= max(enough, min(rows.shape) / SHARE):
                found.append((plateau, name, transform))
    if not found:
        return Noise()
    longest = max(plateau for plateau, _, _ in found)
    for plateau, name, transform in found:
        if plateau < _AS_LONG * longest:
            continue
        level = estimate_noise(_centred(transform.forward(rows)))
        if level.std is None or not level.certain:
            continue
        before = quick_risks(rows, None, transform, level.std)
        after = quick_risks(rows, transform, transform, level.std)
        gain = before - after
        if gain.mean() > gain.std() / len(gain) ** 0.5:
            saved = gain.mean() / before.mean()
            words = (
                f"{plateau} directions of equal noise instead of {white}, "
                f"and an estimated error that is lower by {min(saved, 0.99):.0%}"
            )
            return Noise(name, transform, evidence=words)
    return Noise()


def _centred(X: FloatArray) -> FloatArray:
    centred: FloatArray = X - X.mean(axis=0)
    return centred
