r"""How far rows may be moved, so that none comes back worse than it came.

A displacement f of a row of p numbers is what a denoiser adds to it. It should undo noise, so it is
as long as noise at most: ``|f|^2 <= q p sigma^2``, q p being a high quantile of chi-square. A
longer one takes signal off, for the row is unlike those that the denoiser knows. So does one that
is longer than the noise of its own row, which differences of neighbours bound. What it has of the
noise is p sigma^2 at most, so that it is of no use beyond a share ``p sigma^2 / |f|^2``, that of
an estimate of James and Stein ("Estimation with quadratic loss", 1961). That is what is left of
one that is far longer; one that is a little longer is shortened by less, lest there be a step.

Rows of another file may be quieter or louder than those that were learned from. All displacements
are then multiplied by the t of least risk on the file itself,

    risk(t) = sigma^2 + t^2 mean |f|^2 / p + 2 t sigma^2 mean div f / p

(Stein, "Estimation of the mean of a multivariate normal distribution", 1981), sigma being that of
the file and div f measured along one random direction (Ramani, Blu and Unser 2008). By the same
risk f is that of the denoiser as it was fitted, or as it is when all in it that goes by the noise
goes by that of the file, or by a level between, or beyond.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.errors import Note
from ikpca_cli.linalg.shrinkage import kept_share
from ikpca_cli.noise.estimate import IN_DOUBT
from ikpca_cli.noise.evidence.known_signal import beside_signal
from ikpca_cli.noise.level import estimate_noise

FEW_ROWS = 20
"""A file of fewer rows tells nothing of its own noise."""

SOME_ROWS = 250
"""Rows of a file that are looked at."""

LIKE = 1.25
"""Ratio of levels that is not worth a word."""

_STRONGEST = 2.0  # times a displacement
_SAME_LEVEL = 0.1  # relative difference of levels that changes nothing
_TOO_FAR = 1.1  # mean squared displacement, over that of noise, that no good denoiser has
_SURELY, _LIKELY = 3.0, 2.0  # standard errors
_ENOUGH_COLUMNS, _QUIET = 20, 1.0 / 3.0  # which of a row has noise that is surely less, and by what
_PARTS = (1.0, 0.75, 0.5, 0.0, 1.25)  # of a change of level, for a denoiser to go by
_MOST_HIDDEN = 0.6  # share of a level that may be signal
_MORE = 1.05  # times the level that single rows were brought to
_STEP = 0.01  # of the probe, in units of the noise

Denoise: TypeAlias = Callable[[FloatArray], FloatArray]
"""Maps rows (n, p) to cleaned rows."""


@dataclass(frozen=True)
class Caution:
    """What displacements are limited by.

    Attributes
    ----------
    std : float or None
        Noise level of the rows; None for no limit.
    strength : float
        What displacements are multiplied by; 0 leaves rows as they are.
    level_ratio : float
        The level of these rows over that of the training rows.
    seen_ratio : float
        What it looks to be, where it is not known for sure as well.
    is_certain : bool
        Whether the level of these rows is known for sure, by themselves.
    goes_by : float
        The level that their denoiser goes by, over that of the training rows.
    read : float or None
        What was read off the training rows, where their level was taken to be lower: what is read
        off others is to be compared with that.
    has_spikes : bool
        Whether there are spikes, of which some are not found: rows with these hold more noise.
    of_signal : bool
        Whether what is left of rows beside what they share is signal in part, or all of it.
    is_untold : bool
        Whether rows do not tell their level, which is taken to be that of the training rows.
    """

    std: float | None
    strength: float = 1.0
    level_ratio: float = 1.0
    seen_ratio: float = field(default=1.0, compare=False)
    is_certain: bool = field(default=False, compare=False)
    goes_by: float = 1.0
    read: float | None = field(default=None, compare=False)
    has_spikes: bool = field(default=False, compare=False)
    of_signal: bool = field(default=False, compare=False)
    is_untold: bool = field(default=False, compare=False)

    @property
    def is_usual(self) -> bool:
        """Whether the noise of these rows looks like that of the training rows."""
        return self.level_ratio == 1.0 and 1.0 / LIKE <= self.seen_ratio <= LIKE

    def apply(self, noisy: FloatArray, cleaned: FloatArray) -> FloatArray:
        """Return rows that are moved no farther than they may be, (n, p).

        Parameters
        ----------
        noisy, cleaned : ndarray, shape (n, p)
            Before and after a denoiser.
        """
        if self.std is None and self.strength == 1.0:
            return cleaned
        if self.strength == 0.0:
            return noisy.astype(cleaned.dtype)
        moved = cleaned - noisy
        share = np.full(len(noisy), self.strength)
        if self.std is not None:
            squares = np.einsum("ij,ij->i", moved, moved, dtype=np.float64)
            squares *= max(1.0, self.strength) ** 2
            places = moved.any(axis=0)
            variances = self.std**2 * _quietness(noisy[:, places], self.std)
            directions = int(np.count_nonzero(places))
            share *= kept_share(squares, variances, directions, may_be_more=self.has_spikes)
        out: FloatArray = cleaned.copy()
        far = share != 1.0
        out[far] = noisy[far] + share[far, None] * moved[far]
        return out

    def remark(self) -> str:
        """Return what is done to rows of other noise, a note; empty where they are as promised."""
        ratio = self.level_ratio
        left = self.strength == 0.0 and ratio != 1.0
        if self.is_untold and ratio == 1.0 and self.strength:
            return Note(
                f"these rows do not tell their own noise, which is taken to be {self.std:.3g}, as "
                "for the fit: those with less may come back worse; fit them with their "
                "noise_std (--noise-std)"
            )
        if 1.0 / LIKE <= ratio <= LIKE and not left:
            return ""
        kind = "louder" if ratio > 1.0 else "quieter"
        done = (
            "they are left as they are"
            if self.strength == 0.0
            else f"what is removed is multiplied by {self.strength:.2g}"
        )
        if self.of_signal:
            return Note(f"what is left of these rows beside what they share is signal, too: {done}")
        return Note(
            f"the noise of these rows is {kind}, {ratio:.2g} times that of the rows that the model "
            f"was fitted on: {done}; a model fitted on rows like these does better"
        )


def _quietness(rows: FloatArray, std: float) -> FloatArray:
    """Return the noise variance that rows (n, p) may have, over ``std**2``; 1 where it is not less.

    Differences of neighbours have twice that of white noise at least.
    """
    quietness = np.ones(len(rows))
    if rows.shape[1] >= _ENOUGH_COLUMNS:
        steps = np.diff(rows, axis=1)
        most = np.einsum("ij,ij->i", steps, steps, dtype=np.float64) / (2.0 * steps.shape[1])
        are_quiet = most < (_QUIET * std) ** 2
        quietness[are_quiet] = most[are_quiet] / std**2
    return quietness


def caution_of_file(
    at_level: Callable[[float], Denoise],
    rows: FloatArray,
    usual: Caution,
    rng: np.random.Generator,
    n_fitted: int = SOME_ROWS,
    signal: float = 0.0,
    *,
    by_row: bool = False,
) -> Caution:
    """Return what displacements of a file are limited by, from some of its rows.

    Parameters
    ----------
    at_level : callable
        Maps how many times as loud the noise is as in the training rows to a `Denoise` for it.
    rows : ndarray, shape (n, p)
        Rows of the file, in random order.
    usual : Caution
        That of rows like the training rows.
    rng : numpy.random.Generator
        Draws the direction of the divergence.
    n_fitted : int
        Training rows, by as many of which their level was read. More rows show more of their signal
        as such, so that more of a file would look quieter where signal hides in its noise.
    signal : float
        Variance of the signal in the training rows, a column, where it is known.
    by_row : bool
        Whether each row was brought to the level of the training rows.

    Returns
    -------
    Caution
        The usual one, unless the noise of the file is clearly another, or displacements are longer
        than noise.
    """
    if usual.std is None or usual.strength == 0.0 or len(rows) < FEW_ROWS:
        return usual
    like_fit = rows[: max(n_fitted, FEW_ROWS)]
    level = estimate_noise(like_fit - like_fit.mean(axis=0))
    std, ratio, seen = usual.std, 1.0, 1.0
    if level.std is not None and by_row:
        # Of rows that were brought to one level less is left only where signal was there, and more
        # only where what is left is in few directions.
        apart = level.std / usual.std
        may_be_signal = not level.certain and level.hidden > _MOST_HIDDEN
        is_less, is_more = apart < 1.0 - _SAME_LEVEL, apart > _MORE and not level.is_bound
        if may_be_signal and (is_less or is_more):
            return Caution(level.std, 0.0, apart, apart, of_signal=True)
        if is_less:
            std, ratio, seen = level.std, apart, apart
    elif level.std is not None:
        # Of a file with hardly any noise all of a bound may be signal: it is doubted sooner.
        surely = _LIKELY if level.is_bound else _SURELY
        like, enough = usual.read or usual.std, _SAME_LEVEL + surely * level.error
        if level.certain and abs(np.log(level.std / usual.std)) <= enough:
            like = usual.std
        found = seen = beside_signal(like_fit, level.std, like, signal, n_fitted) / like
        # What is in doubt of a level that is not certain is signal, which these rows have as the
        # training rows have, so that a lower one differs by more than the rows' own chance.
        chance = _SURELY * (2.0 * min(len(like_fit), n_fitted)) ** -0.5
        if not level.certain and np.log(found) < -max(np.log(LIKE), chance):
            enough = 0.0
        # A level that is not certain is an upper bound still, so that a lower one counts.
        other = abs(np.log(found)) > enough
        if other and (level.certain or found < 1.0):
            std, ratio = found * usual.std, found
        # Two guesses, of which the lower may still be far too high.
        clearly = 1.0 if usual.read else 1.0 / LIKE
        guesses = usual.strength < 1.0 and not level.certain and ratio < clearly
        if ratio < 1.0 and (level.is_bound or guesses):
            return Caution(std, 0.0, ratio, seen, level.certain)
    limited = Caution(std, has_spikes=usual.has_spikes)
    moved = limited.apply(rows, at_level(1.0)(rows)) - rows
    directions = max(int(np.count_nonzero(moved.any(axis=0))), 1)
    square = float(np.einsum("ij,ij->", moved, moved)) / len(rows)
    if ratio == 1.0 and square <= _TOO_FAR * directions * std**2:
        return replace(usual, seen_ratio=seen, is_certain=level.certain)
    probe = rng.choice((-1.0, 1.0), rows.shape)
    parts = (0.0,) if ratio == 1.0 else _PARTS
    tried = [
        (ratio**part, *_best_share(at_level(ratio**part), rows, limited, probe)) for part in parts
    ]
    goes_by, strength, risks = tried[0]
    for other, share, own in tried[1:]:
        gain = risks - own
        if gain.mean() > gain.std() / len(gain) ** 0.5:
            goes_by, strength, risks = other, share, own
    if ratio == 1.0:
        strength = min(strength, usual.strength)
    if ratio < 1.0:
        # The quieter the noise, the more of what is left for it is signal.
        strength *= IN_DOUBT if level.certain else IN_DOUBT**2
    told = {"has_spikes": usual.has_spikes, "of_signal": by_row}
    return Caution(std, strength, ratio, seen, level.certain, goes_by, **told)


def _best_share(
    denoise: Denoise, rows: FloatArray, limited: Caution, probe: FloatArray
) -> tuple[float, FloatArray]:
    """Return what displacements are to be multiplied by, and the change in risk of each row, (n,).

    Parameters
    ----------
    denoise : Denoise
    rows : ndarray, shape (n, p)
    limited : Caution
        What limits displacements.
    probe : ndarray, shape (n, p)
        Of ones and minus ones: the direction of the divergence.
    """
    near = rows + _STEP * (limited.std or 1.0) * probe
    cleaned, turned = denoise(rows), denoise(near)

    def moved(strength: float) -> tuple[FloatArray, FloatArray]:
        by = replace(limited, strength=strength)
        steps = by.apply(rows, cleaned) - rows
        turns = np.einsum("ij,ij->i", by.apply(near, turned) - near - steps, probe)
        return np.einsum("ij,ij->i", steps, steps), turns * (limited.std or 1.0) / _STEP

    square, turn = moved(1.0)
    share = float(np.clip(-turn.sum() / max(square.sum(), 1e-300), 0.0, _STRONGEST))
    # One that is longer than noise after that is shortened.
    found = []
    for strength in (share, min(share, 1.0)):
        square, turn = moved(strength)
        found.append((strength, square + 2.0 * turn))
    return min(found, key=lambda one: float(one[1].mean()))
