"""What an estimate of the noise level is: a reading with its doubt, and the level made of them."""

from __future__ import annotations

from dataclasses import dataclass


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
    """

    std: float | None
    certain: bool
    is_bound: bool = False
    error: float = 0.0
    remark: str = ""

    def doubt_in_words(self) -> str:
        """Return what a user has to know of the level, empty where it is certain."""
        if self.certain:
            return ""
        why = self.remark or "signal and noise cannot be told apart in these rows"
        if self.std is None:
            return (
                f"the noise level cannot be estimated: {why}; give it (--noise-std) if you know it"
            )
        if self.is_bound:
            return (
                f"the noise level cannot be told: {why}, and it may be anything up to "
                f"{self.std:.3g}. They are left as they are: give it (--noise-std) if you know it"
            )
        return (
            f"the noise level {self.std:.3g} is a guess: {why}. Less is removed than could be, and "
            "no error is promised: give it (--noise-std) if you know it"
        )

    def risk_error(self, risk: float) -> float:
        """Return the standard error that this one's makes in a risk.

        A denoiser that is best at noise of variance v has a risk of ``v (1 - b)``, of which Stein's
        estimate changes by ``1 - 2 b = 2 risk / v - 1`` for each unit of v.
        """
        if self.std is None:
            return 0.0
        variance = self.std**2
        return 2.0 * self.error * variance * abs(2.0 * risk / variance - 1.0)
