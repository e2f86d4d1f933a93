"""Risk estimates, and the choice of gamma, ridge and components from noisy rows.

No clean row is needed. Stein's identity gives an unbiased estimate of a denoiser's squared error
from the noisy rows alone, given the noise level and the denoiser's divergence, which one random
probe measures (Ramani, Blu and Unser, "Monte-Carlo SURE", 2008).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray, read_all
from ikpca_cli.errors import UsageError
from ikpca_cli.models.kernels.kernel import load_kernel
from ikpca_cli.selection.all_rows import on_all_rows
from ikpca_cli.selection.choice import Choice, Task, Tunable, usable_noise_std
from ikpca_cli.selection.held_out import Trial, one_quarter, sample_of, varying_columns
from ikpca_cli.selection.stages import Grid, expect

GAMMAS = (0.004, 0.02, 0.1, 0.5, 2.0)
"""Candidate gammas in units of one over the median distance between training rows."""

COMPONENT_STEPS = 8
"""Candidate numbers of components, spread evenly on a log scale."""

MOST_COMPONENTS = 256
"""The largest number of components that "auto" considers."""


def stein_risk(
    denoise: Callable[[FloatArray], FloatArray],
    Y: FloatArray,
    noise_std: float,
    probe: FloatArray,
    varying: NDArray[np.bool_] | None = None,
) -> tuple[float, float]:
    """Estimate the mean squared error of `denoise` on the clean rows behind `Y`.

    Parameters
    ----------
    denoise : callable
        Maps rows (n, p) to rows (n, p).
    Y : ndarray, shape (n, p)
        Noisy rows that the denoiser has not seen.
    noise_std : float
        Standard deviation of their noise.
    probe : ndarray, shape (n, p)
        Standard normal numbers.
    varying : ndarray of bool, shape (p,), optional
        Columns that are not constant; the others have no noise and no error.

    Returns
    -------
    risk, error : float
        The estimate, in squared units of the data, and its standard error. Being unbiased, it can
        be negative.
    """
    step = 0.01 * noise_std
    cleaned = denoise(Y)
    share = 1.0
    if varying is not None:
        probe, share = probe * varying, float(varying.mean())
    divergence = np.mean(probe * (denoise(Y + step * probe) - cleaned), axis=1) / step
    risks = np.mean((cleaned - Y) ** 2, axis=1) + noise_std**2 * (2.0 * divergence - share)
    return float(risks.mean()), float(risks.std() / np.sqrt(len(risks)))


def choose(estimator: Tunable, task: Task) -> Choice:
    """Return gamma, ridge (where the method has them) and n_components for a fit.

    Values given by the user are kept; those that are "auto" are chosen by the least risk on rows
    held out of cheaper fits, or by the error of the rows that an oracle knows.

    Raises
    ------
    UsageError
        If components are to be weighed by a noise level that is not known.
    """
    given = {
        name: getattr(estimator, name)
        for name in ("gamma", "ridge", "n_components")
        if hasattr(estimator, name)
    }
    if "auto" not in given.values():
        return Choice(**given)
    if task.noise_std is None and getattr(estimator, "shrink", "cut") == "optimal":
        raise UsageError(
            "optimal shrinkage needs the noise level, which these rows do not tell: give "
            "noise_std (--noise-std), or use a cut (--shrink cut)"
        )
    search = _Search(estimator, task, given)
    found = []
    candidates = list(search.gammas())
    search.expect(len(candidates))
    for done, gamma in enumerate(candidates, start=1):
        found += search.with_gamma(gamma)
        task.progress("choosing", done, len(candidates))
    best = min(found, key=_risk)
    if estimator.replicates:
        # Of answers that are as good within the error, the most shrunk one is the safest.
        enough = _risk(best) + (best.error or 0.0)
        shrunk = [choice for choice in found if choice.noise_std is not None]
        safe = [choice for choice in shrunk if _risk(choice) <= enough]
        best = min(safe, key=_risk, default=best)
    if search.trial.reference is None:
        risk_of = partial(search.risk_of, best)
        best = on_all_rows(best, risk_of, len(search.rows), task.X.shape[0])
    return replace(best, tried=tuple(one for choice in found for one in choice.tried))


class _Search:
    """Candidate fits on three quarters of some rows, compared on the other quarter."""

    def __init__(self, estimator: Tunable, task: Task, given: dict[str, Any]) -> None:
        X, mean, noise_std, _, oracle, _ = task
        self.estimator, self.task, self.given, self.mean = estimator, task, given, mean
        shrink = getattr(estimator, "shrink", "cut")
        if noise_std is None or given["n_components"] != "auto":
            shrink = "cut"
        self.shrink = shrink
        rows = sample_of(X, estimator.SELECTION_ROWS, estimator.seed)
        self.rows = rows
        self.noise_std = usable_noise_std(noise_std, rows - mean)
        self.varying = varying_columns(rows)
        self.levels = [self.noise_std] if shrink != "cut" else []
        if self.levels and estimator.replicates:
            # Above any component: all that is left is the mean.
            self.levels.append(1e3 * self.noise_std)
        if oracle is not None:
            self.cheap, self.ridge_factor = copy.copy(estimator), 1.0
            self.train = read_all(X)
            self.trial = Trial(np.arange(len(self.train)), oracle.noisy, oracle.clean)
            return
        self.cheap, self.ridge_factor = estimator.cheaper(rows.shape[1])
        rng = model_rng(estimator.seed, Stream.PROBE)
        self.trial = one_quarter(rows, mean, rng, replicates=estimator.replicates)
        self.train = rows[self.trial.places[0] :]

    def gammas(self) -> Iterator[float | None]:
        """Yield the gammas to try; None for a method without one."""
        gamma = self.given.get("gamma")
        if gamma != "auto":
            yield gamma
            return
        kernel = load_kernel(self.cheap.get_params()["kernel"])
        some = self.train[: self.cheap.SELECTION_ROWS] - self.mean
        distances = kernel.distance(some, some)
        median = float(np.median(distances[np.triu_indices_from(distances, 1)]))
        if median == 0.0:
            median = float(distances.mean())
        for factor in GAMMAS:
            yield factor / median

    def expect(self, n_gammas: int) -> None:
        """Tell the progress what is to come."""
        cuts = COMPONENT_STEPS if self.given["n_components"] == "auto" else 1
        ridges = len(self.cheap.RIDGES) if self.given.get("ridge") == "auto" else 1
        ways = (self.shrink != "optimal") * (cuts + ridges - 1) + len(self.levels) * ridges
        shape = int(self.task.X.shape[0]), int(self.task.X.shape[1])
        grid = Grid(len(self.train), len(self.trial.held), n_gammas, ways, shape)
        expect(self.task.progress, self.estimator.expected(grid))

    def with_gamma(self, gamma: float | None) -> list[Choice]:
        """Return the best parameters at this gamma, with a cut and with shrinkage."""
        model = self._fit(gamma)
        found = []
        if self.shrink != "optimal":
            found.append(self._best_cut(model, gamma))
        for level in self.levels:
            shrunk = model.shrunk(level)
            if shrunk is not None:
                found.append(self._best_shrunk(shrunk, gamma, level))
        return found

    def risk_of(
        self, best: Choice, train: NDArray[np.intp], held: NDArray[np.intp]
    ) -> tuple[float, float]:
        """Return the risk of some rows for a choice fitted on others, and its standard error."""
        self.task.progress("estimating", 1, 0)
        other, rows = copy.copy(self), self.rows[held]
        rng = model_rng(self.cheap.seed + int(held[0]), Stream.PROBE)
        other.train = self.rows[train]
        other.trial = Trial(train, rows, None, [rng.standard_normal(rows.shape)])
        model, ridge = other._fit(best.gamma), best.ridge
        model = (best.noise_std and model.shrunk(best.noise_std)) or model
        if ridge is not None and self.given["ridge"] == "auto":
            ridge /= self.ridge_factor
        count = min(best.n_components or model.n_components_, model.n_components_)
        if self.given["n_components"] != "auto":
            return other._risk(model, count, ridge)
        model = model.variant(count, ridge)
        model.noise_std_, model.strength_ = self.noise_std, 1.0  # as rows will be cleaned
        (probe,) = other.trial.tangents
        return stein_risk(model.denoise_as_fitted, rows, self.noise_std, probe, self.varying)

    def _best_cut(self, model: Tunable, gamma: float | None) -> Choice:
        if self.given["n_components"] == "auto":
            most = min(MOST_COMPONENTS, model.n_components_)
            counts = np.unique(np.geomspace(1, most, COMPONENT_STEPS).round().astype(int))
        else:
            counts = np.array([model.n_components_])
        ridges = self._ridges(model)
        tried = [(self._risk(model, int(d), ridges[0]), int(d), ridges[0]) for d in counts]
        count = min(tried)[1]
        tried += [(self._risk(model, count, ridge), count, ridge) for ridge in ridges[1:]]
        (risk, error), count, ridge = min(tried)
        asked = self.given["n_components"]
        best = self._choice(gamma, ridge, count if asked == "auto" else asked, risk, error)
        return replace(best, tried=tuple(self._choice(gamma, r, d, *e) for e, d, r in tried))

    def _best_shrunk(self, model: Tunable, gamma: float | None, level: float) -> Choice:
        count = model.n_components_
        tried = [(self._risk(model, count, ridge), ridge) for ridge in self._ridges(model)]
        choices = []
        for errors, ridge in sorted(tried):
            choice = self._choice(gamma, ridge, None, *errors)
            choices.append(replace(choice, noise_std=level))
        return replace(choices[0], tried=tuple(choices))

    def _ridges(self, model: Tunable) -> list[float | None]:
        """Return the ridges to try; None for a method without one."""
        asked = self.given.get("ridge")
        if asked != "auto":
            return [asked]
        unit = model.ridge_unit()
        return [r * unit for r in model.RIDGES]

    def _choice(
        self, gamma: Any, ridge: float | None, count: int | None, risk: float, error: float
    ) -> Choice:
        if ridge is not None and self.given["ridge"] == "auto":
            ridge *= self.ridge_factor
        return Choice(count, gamma, ridge=ridge, risk=risk, error=error)

    def _fit(self, gamma: float | None) -> Tunable:
        most = self.given["n_components"]
        most = MOST_COMPONENTS + 1 if most == "auto" else most
        chosen = Choice(most, gamma, ridge=0.0)
        # A mean with held-out rows in it would bring them nearer to their own noise.
        mean = self.train.mean(axis=0)
        return copy.copy(self.cheap).fit_with(self.train, mean, chosen)

    def _risk(self, model: Tunable, n_components: int, ridge: float | None) -> tuple[float, float]:
        """Return the risk, or the error where what the rows should become is known."""
        denoise = model.variant(n_components, ridge).denoise
        held, reference = self.trial.held, self.trial.reference
        if reference is None:
            (probe,) = self.trial.tangents
            return stein_risk(denoise, held, self.noise_std, probe, self.varying)
        errors = np.mean((denoise(held) - reference) ** 2, axis=1)
        return float(errors.mean()), float(errors.std() / np.sqrt(len(errors)))


def _risk(choice: Choice) -> float:
    return choice.risk if choice.risk is not None else 0.0
