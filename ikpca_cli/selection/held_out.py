"""Rows to choose with: a sample without duplicates, folds of it, and what held-out rows become.

Both searches take their rows from here. A row that is held out must not have a duplicate among the
others; where rows all show one signal it should become the mean of the other held-out rows, whose
noise it does not share; where clean rows are known, these.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.duplicates import without_duplicates
from ikpca_cli.data.first_pass import selection_rows
from ikpca_cli.data.row_source import FloatArray, RowSource
from ikpca_cli.data.threads import parallel_map
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.models.smoothing.row_windows import WindowModel
from ikpca_cli.selection.choice import Oracle

FOLDS = 4
MANY_ROWS = 1200
"""From this number of rows on two folds do: half of them is enough to fit on."""

ENOUGH = 100_000
"""Held-out numbers after which further folds add little to the risk estimate."""

FEWEST_HELD, MANY_HELD = 200, 500
"""Rows that are held out at least, and those of one fold that are enough if their numbers are."""

MORE_ROWS, FEWER_ROWS = 1.2, 2.0 / 3.0
"""Times the rows of a fit that show how fast the risk falls: so many at least, or else fewer."""

PROBES, MANY_PROBES = 12_000, 100_000
"""Numbers in the random directions of the divergence: to compare gammas, and for weights."""

ROUGH_ROWS, ROUGH_STEPS = 600, (1, 2)
"""Rows, and numbers of steps, by which gammas are told apart before the best are compared on all
rows that take part."""

_ROUGH_HELD, _ROUGH_ENOUGH = 300, 6000  # the least held-out rows, and numbers in them, for that
_ROUGH_FROM, _ROUGH_SHARE = 1.3, 2  # times as many rows must take part, or be held out, to save
_COLUMNS_EACH = 8  # for each direction, unless they are few


@dataclass(frozen=True)
class Trial:
    """Places of rows to fit on, rows to clean, and what these should become.

    Without a reference the error is estimated, by directions and the mean squared noise before.
    Windows of rows that are not held out may have been learned from, too.
    """

    places: NDArray[np.intp]
    held: FloatArray
    reference: FloatArray | None
    tangents: list[FloatArray] = field(default_factory=list)
    before: float = 0.0
    windows: WindowModel | None = None

    @property
    def error(self) -> FloatArray | None:
        """Error of the rows (m, p), where it is known."""
        return None if self.reference is None else self.held - self.reference

    @property
    def mean_squares(self) -> FloatArray:
        """Mean squared error of each row, (m,)."""
        if self.error is None:
            return np.full(len(self.held), self.before)
        squares: FloatArray = np.mean(self.error**2, axis=1)
        return squares


def sample_of(X: RowSource, most: int, seed: int) -> FloatArray:
    """Return at most `most` rows (k, p) to choose with, in random order and without duplicates."""
    return without_duplicates(selection_rows(X, most, seed))


def varying_columns(rows: FloatArray) -> NDArray[np.bool_]:
    """Tell which columns of rows (n, p) are not constant, (p,); the others have no noise."""
    varying: NDArray[np.bool_] = np.ptp(rows, axis=0) > 0.0
    return varying


def trials_of(
    rows: FloatArray,
    most: int | None,
    enough: int,
    noise_variance: float,
    rng: np.random.Generator,
    *,
    replicates: bool,
    oracle: Oracle | None,
    probes: int = PROBES,
) -> list[Trial]:
    """Return what is compared: folds of rows that are held out in turn, or what an oracle knows.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
        Centred noisy rows in random order.
    most : int or None
        The first rows up to this number take part.
    enough : int
        Held-out numbers after which no more folds are tried.
    noise_variance : float
    rng : numpy.random.Generator
        Draws the directions of the divergence.
    replicates : bool
        All rows show one signal: held-out rows should become their mean.
    oracle : Oracle, optional
        Centred noisy rows to clean instead of held-out ones, and what they should become.
    probes : int
        Numbers in the directions, at least.
    """
    places, n_features = np.arange(len(rows))[:most], rows.shape[1]
    if oracle is not None:
        clean = np.broadcast_to(oracle.clean, oracle.noisy.shape)
        return [Trial(places, oracle.noisy, clean)]
    needed, count = fold_sizes(len(places), n_features, enough)
    folds = np.array_split(places, folds_of(len(places)))[:needed]
    others = [np.setdiff1d(places, out) for out in folds]
    if needed == 1:
        folds = [folds[0][:count]]
    if replicates:
        return [
            Trial(rest, rows[out], means_of_others(rows[out]))
            for out, rest in zip(folds, others, strict=True)
        ]
    varying = varying_columns(rows)
    before = noise_variance * max(float(varying.mean()), 1.0 / n_features)
    directions = _tangents(sum(map(len, folds)), n_features, probes, rng)
    trials = []
    for out, rest in zip(folds, others, strict=True):
        # A constant column has no noise: nothing is moved in its direction.
        tangents = [e[out[0] : out[-1] + 1] * varying for e in directions]
        trials.append(Trial(rest, rows[out], None, tangents, before))
    return trials


def with_windows(
    rows: FloatArray,
    order: RowOrder | None,
    offset: FloatArray,
    noise_variance: float,
    trials: list[Trial],
) -> list[Trial]:
    """Return trials with what windows of rows tell that they do not hold out.

    Of four folds two hold out the same half: windows are many, and take long to learn from.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
        Centred.
    order, offset, noise_variance
        As for `WindowModel.learned`; rows without an order have no windows.
    trials : list of Trial
    """
    if order is None:
        return trials
    size = 2 if len(trials) > 2 else 1
    groups = [trials[k : k + size] for k in range(0, len(trials), size)]
    places = [reduce(np.intersect1d, [trial.places for trial in group]) for group in groups]
    learned = parallel_map(
        lambda some: WindowModel.learned(order, rows[some], offset, noise_variance), places
    )
    pairs = zip(groups, learned, strict=True)
    return [replace(trial, windows=windows) for group, windows in pairs for trial in group]


def with_those_of(known: list[Trial], trials: list[Trial]) -> list[Trial]:
    """Return trials with the windows of known ones that hold out the same rows."""
    pairs = zip(trials, known, strict=True)
    return [replace(trial, windows=one.windows) for trial, one in pairs]


def one_quarter(
    rows: FloatArray, mean: FloatArray, rng: np.random.Generator, *, replicates: bool
) -> Trial:
    """Return the single trial of denoisers that take long to fit: a quarter of the rows is cleaned.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
        Noisy rows in random order.
    mean : ndarray, shape (p,)
        What they are centred by.
    rng : numpy.random.Generator
        Draws the direction of the divergence.
    replicates : bool
        As for `trials_of`.
    """
    # Of two or three rows none can be spared: their own tell which candidates are absurd.
    count = max(1, len(rows) // 4) if len(rows) > 3 else len(rows)
    held, places = rows[:count], np.arange(count if count < len(rows) else 0, len(rows))
    reference = means_of_others(held - mean) + mean if replicates else None
    return Trial(places, held, reference, [rng.standard_normal(held.shape)])


def more_or_fewer(places: NDArray[np.intp], held: int, count: int) -> NDArray[np.intp]:
    """Return places of more rows to fit on, or of fewer: they show how fast the risk falls.

    Parameters
    ----------
    places : ndarray of int, shape (k,)
        Those of a fit.
    held, count : int
        The first rows, which are held out, and all.
    """
    beyond = np.setdiff1d(np.arange(held, count), places)
    if len(places) + len(beyond) < MORE_ROWS * len(places):
        return places[: int(FEWER_ROWS * len(places))]
    return np.sort(np.concatenate([places, beyond]))


def means_of_others(rows: FloatArray) -> FloatArray:
    """Return for each row (m, p) the mean of the others, whose noise it does not share."""
    count = len(rows)
    means: FloatArray = (
        (rows.sum(axis=0) - rows) / (count - 1) if count > 1 else np.zeros_like(rows)
    )
    return means


def folds_of(n_samples: int) -> int:
    """Return into how many folds so many rows are parted."""
    return 2 if n_samples >= MANY_ROWS else min(FOLDS, n_samples)


def fold_sizes(n_samples: int, n_features: int, enough: int) -> tuple[int, int]:
    """Return how many folds are held out in turn, and about how many rows of each are cleaned.

    Parameters
    ----------
    n_samples, n_features : int
        Rows that take part, and columns.
    enough : int
        Held-out numbers after which no more folds are tried.
    """
    folds, wanted = folds_of(n_samples), enough / n_features
    size = int(np.ceil(n_samples / folds))
    needed = min(int(np.ceil(max(wanted, FEWEST_HELD) / size)), folds)
    return needed, size if needed > 1 else min(size, max(int(np.ceil(wanted)), MANY_HELD))


def enough_at_first(count: int, n_held: int, n_features: int) -> int | None:
    """Return the held-out numbers that a first comparison on fewer rows needs.

    None where that would save little.

    Parameters
    ----------
    count, n_held, n_features : int
        Rows that take part in the comparison on all, those that it holds out, and columns.
    """
    held = max(_ROUGH_HELD, int(np.ceil(_ROUGH_ENOUGH / n_features)))
    saves = count > _ROUGH_FROM * ROUGH_ROWS or n_held >= _ROUGH_SHARE * held
    return held * n_features if saves else None


def directions_of(n_samples: int, n_features: int, probes: int) -> int:
    """Return how many directions for each of some held-out rows have so many numbers."""
    count = int(np.ceil(probes / (n_samples * n_features)))
    # What chance adds to a divergence grows with the columns that a displacement joins.
    few = int(np.ceil(PROBES / (n_samples * n_features)))
    return max(few, min(count, n_features // _COLUMNS_EACH))


def _tangents(
    n_samples: int, n_features: int, probes: int, rng: np.random.Generator
) -> list[FloatArray]:
    """Return directions of unit variance (m, p): random signs, or all axes if those are fewer."""
    count = directions_of(n_samples, n_features, probes)
    if count >= n_features:
        axes = np.sqrt(n_features) * np.eye(n_features)
        return [np.broadcast_to(axis, (n_samples, n_features)) for axis in axes]
    return [rng.choice((-1.0, 1.0), (n_samples, n_features)) for _ in range(count)]
