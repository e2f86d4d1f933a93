"""Gamma, shrinkage and refinement from noisy rows alone, by cross-validated Stein risk.

For each gamma, rows are held out in turn and cleaned by the spectrum of the others in several ways
at once (`ikpca_cli.core.moves`). Stein's identity turns what happened to them into an unbiased
estimate of the squared error of each way, and of any blend of ways: with displacements f_k and
divergences d_k,

    risk(t) = sigma^2 + mean |sum_k t_k f_k|^2 / p + 2 sigma^2 sum_k t_k mean d_k / p

(Stein 1981; the divergence along random directions as in Ramani, Blu and Unser 2008, but by exact
derivatives). It is a quadratic form in t, so the best blend with t >= 0 is a small least-squares
problem.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.core.moves import Move, Mover
from ikpca_cli.core.rows import FloatArray

FOLDS = 4
MANY_ROWS = 1200
"""From this number of rows on two folds do: half of them is enough to fit on."""

FIRST_FACTORS = (0.25, 1.0, 4.0)
"""Gammas to begin with, in units of one over the median distance; then halved and doubled."""

FACTOR_LIMITS = (1e-3, 1e3)
ENOUGH = 100_000
"""Held-out numbers after which further folds add little to the risk estimate."""

_PROBES = 20_000  # numbers in the random directions of the divergence
_STEEPEST = 10.0  # change of a row's displacement over its own, per column
_WORTH_IT = 0.005  # share of the risk that a second gamma has to save
_MOST_WEIGHT = 2.0  # of a blend: a little over 1 makes up for steps that stop short
_LEAST_WEIGHT = 0.02  # of a way in a blend: less is not worth its time


@dataclass(frozen=True)
class Blend:
    """The best blend of moves at one gamma, or at two.

    Attributes
    ----------
    gammas : tuple of float
        The main one comes first.
    weights : tuple of dict
        For each gamma, move to its weight; empty where no move lowers the risk.
    risk, error : float
        Estimated mean squared error after cleaning, and its standard error.
    """

    gammas: tuple[float, ...]
    weights: tuple[dict[Move, float], ...]
    risk: float
    error: float


class CrossValidation:
    """Held-out rows, spectra of the others, and the Stein risk of what these do to them.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
        Centred noisy rows in random order.
    fit : callable
        Called as ``fit(places, gamma)``; returns what learned from the rows at some places.
    noise_variance : float
    ways : list of Move
    rng : numpy.random.Generator
        Draws the directions of the divergence.
    enough : int
        Held-out numbers after which no more folds are tried.
    """

    def __init__(
        self,
        rows: FloatArray,
        fit: Callable[[NDArray[np.intp], float], Mover],
        noise_variance: float,
        ways: list[Move],
        rng: np.random.Generator,
        enough: int = ENOUGH,
    ) -> None:
        self.rows, self.fit = rows, fit
        self.noise_variance, self.ways = noise_variance, ways
        varying = np.ptp(rows, axis=0) > 0.0
        n_samples, n_features = rows.shape
        folds = np.array_split(np.arange(n_samples), _folds(n_samples))
        needed = int(np.ceil(max(enough / n_features, 200) / len(folds[0])))
        self.folds = folds[:needed]
        held = sum(map(len, self.folds))
        self.seen: dict[float, tuple[FloatArray, FloatArray]] = {}
        self.found: dict[tuple[float, ...], Blend] = {}
        # A constant column has no noise: nothing is moved in its direction.
        self.share = max(float(varying.mean()), 1.0 / n_features)
        self.tangents = [e * varying for e in _tangents(held, n_features, rng)]

    def best(self, *gammas: float) -> Blend:
        """Return the blend of least estimated risk at one gamma, or at several together."""
        for gamma in gammas:
            if gamma not in self.seen:
                self.seen[gamma] = self._held_out(gamma)
        moved = np.concatenate([self.seen[gamma][0] for gamma in gammas])
        divergences = np.concatenate([self.seen[gamma][1] for gamma in gammas])
        count, n_features = moved.shape[1], self.rows.shape[1]
        calm = self._calm(moved, divergences)
        moved, divergences = moved * calm[:, None], divergences * calm[:, None]
        quadratic = moved @ moved.T / count
        linear = self.noise_variance * divergences.mean(axis=1) / n_features
        blend = _non_negative_minimum(quadratic, linear)
        # Where rows are not moved at all, Stein's estimate alone would have them moved without end.
        blend *= min(1.0, _MOST_WEIGHT / max(float(blend.sum()), _MOST_WEIGHT))
        blend[blend < _LEAST_WEIGHT] = 0.0
        squares = ((blend @ moved).reshape(-1, n_features) ** 2).mean(axis=1)
        risks = squares + 2.0 * self.noise_variance * (blend @ divergences) / n_features
        weights = tuple(
            {way: float(weight) for way, weight in zip(self.ways, part, strict=True) if weight}
            for part in np.split(blend, len(gammas))
        )
        risk = self.noise_variance * self.share + float(risks.mean())
        error = float(risks.std() / np.sqrt(len(risks)))
        self.found[gammas] = found = Blend(gammas, weights, risk, error)
        return found

    def _calm(self, moved: FloatArray, divergences: FloatArray) -> NDArray[np.bool_]:
        """Tell which ways stay near the rows: where rows hardly differ, a spectrum can explode."""
        n_features = self.rows.shape[1]
        far = np.sqrt((moved.reshape(len(moved), -1, n_features) ** 2).sum(axis=2)).max(axis=1)
        reach = 2.0 * float(np.sqrt((self.rows**2).sum(axis=1).max()))
        steep = np.abs(divergences).max(axis=1) / n_features
        calm: NDArray[np.bool_] = (far <= reach) & (steep <= _STEEPEST)
        return calm

    def with_partner(self, main: Blend) -> Blend:
        """Return the best blend of a gamma with one of the others tried, where that is better.

        A coarse and a fine kernel make different errors; better means by more than chance would.
        """
        others = (gamma for gamma in self.seen if gamma not in main.gammas)
        pairs = [self.best(*main.gammas, other) for other in others]
        pair = min(pairs, key=lambda blend: blend.risk, default=main)
        return pair if all(pair.weights) and pair.risk < (1.0 - _WORTH_IT) * main.risk else main

    def _held_out(self, gamma: float) -> tuple[FloatArray, FloatArray]:
        """Return displacements (ways, m p) and divergences (ways, m) of the held-out rows."""
        moved, turned = [], []
        start = 0
        for out in self.folds:
            stop = start + len(out)
            rest = np.setdiff1d(np.arange(len(self.rows)), out)
            directions = [e[start:stop] for e in self.tangents]
            found = {
                way: (displacement, divergence)
                for way, displacement, divergence in self.fit(rest, gamma).displacements(
                    self.noise_variance, self.rows[out], self.ways, directions
                )
            }
            moved.append(np.stack([found[way][0].ravel() for way in self.ways]))
            turned.append(np.stack([found[way][1] for way in self.ways]))
            start = stop
        return np.concatenate(moved, axis=1), np.concatenate(turned, axis=1)


def search(best: Callable[[float], Blend], scale: float, tick: Callable[[int], None]) -> Blend:
    """Return the blend of least risk over gamma, going downhill by factors of two.

    Parameters
    ----------
    best : callable
        Gamma to its best blend.
    scale : float
        The median distance between rows, whose inverse is the unit of gamma.
    tick : callable
        Told the number of gammas tried.

    Returns
    -------
    Blend
    """
    tried: dict[float, Blend] = {}

    def risk(factor: float) -> float:
        if factor not in tried:
            tried[factor] = best(factor / scale)
            tick(len(tried))
        return tried[factor].risk

    factor = min(FIRST_FACTORS, key=risk)
    while True:
        around = [f for f in (factor, factor / 2, factor * 2) if _allowed(f)]
        lower = min(around, key=risk)
        if lower == factor:
            return tried[factor]
        factor = lower


def _folds(n_samples: int) -> int:
    return 2 if n_samples >= MANY_ROWS else min(FOLDS, n_samples)


def _allowed(factor: float) -> bool:
    return FACTOR_LIMITS[0] <= factor <= FACTOR_LIMITS[1]


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
