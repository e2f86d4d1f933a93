"""How far the rows of one file may be moved, by its own noise.

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
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.caution import FEW_ROWS, LIKE, SOME_ROWS, Caution
from ikpca_cli.noise.estimate import IN_DOUBT
from ikpca_cli.noise.evidence.rounding import is_rounded
from ikpca_cli.noise.high_frequencies import PART, highest_reading
from ikpca_cli.noise.level import estimate_noise

_STRONGEST = 2.0  # times a displacement
_SAME_LEVEL = 0.1  # relative difference of levels that changes nothing
_TOO_FAR = 1.1  # mean squared displacement, over that of noise, that no good denoiser has
_SURELY, _LIKELY = 3.0, 2.0  # standard errors
_PARTS = (1.0, 0.75, 0.5, 0.0, 1.25)  # of a change of level, for a denoiser to go by
_MOST_HIDDEN = 0.6  # share of a level that may be signal
_MORE = 1.05  # times the level that single rows were brought to
_NONE = 1e-3  # of the level of the training rows: no noise to speak of
_DRAWS = 20  # of noise on a few rows
_STEP = 0.01  # of the probe, in units of the noise

Denoise: TypeAlias = Callable[[FloatArray], FloatArray]
"""Maps rows (n, p) to cleaned rows."""


def caution_of_file(
    at_level: Callable[[float], Denoise],
    rows: FloatArray,
    usual: Caution,
    rng: np.random.Generator,
    n_fitted: int = SOME_ROWS,
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
        # What signal there is in a level makes it higher, so that a lower one is believed sooner.
        surely = _LIKELY if level.is_bound or level.std < usual.std else _SURELY
        like, enough = usual.read or usual.std, _SAME_LEVEL + surely * level.error
        if level.certain and abs(np.log(level.std / usual.std)) <= enough:
            like = usual.std
        found = seen = level.std / like
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
        doubtful = level.is_bound or guesses or is_rounded(like_fit, std)
        if ratio < 1.0 and doubtful:
            return Caution(std, 0.0, ratio, seen, level.certain)
    known = Caution(std, 1.0, ratio, seen, level.certain, of_signal=by_row)
    return _of_least_risk(at_level, rows, usual, known, rng)


def caution_of_few_rows(
    at_level: Callable[[float], Denoise],
    rows: FloatArray,
    mean: FloatArray,
    usual: Caution,
    rng: np.random.Generator,
) -> Caution:
    """Return what displacements of fewer than `FEW_ROWS` rows are limited by.

    These do not tell their noise, but that it is quieter for sure: where they hold less than the
    usual noise at their highest frequencies, by which they are then cleaned, or where they change
    by less than they would with the usual noise (a parametric bootstrap), by which they stay as
    they are, for a part of what changes is signal.

    Parameters
    ----------
    at_level : callable
        As for `caution_of_file`.
    rows : ndarray, shape (n, p)
        All rows of the file.
    mean : ndarray, shape (p,)
        The means of the training rows.
    usual : Caution
        That of rows like the training rows.
    rng : numpy.random.Generator
        Draws the direction of the divergence, and noise.
    """
    if usual.std is None or usual.strength == 0.0:
        return usual
    highest = highest_reading(rows - mean)
    if highest is not None and LIKE * highest.at_most < usual.std:
        std = PART * highest.std
        found = Caution(std, 1.0, std / usual.std, std / usual.std)
        if found.level_ratio < _NONE:
            return replace(found, strength=0.0)
        return _of_least_risk(at_level, rows, usual, found, rng)
    clean = at_level(1.0)
    cleaned = clean(rows)
    places = (cleaned != rows).any(axis=0)  # constant columns have no noise
    noisy = cleaned + usual.std * places * rng.standard_normal((_DRAWS, *rows.shape))
    again = clean(noisy.reshape(-1, rows.shape[1])).reshape(noisy.shape)
    changes = np.mean((again - noisy) ** 2, axis=(1, 2))
    ratio = float(np.mean((cleaned - rows) ** 2) / max(float(changes.mean()), 1e-300)) ** 0.5
    if ratio * LIKE >= 1.0 or ratio**2 * changes.mean() >= changes.min():
        return usual
    return Caution(ratio * usual.std, 0.0, ratio, ratio)


def _of_least_risk(
    at_level: Callable[[float], Denoise],
    rows: FloatArray,
    usual: Caution,
    found: Caution,
    rng: np.random.Generator,
) -> Caution:
    """Return what was found of rows (n, p), with the strength and the level to go by."""
    std, ratio = found.std or 1.0, found.level_ratio
    limited = Caution(std, has_spikes=usual.has_spikes)
    moved = limited.apply(rows, at_level(1.0)(rows)) - rows
    directions = max(int(np.count_nonzero(moved.any(axis=0))), 1)
    square = float(np.einsum("ij,ij->", moved, moved)) / len(rows)
    if ratio == 1.0 and square <= _TOO_FAR * directions * std**2:
        return replace(usual, seen_ratio=found.seen_ratio, is_certain=found.is_certain)
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
        strength *= IN_DOUBT if found.is_certain else IN_DOUBT**2
    return replace(found, strength=strength, goes_by=goes_by, has_spikes=usual.has_spikes)


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
