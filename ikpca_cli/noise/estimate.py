"""What an estimate of the noise level is: a reading with its doubt, and the level made of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ikpca_cli.errors import Note

IN_DOUBT = 0.8
"""Share of displacements that is kept where the level is a guess, which is too high rather than too
low: with level c sigma it is safe up to c^2 = 2.5, and costs 4 % of what is gained if c is 1."""

SAFE = 2.0 / IN_DOUBT
"""The c^2 up to which it is safe."""

MANY_COLUMNS = 20
"""Up to this width signal may fill all directions; beyond it noise is told by how many it fills."""

_LEAST = 0.02
"""Standard error of an estimated risk, over the risk, that none is believed to be below."""

_SAME = 0.9
"""Share of what is removed from rows that the level was read off."""

_SURELY = 3.0
"""Standard errors that are no chance."""


def is_impossible(risk: float, error: float) -> bool:
    """Tell whether an estimated risk, of this standard error, is below zero by more than chance."""
    return risk < -_SURELY * error


@dataclass(frozen=True)
class Reading:
    """One estimator's upper bound of the noise level.

    Attributes
    ----------
    std : float
        Standard deviation, in the units of the data.
    doubt : float
        Share by which it has to be lower than a more precise reading to be believed instead:
        two relative standard errors.
    """

    std: float
    doubt: float

    @property
    def at_most(self) -> float:
        """What the level is below, but for chance: three standard errors."""
        return self.std * (1.0 + 1.5 * self.doubt)


def lowest_of(readings: list[Reading]) -> Reading:
    """Return the most precise of readings, the first, or a later one that is clearly lower."""
    best = readings[0]
    for reading in readings[1:]:
        if reading.std < best.std * (1.0 - reading.doubt):
            best = reading
    return best


@dataclass(frozen=True)
class NoiseLevel:
    """An estimate of the noise.

    Attributes
    ----------
    std : float or None
        Standard deviation in the units of the data; None where nothing looks like noise.
    certain : bool
        False where the signal may be as rough as the noise, so that the two cannot be told apart.
    is_bound : bool
        Whether noise may be far below the level: signal alone would look the same.
    error : float
        Relative standard error of `std`.
    remark : str
        What is odd about the rows, for the user; empty where nothing is.
    hidden : float
        Share of the squared level that may be signal, where the level is not certain.
    """

    std: float | None
    certain: bool
    is_bound: bool = False
    error: float = 0.0
    remark: str = ""
    hidden: float = 1.0

    @property
    def strength(self) -> float:
        """Share of displacements that is kept, for the level may be too high.

        With signal of variance h beside noise of 1 - h in what is taken for noise, a displacement
        of all of it times t leaves an error of ``t^2 h + (1 - t)^2 (1 - h)``. It is no more than
        that of the noise up to ``t = 2 (1 - h)``.
        """
        return 1.0 if self.certain else min(max(2.0 * (1.0 - self.hidden), IN_DOUBT), 1.0)

    def lowered(self, risk: float) -> NoiseLevel | None:
        """Return the level that an impossible risk, one below zero, leaves; None where that is far.

        In Stein's estimate the squared level counts at most once. So where no risk is below zero
        the squared level is lower by as much or more, and what is found is an upper bound still:
        a guess.

        Parameters
        ----------
        risk : float
            Mean squared error, in squared units of the level.
        """
        if self.std is None or self.std**2 + risk < self.std**2 / SAFE:
            return None
        return self._guess(self.std**2 + risk)

    def safely_low(self) -> NoiseLevel:
        """Return a guess of the level where more of its square may be signal than is safe."""
        return self._guess((self.std or 0.0) ** 2 / SAFE)

    def _guess(self, variance: float) -> NoiseLevel:
        return replace(self, std=variance**0.5, certain=False, hidden=1.0)

    def doubt_in_words(self, *, may_leave: bool = True) -> str:
        """Return why the level is not known for sure, and what is done; empty where it is certain.

        Where no more is done than may be, it is a note.

        Parameters
        ----------
        may_leave : bool
            Whether rows are left alone, or cleaned by less, where it is not.
        """
        if self.certain:
            return ""
        why = self.remark or "signal and noise cannot be told apart in these rows"
        left = ", so that rows are left as they are" if may_leave else ""
        if self.std is None:
            return f"the noise level cannot be estimated: {why}{left}"
        if self.is_bound:
            text = f"the noise level may be anything up to {self.std:.3g}: {why}{left}"
            return Note(text) if may_leave else text
        text = f"the noise level is a guess and may be too high: {why}"
        if not may_leave:
            return text
        less = 1.0 - self.strength
        return Note(text + (f", so that {less:.0%} less is removed" if less > 0.0 else ""))

    def risk_error(self, risk: float, error: float, n_numbers: float = math.inf) -> float:
        """Return the standard error of a risk, with that of the level.

        A denoiser that is best at noise of variance v has a risk of ``v (1 - b)``, of which Stein's
        estimate changes by ``1 - 2 b = 2 risk / v - 1`` for each unit of v. What is removed from
        the same rows is mostly the noise that the level was read off: where they hold more noise
        by chance, both are larger, and the difference stays. Of n p numbers, of which a share d
        told the level, this takes ``2 v^2 / (n p)`` times ``2 c - c^2 / d`` off the variance of
        the estimate, c being ``1 - 2 risk / v``.

        Parameters
        ----------
        risk : float
            Mean squared error, in squared units of the level.
        error : float
            Its standard error where the level is known.
        n_numbers : float
            Numbers in the rows that told the level, if the risk is that of the same rows.
        """
        if self.std is None or self.error == 0.0:
            return error
        variance = self.std**2
        share = min(max(risk / variance, 0.0), 1.0)
        slope = 1.0 - 2.0 * share
        alone = 2.0 * self.error * variance * slope
        shared = _SAME * 4.0 * variance**2 * max(slope, 0.0) / n_numbers
        # What no level tells: how much noise there is in what is kept.
        least = 2.0 * variance**2 * share**2 / n_numbers
        return float(max(error**2 + alone**2 - shared, least, (_LEAST * risk) ** 2) ** 0.5)
