"""What the noise on rows is like: the noise models there are, and the choice of one.

Noise that is white has equal variance in all directions without signal, so that a transform is
right that makes the plateau of equal variances longer. With white noise hardly any does. It is
taken if it has the longest plateau of all, noise is then told from signal with certainty, and the
risk of a quick denoiser, in the units of the data, falls by more than its standard error, or what
has no signal is like noise of one level (`ResidualStatistics`) and was nothing of that kind before.

Rough signal, evened by its own covariance, has a long plateau as well. Noise that is correlated has
to be less than half of what rows differ by, and what is white then has to be like noise in every
row and column (`ResidualStatistics`): peaks, edges and chirps are not. And there has to be a signal
that stands out of it: random walks may be taken for noise in any part (`is_one_process`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.data.threads import parallel_map
from ikpca_cli.errors import InputError
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.noise.evidence.loud_columns import has_loud_columns
from ikpca_cli.noise.evidence.neighbours import are_alike
from ikpca_cli.noise.evidence.one_process import is_one_process
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.low_rank import plateau_of
from ikpca_cli.noise.models import band_limited, by_column, by_row, correlated, counts
from ikpca_cli.noise.models.spikes import Spikes
from ikpca_cli.noise.models.spikes import propose as propose_spikes
from ikpca_cli.noise.quick import quick_risks
from ikpca_cli.noise.residual_statistics import ResidualStatistics, shared_with_neighbours
from ikpca_cli.transforms.frequency_band import FrequencyBand
from ikpca_cli.transforms.protocol import Transform
from ikpca_cli.transforms.row_scale import RowScale
from ikpca_cli.transforms.whiten import Whitening

PROPOSALS: dict[str, tuple[Callable[[FloatArray], Transform | None], ...]] = {
    "counts": (counts.propose, counts.propose_logarithm),
    "columns": (by_column.propose,),
    "rows": (by_row.propose,),
    "correlated": (band_limited.propose, correlated.propose),
}
"""Name of each noise model that is not white, those with fewest unknowns first."""

FEW_ROWS, FEW_COLUMNS = 30, 20
"""Fewer tell nothing: independent columns of a table are like columns of different noise."""

LONGER, BY, SHARE = 1.2, 3, 3
"""A plateau has to be so many times longer, by so many directions, and a third of all of them."""

MOST_CORRELATED = 0.5
"""Share of the variance of rows that correlated noise may have: more would be all they are."""

LITTLE, FAR_FROM_WHITE = 0.2, 4.0
"""Share from which on more is asked for: how many times the variance of the whitest part it has."""

_ENOUGH_ROWS = 40  # of which correlated noise is told from rough signal
LEAST_SIGNAL, MOST_SPIKES = 0.2, 4.0
"""Share of the variance of rows without spikes that has to be signal, and how many times that
variance the mean square of spikes may be."""

RARE, MOSTLY_SIGNAL = 0.02, 0.5
"""Share of values up to which spikes may have any power (cosmic rays), and least share of the
variance of the others that leading directions explain there."""

MOST_LOST = 2.0
"""How many times higher the quick denoiser's error may be where the noise is surely of a kind."""

_MOST_IN_BAND = 0.9  # of the variance of rows: noise that is white in a band is seldom rough signal
_MOST_BEYOND = 0.37  # of the noise in a band, beyond it: cubic splines leave up to .34
_NOT_SHORTER = 0.9  # than that of white noise, where noise cannot be white
_FAR_LONGER = 2.0  # plateau of counts, few of which are quieter
_OFF_ONE = 0.15  # that the level of stabilised counts may be, beside signal
_SHARED = 0.1  # of what is called noise, that nearest rows have, too: about nothing
_UNEVEN = 5.0  # spread of columns that signal left in them does not have
_NORMAL_COLUMNS = 3.5  # kurtosis of most rows, above which columns are loud by signal of their own
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
        best = max(found, key=lambda one: plateau_of(_centred(one.forward(rows))))
        return Noise(asked, best, evidence="as asked")
    if rows.shape[0] < FEW_ROWS:
        return Noise()
    spikes = propose_spikes(rows)
    repaired = rows if spikes is None else spikes.repair(rows)[0]
    if spikes is not None and not (spikes.are_sure or _has_signal(repaired, rows, spikes)):
        spikes, repaired = None, rows
    if rows.shape[1] < FEW_COLUMNS:
        return Noise(spikes=spikes)
    return replace(_other(repaired, plateau_of(_centred(repaired))), spikes=spikes)


def _has_signal(repaired: FloatArray, rows: FloatArray, spikes: Spikes) -> bool:
    """Tell whether rows (n, p) without spikes hold signal still: else spikes may be the signal."""
    X = _centred(repaired)
    left, std = float(np.mean(X**2)), estimate_noise(X).std or 0.0
    removed = float(np.mean((rows - repaired) ** 2))
    signal = 1.0 - std**2 / left if left > 0.0 else 0.0
    explained = float(np.mean(_centred(spikes.find(rows)[1]) ** 2))
    are_rare = spikes.share <= RARE and explained > MOSTLY_SIGNAL * left
    return signal > LEAST_SIGNAL and (are_rare or removed < MOST_SPIKES * left)


