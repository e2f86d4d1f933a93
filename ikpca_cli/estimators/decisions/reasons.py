"""Why a fit promises no error."""

from __future__ import annotations

UNSURE = "these rows tell it too roughly"
"""The reason for which no error is promised, though the noise is what it is taken for."""

WITHHELD = (
    "",
    "the noise level is a guess",
    "the noise level is not known",
    UNSURE,
    "it would be below zero",
    "rows were added",
    "the noise is not of one kind and level",
    "all rows hold one oscillation, which may be hum",
    "rough signal may pass for noise that is correlated along the row",
    "values are left out that may be signal",
    "what is taken for noise is alike in neighbours along the row",
    "all that rows differ by is taken for noise",
    "numbers are rounded to steps as large as the noise",
    "each row has a noise level of its own, in which signal may hide",
)
"""Reasons for which a fit promises no error."""

GUESS = 1  # that of them where the level is not certain

OF_NOISE = (1, 2, 6, 7, 8, 9, 10, 11, 12, 13)
"""Those of them that hold for other rows as well, as they are about the noise."""

LEVEL_OF_SIGNAL = (1, 6, 10)
"""Those of them where what was taken for the noise level may be that of signal."""
