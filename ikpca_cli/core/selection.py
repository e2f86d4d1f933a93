"""Risk estimates, and the choice of gamma, ridge and components from noisy rows.

No clean row is needed. Stein's identity gives an unbiased estimate of a denoiser's squared error
from the noisy rows alone, given the noise level and the denoiser's divergence, which one random
probe measures (Ramani, Blu and Unser, "Monte-Carlo SURE", 2008).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ikpca_cli.core.base import Denoiser
from ikpca_cli.core.methods import load_kernel
from ikpca_cli.core.noise import estimate_noise_std
from ikpca_cli.core.rows import FloatArray, Progress, RowSource, model_rng, sample_rows

GAMMAS = (0.004, 0.02, 0.1, 0.5, 2.0)
"""Candidate gammas in units of one over the median distance between training rows."""

COMPONENT_STEPS = 8
"""Candidate numbers of components, spread evenly on a log scale."""

MOST_COMPONENTS = 256
"""The largest number of components that "auto" considers."""

_SAMPLE, _PROBE = 2, 3  # streams of `model_rng` besides the features' own


def known_noise_std(estimator: Denoiser, X: RowSource, mean: FloatArray) -> float | None:
    """Return the noise level that was given, or else estimated from at most 2,000 rows."""
    if estimator.noise_std != "auto":
        return float(estimator.noise_std)
    return estimate_noise_std(sample_rows(X, 2000, model_rng(estimator.seed, _SAMPLE)) - mean)


def stein_risk(
    denoise: Callable[[FloatArray], FloatArray],
    Y: FloatArray,
    noise_std: float,
    probe: FloatArray,
) -> float:
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

    Returns
    -------
    float
        In squared units of the data; it can be negative, being an unbiased estimate.
    """
    step = 0.01 * noise_std
    cleaned = denoise(Y)
    divergence = np.mean(probe * (denoise(Y + step * probe) - cleaned)) / step
    return float(np.mean((cleaned - Y) ** 2) + noise_std**2 * (2.0 * divergence - 1.0))


def choose(
    estimator: Denoiser,
    X: RowSource,
    mean: FloatArray,
    noise_std: float | None,
    progress: Progress,
) -> dict[str, Any]:
    """Return gamma, ridge (where the method has them) and n_components for a fit on `X`.

    Values given by the user are kept; those that are "auto" are chosen by the least risk on rows
    held out of cheaper fits.
    """
    given = {
        name: getattr(estimator, name)
        for name in ("gamma", "ridge", "n_components")
        if hasattr(estimator, name)
    }
    if "auto" not in given.values():
        return given
    rows = sample_rows(X, estimator.SELECTION_ROWS, model_rng(estimator.seed, _SAMPLE))
    search = _Search(estimator, rows, mean, given, noise_std)
    best: tuple[float, dict[str, Any]] = (np.inf, {})
    candidates = list(search.gammas())
    for done, gamma in enumerate(candidates, start=1):
        best = min(best, search.best_with(gamma), key=lambda pair: pair[0])
        progress("choosing", done, len(candidates))
    return best[1]


class _Search:
    """Candidate fits on three quarters of some rows, compared on the other quarter."""

    def __init__(
        self,
        estimator: Denoiser,
        rows: FloatArray,
        mean: FloatArray,
        given: dict[str, Any],
        noise_std: float | None,
    ) -> None:
        self.cheap, self.ridge_factor = estimator.cheaper(rows.shape[1])
        self.given = given
        # Too few rows to spare any: the fit's own rows tell at least which candidates are absurd.
        held = len(rows) // 4 if len(rows) >= 12 else len(rows)
        self.held = rows[:held]
        self.train = rows[held:] if held < len(rows) else rows
        self.mean = mean
        variance = float(np.mean((rows - mean) ** 2))
        # Where the noise is unknown, a tenth of the spread makes the choice cautious.
        self.noise_std = noise_std or 0.1 * float(np.sqrt(variance))
        self.probe = model_rng(estimator.seed, _PROBE).standard_normal(self.held.shape)

    def gammas(self) -> Iterator[float | None]:
        """Yield the gammas to try; None for a method without one."""
        gamma = self.given.get("gamma")
        if gamma != "auto":
            yield gamma
            return
        kernel = load_kernel(self.cheap.get_params()["kernel"])
        distances = kernel.distance(self.train - self.mean, self.train - self.mean)
        median = float(np.median(distances[np.triu_indices_from(distances, 1)]))
        if median == 0.0:
            median = float(distances.mean())
        for factor in GAMMAS:
            yield factor / median

    def best_with(self, gamma: float | None) -> tuple[float, dict[str, Any]]:
        """Return the least risk at this gamma, and the parameters that reach it."""
        asked_components, asked_ridge = self.given["n_components"], self.given.get("ridge")
        model = self._fit(gamma)
        if asked_components == "auto":
            # Keeping all components would return the rows as they came.
            most = max(1, min(MOST_COMPONENTS, model.n_components_ - 1))
            counts = np.unique(np.geomspace(1, most, COMPONENT_STEPS).round().astype(int))
        else:
            counts = np.array([model.n_components_])
        unit, factor = model.ridge_unit(), 1.0
        ridges: list[float | None] = [asked_ridge]
        if asked_ridge == "auto":
            ridges, factor = [r * unit for r in model.RIDGES], self.ridge_factor
        tried = [(self._risk(model, int(d), ridges[0]), int(d), ridges[0]) for d in counts]
        count = min(tried)[1]
        tried += [(self._risk(model, count, ridge), count, ridge) for ridge in ridges[1:]]
        risk, count, ridge = min(tried)
        found = {
            "gamma": gamma,
            "ridge": None if ridge is None else ridge * factor,
            "n_components": count if asked_components == "auto" else asked_components,
        }
        return risk, {name: found[name] for name in self.given}

    def _fit(self, gamma: float | None) -> Denoiser:
        most = self.given["n_components"]
        most = MOST_COMPONENTS + 1 if most == "auto" else most
        known = {"gamma": gamma, "ridge": 0.0, "n_components": most}
        chosen = {name: known[name] for name in self.given}
        return copy.copy(self.cheap).fit_with(self.train, self.mean, chosen)

    def _risk(self, model: Denoiser, n_components: int, ridge: float | None) -> float:
        variant = model.variant(n_components, ridge)
        return stein_risk(variant.denoise, self.held, self.noise_std, self.probe)
