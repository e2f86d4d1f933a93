"""Gamma, shrinkage and refinement from noisy rows alone, by cross-validated Stein risk.

For each gamma, rows are held out in turn and cleaned by the spectrum of the others in several ways
at once (`ikpca_cli.models.preimage`). Stein's identity turns what happened to them into an unbiased
estimate of the squared error of each way, and of any expansion of ways: with displacements f_k and
divergences d_k,

    risk(t) = sigma^2 + mean |sum_k t_k f_k|^2 / p + 2 sigma^2 sum_k t_k mean d_k / p

(Stein 1981; the divergence along random directions as in Ramani, Blu and Unser 2008, but by exact
derivatives). It is a quadratic form in t, so the best expansion with t >= 0 is a small
least-squares problem. Where all rows show one signal, or clean rows are at hand, the inner products
of the displacements with the true errors take the place of ``sigma^2 d_k``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.data.threads import chunks, parallel_map
from ikpca_cli.models.preimage import Iteration, Preimage
from ikpca_cli.selection.choice import Oracle

FOLDS = 4
MANY_ROWS = 1200
"""From this number of rows on two folds do: half of them is enough to fit on."""

ENOUGH = 100_000
"""Held-out numbers after which further folds add little to the risk estimate."""

WORTH_A_PAIR = 0.005
"""Share of the risk that a second gamma has to save."""

_PROBES = 12000  # numbers in the random directions of the divergence
_TILE_ROWS = 128  # held-out rows that are moved at once: their kernel values stay in the cache
_STEEPEST = 10.0  # change of a row's displacement over its own, per column
_MOST_WEIGHT = 2.0  # of an expansion: a little over 1 makes up for steps that stop short
_MORE_ROWS = 1.2  # than in a fit of the comparison, to show how fast the risk falls
_LEAST_WEIGHT = 0.02  # of a way in an expansion: less is not worth its time


@dataclass(frozen=True)
class Expansion:
    """The best expansion of iterations at one gamma, or at two.

    Attributes
    ----------
    gammas : tuple of float
        The main one comes first.
    weights : tuple of dict
        For each gamma, iteration to its weight; empty where none lowers the risk.
    risk, error : float
        Estimated mean squared error after cleaning, and its standard error.
    """

    gammas: tuple[float, ...]
    weights: tuple[dict[Iteration, float], ...]
    risk: float
    error: float

    def saves(self, share: float, other: Expansion) -> bool:
        """Tell whether all gammas are of use, and save a share of the other's risk.

        Being an estimate, a risk may be negative.
        """
        return all(self.weights) and self.risk < other.risk - share * abs(other.risk)


class CrossValidation:
    """Held-out rows, spectra of the others, and the risk of what these do to them.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
        Centred noisy rows in random order.
    fit : callable
        Called as ``fit(places, gamma)``; returns what learned from the rows at some places.
    most : int
        The first rows up to this number take part in the comparison; `full_risk` sees all.
    noise_variance : float
    ways : list of Iteration
    rng : numpy.random.Generator
        Draws the directions of the divergence.
    enough : int
        Held-out numbers after which no more folds are tried.
    replicates : bool
        All rows show one signal: held-out rows should become their mean.
    oracle : Oracle, optional
        Centred noisy rows to clean instead of held-out ones, and what they should become.
    """

    def __init__(
        self,
        rows: FloatArray,
        fit: Callable[[NDArray[np.intp], float], Preimage[Any]],
        noise_variance: float,
        ways: list[Iteration],
        rng: np.random.Generator,
        enough: int = ENOUGH,
        *,
        most: int | None = None,
        replicates: bool = False,
        oracle: Oracle | None = None,
    ) -> None:
        self.rows, self.fit = rows, fit
        self.reach = 2.0 * float(np.sqrt((rows**2).sum(axis=1).max()))
        self.noise_variance, self.ways = noise_variance, ways
        self.replicates = replicates
        self.seen: dict[float, _Moved] = {}
        self.found: dict[tuple[float, ...], Expansion] = {}
        n_features = rows.shape[1]
        places = np.arange(len(rows))[:most]
        if oracle is not None:
            clean = np.broadcast_to(oracle.clean, oracle.noisy.shape)
            self.trials = [_Trial(places, oracle.noisy, clean)]
            return
        folds = np.array_split(places, _folds(len(places)))
        needed = int(np.ceil(max(enough / n_features, 200) / len(folds[0])))
        varying = np.ptp(rows, axis=0) > 0.0
        held = sum(map(len, folds[:needed]))
        directions = [] if replicates else _tangents(held, n_features, rng)
        self.trials = []
        for out in folds[:needed]:
            rest = np.setdiff1d(places, out)
            if replicates:
                self.trials.append(_Trial(rest, rows[out], means_of_others(rows[out])))
            else:
                # A constant column has no noise: nothing is moved in its direction.
                tangents = [e[out[0] : out[-1] + 1] * varying for e in directions]
                before = noise_variance * max(float(varying.mean()), 1.0 / n_features)
                self.trials.append(_Trial(rest, rows[out], None, tangents, before))

    def best(self, *gammas: float) -> Expansion:
        """Return the expansion of least estimated risk at one gamma, or at several together."""
        for gamma in gammas:
            if gamma not in self.seen:
                tried = parallel_map(partial(self._try, gamma), self.trials)
                self.seen[gamma] = _Moved.together(tried)
        moved = [self.seen[gamma] for gamma in gammas]
        calm = np.concatenate([self._calm(part) for part in moved])
        expansion = _non_negative_minimum(*_quadratic(moved, calm))
        # Where rows are not moved at all, Stein's estimate alone would have them moved without end.
        expansion *= min(1.0, _MOST_WEIGHT / max(float(expansion.sum()), _MOST_WEIGHT))
        expansion[expansion < _LEAST_WEIGHT] = 0.0
        parts = np.split(expansion, len(gammas))
        risks = _risks(moved, parts)
        weights = tuple(
            {way: float(weight) for way, weight in zip(self.ways, part, strict=True) if weight}
            for part in parts
        )
        error = float(risks.std() / np.sqrt(len(risks)))
        self.found[gammas] = found = Expansion(gammas, weights, float(risks.mean()), error)
        return found

    def _calm(self, moved: _Moved) -> NDArray[np.bool_]:
        """Tell which ways stay near the rows: where rows hardly differ, a spectrum can explode."""
        calm: NDArray[np.bool_] = moved.farthest <= self.reach
        if self.trials[0].reference is None:
            calm &= moved.steepest <= _STEEPEST * self.noise_variance
        return calm

    def with_partner(self, main: Expansion) -> Expansion:
        """Return the best expansion of a gamma with one of the others tried, where that is better.

        A coarse and a fine kernel make different errors; better means by more than chance would.
        """
        others = (gamma for gamma in self.seen if gamma not in main.gammas)
        pairs = [self.best(*main.gammas, other) for other in others]
        pair = min(pairs, key=lambda expansion: expansion.risk, default=main)
        return pair if pair.saves(WORTH_A_PAIR, main) else main

    def full_risk(self, expansion: Expansion, n_samples: int) -> Expansion:
        """Return an expansion with its risk for a fit on `n_samples` rows.

        A fit on more rows than those of the comparison shows how fast the risk falls, on rows that
        both clean; it is taken to fall as one over the number of rows.
        """
        first = self.trials[0]
        beyond = np.arange(first.places[-1] + 1, len(self.rows))
        few, held = len(first.places), len(first.held)
        if len(beyond) == 0:  # some of the held-out rows have to do
            beyond = np.arange(held // 2, held)
            held //= 2
        many = few + len(beyond)
        if first.reference is not None or many < _MORE_ROWS * few or held < 1:
            return expansion
        finer = replace(
            first,
            places=np.sort(np.concatenate([first.places, beyond])),
            held=first.held[:held],
            tangents=[e[:held] for e in first.tangents],
        )
        weights = [
            np.array([part.get(way, 0.0) for way in self.ways]) for part in expansion.weights
        ]
        coarse = _risks([self.seen[gamma] for gamma in expansion.gammas], weights)
        fine = _risks([self._try(gamma, finer) for gamma in expansion.gammas], weights)
        change = min(float((fine - coarse[:held]).mean()), 0.0)
        on = (1.0 / few - 1.0 / max(n_samples, many)) / (1.0 / few - 1.0 / many)
        return replace(expansion, risk=expansion.risk + on * change)

    def _try(self, gamma: float, trial: _Trial) -> _Moved:
        """Return what a spectrum at this gamma does to the held-out rows of a trial."""
        preimage = self.fit(trial.places, gamma)
        dtype = preimage.component_variances[0].dtype
        parts = []
        for part in chunks(len(trial.held), _TILE_ROWS):
            moved = preimage.displacements(
                self.noise_variance,
                trial.held[part].astype(dtype, copy=False),
                self.ways,
                [tangent[part].astype(dtype, copy=False) for tangent in trial.tangents],
            )
            found = {way: (steps, divergence) for way, steps, divergence in moved}
            parts.append([found[way] for way in self.ways])
        steps = np.concatenate([[f for f, _ in found] for found in parts], axis=1, dtype=np.float64)
        n_features = steps.shape[2]
        if trial.reference is None:
            divergences = np.concatenate([[d for _, d in found] for found in parts], axis=1)
            gains = divergences.astype(np.float64) * self.noise_variance
            before = np.full(len(trial.held), trial.before)
        else:
            error = trial.held - trial.reference
            gains = np.einsum("kij,ij->ki", steps, error)
            before = np.mean(error**2, axis=1)
        return _Moved(steps, gains / n_features, before)


@dataclass(frozen=True)
class _Trial:
    """Places of rows to fit on, rows to clean, and what these should become.

    Without a reference the error is estimated, by directions and the mean squared noise before.
    """

    places: NDArray[np.intp]
    held: FloatArray
    reference: FloatArray | None
    tangents: list[FloatArray] = field(default_factory=list)
    before: float = 0.0


@dataclass(frozen=True)
class _Moved:
    """What some ways do to some rows.

    Attributes
    ----------
    steps : ndarray, shape (ways, m, p)
    gains : ndarray, shape (ways, m)
        Inner product of step and error, or Stein's estimate of it, over p.
    before : ndarray, shape (m,)
        Mean squared error of the rows.
    """

    steps: FloatArray
    gains: FloatArray
    before: FloatArray

    @classmethod
    def together(cls, parts: Iterable[_Moved]) -> _Moved:
        """Join the rows of several trials."""
        found = list(parts)
        return cls(
            np.concatenate([part.steps for part in found], axis=1),
            np.concatenate([part.gains for part in found], axis=1),
            np.concatenate([part.before for part in found]),
        )

    # What follows is asked for each pair of gammas anew.

    @cached_property
    def farthest(self) -> FloatArray:
        """The longest step of each way, (ways,)."""
        longest: FloatArray = np.sqrt(np.einsum("kij,kij->ki", self.steps, self.steps).max(axis=1))
        return longest

    @cached_property
    def steepest(self) -> FloatArray:
        """The largest gain of each way, (ways,)."""
        largest: FloatArray = np.abs(self.gains).max(axis=1)
        return largest

    @cached_property
    def products(self) -> FloatArray:
        """Mean products of the ways' steps, (ways, ways)."""
        return self.products_with(self)

    def products_with(self, other: _Moved) -> FloatArray:
        """Return the mean products with the steps of other ways for the same rows."""
        flat = self.steps.reshape(len(self.steps), -1)
        products: FloatArray = flat @ other.steps.reshape(len(other.steps), -1).T
        return products / flat.shape[1]


