"""How long the stages of a fit take, as far as the sizes of its arrays tell.

The factors are seconds of one core, as measured; only what they are to each other matters, for the
pace is measured while a fit runs (`stages`). So do the usual numbers of candidates.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ikpca_cli.data.threads import thread_count
from ikpca_cli.models.exact_spectrum import COMPONENTS
from ikpca_cli.selection.held_out import MANY_ROWS
from ikpca_cli.selection.stages import Stage

if TYPE_CHECKING:
    from ikpca_cli.selection.cross_validation import CrossValidation

SEARCHED, SEARCHED_WITH_SMOOTHERS, SEARCHED_LOW = 12.0, 7.0, 7.0
"""Gammas that a search tries: alone and in pairs, where smoothers join, and for low frequencies."""

REFINED, OF_AN_EXPANSION = 2.5, 1.5
"""Gammas that are tried once more on all rows, and that an expansion has in the end."""

_MOST_COMPARED, _USED_EACH = 384, 32  # components: of a comparison, and for each of few columns
_NARROW, _WIDE = 8, 50  # columns, between which noise takes as many directions as there are
_MORE_FITTED = 1.5  # times the rows of a comparison, to see how fast the risk falls
_MANY_DIRECTIONS = 2.0  # times as long by the directions that weights are found with
_CLEANINGS, _CLEANED = 6, 250  # looks at what a fit does to its rows, and rows in each


def search_stages(
    trial: CrossValidation,
    rough: CrossValidation | None,
    spectrum: float,
    shape: tuple[int, ...],
    *,
    surer: bool,
) -> list[Stage]:
    """Return what a search for gammas is expected to do, and a fit with what it finds.

    Parameters
    ----------
    trial, rough : CrossValidation
        The comparison on all rows that take part, and on fewer, if there is one.
    spectrum, shape
        As for `fit_stages`.
    surer : bool
        Whether weights are found with more directions in the end.
    """
    first, again = rough or trial, _seconds_of_gamma(trial)
    smoothers = trial.order is not None and (trial.order.down or trial.order.across)
    own, low = (SEARCHED_WITH_SMOOTHERS, SEARCHED_LOW) if smoothers else (SEARCHED, 0.0)
    stages = [Stage(first.stage, _seconds_of_gamma(first), own)]
    if rough is not None:
        stages.append(Stage(trial.stage, again, REFINED))
    stages.append(Stage(first.low_stage, _seconds_of_gamma(first), low))
    if rough is not None:
        stages.append(Stage(trial.low_stage, again, min(low, 1.0)))
    n_low = min(low, 1.0)
    last = OF_AN_EXPANSION + n_low
    if surer:
        stages.append(Stage("weighing", _MANY_DIRECTIONS * again, last))
    if len(trial.rows) >= MANY_ROWS:
        n_fitted = int(_MORE_FITTED * len(trial.trials[0].places))
        seconds = last * seconds_of_spectrum(n_fitted, shape[1]) / min(thread_count(), last)
        stages.append(Stage("estimating", seconds))
    return [*stages, *fit_stages(1.0, n_low, spectrum, shape)]


def fit_stages(n_own: float, n_low: float, spectrum: float, shape: tuple[int, ...]) -> list[Stage]:
    """Return what comes after the choice.

    Parameters
    ----------
    n_own, n_low : float
        Spectra of rows as they are, and of their low frequencies.
    spectrum : float
        Seconds that one takes.
    shape : tuple of int
        Of the rows.
    """
    rounds = math.ceil(n_own / thread_count()) + n_low
    checks = _CLEANINGS * _CLEANED * shape[0] * (3.2e-8 + 1e-10 * shape[1])
    return [
        Stage("eigenvectors", spectrum * rounds / (n_own + n_low), n_own + n_low),
        Stage("checking", checks),
    ]


def seconds_of_spectrum(n_samples: int, n_features: int) -> float:
    """Return how long the spectrum of so many rows takes."""
    used = _used(n_features)
    if 3 * used < n_samples and not _NARROW < n_features < _WIDE:  # by iteration
        return (3e-10 * used + 3e-8) * n_samples**2
    return 1.2e-10 * n_samples**3 + 6e-8 * n_samples**2


def seconds_on_landmarks(n_samples: int, n_landmarks: int, n_features: int) -> float:
    """Return how long the spectrum of rows takes in the span of some of them."""
    own = seconds_of_spectrum(n_landmarks, n_features)
    return own + (2.5e-8 + 5e-11 * _used(n_features)) * n_samples * n_landmarks


def _used(n_features: int) -> int:
    """Return how many components rows of a width have."""
    return min(COMPONENTS, _USED_EACH * n_features) if n_features <= _NARROW else COMPONENTS


def _seconds_of_gamma(comparison: CrossValidation) -> float:
    """Return how long it takes to learn from rows at one gamma, and to move those held out."""
    n_features, total = comparison.rows.shape[1], 0.0
    for trial in comparison.trials:
        n = len(trial.places)
        numbers = len(trial.held) * len(comparison.ways) * (1 + len(trial.tangents))
        used = min(n // 2, _MOST_COMPARED, _used(n_features))
        total += 3.5e-10 * n**2 * used
        total += (3.2e-9 + 5e-11 * n_features + 5e-12 * used) * numbers * n
    return total / thread_count()
