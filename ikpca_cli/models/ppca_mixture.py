"""A mixture of probabilistic PCAs about one mean: clean a row by the component it looks like.

Tipping and Bishop, "Mixtures of probabilistic principal component analysers" (1999). Windows of a
recording are mostly flat, sometimes an edge, a wave or a texture; one subspace for all of them has
to hold all of these at once, and lets through the noise along all of its directions. Component k is
``N(mean, U_k diag(s_k) U_k' + sigma^2 I)`` with the noise level known, so the posterior mean is

    x_hat = sum_k r_k(x) U_k diag(s_k / (s_k + sigma^2)) U_k' x,

a Wiener filter in the subspace of each component, weighed by how likely it is to be the row's.
Signal variances are those of a spiked covariance (Baik and Silverstein 2006), as in the optimal
shrinkage of eigenvalues (Donoho, Gavish and Johnstone 2018): no direction below the noise edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray, Progress, silent
from ikpca_cli.linalg.few_eigenpairs import eigenpairs_above

ITERATIONS = 15
"""Of expectation maximisation; later ones change the error by less than 1 %."""

FEWEST_ROWS = 0.25
"""Rows of a component, over the columns: one with fewer is given up."""

STRETCHES = 32
"""Of rows, in their order, that are compared by their energy."""

_LEAST_SHARE = 1e-3  # responsibility for a row below which a component does not look at it


@dataclass(frozen=True)
class MixtureModel:
    """Components of a mixture, by their directions with signal.

    Attributes
    ----------
    shares : ndarray, shape (k,)
        How many of the rows each component has, of one.
    directions : ndarray, shape (e, p)
        Orthonormal within a component.
    owners : ndarray, shape (e,)
        The component that each direction belongs to.
    signal_variances : ndarray, shape (e,)
        Variance of the signal along each.
    noise_variance : float
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = {
        "shares": ("k",),
        "directions": ("e", "p"),
        "owners": ("e",),
        "signal_variances": ("e",),
        "noise_variance": (),
    }

    shares: FloatArray
    directions: FloatArray
    owners: FloatArray
    signal_variances: FloatArray
    noise_variance: float

    def check(self) -> None:
        """Raise ValueError unless shares and variances are such, and owners are components."""
        if not np.isin(self.owners, np.arange(len(self.shares))).all():
            raise ValueError("its directions do not belong to its components")
        if self.noise_variance <= 0.0 or min(self.shares.min(), self.signal_variances.min()) < 0.0:
            raise ValueError("its shares and variances are not positive")
        if abs(float(self.shares.sum(dtype=np.float64)) - 1.0) > 1e-3:  # of single precision
            raise ValueError("its shares do not add up to one")
        if np.abs(self.directions).max() > 1.001:
            raise ValueError("its directions are longer than one")

    @property
    def gains(self) -> FloatArray:
        """Wiener weight of each direction, (e,)."""
        gains: FloatArray = self.signal_variances / (self.signal_variances + self.noise_variance)
        return gains

    @property
    def members(self) -> FloatArray:
        """1 where a direction (e) belongs to a component (k), else 0: (e, k)."""
        members = self.owners[:, None] == np.arange(len(self.shares))
        found: FloatArray = members.astype(self.directions.dtype)
        return found

    def log_likelihoods(self, codes: FloatArray) -> FloatArray:
        """Return log share times density of rows by their codes (n, e), up to a term: (n, k)."""
        gains, members = self.gains, self.members
        explained = (codes**2 * gains) @ members
        volume = np.log1p(self.signal_variances / self.noise_variance) @ members
        fit: FloatArray = 0.5 * (explained / self.noise_variance - volume)
        with np.errstate(divide="ignore"):
            return fit + np.log(self.shares)

    def responsibilities(self, X: FloatArray) -> FloatArray:
        """Return how likely each component is to have made each centred row, (n, k)."""
        return _normalised(self.log_likelihoods(X @ self.directions.T))

    def denoise(self, X: FloatArray) -> FloatArray:
        """Return the posterior means of centred rows (n, p)."""
        codes = X @ self.directions.T
        shares = _normalised(self.log_likelihoods(codes))
        cleaned: FloatArray = (codes * self.gains * (shares @ self.members.T)) @ self.directions
        return cleaned

    def denoise_along(
        self, X: FloatArray, directions: Sequence[FloatArray]
    ) -> tuple[FloatArray, ...]:
        """Return the posterior means of centred rows (n, p), and derivatives along each dX."""
        codes, members = X @ self.directions.T, self.members
        shares = _normalised(self.log_likelihoods(codes))
        gains = self.gains * (shares @ members.T)
        found = [(codes * gains) @ self.directions]
        for dX in directions:
            turns = dX @ self.directions.T
            likelier = (codes * turns * (self.gains / self.noise_variance)) @ members
            likelier -= np.einsum("ij,ij->i", shares, likelier)[:, None]
            turns *= gains
            turns += codes * (self.gains * ((shares * likelier) @ members.T))
            found.append(turns @ self.directions)
        return tuple(found)

    def noise_left(self, X: FloatArray) -> FloatArray:
        """Return the posterior variance of each number, in units of the noise's: (n, p)."""
        by_component = self.members.T @ (self.gains[:, None] * self.directions**2)
        left: FloatArray = self.responsibilities(X) @ by_component
        return left

    def unlikelihood(self, X: FloatArray) -> FloatArray:
        """Return -2 log density of each centred row (n, p), up to a constant: (n,)."""
        logs = self.log_likelihoods(X @ self.directions.T)
        highest = logs.max(axis=1)
        total = highest + np.log(np.exp(logs - highest[:, None]).sum(axis=1))
        squares = np.einsum("ij,ij->i", X, X) / self.noise_variance
        result: FloatArray = squares - 2.0 * total
        return result

    def first(self, count: int) -> MixtureModel:
        """Return the mixture of the first components alone."""
        own = self.owners < count
        shares = self.shares[:count] / self.shares[:count].sum()
        if not own.any():
            return _without_signal(shares, self.directions.shape[1], self.noise_variance)
        kept = self.directions[own], self.owners[own], self.signal_variances[own]
        return MixtureModel(shares, *kept, self.noise_variance)