def _quadratic(moved: Sequence[_Moved], calm: NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """Return Q and c of the mean risk ``t'Qt + 2 c't`` of all ways together, 0 where not `calm`."""
    blocks = [
        [one.products if one is other else one.products_with(other) for other in moved]
        for one in moved
    ]
    linear = np.concatenate([part.gains.mean(axis=1) for part in moved])
    return np.where(np.outer(calm, calm), np.block(blocks), 0.0), np.where(calm, linear, 0.0)


def _risks(moved: Sequence[_Moved], weights: Sequence[FloatArray]) -> FloatArray:
    """Return the risk of each row, (m,), after steps with some weights.

    With weights t it is ``before + |sum_k t_k steps_k|^2 / p + 2 sum_k t_k gains_k``.
    """
    step, gain = np.zeros_like(moved[0].steps[0]), np.zeros_like(moved[0].before)
    for part, some in zip(moved, weights, strict=True):
        on = np.flatnonzero(some)
        step += np.tensordot(some[on], part.steps[on], 1)
        gain += some[on] @ part.gains[on]
    risks: FloatArray = moved[0].before + (step**2).mean(axis=1) + 2.0 * gain
    return risks


def means_of_others(rows: FloatArray) -> FloatArray:
    """Return for each row (m, p) the mean of the others, whose noise it does not share."""
    count = len(rows)
    means: FloatArray = (
        (rows.sum(axis=0) - rows) / (count - 1) if count > 1 else np.zeros_like(rows)
    )
    return means


def _folds(n_samples: int) -> int:
    return 2 if n_samples >= MANY_ROWS else min(FOLDS, n_samples)


def _tangents(n_samples: int, n_features: int, rng: np.random.Generator) -> list[FloatArray]:
    """Return directions of unit variance (m, p): random signs, or all axes if those are fewer."""
    count = int(np.ceil(_PROBES / (n_samples * n_features)))
    if count >= n_features:
        axes = np.sqrt(n_features) * np.eye(n_features)
        return [np.broadcast_to(axis, (n_samples, n_features)) for axis in axes]
    return [rng.choice((-1.0, 1.0), (n_samples, n_features)) for _ in range(count)]


def _non_negative_minimum(quadratic: FloatArray, linear: FloatArray) -> FloatArray:
    """Return the t >= 0 that minimises ``t'Qt + 2 c't``, (k,)."""
    from scipy.linalg import cholesky, solve_triangular
    from scipy.optimize import nnls

    size = len(quadratic)
    trace = float(np.trace(quadratic))
    if trace == 0.0:
        return np.zeros(size)
    # Ways that do nearly the same make Q singular; a little on its diagonal shares the weight.
    root = cholesky(quadratic + 1e-6 * trace / size * np.eye(size), lower=True)
    minimum: FloatArray = nnls(root.T, solve_triangular(root, -linear, lower=True))[0]
    return minimum