def _other(rows: FloatArray, white: int) -> Noise:
    """Return a noise model that is better than the white one, or that."""
    found, longer = [], LONGER * white + BY
    as_white = ResidualStatistics.of(_centred(rows))
    is_white = as_white.may_be_noise()
    is_doubtful = not is_white
    is_loud = has_loud_columns(_centred(rows), smooth=True)
    named = [
        (name, one)
        for name, proposals in PROPOSALS.items()
        if name != "rows" or as_white.has_uneven_rows()
        for one in proposals
    ]
    tried = parallel_map(partial(_proposed, rows), [one for _, one in named])
    for (name, _), (transform, plateau) in zip(named, tried, strict=True):
        if transform is None:
            continue
        # Two unknowns, and a variance that surely grows, are evidence of their own; more so
        # where noise cannot be white.
        enough = longer
        if name == "counts":
            enough = white if is_white else _NOT_SHORTER * white
        elif name == "columns" and is_loud:
            enough = white
        elif name == "rows":
            enough = white + BY
        if plateau >= max(enough, min(rows.shape) / SHARE):
            found.append((plateau, name, transform))
        is_doubtful |= plateau >= longer and name != "rows"
    longest = max((plateau for plateau, _, _ in found), default=0)
    for plateau, name, transform in found:
        # A band has fewer directions, all of which may be noise.
        if plateau < _AS_LONG * longest and not isinstance(transform, FrequencyBand):
            continue
        Z = _centred(transform.forward(rows))
        residual = ResidualStatistics.of(Z)
        far_longer = plateau >= _FAR_LONGER * white
        if isinstance(transform, RowScale):
            is_noise = by_row.may_be_noise(transform.levels_of(rows))
            level = NoiseLevel(1.0, certain=is_noise and residual.has_normal_rows())
        else:
            level = estimate_noise(Z)
        if level.std is None or not level.certain:
            continue
        # Edges are in some columns more than in others, and peaks where the signal is strong.
        stabilised = name == "counts" and far_longer
        stabilised &= abs(level.std - 1.0) < _OFF_ONE
        if not residual.may_be_noise(by_column=not stabilised):
            continue
        is_along = isinstance(transform, Whitening | FrequencyBand)
        # Skewed columns are as loud as their signal, which no level makes normal.
        if name == "columns" and residual.core_kurtosis > _NORMAL_COLUMNS:
            continue
        # Columns of one process, that neighbours share, may be louder and louder; and signal that
        # some rows have more of is smooth.
        may_be_smooth = name == "columns" or (name == "rows" and not far_longer)
        if may_be_smooth and are_alike(Z):
            continue
        if is_along and not _is_noise(rows, transform, level, residual):
            continue
        # What bends too much for few directions is loud where there is signal, as such noise is.
        if as_white.column_spread < _UNEVEN and shared_with_neighbours(Z) > _SHARED:
            continue
        before = quick_risks(rows, None, transform, level.std)
        after = quick_risks(rows, transform, transform, level.std)
        gain = before - after
        words = f"{plateau} directions of equal noise instead of {white}, and "
        # Noise that is of one level in far more directions is known, though little is gained by it.
        is_sure = name == "rows" and far_longer
        least = gain.std() / len(gain) ** 0.5 * (-1.0 if is_sure else 1.0)
        if plateau >= white and gain.mean() > least:
            saved = gain.mean() / before.mean()
            words += f"an estimated error that is lower by {min(max(saved, 0.0), 0.99):.0%}"
            return Noise(name, transform, evidence=words)
        # A plane in the data may be bent in their roots, which costs the quick denoiser more than
        # others; but noise that is of one level there, and is not here, is known all the same.
        is_little = after.mean() < MOST_LOST * before.mean()
        if name == "counts" and not is_white and is_little and _is_stable(level, residual):
            return Noise(name, transform, evidence=words + "what has no signal is even noise")
    return Noise(is_doubtful=is_doubtful)


def _proposed(
    rows: FloatArray, propose: Callable[[FloatArray], Transform | None]
) -> tuple[Transform | None, int]:
    """Return a transform of rows (n, p), and how long a plateau it makes."""
    transform = propose(rows)
    return transform, 0 if transform is None else plateau_of(_centred(transform.forward(rows)))


def _is_stable(level: NoiseLevel, residual: ResidualStatistics) -> bool:
    """Tell whether stabilised noise has one level, or may have the level 1 that it should have."""
    assert level.std is not None
    return residual.is_noise() or abs(level.std - 1.0) < _OFF_ONE


def _is_noise(
    rows: FloatArray, by: Transform, level: NoiseLevel, residual: ResidualStatistics
) -> bool:
    """Tell whether what is made white along the row is noise, and not all that rows (n, p) are."""
    assert level.std is not None
    X = _centred(rows)
    variance = level.std**2 * float(np.mean(by.levels(by.forward(rows[:1])) ** 2))
    share = variance / float(np.mean(X**2))
    most = _MOST_IN_BAND if isinstance(by, FrequencyBand) else MOST_CORRELATED
    if len(rows) < _ENOUGH_ROWS or share > most or is_one_process(X):
        return False
    if isinstance(by, FrequencyBand):
        # Its highest frequencies were like noise already; the rest may have odd rows. What has much
        # beyond its band does not end there, but falls off as smooth signal does.
        return by.beyond < _MOST_BEYOND
    if not residual.is_noise():
        return False
    # Much noise has to be far from white: signal that is stationary as well is seldom so smooth.
    floor = estimate_noise(X).std or 0.0
    return share < LITTLE or variance > FAR_FROM_WHITE * floor**2


def _centred(X: FloatArray) -> FloatArray:
    centred: FloatArray = X - X.mean(axis=0)
    return centred
