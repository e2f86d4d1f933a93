"""What else is asked of a noise level that was read off rows of few columns.

Signal may fill all of their directions, so that equal variances may be those of noise or of signal.
Its third moments, the lengths of rows, and the laws of its columns tell them apart.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.noise.evidence.normal_part import is_more_than_noise
from ikpca_cli.noise.evidence.third_moments import ThirdMoments
from ikpca_cli.noise.row_lengths import RowLengths

FEW_COLUMNS = 8
"""Up to this width signal fills the space, and only small neighbourhoods tell it from noise."""

FEWEST_COLUMNS = 4
"""With fewer, any surface fills the space."""

FEW_OF_LAWS = 50
"""Fewer rows of few columns are as normal as noise, whatever they are."""

FEWEST = 3
"""Directions without signal that can be compared."""

WIDE_GAP, CLEAR_GAP = 2.0, 5.0
"""Gap between noise and the least signal; and the same where rows, or directions of noise, are
few."""

_CHANCE = 0.12  # that directions are equal, of which nothing is certain
_SAFE = 0.3  # of third moments, that signal in up to twice the share has
_SURELY, _LIKELY = 2.0, 1.0  # standard errors


def are_by_chance(spectrum: Eigenvalues) -> bool:
    """Tell whether the quietest directions may well be equal in variance by chance."""
    return spectrum.chance(spectrum.plateau()) > _CHANCE


def by_third_moments(level: NoiseLevel, X: FloatArray, spectrum: Eigenvalues) -> NoiseLevel:
    """Return the level of rows of few columns with what third moments tell of the signal in it.

    A guess does no harm if up to three fifths of its square are signal (`IN_DOUBT`). Directions
    of nothing but signal may differ in third moments by two.
    """
    if level.std is None or level.remark:
        return level
    quiet = max(1, int(np.count_nonzero(spectrum.variances <= level.std**2)))
    found = ThirdMoments.of(X, spectrum, quiet)
    is_guess = not level.certain and not level.is_bound
    if not found.are_seen:
        plateau = spectrum.plateau()
        apart = WIDE_GAP if plateau >= FEWEST else CLEAR_GAP
        equal_by_chance = is_guess and spectrum.gap(plateau) < apart
        return replace(level, is_bound=True) if equal_by_chance else level
    if level.certain:
        is_signal = found.least(_SURELY) > _SAFE
        return replace(level, certain=False, is_bound=True) if is_signal else level
    is_bound = found.least(_LIKELY) > _SAFE if is_guess else found.most(_SURELY) > _SAFE
    return replace(level, is_bound=is_bound)


def bound_by_evenness(level: NoiseLevel, X: FloatArray, spectrum: Eigenvalues) -> NoiseLevel:
    """Return the level of rows of few columns, a bound where their lengths are too even for noise.

    No guess is made of directions that are equal in variance, but in which rows are of more even
    lengths than those of normal noise: columns that are spread evenly, or hold a few values each.
    """
    if level.std is None or level.is_bound or level.certain or X.shape[1] <= FEWEST_COLUMNS:
        return level
    plateau = spectrum.plateau()
    lengths = RowLengths.of(X, spectrum, len(spectrum.variances) - plateau)
    is_signal = plateau > 1 and lengths.are_more_even()
    return replace(level, is_bound=True) if is_signal else level


def bound_by_laws(level: NoiseLevel, X: FloatArray, spectrum: Eigenvalues) -> NoiseLevel:
    """Return the level of rows of few columns, a bound where their laws say that it is signal.

    A column is no less normal than its noise. Few rows tell so little of laws that noise has to
    stand far below the signal, in most directions. In real tables of few columns a guess is wrong
    as often as not.
    """
    if level.std is None or level.is_bound:
        return level
    plateau, size = spectrum.plateau(), len(spectrum.variances)
    is_clear = size <= 2 * plateau < 2 * size and spectrum.gap(plateau) >= CLEAR_GAP
    is_little = len(X) < FEW_OF_LAWS and not is_clear
    is_guess = not level.certain and plateau < FEWEST
    is_guess &= FEWEST_COLUMNS <= size <= FEW_COLUMNS  # with three, any surface fills the space
    if not (is_little or is_guess or is_more_than_noise(X, level.std)):
        return level
    return replace(level, certain=False, is_bound=True)
