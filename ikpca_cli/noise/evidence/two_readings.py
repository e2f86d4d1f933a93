"""A level read twice: by directions without signal, and by high frequencies along rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.smoothing.detection import find_order
from ikpca_cli.noise.estimate import SAFE, NoiseLevel, Reading
from ikpca_cli.noise.evidence.power_law import FEWEST_COLUMNS, WhiteShare
from ikpca_cli.noise.high_frequencies import reading_of

_AGREES = 0.85  # of a certain level, that high frequencies have at least
_NEARLY = 0.1  # relative difference of levels that is no matter
_NOTHING_KNOWN = 0.5  # doubt of a reading by high frequencies that tells nothing
_SURELY = 2.0  # standard errors
_FAR_APART = 3.0  # of them: what tells more noise is of no use beyond


def checked_by(level: NoiseLevel, high: Reading) -> NoiseLevel:
    """Return the level by high frequencies where they tell it better, or by both if they agree."""
    if high.doubt > _NOTHING_KNOWN:
        return level
    if level.std is not None and level.certain and level.error > 0.0:
        both = _together(level, high)
        if both is not None:
            return both
    if level.std is not None and high.std > level.std * (1.0 + high.doubt + 2.0 * level.error):
        return level
    if level.std is not None and level.certain and high.std < _AGREES * level.std:
        return replace(level, certain=False)  # noise that is weaker at high frequencies, or signal
    return NoiseLevel(high.std, certain=True, error=high.doubt / 2.0)


def _together(level: NoiseLevel, high: Reading) -> NoiseLevel | None:
    """Return the mean of two readings, weighed by their precision; None where they do not agree.

    They are read off much the same noise, so that both together are no surer than the better one,
    and less sure where they are further apart than by chance (Birge, "The calculation of errors by
    the method of least squares", 1932). High frequencies that tell more may hold signal, or the
    other reading be too low.
    """
    assert level.std is not None
    errors = np.array([level.error, high.doubt / 2.0])
    apart = float(np.log(high.std / level.std))
    chance = float(np.hypot(*errors))
    if not -_SURELY < apart / chance < _FAR_APART:
        return None
    share = float(errors[0] / chance) ** 2
    error = float(errors.min()) * max(1.0, abs(apart) / chance)
    return replace(level, std=level.std * float(np.exp(share * apart)), error=error)


def beside_a_process(
    X: FloatArray, level: NoiseLevel, high: Reading | None, white: WhiteShare | None
) -> NoiseLevel:
    """Return the level of rows that may be signal at any frequency, and in any direction.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Centred.
    level : NoiseLevel
        By directions without signal.
    high : Reading or None
        By high frequencies along the rows.
    white : WhiteShare or None
        White noise at these.
    """
    if high is None or white is None:
        return _by_law(X, level)
    if white.may_be(1.0 / SAFE):
        agree = high.std < white.std * (1.0 + 2.0 * white.error + high.doubt)
        checked = checked_by(level, high)  # if too high, by no more than does no harm
        return checked if agree else replace(checked, certain=False)
    if not white.is_noise:
        return replace(level, certain=False, is_bound=True)
    return NoiseLevel(white.std, certain=True, error=white.error)


def _by_law(X: FloatArray, level: NoiseLevel) -> NoiseLevel:
    """Return the level of rows (n, p) by how signals, and pictures, fall off with frequency."""
    bound = replace(level, certain=False, is_bound=True)
    order = None if level.std is None else find_order(X, level.std**2)
    if level.std is None or order is None or not order.down:
        return bound
    if order.across:
        white = WhiteShare.of_picture(X, order)
    elif order.width == 1 and X.shape[1] >= FEWEST_COLUMNS:
        white = WhiteShare.of(X)
    else:
        return bound
    # How fast signal falls with frequency is not known: guesses. It falls faster over a plane.
    if white.fits and (white.is_noise if order.across else white.is_mostly_noise):
        hidden = 1.0 - white.least
        if level.certain and level.std < white.std * (1.0 + _NEARLY + white.error):
            return replace(level, certain=False, hidden=hidden)
        return NoiseLevel(min(white.std, level.std), False, error=white.error, hidden=hidden)
    reading = reading_of(order.forward(X)) if order.across else None
    if reading is not None:
        return NoiseLevel(reading.std, certain=False, error=reading.doubt / 2.0)
    return bound


def unsure(level: NoiseLevel, error: float) -> NoiseLevel:
    """Return the level with another error beside its own."""
    return replace(level, error=float(np.hypot(level.error, error)))


def unsure_by(level: NoiseLevel, white: WhiteShare) -> NoiseLevel:
    """Return the level with an error that has room for half of what another law of signal tells."""
    if level.std is None or not white.std > 0.0:
        return level
    apart = max(abs(float(np.log(white.std / level.std))) - 2.0 * white.error, 0.0) / 2.0
    return unsure(level, apart)