def fit_mixture(
    X: FloatArray,
    noise_variance: float,
    count: int,
    rng: np.random.Generator,
    progress: Progress = silent,
    iterations: int = ITERATIONS,
    start: MixtureModel | None = None,
) -> MixtureModel:
    """Fit a mixture by expectation maximisation.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Centred rows.
    noise_variance : float
    count : int
        Components to begin with; those that too few rows look like are given up.
    rng : numpy.random.Generator
        Draws the rows that the components begin at.
    progress : callable
    iterations : int
    start : MixtureModel, optional
        Begin with its components.

    Returns
    -------
    MixtureModel
        The component with the largest share first.
    """
    shares = _first_shares(X, count, rng) if start is None else start.responsibilities(X)
    for done in range(1, iterations + 1):
        model = _maximised(X, shares, noise_variance)
        progress("fitting", done, iterations)
        if done < iterations:
            shares = model.responsibilities(X)
    return model


def _first_shares(X: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Give each row to the nearest of some rows, up to its sign: (n, count).

    Rows of a few loud places have components of their own, as many as they are enough for: an
    artefact, as of a loose electrode, would draw all of them, or blow up those of other rows.
    """
    energy = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    loud = _loud(energy)
    if count < 2 or not loud.any():
        return _nearest(X, energy, min(count, len(X)), rng)
    own = min(max(int(loud.sum()) // X.shape[1], 1), count // 2)
    shares = np.zeros((len(X), 0))
    for rows, number in ((loud, own), (~loud, count - own)):
        nearest = np.zeros((len(X), min(number, int(rows.sum()))))
        if nearest.size:
            nearest[rows] = _nearest(X[rows], energy[rows], nearest.shape[1], rng)
        shares = np.hstack([shares, nearest])
    return shares


def _nearest(X: FloatArray, energy: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Give each row to the nearest of so many rows, up to its sign: (n, count)."""
    # Most windows are flat; those that are not differ more, and need more components.
    likely = energy + 1e-3 * energy.mean() + np.finfo(float).tiny
    chosen = rng.choice(len(X), count, replace=False, p=likely / likely.sum())
    centres = X[chosen]
    gaps = (centres**2).sum(axis=1) - 2.0 * np.abs(X @ centres.T)
    nearest: FloatArray = (gaps.argmin(axis=1)[:, None] == np.arange(len(centres))).astype(float)
    return nearest


def _loud(energy: FloatArray) -> NDArray[np.bool_]:
    """Tell which rows are louder than all but an eighth of the stretches, where that has most."""
    owners = np.arange(len(energy)) * STRETCHES // len(energy)
    totals = np.bincount(owners, energy, STRETCHES)
    others = np.argsort(totals)[: -STRETCHES // 8]
    if 2.0 * totals[others].sum() >= totals.sum():
        return np.zeros(len(energy), dtype=bool)
    quiet = np.isin(owners, others)
    loud: NDArray[np.bool_] = energy > energy[quiet].max(initial=0.0)
    return loud


def _maximised(X: FloatArray, shares: FloatArray, noise_variance: float) -> MixtureModel:
    """Return the components that make rows with these responsibilities (n, k) most likely."""
    n_samples, n_features = X.shape
    totals = shares.sum(axis=0)
    order = np.argsort(-totals, kind="stable")
    enough = totals[order] >= min(FEWEST_ROWS * n_features + 2.0, n_samples / 2.0)
    kept = order[enough] if enough.any() else order[:1]
    directions, variances = [], []
    for component in kept:
        own = np.flatnonzero(shares[:, component] > _LEAST_SHARE)
        rows = X.take(own, axis=0)
        rows *= np.sqrt(shares[own, component])[:, None]
        found = _spikes(rows.T @ rows / totals[component], totals[component], noise_variance)
        directions.append(found[0])
        variances.append(found[1])
    shares = totals[kept] / totals[kept].sum()
    if not any(map(len, variances)):
        return _without_signal(shares, n_features, noise_variance)
    return MixtureModel(
        shares,
        np.concatenate(directions),
        np.repeat(np.arange(float(len(kept))), [len(part) for part in variances]),
        np.concatenate(variances),
        noise_variance,
    )


def _without_signal(shares: FloatArray, n_features: int, noise_variance: float) -> MixtureModel:
    """Return a mixture of nothing but noise: one direction, without signal, stands for it."""
    return MixtureModel(shares, np.eye(1, n_features), np.zeros(1), np.zeros(1), noise_variance)


def _spikes(
    covariance: FloatArray, n_samples: float, noise_variance: float
) -> tuple[FloatArray, FloatArray]:
    """Return the directions (e, p) above the noise edge of a covariance, and signal variances (e,).

    An eigenvalue l of the sample, in units of the noise, comes from one of 1 + s in the population
    with ``l = (1 + s) (1 + c / s)``, c being columns over rows.
    """
    ratio = covariance.shape[0] / n_samples
    values, vectors = eigenpairs_above(covariance / noise_variance, (1.0 + ratio**0.5) ** 2)
    middle = values - 1.0 - ratio
    signal = 0.5 * (middle + np.sqrt(np.maximum(middle**2 - 4.0 * ratio, 0.0)))
    dtype = covariance.dtype  # single precision where rows have it
    return vectors.T.astype(dtype), (signal * noise_variance).astype(dtype)


def _normalised(logs: FloatArray) -> FloatArray:
    """Return probabilities (n, k) from their logarithms but for a common term in a row."""
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    normalised: FloatArray = shares / shares.sum(axis=1, keepdims=True)
    return normalised
