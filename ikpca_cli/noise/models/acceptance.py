"""What a noise model that is not white has to show before it is taken.

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

from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.noise.evidence.loud_columns import has_loud_columns
from ikpca_cli.noise.evidence.neighbours import are_alike, have_order
from ikpca_cli.noise.evidence.one_process import is_one_process
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.low_rank import LowRank
from ikpca_cli.noise.models import by_row
from ikpca_cli.noise.quick import quick_risks
from ikpca_cli.noise.residual_statistics import ResidualStatistics, shared_with_neighbours
from ikpca_cli.transforms.frequency_band import FrequencyBand
from ikpca_cli.transforms.protocol import Transform
from ikpca_cli.transforms.row_scale import RowScale
from ikpca_cli.transforms.whiten import Whitening

LONGER, BY = 1.2, 3
"""A plateau has to be so many times longer, by so many directions."""

MOST_CORRELATED = 0.5
"""Share of the variance of rows that correlated noise may have: more would be all they are."""

LITTLE, FAR_FROM_WHITE = 0.2, 4.0
"""Share from which on more is asked for: how many times the variance of the whitest part it has."""

MOST_LOST = 2.0
"""How many times higher the quick denoiser's error may be where the noise is surely of a kind."""

_MOST_IN_BAND = 0.9  # of the variance of rows: noise that is white in a band is seldom rough signal
_MOST_BEYOND = 0.37  # of the noise in a band, beyond it: cubic splines leave up to .34
_NOT_SHORTER = 0.9  # than that of white noise, where noise cannot be white
_FAR_LONGER = 2.0  # plateau of counts, few of which are quieter
_OFF_ONE = 0.15  # that the level of stabilised counts may be, beside signal
_SHARED = 0.1  # of what is called noise, that nearest rows have, too: about nothing


@dataclass(frozen=True)
class Proposed:
    """A noise model, what it makes white, and how many directions are then of equal variance."""

    name: str
    transform: Transform
    plateau: int


@dataclass(frozen=True)
class SeenAsWhite:
    """What rows look like if their noise is white.

    Attributes
    ----------
    plateau : int
        Directions of equal variance.
    statistics : ResidualStatistics
        Of what has no signal.
    is_white : bool
        Whether that may be white noise.
    is_loud : bool
        Whether some columns are louder than their neighbours.
    """

    plateau: int
    statistics: ResidualStatistics
    is_white: bool
    is_loud: bool

    @classmethod
    def of(cls, rows: FloatArray) -> SeenAsWhite:
        """Return what rows (n, p) look like."""
        X = centred(rows)
        spectrum = Eigenvalues.of(X)
        statistics = ResidualStatistics.of(X, spectrum)
        is_loud = has_loud_columns(X, smooth=True)
        return cls(spectrum.plateau(), statistics, statistics.may_be_noise(), is_loud)

    @property
    def longer(self) -> float:
        """The plateau that tells of noise which is not white."""
        return LONGER * self.plateau + BY

    def enough(self, one: Proposed) -> float:
        """Return the plateau that a model has to have, so as to be looked at."""
        # Two unknowns, and a variance that surely grows, are evidence of their own; more so
        # where noise cannot be white.
        enough = self.longer
        if one.name == "counts":
            enough = self.plateau if self.is_white else _NOT_SHORTER * self.plateau
        elif one.name == "columns" and self.is_loud:
            enough = self.plateau
        elif one.name == "rows":
            enough = self.plateau + BY
        return enough

    def is_far_exceeded_by(self, one: Proposed) -> bool:
        """Tell whether a model has a plateau that is so much longer that its kind is sure."""
        return one.plateau >= _FAR_LONGER * self.plateau


def evidence_for(rows: FloatArray, one: Proposed, seen: SeenAsWhite) -> str | None:
    """Return what speaks for a noise model of rows (n, p), in words; None if that is too little."""
    Z = centred(one.transform.forward(rows))
    residual = ResidualStatistics.of(Z)
    level = _level_of(rows, Z, one.transform)
    if level.std is None or not level.certain:
        return None
    if not _is_told_from_signal(rows, Z, one, level.std, residual, seen):
        return None
    before = quick_risks(rows, None, one.transform, level.std)
    after = quick_risks(rows, one.transform, one.transform, level.std)
    gain = before - after
    words = f"{one.plateau} directions of equal noise instead of {seen.plateau}, and "
    # Noise that is of one level in far more directions is known, though little is gained by it.
    is_sure = one.name == "rows" and seen.is_far_exceeded_by(one)
    least = gain.std() / len(gain) ** 0.5 * (-1.0 if is_sure else 1.0)
    if one.plateau >= seen.plateau and gain.mean() > least:
        saved = gain.mean() / before.mean()
        return f"{words}an estimated error that is lower by {min(max(saved, 0.0), 0.99):.0%}"
    # A plane in the data may be bent in their roots, which costs the quick denoiser more than
    # others; but noise that is of one level there, and is not here, is known all the same.
    is_little = after.mean() < MOST_LOST * before.mean()
    is_stable = residual.is_noise() or _is_one(level.std)
    if one.name == "counts" and not seen.is_white and is_little and is_stable:
        return words + "what has no signal is even noise"
    return None


def centred(X: FloatArray) -> FloatArray:
    """Return rows (n, p) without their mean."""
    centred: FloatArray = X - X.mean(axis=0)
    return centred


def _level_of(rows: FloatArray, Z: FloatArray, transform: Transform) -> NoiseLevel:
    """Return the level of noise that a transform of rows made white."""
    if not isinstance(transform, RowScale):
        return estimate_noise(Z)
    return NoiseLevel(1.0, certain=by_row.may_be_noise(transform.levels_of(rows)))


def _is_told_from_signal(
    rows: FloatArray,
    Z: FloatArray,
    one: Proposed,
    std: float,
    residual: ResidualStatistics,
    seen: SeenAsWhite,
) -> bool:
    """Tell whether what is of one level in transformed rows Z (n, p) is noise, and no signal."""
    far_longer = seen.is_far_exceeded_by(one)
    # Edges are in some columns more than in others, and peaks where the signal is strong.
    is_stabilised = one.name == "counts" and far_longer and _is_one(std)
    if not residual.may_be_noise(by_column=not is_stabilised):
        return False
    # Columns of one process, that neighbours share, may be louder and louder; and signal that
    # some rows have more of is smooth.
    may_be_smooth = one.name == "columns" or (one.name == "rows" and not far_longer)
    if may_be_smooth and are_alike(Z):
        return False
    # Unlike columns have a level each of their own signal as well, of any law.
    if one.name == "columns" and not (residual.is_noise() or have_order(LowRank.of(centred(rows)))):
        return False
    is_along = isinstance(one.transform, Whitening | FrequencyBand)
    if is_along and not _is_noise_along(rows, one.transform, std, residual):
        return False
    # What bends too much for few directions is loud where there is signal, as such noise is.
    return shared_with_neighbours(Z) <= _SHARED


def _is_one(std: float) -> bool:
    """Tell whether the level of stabilised noise may be the 1 that it should be."""
    return abs(std - 1.0) < _OFF_ONE


def _is_noise_along(
    rows: FloatArray, by: Transform, std: float, residual: ResidualStatistics
) -> bool:
    """Tell whether what is made white along the row is noise, and not all that rows (n, p) are."""
    X = centred(rows)
    variance = std**2 * float(np.mean(by.levels(by.forward(rows[:1])) ** 2))
    share = variance / float(np.mean(X**2))
    most = _MOST_IN_BAND if isinstance(by, FrequencyBand) else MOST_CORRELATED
    if share > most or is_one_process(X):
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
