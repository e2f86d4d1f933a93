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
