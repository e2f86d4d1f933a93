"""One oscillation that all rows hold as strongly, at any phase: hum of the mains, most likely.

To a spectrum of rows it is signal, of two directions, and to a model as well. But signal differs in
strength from row to row, and has its phase from what it is of; hum has one strength and any phase.
So that signal beside it does not hide that, its strength is read in each row by the filter that
passes the oscillation and the least of all else (Capon, "High-resolution frequency-wavenumber
spectrum analysis", 1969): for a covariance C and an oscillation a it is ``C^{-1} a / a* C^{-1} a``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import Eigenvalues

FEWEST_COLUMNS, FEWEST_ROWS = 16, 20
"""Shorter rows, or fewer, tell no oscillation from anything else."""

SOME_ROWS = 500
"""Rows that are looked at."""

_FINE = 16  # frequencies that are looked at, for each that a row can tell
_FEWEST_TURNS, _LEAST_PERIOD = 2, 2.1
_LOADING = 20.0  # times the noise, added to all directions: else the filter stops a near miss
_LEAST_NOISE = 1e-6  # of the variance of rows
_STANDS_OUT = 6.0  # times the power that noise has in one frequency
_EVEN = 0.72  # spread of its power from row to row, over the mean, which is 1 for noise and more
_CHANCE = 2.0  # times the root of the rows' number that noise has less by chance, one time in 100
_BESIDE = 0.75, 0.9  # times the least spread of other oscillations, at least two, that is even, too
_ALIGNED = 3.0  # times what the mean phase of random ones is, for that not to be random
_MOST_LINES = 4  # hum and its harmonics: rows that are made of more are not disturbed by them
_MOST = 0.5  # of the variance of rows: more is all they are


def shared_period(X: FloatArray) -> float | None:
    """Return the period, in columns, of an oscillation that all centred rows (n, p) hold.

    None where there is none, or where such oscillations are all that they hold.
    """
    X = X[:SOME_ROWS]
    n_samples, n_features = X.shape
    if n_features < FEWEST_COLUMNS or n_samples < FEWEST_ROWS or not X.any():
        return None
    spectrum = Eigenvalues.of(X)
    total, variance = float(np.mean(X**2)), spectrum.reading(1.0)[0].std ** 2
    filters = _Filters.of(X, spectrum, _LOADING * max(variance, _LEAST_NOISE * total))
    powers, noise = filters.powers, variance / n_features
    # An oscillation of amplitude A has the power A^2 / 4 at its frequency, and A^2 / 2 in a row.
    # Weak as it may be beside the signal, it is much beside the noise.
    counts = powers > _STANDS_OUT * noise
    peaks = np.flatnonzero(
        counts[1:-1] & (powers[1:-1] >= powers[:-2]) & (powers[1:-1] >= powers[2:])
    )
    spreads: list[float] = []
    is_random: list[bool] = []
    for place in peaks + 1:
        codes = filters.codes(X, int(place))
        strengths = np.abs(codes) ** 2
        mean = float(strengths.mean())
        alike = abs(complex((codes / np.abs(codes)).mean())) * n_samples**0.5
        bent = abs(complex((codes**2).mean())) / mean * n_samples**0.5
        spreads.append(float(strengths.std()) / mean)
        is_random.append(max(alike, bent) < _ALIGNED and 2.0 * mean < _MOST * total)
    found = [
        (spread, int(place))
        for spread, place, random in zip(spreads, peaks + 1, is_random, strict=True)
        if random and spread < _most_even(spreads, spread, n_samples)
    ]
    lines = {place // _FINE for _, place in found}
    if not found or len(lines) > _MOST_LINES:
        return None
    return float(filters.periods[min(found)[1]])


def _most_even(spreads: list[float], one: float, n_samples: int) -> float:
    """Return the spread that one of several oscillations has to be below, to be hum.

    What noise hardly has; or what is far from those of the others, which the signal, that is in
    some rows more than in others, has in common.
    """
    most = min(_EVEN, 1.0 - _CHANCE / math.sqrt(n_samples))
    others = sorted(spreads)
    others.remove(one)
    if len(others) < 2:
        return most
    share, limit = _BESIDE
    return max(most, min(share * others[0], limit))


@dataclass(frozen=True)
class _Filters:
    """Filters for many frequencies.

    Attributes
    ----------
    periods : ndarray, shape (f,)
    powers : ndarray, shape (f,)
        Mean squared modulus of what they pass of the rows.
    directions : ndarray, shape (k, p)
        Principal ones of the rows.
    shares : ndarray, shape (k,)
        Of what each filter has in a direction, what is stopped.
    scales : ndarray, shape (f,)
        What passes all of the oscillation.
    """

    periods: FloatArray
    powers: FloatArray
    directions: FloatArray
    shares: FloatArray
    scales: FloatArray

    @classmethod
    def of(cls, X: FloatArray, spectrum: Eigenvalues, loading: float) -> _Filters:
        n_features = X.shape[1]
        directions = spectrum.vectors.T if spectrum.of_columns else spectrum.vectors.T @ X
        lengths = np.sqrt((directions**2).sum(axis=1))
        directions = directions[lengths > 0.0] / lengths[lengths > 0.0, None]
        variances = np.mean((X @ directions.T) ** 2, axis=0)
        shares = variances / (variances + loading)
        size = _FINE * n_features
        last = int(size / _LEAST_PERIOD)
        places = slice(_FINE * _FEWEST_TURNS, last)
        stopped, passed = np.zeros((2, last - _FINE * _FEWEST_TURNS))
        for k in range(len(directions)):
            parts = np.abs(np.fft.rfft(directions[k], size)[places]) ** 2
            stopped += shares[k] * parts
            passed += variances[k] * (1.0 - shares[k]) ** 2 * parts
        scales = 1.0 / (n_features - stopped)
        periods = size / np.arange(places.start, places.stop)
        return cls(periods, passed * scales**2, directions, shares, scales)

    def codes(self, X: FloatArray, place: int) -> FloatArray:
        """Return what the filter of one frequency passes of rows (n, p), complex, (n,)."""
        wave = np.exp(-2j * np.pi * np.arange(X.shape[1]) / self.periods[place])
        kept = wave - ((self.directions @ wave) * self.shares) @ self.directions
        passed: FloatArray = (X @ kept) * self.scales[place]
        return passed
