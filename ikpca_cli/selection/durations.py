"""How long the stages of a fit take, as far as the sizes of its arrays tell.

The factors are seconds of one core, as measured; only what they are to each other matters, for the
pace is measured while a fit runs (`stages`). So do the usual numbers of candidates.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from ikpca_cli.data.threads import thread_count
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.models.smoothing.smoothing_durations import of_learning, of_moving, of_trial
from ikpca_cli.selection.held_out import MANY_PROBES, MANY_ROWS, directions_of
from ikpca_cli.selection.stages import Grid, Stage

if TYPE_CHECKING:
    from ikpca_cli.selection.cross_validation import CrossValidation

SEARCHED, SEARCHED_LOW = 6.5, 7.0
"""Gammas that a search tries: for rows as they are, and for low frequencies."""

REFINED, OF_AN_EXPANSION, LOW_OF_AN_EXPANSION = 2.5, 1.4, 0.6
"""Gammas that are tried once more on all rows, that an expansion has in the end, and its models of
low frequencies, where rows have an order."""

NARROW = 8
"""Columns up to which rows have few directions."""

MANY_DIRECTIONS = 1.4
"""Times as long as a comparison takes that of the directions that weights are found with."""

TRIED = 0.02
"""Seconds that trying a gamma takes for each fold, whatever the sizes."""

CHECKED = 8
"""Fits that tell the risk of what was chosen."""

_MORE_FITTED = 1.5  # times the rows of a comparison, to see how fast the risk falls
_CLEANINGS, _CLEANED = 6, 250  # looks at what a fit does to its rows, and rows in each


class Durations(ABC):
    """Seconds of one core that a kind of pre-image takes."""

    @abstractmethod
    def of_gamma(self, n_fitted: int, numbers: int, n_features: int) -> float:
        """Return those of learning from some rows at one gamma, and of moving others.

        Parameters
        ----------
        n_fitted : int
            Rows to learn from.
        numbers : int
            Rows to move, times the ways and directions in which they are.
        n_features : int
            Columns.
        """

    def of_variant(self, n_fitted: int, n_features: int) -> float:
        """Return those of another ridge, or number of components, for a fit to some rows."""
        return 0.0

    @abstractmethod
    def of_spectrum(self, n_samples: int, n_features: int) -> list[Stage]:
        """Return the stages of a spectrum of all rows."""

    @abstractmethod
    def of_cleaning(self, n_samples: int, n_features: int) -> float:
        """Return those of cleaning one row with a fit to so many."""

    def of_comparison(self, comparison: CrossValidation) -> float:
        """Return those of trying a gamma, on as many cores as there are."""
        n_features, total = comparison.rows.shape[1], 0.0
        for trial in comparison.trials:
            numbers = len(trial.held) * len(comparison.ways) * (1 + len(trial.tangents))
            total += TRIED + self.of_gamma(len(trial.places), numbers, n_features)
        return total / thread_count()


def grid_stages(grid: Grid, durations: Durations) -> list[Stage]:
    """Return what a search of a grid is expected to do, and a fit with what it finds."""
    n_fitted, n_held, n_gammas, ways, shape = grid
    variant = durations.of_variant(n_fitted, shape[1])
    # A risk takes two looks at each row, a little apart.
    gamma = durations.of_gamma(n_fitted, 2 * n_held * ways, shape[1]) + ways * variant
    checked = durations.of_gamma(n_fitted, 2 * n_held, shape[1]) + variant
    choosing = Stage("choosing", gamma * n_gammas), Stage("estimating", checked, CHECKED)
    return [*choosing, *fit_stages(durations, shape, n_own=1, n_low=0)]


def search_stages(
    trial: CrossValidation,
    rough: CrossValidation | None,
    durations: Durations,
    shape: tuple[int, ...],
    *,
    surer: bool,
) -> list[Stage]:
    """Return what a search for gammas is expected to do, and a fit with what it finds.

    Parameters
    ----------
    trial, rough : CrossValidation
        The comparison on all rows that take part, and on fewer, if there is one.
    durations : Durations
    shape : tuple of int
        Of the rows.
    surer : bool
        Whether weights are found with more directions in the end.
    """
    first, again = rough or trial, durations.of_comparison(trial)
    stages = [Stage(first.stage, durations.of_comparison(first), SEARCHED)]
    if rough is not None:
        stages.append(Stage(trial.stage, again, REFINED))
    return [
        *stages,
        *low_stages(trial, rough, durations, shape, n_own=OF_AN_EXPANSION, surer=surer),
    ]


def low_stages(
    trial: CrossValidation,
    rough: CrossValidation | None,
    durations: Durations,
    shape: tuple[int, ...],
    *,
    n_own: float,
    surer: bool,
) -> list[Stage]:
    """Return what is left where the gammas for rows as they are are known.

    Parameters
    ----------
    trial, rough, durations, shape, surer
        As for `search_stages`.
    n_own : float
        How many these are.
    """
    first, order = rough or trial, trial.order
    low = SEARCHED_LOW if order is not None and (order.down or order.across) else 0.0
    stages = [Stage(first.low_stage, durations.of_comparison(first), low)]
    if rough is not None:
        stages.append(Stage(trial.low_stage, durations.of_comparison(trial), min(low, 1.0)))
    n_low = LOW_OF_AN_EXPANSION if low else 0.0
    last = last_stages(trial, durations, shape, n_own=n_own, n_low=n_low, surer=surer)
    return [*stages, *last]


def last_stages(
    trial: CrossValidation,
    durations: Durations,
    shape: tuple[int, ...],
    *,
    n_own: float,
    n_low: float,
    surer: bool,
) -> list[Stage]:
    """Return what is left where the gammas are known, as for `search_stages`.

    Parameters
    ----------
    trial, durations, shape, surer
        As there.
    n_own : float
        Gammas for rows as they are.
    n_low : float
        Those for their low frequencies.
    """
    first, stages = trial.trials[0], []
    if surer:
        directions = directions_of(trial.n_held, shape[1], MANY_PROBES)
        sizes = len(first.places), trial.n_held, directions
        stages.append(Stage("smoothing", of_trial(trial.order, *sizes) / thread_count()))
        seconds = MANY_DIRECTIONS * durations.of_comparison(trial)
        stages += [Stage("weighing", seconds, n_own)]
        stages += [Stage("weighing low frequencies", seconds, n_low)]
    numbers = len(first.held) * (1 + len(first.tangents)) * OF_AN_EXPANSION
    times = _MORE_FITTED if len(trial.rows) >= MANY_ROWS else 1.0
    seconds = durations.of_gamma(int(times * len(first.places)), int(numbers), shape[1])
    seconds *= math.ceil((n_own + n_low) / thread_count())
    seconds += of_trial(trial.order, len(first.places), len(first.held), len(first.tangents))
    stages.append(Stage("estimating", seconds))
    last = fit_stages(durations, shape, n_own=n_own, n_low=n_low, order=trial.order)
    return [*stages, *last]


def fit_stages(
    durations: Durations,
    shape: tuple[int, ...],
    *,
    n_own: float,
    n_low: float,
    order: RowOrder | None = None,
) -> list[Stage]:
    """Return what comes after the choice.

    Parameters
    ----------
    durations : Durations
    shape : tuple of int
        Of the rows.
    n_own, n_low : float
        Spectra of rows as they are, and of their low frequencies, as many as are likely.
    order : RowOrder or None
        Along the rows, if it is known.
    """
    spectrum = durations.of_spectrum(shape[0], shape[1])
    own = _times(spectrum, n_own)
    if len(spectrum) == 1:  # several at a time
        seconds = max(n_own / thread_count(), 1.0) * spectrum[0].seconds
        own = [Stage(spectrum[0].name, seconds / n_own, n_own)]
    beside = [] if order is None else [Stage("smoothing", of_learning(order, shape[0]))]
    checks = _CLEANINGS * _CLEANED * durations.of_cleaning(shape[0], shape[1])
    checks += of_moving(order, 2 * _CLEANED)
    return [*own, *beside, *_times(spectrum, n_low), Stage("checking", checks)]


def _times(stages: list[Stage], count: float) -> list[Stage]:
    """Return stages that come so many times, a last time in part."""
    part = count - math.floor(count)
    more = [stage._replace(seconds=part * stage.seconds) for stage in stages if part]
    return stages * math.floor(count) + more
