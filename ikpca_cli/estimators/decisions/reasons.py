"""Why a fit promises no error."""

from __future__ import annotations

from enum import IntEnum


class Reason(IntEnum):
    """Why a fit promises no error, a number that model files keep; `NONE` where it promises one.

    Attributes
    ----------
    words : str
        The same for people.
    """

    words: str

    def __new__(cls, value: int, words: str = "") -> Reason:
        """Return a number that has words."""
        reason = int.__new__(cls, value)
        reason._value_, reason.words = value, words
        return reason

    NONE = 0, ""
    GUESS = 1, "the noise level is a guess"
    NOT_KNOWN = 2, "the noise level is not known"
    UNSURE = 3, "these rows tell it too roughly"
    BELOW_ZERO = 4, "it would be below zero"
    ROWS_ADDED = 5, "rows were added"
    OTHER_NOISE = 6, "the noise is not of one kind and level"
    HUM = 7, "all rows hold one oscillation, which may be hum"
    ROUGH_SIGNAL = 8, "rough signal may pass for noise that is correlated along the row"
    LEFT_OUT = 9, "values are left out that may be signal"
    ALIKE = 10, "what is taken for noise is alike in neighbours along the row"
    ALONE = 11, "all that rows differ by is taken for noise"
    ROUNDED = 12, "numbers are rounded to steps as large as the noise"
    BY_ROW = 13, "each row has a noise level of its own, in which signal may hide"


OF_NOISE = frozenset(Reason) - {
    Reason.NONE,
    Reason.UNSURE,
    Reason.BELOW_ZERO,
    Reason.ROWS_ADDED,
}
"""Those of them that hold for other rows as well, as they are about the noise."""

LEVEL_OF_SIGNAL = frozenset({Reason.GUESS, Reason.OTHER_NOISE, Reason.ALIKE})
"""Those of them where what was taken for the noise level may be that of signal."""
