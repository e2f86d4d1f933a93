"""How long the stages of a fit take, as far as the sizes of its arrays tell.

The factors are seconds of one core, as measured; only what they are to each other matters, for the
pace is measured while a fit runs (`stages`). So do the usual numbers of candidates.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

from ikpca_cli.data.first_pass import SAMPLE_ROWS
from ikpca_cli.data.row_source import Progress
from ikpca_cli.data.threads import thread_count
from ikpca_cli.models.preimage import all_iterations
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.models.smoothing.smoothing_durations import of_learning, of_moving, of_trial
from ikpca_cli.selection.held_out import (
    FEWER_ROWS,
    MANY_PROBES,
    MORE_ROWS,
    PROBES,
    ROUGH_ROWS,
    ROUGH_STEPS,
    directions_of,
    enough_at_first,
    fold_sizes,
    folds_of,
)
from ikpca_cli.selection.outcome import LOW_FREQUENCIES
from ikpca_cli.selection.stages import Grid, Stage, expect

NARROW = 8
"""Columns up to which rows have few directions."""

CHECKED = 8
"""Fits that tell the risk of what was chosen."""

_SEARCHED, _REFINED, _OWN = 6.5, 2.5, 1.2  # gammas: tried, tried again, and taken
_BANDS, _SEARCHED_LOW, _LOW = 1.4, 5.0, 0.6  # of low frequencies; tried in each; models in the end
_TRIED = 0.003  # seconds that trying a gamma takes for each fold, whatever the sizes
_MANY_DIRECTIONS = 1.4  # times a comparison, if weights are found with more directions
_CLEANINGS, _CLEANED = 6, 250  # looks at what a fit does to its rows, and rows in each
_NOISE_EACH = 2.6e-6  # seconds for each number, to tell what noise is like
_NOISE_ROWS = 1000  # that are looked at for that
_LEVEL_EACH, _LEVEL_NARROW = 1.2e-8, 1e-4  # to tell its level: of two rows, of a short row


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

    def with_components(self, count: int) -> Durations:
        """Return what is known where a comparison has found so many components.

        Parameters
        ----------
        count : int
        """
        return self

    def of_variant(self, n_fitted: int, n_features: int) -> float:
        """Return those of another ridge, or number of components, for a fit to some rows."""
        return 0.0

    @abstractmethod
    def of_spectrum(self, n_samples: int, n_features: int) -> list[Stage]:
        """Return the stages of a spectrum of all rows."""

    @abstractmethod
    def of_cleaning(self, n_samples: int, n_features: int) -> float:
        """Return those of cleaning one row with a fit to so many."""


def grid_stages(grid: Grid, durations: Durations) -> list[Stage]:
    """Return what a search of a grid is expected to do, and a fit with what it finds."""
    n_fitted, n_held, n_gammas, ways, shape = grid
    variant = durations.of_variant(n_fitted, shape[1])
    # A risk takes two looks at each row, a little apart.
    gamma = durations.of_gamma(n_fitted, 2 * n_held * ways, shape[1]) + ways * variant
    checked = durations.of_gamma(n_fitted, 2 * n_held, shape[1]) + variant
    choosing = Stage("choosing", gamma * n_gammas), Stage("estimating", checked, CHECKED)
    return [*choosing, *fit_stages(durations, shape, n_own=1, n_low=0)]


@dataclass(frozen=True)
class SearchPlan:
    """What a choice of gammas is expected to do, and a fit with what it finds.

    Attributes
    ----------
    durations : Durations
    shape : tuple of int
        Of the rows.
    most, enough : int
        Rows on which gammas are compared, and held-out numbers that are enough.
    order : RowOrder or None
        Along the rows: as it is, or as it may be.
    searched, refined, own : float
        Gammas that are tried, that are tried again on all rows, and that are taken.
    bands, low : float
        Bands of low frequencies that are looked at, and models of these that are taken.
    smoothed, chosen : bool
        Whether smoothers have been tried, and whether all that is left is the fit.
    """

    durations: Durations
    shape: tuple[int, int]
    most: int
    enough: int
    order: RowOrder | None
    searched: float = _SEARCHED
    refined: float = _REFINED
    own: float = _OWN
    bands: float = _BANDS
    low: float = _LOW
    smoothed: bool = False
    chosen: bool = False

    def first_stages(self) -> list[Stage]:
        """Return what comes before the choice."""
        n_samples, n_features = self.shape
        noise = _NOISE_EACH * min(n_samples, _NOISE_ROWS) * n_features
        looked_at = min(n_samples, SAMPLE_ROWS)
        level = (_LEVEL_EACH * looked_at + _LEVEL_NARROW * (n_features <= NARROW)) * looked_at
        return [Stage("noise", noise), Stage("level", level)]

    def stages(self) -> list[Stage]:
        """Return what is left of the choice, and the fit."""
        needed, held, n_fitted = self._sizes
        n_held, n_features = needed * held, self.shape[1]
        ordered = self.order is not None and (self.order.down or self.order.across)
        low, searched_low = self.low * ordered, self.bands * ordered * _SEARCHED_LOW
        last = fit_stages(self.durations, self.shape, n_own=self.own, n_low=low, order=self.order)
        if self.chosen:
            return last
        again = self._comparison(len(all_iterations()))
        enough = enough_at_first(self._count, n_held, n_features)
        if enough is None:
            found = [_compared("refining", again, self.searched, searched_low)]
        else:
            few = replace(self, most=ROUGH_ROWS, enough=enough)
            first = few._comparison(len(all_iterations(numbers=ROUGH_STEPS)))
            found = [
                _compared("choosing", first, self.searched, searched_low),
                _compared("refining", again, self.refined, low * (self.bands > 0)),
            ]
        stages = [*self._smoothing(), *(own for own, _ in found), *(below for _, below in found)]
        known, wanted = (
            directions_of(n_held, n_features, probes) for probes in (PROBES, MANY_PROBES)
        )
        if wanted > known:
            seconds = of_trial(self.order, n_fitted, n_held, wanted) / thread_count()
            stages.append(Stage("smoothing", seconds))
            stages += _compared("weighing", _MANY_DIRECTIONS * again, self.own, low)
        more = max(min(self.shape[0], SAMPLE_ROWS) - held, n_fitted)
        other = more if more >= MORE_ROWS * n_fitted else int(FEWER_ROWS * n_fitted)
        seconds = self.durations.of_gamma(other, int(held * (1 + known) * _OWN), n_features)
        seconds *= math.ceil((self.own + low) / thread_count())
        seconds += of_trial(self.order, n_fitted, held, known)
        return [*stages, Stage("estimating", seconds), *last]

    def _smoothing(self) -> list[Stage]:
        """Return what comes before gammas are compared."""
        needed, held, n_fitted = self._sizes
        groups = 1 if needed <= 2 else 2  # of two folds each, whose windows are learned together
        seconds = groups * of_learning(self.order, n_fitted) / min(groups, thread_count())
        seconds += of_trial(self.order, n_fitted, needed * held, 1)
        return [] if self.smoothed else [Stage("smoothing", seconds)]

    @property
    def _count(self) -> int:
        """Rows that take part."""
        return min(self.shape[0], self.most)

    @property
    def _sizes(self) -> tuple[int, int, int]:
        """Folds that are held out, rows of each that are cleaned, and rows of a fit beside them."""
        count = self._count
        fitted = count - math.ceil(count / folds_of(count))
        return *fold_sizes(count, self.shape[1], self.enough), fitted

    def _comparison(self, ways: int) -> float:
        """Return the seconds that trying a gamma takes."""
        needed, held, fitted = self._sizes
        n_features = self.shape[1]
        numbers = held * ways * (1 + directions_of(needed * held, n_features, PROBES))
        each = _TRIED + self.durations.of_gamma(fitted, numbers, n_features)
        return needed * each / thread_count()


class Outlook:
    """A plan that gets narrower while a choice goes on, and whom to tell.

    Parameters
    ----------
    progress : callable
    plan : SearchPlan or None
        None if nothing is known.
    """

    def __init__(self, progress: Progress, plan: SearchPlan | None) -> None:
        self._progress, self._plan = progress, plan

    def narrow(self, components: int | None = None, **known: Any) -> None:
        """Tell what is left with what is `known` by now, of the plan and of its components."""
        if self._plan is not None:
            if components is not None:
                known["durations"] = self._plan.durations.with_components(components)
            self._plan = replace(self._plan, **known)
            expect(self._progress, self._plan.stages())


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
    cleaned = min(_CLEANED, shape[0])
    checks = (n_own + n_low) * _CLEANINGS * cleaned * durations.of_cleaning(shape[0], shape[1])
    checks += of_moving(order, 2 * cleaned)
    return [*own, *beside, *_times(spectrum, n_low), Stage("checking", checks)]


def _compared(name: str, seconds: float, own: float, low: float) -> tuple[Stage, Stage]:
    """Return the stages that try gammas for rows as they are, and for low frequencies."""
    return Stage(name, seconds, own), Stage(f"{name} {LOW_FREQUENCIES}", seconds, low)


def _times(stages: list[Stage], count: float) -> list[Stage]:
    """Return stages that come so many times, a last time in part."""
    part = count - math.floor(count)
    more = [stage._replace(seconds=part * stage.seconds) for stage in stages if part]
    return stages * math.floor(count) + more
