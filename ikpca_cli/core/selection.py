"""Risk estimates, and the choice of gamma, ridge and components from noisy rows.

No clean row is needed. Stein's identity gives an unbiased estimate of a denoiser's squared error
from the noisy rows alone, given the noise level and the denoiser's divergence, which one random
probe measures (Ramani, Blu and Unser, "Monte-Carlo SURE", 2008).
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.core.base import Denoiser
from ikpca_cli.core.methods import load_kernel
from ikpca_cli.core.noise import estimate_noise
from ikpca_cli.core.rows import FloatArray, Progress, RowSource, model_rng
from ikpca_cli.core.survey import selection_rows
from ikpca_cli.errors import IkpcaWarning

GAMMAS = (0.004, 0.02, 0.1, 0.5, 2.0)
"""Candidate gammas in units of one over the median distance between training rows."""

COMPONENT_STEPS = 8
"""Candidate numbers of components, spread evenly on a log scale."""

MOST_COMPONENTS = 256
"""The largest number of components that "auto" considers."""

_PROBE = 3  # stream of `model_rng`


@dataclass(frozen=True)
class Tried:
    """Parameters that a choice compared, and their estimated risk with its standard error."""

    params: dict[str, Any]
    risk: float
    error: float


@dataclass(frozen=True)
class Choice:
    """Parameters for a fit, and what they promise.

    Attributes
    ----------
    params : dict
        Every parameter that the fit needs.
    risk, error : float or None
        Estimated mean squared error after cleaning, and its standard error; None where nothing was
        chosen.
    tried : tuple of Tried
        What was compared.
    """

    params: dict[str, Any]
    risk: float | None = None
    error: float | None = None
    tried: tuple[Tried, ...] = ()


def known_noise_std(estimator: Denoiser, X: RowSource, mean: FloatArray) -> float | None:
    """Return the noise level that was given, or else estimated from at most 2,000 rows."""
    if estimator.noise_std != "auto":
        return float(estimator.noise_std)
    level = estimate_noise(selection_rows(X, 2000, estimator.seed) - mean)
    if not level.certain:
        found = "cannot be estimated" if level.std is None else f"{level.std:.3g} is a guess"
        warnings.warn(
            f"the noise level {found}: signal and noise cannot be told apart in these rows; "
            "give it (--noise-std) if you know it",
            IkpcaWarning,
            stacklevel=5,
        )
    return level.std


def usable_noise_std(noise_std: float | None, rows: FloatArray) -> float:
    """Return the noise level, or a cautious tenth of the centred rows' spread if it is unknown."""
    return noise_std or 0.1 * float(np.sqrt(np.mean(rows**2)))


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


def choose(
    estimator: Denoiser,
    X: RowSource,
    mean: FloatArray,
    noise_std: float | None,
    progress: Progress,
) -> Choice:
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
        return Choice(given)
    rows = selection_rows(X, estimator.SELECTION_ROWS, estimator.seed)
    search = _Search(estimator, rows, mean, given, usable_noise_std(noise_std, rows - mean))
    found = []
    candidates = list(search.gammas())
    for done, gamma in enumerate(candidates, start=1):
        found.append(search.best_with(gamma))
        progress("choosing", done, len(candidates))
    best = min(found, key=lambda choice: choice.risk or 0.0)
    return replace(best, tried=tuple(one for choice in found for one in choice.tried))


def held_out_risk(
    estimator: Denoiser,
    X: RowSource,
    mean: FloatArray,
    params: dict[str, Any],
    noise_std: float,
) -> tuple[float, float]:
    """Return risk and standard error of a fit with `params`, on the rows that `choose` compares."""
    rows = selection_rows(X, estimator.SELECTION_ROWS, estimator.seed)
    search = _Search(estimator, rows, mean, {}, noise_std)
    model = copy.copy(search.cheap).fit_with(search.train, mean, params)
    return stein_risk(model.denoise, search.held, noise_std, search.probe, search.varying)


class _Search:
    """Candidate fits on three quarters of some rows, compared on the other quarter."""

    def __init__(
        self,
        estimator: Denoiser,
        rows: FloatArray,
        mean: FloatArray,
        given: dict[str, Any],
        noise_std: float,
    ) -> None:
        self.cheap, self.ridge_factor = estimator.cheaper(rows.shape[1])
        self.given = given
        # Of two or three rows none can be spared: their own tell which candidates are absurd.
        held = max(1, len(rows) // 4) if len(rows) > 3 else len(rows)
        self.held = rows[:held]
        self.train = rows[held:] if held < len(rows) else rows
        self.mean = mean
        self.noise_std = noise_std
        self.varying = np.ptp(rows, axis=0) > 0.0
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

    def best_with(self, gamma: float | None) -> Choice:
        """Return the parameters with the least risk at this gamma."""
        asked_components, asked_ridge = self.given["n_components"], self.given.get("ridge")
        model = self._fit(gamma)
        if asked_components == "auto":
            most = min(MOST_COMPONENTS, model.n_components_)
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
        (risk, error), count, ridge = min(tried)
        found = self._named(
            gamma, ridge, factor, count if asked_components == "auto" else asked_components
        )
        seen = tuple(Tried(self._named(gamma, r, factor, d), *risks) for risks, d, r in tried)
        return Choice(found, risk, error, seen)

    def _named(
        self, gamma: float | None, ridge: float | None, factor: float, n_components: int
    ) -> dict[str, Any]:
        """Return those of the parameters that the method has, by name."""
        scaled = None if ridge is None else ridge * factor
        values = {"gamma": gamma, "ridge": scaled, "n_components": n_components}
        return {name: values[name] for name in self.given}

    def _fit(self, gamma: float | None) -> Denoiser:
        most = self.given["n_components"]
        most = MOST_COMPONENTS + 1 if most == "auto" else most
        known = {"gamma": gamma, "ridge": 0.0, "n_components": most}
        chosen = {name: known[name] for name in self.given}
        return copy.copy(self.cheap).fit_with(self.train, self.mean, chosen)

    def _risk(self, model: Denoiser, n_components: int, ridge: float | None) -> tuple[float, float]:
        variant = model.variant(n_components, ridge)
        return stein_risk(variant.denoise, self.held, self.noise_std, self.probe, self.varying)
