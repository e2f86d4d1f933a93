"""How long the stages of a fit take, as far as the sizes of its arrays tell.

The factors are seconds of one core, as measured; only what they are to each other matters, for the
pace is measured while a fit runs (`stages`). So do the usual numbers of candidates.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ikpca_cli.data.threads import thread_count
from ikpca_cli.models.exact_spectrum import COMPONENTS
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.models.smoothing.smoothing_durations import of_learning, of_moving, of_trial
from ikpca_cli.selection.held_out import MANY_PROBES, MANY_ROWS, directions_of
from ikpca_cli.selection.stages import Grid, Stage

if TYPE_CHECKING:
    from ikpca_cli.selection.cross_validation import CrossValidation

SEARCHED, SEARCHED_LOW = 6.5, 7.0
"""Gammas that a search tries: for rows as they are, and for low frequencies."""

REFINED, OF_AN_EXPANSION = 3.0, 1.5
"""Gammas that are tried once more on all rows, and that an expansion has in the end."""

NARROW, WIDE = 8, 50
"""Columns, between which noise takes as many directions as there are."""

TRIED = 0.02
"""Seconds that trying a gamma takes for each fold, whatever the sizes."""

CHECKED = 8
"""Fits that tell the risk of what was chosen."""

_MOST_COMPARED, _USED_EACH = 384, 32  # components: of a comparison, and for each of few columns
_MORE_FITTED = 1.5  # times the rows of a comparison, to see how fast the risk falls
_MANY_DIRECTIONS = 1.4  # times as long by the directions that weights are found with
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


@dataclass(frozen=True)
class ExactDurations(Durations):
    """Those of kernel values.

    Attributes
    ----------
    n_landmarks : int or None
        Rows that stand for all, if some do.
    """

    n_landmarks: int | None = None

    def of_gamma(self, n_fitted: int, numbers: int, n_features: int) -> float:
        """Return those of one gamma, as `Durations` says."""
        used = min(n_fitted // 2, _MOST_COMPARED, _used(n_features))
        moved = (4.3e-9 + 7e-11 * n_features + 7e-12 * used) * numbers * n_fitted
        return 4.7e-10 * n_fitted**2 * used + moved

    def of_spectrum(self, n_samples: int, n_features: int) -> list[Stage]:
        """Return the stages of a spectrum, as `Durations` says."""
        if self.n_landmarks is None:
            return [Stage("eigenvectors", _of_exact_spectrum(n_samples, n_features))]
        used = _used(n_features)
        own = (3.2e-10 * used + 2.4e-8) * self.n_landmarks**2  # by iteration, whatever the width
        sums = (1.6e-8 + 3.3e-11 * used) * n_samples * self.n_landmarks
        return [Stage("features", own + sums), Stage("eigenvectors", own / 3.0)]

    def of_cleaning(self, n_samples: int, n_features: int) -> float:
        """Return those of one row, as `Durations` says."""
        return (self.n_landmarks or n_samples) * (7e-8 + 5e-11 * n_features)


@dataclass(frozen=True)
class FeatureDurations(Durations):
    """Those of random features.

    Attributes
    ----------
    n_rff, compared : int
        Features of a fit, and of a comparison.
    USED : int
        The most components.
    EIGENPAIRS : float
        Seconds for these, over the third power of their matrix's size.
    """

    USED: ClassVar[int] = 512
    EIGENPAIRS: ClassVar[float] = 1.4e-10

    n_rff: int
    compared: int

    def of_gamma(self, n_fitted: int, numbers: int, n_features: int) -> float:
        """Return those of one gamma, as `Durations` says."""
        used = min(n_fitted, self.USED)
        fitted = (3e-10 * n_features + 1e-10 * used) * n_fitted
        return (fitted + 2.2e-11 * (n_features + used) * numbers) * self.compared

    def of_spectrum(self, n_samples: int, n_features: int) -> list[Stage]:
        """Return the stages of a spectrum, as `Durations` says."""
        short, used = min(n_samples, self.n_rff), min(n_samples, self.USED)
        numbers = n_samples * self.n_rff
        summed = (2.5e-11 * short + 3e-10 * n_features) * numbers
        found, applied = self.EIGENPAIRS * short**3, 7e-11 * used * numbers
        if n_samples > self.n_rff:
            return [Stage("features", summed + found)]
        return [Stage("features", summed), Stage("components", found + applied)]

    def of_cleaning(self, n_samples: int, n_features: int) -> float:
        """Return those of one row, as `Durations` says."""
        return 4e-10 * self.n_rff * (n_features + min(n_samples, self.USED))


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
    smoothers = trial.order is not None and (trial.order.down or trial.order.across)
    low = SEARCHED_LOW if smoothers else 0.0
    stages = [Stage(first.stage, durations.of_comparison(first), SEARCHED)]
    if rough is not None:
        stages.append(Stage(trial.stage, again, REFINED))
    stages.append(Stage(first.low_stage, durations.of_comparison(first), low))
    if rough is not None:
        stages.append(Stage(trial.low_stage, again, min(low, 1.0)))
    last = last_stages(
        trial, durations, shape, n_own=OF_AN_EXPANSION, n_low=int(low > 0.0), surer=surer
    )
    return stages + last


def last_stages(
    trial: CrossValidation,
    durations: Durations,
    shape: tuple[int, ...],
    *,
    n_own: float,
    n_low: int,
    surer: bool,
) -> list[Stage]:
    """Return what is left where the gammas are known, as for `search_stages`.

    Parameters
    ----------
    trial, durations, shape, surer
        As there.
    n_own : float
        Gammas for rows as they are.
    n_low : int
        Those for their low frequencies.
    """
    first, stages = trial.trials[0], []
    if surer:
        directions = directions_of(trial.n_held, shape[1], MANY_PROBES)
        sizes = len(first.places), trial.n_held, directions
        stages.append(Stage("smoothing", of_trial(trial.order, *sizes) / thread_count()))
        seconds = _MANY_DIRECTIONS * durations.of_comparison(trial)
        stages += [Stage("weighing", seconds, n_own)]
        stages += [Stage("weighing low frequencies", seconds, n_low)]
    numbers = len(first.held) * (1 + len(first.tangents)) * OF_AN_EXPANSION
    times = _MORE_FITTED if len(trial.rows) >= MANY_ROWS else 1.0
    seconds = durations.of_gamma(int(times * len(first.places)), int(numbers), shape[1])
    seconds *= math.ceil((n_own + n_low) / thread_count())
    seconds += of_trial(trial.order, len(first.places), len(first.held), len(first.tangents))
    stages.append(Stage("estimating", seconds))
    counts = {"n_own": math.floor(n_own), "n_low": n_low}
    return [*stages, *fit_stages(durations, shape, **counts, order=trial.order)]


def fit_stages(
    durations: Durations,
    shape: tuple[int, ...],
    *,
    n_own: int,
    n_low: int,
    order: RowOrder | None = None,
) -> list[Stage]:
    """Return what comes after the choice.

    Parameters
    ----------
    durations : Durations
    shape : tuple of int
        Of the rows.
    n_own, n_low : int
        Spectra of rows as they are, and of their low frequencies.
    order : RowOrder or None
        Along the rows, if it is known.
    """
    spectrum = durations.of_spectrum(shape[0], shape[1])
    own = spectrum * n_own
    if spectrum[0].name == "eigenvectors" and len(spectrum) == 1:  # several at a time
        rounds = math.ceil(n_own / thread_count())
        own = [Stage("eigenvectors", spectrum[0].seconds * rounds / n_own, n_own)]
    beside = [] if order is None else [Stage("smoothing", of_learning(order, shape[0]))]
    checks = _CLEANINGS * _CLEANED * durations.of_cleaning(shape[0], shape[1])
    checks += of_moving(order, 2 * _CLEANED)
    return [*own, *beside, *spectrum * n_low, Stage("checking", checks)]


def _of_exact_spectrum(n_samples: int, n_features: int) -> float:
    """Return how long the spectrum of so many rows takes."""
    used = _used(n_features)
    if 3 * used < n_samples and not NARROW < n_features < WIDE:  # by iteration
        return (3e-10 * used + 7e-8) * n_samples**2
    return 2.2e-10 * n_samples**3 + 6e-8 * n_samples**2


def _used(n_features: int) -> int:
    """Return how many components rows of a width have."""
    return min(COMPONENTS, _USED_EACH * n_features) if n_features <= NARROW else COMPONENTS
