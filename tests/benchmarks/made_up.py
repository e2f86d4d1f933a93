"""Rows that are made up, clean, and noises to put on them: what nothing here was tuned on."""

from __future__ import annotations

import numpy as np


def decays(rng, n):
    """Return sums of two exponential decays of any strength."""
    t = np.linspace(0.0, 5.0, 100)
    fast, slow = rng.lognormal(0.0, 0.5, (2, n, 1))
    rates = 1.0 / rng.uniform(0.3, 0.7, (n, 1)), 1.0 / rng.uniform(1.5, 3.0, (n, 1))
    return fast * np.exp(-t * rates[0]) + slow * np.exp(-t * rates[1]) + 0.05


def responses(rng, n):
    """Return logistic curves of any height, slope and place."""
    x = np.linspace(-4.0, 4.0, 48) - rng.normal(size=(n, 1))
    return rng.uniform(0.5, 2.0, (n, 1)) / (1.0 + np.exp(-rng.uniform(0.8, 4.0, (n, 1)) * x))


def cycles(rng, n):
    """Return four harmonics, nearly in phase."""
    x = np.arange(128) / 128 * 2 * np.pi
    parts = [
        rng.normal(1.0, 0.3, (n, 1)) / k * np.cos(k * (2 * x + rng.uniform(-0.4, 0.4, (n, 1))) + k)
        for k in range(1, 5)
    ]
    return np.sum(parts, axis=0)


def strokes(rng, n):
    """Return pictures of one stroke each, 10 x 10."""
    y, x = np.mgrid[-1:1:10j, -1:1:10j]
    angle = rng.uniform(0.0, np.pi, (n, 1, 1))
    x, y = x - rng.normal(0.0, 0.3, (n, 1, 1)), y - rng.normal(0.0, 0.3, (n, 1, 1))
    apart = x * np.sin(angle) - y * np.cos(angle)
    return np.exp(-((apart / 0.2) ** 2)).reshape(n, -1)


def table(rng, n):
    """Return rows of four heavy-tailed factors in 25 columns."""
    factors = np.random.default_rng(5).normal(size=(4, 25))
    return rng.laplace(size=(n, 4)) @ factors + 3.0 * factors[0]


def lines(rng, n):
    """Return spectra of seven sharp lines of any height, nearly in place."""
    x = np.linspace(0.0, 1.0, 256)
    places = (0.1, 0.15, 0.33, 0.4, 0.62, 0.8, 0.9)
    parts = [
        rng.lognormal(0.0, 0.7, (n, 1))
        / (1.0 + ((x - place - rng.normal(0.0, 0.002, (n, 1))) / 0.008) ** 2)
        for place in places
    ]
    return np.sum(parts, axis=0)


def walks(rng, n):
    """Return random walks, rough at every scale."""
    return np.cumsum(rng.normal(size=(n, 90)), axis=1) / 5.0


def pulses(rng, n):
    """Return rectangles of any width, place and height."""
    x, start = np.arange(80), rng.uniform(5.0, 40.0, (n, 1))
    inside = (x > start) & (x < start + rng.uniform(8.0, 35.0, (n, 1)))
    return inside * rng.uniform(0.6, 1.4, (n, 1))


def bursts(rng, n):
    """Return short bursts of any frequency, place and phase."""
    x = np.linspace(0.0, 1.0, 150) - rng.uniform(0.2, 0.8, (n, 1))
    turns = rng.uniform(15.0, 30.0, (n, 1)) * x + rng.uniform(0.0, 1.0, (n, 1))
    return np.exp(-((x / 0.08) ** 2)) * np.cos(2 * np.pi * turns)


FAMILIES = {
    "decays": (decays, 120),
    "responses": (responses, 100),
    "cycles": (cycles, 80),
    "strokes": (strokes, 200),
    "table": (table, 150),
    "lines": (lines, 60),
    "walks": (walks, 150),
    "pulses": (pulses, 150),
    "bursts": (bursts, 150),
}
"""What makes rows, and how many of them there are to fit on."""

NOISES = (
    "white 20 dB", "white 10 dB", "white 0 dB", "columns", "counts", "multiplied", "correlated",
    "hum", "spikes", "clipped", "rows",
)  # fmt: skip
"""Kinds of noise; at 10 dB of the rows' variance if not said."""


def noisy(kind, clean, like, times, rng):
    """Return rows with noise.

    Parameters
    ----------
    kind : str
        One of `NOISES`.
    clean : ndarray, shape (n, p)
    like : ndarray, shape (m, p)
        Clean rows that the strength of the noise goes by.
    times : float
        How many times as strong it is.
    rng : numpy.random.Generator
    """
    decibels = {"white 20 dB": 20.0, "white 0 dB": 0.0}.get(kind, 10.0)
    variance = np.mean((like - like.mean(axis=0)) ** 2) / 10.0 ** (decibels / 10.0)
    std, p = times * variance**0.5, like.shape[1]
    noise = rng.normal(size=clean.shape)
    if kind == "columns":
        stds = np.exp(np.random.default_rng(6).uniform(np.log(0.3), np.log(2.5), p))
        return clean + std * stds / np.sqrt(np.mean(stds**2)) * noise
    if kind == "rows":
        return clean + std * np.exp(rng.normal(0.0, 0.5, (len(clean), 1)) - 0.25) * noise
    if kind == "counts":
        least = like.min()
        gain = std**2 / np.mean(like - least)
        return gain * rng.poisson(np.maximum(clean - least, 0.0) / gain) + least
    if kind == "multiplied":
        return clean * (1.0 + std / np.sqrt(np.mean(like**2)) * noise)
    if kind == "correlated":
        for column in range(1, p):
            noise[:, column] = 0.7 * noise[:, column - 1] + 0.51**0.5 * noise[:, column]
    if kind == "hum":
        turns = np.arange(p) / 8.3 + rng.uniform(size=(len(clean), 1))
        noise = 0.6 * noise + 0.8 * 2**0.5 * np.sin(2 * np.pi * turns)
    if kind == "spikes":
        at = rng.random(clean.shape) < 0.01
        noise += at * rng.choice((-1.0, 1.0), clean.shape) * rng.uniform(12.0, 24.0, clean.shape)
    rows = clean + std * noise
    return np.maximum(rows, np.quantile(like, 0.15)) if kind == "clipped" else rows
