"""Signals whose clean versions are known."""

from __future__ import annotations

import numpy as np

JUMPS = np.array([0.10, 0.13, 0.15, 0.23, 0.25, 0.40, 0.44, 0.65, 0.76, 0.78, 0.81])
STEPS = np.array([4, -5, 3, -4, 5, -4.2, 2.1, 4.3, -3.1, 2.1, -4.2])
HEIGHTS = np.array([4, 5, 3, 4, 5, 4.2, 2.1, 4.3, 3.1, 5.1, 4.2])
WIDTHS = np.array([5, 5, 6, 10, 10, 30, 10, 10, 5, 8, 5]) / 1000.0


def signal(name, n):
    """Return a test signal of Donoho and Johnstone (1994), (n,)."""
    t = np.arange(1, n + 1) / n
    apart = t[:, None] - JUMPS
    if name == "blocks":
        return (1.0 + np.sign(apart)) @ STEPS / 2.0
    if name == "bumps":
        return (1.0 + np.abs(apart / WIDTHS)) ** -4.0 @ HEIGHTS
    if name == "heavisine":
        return 4.0 * np.sin(4.0 * np.pi * t) - np.sign(t - 0.3) - np.sign(0.72 - t)
    if name == "doppler":
        return np.sqrt(t * (1.0 - t)) * np.sin(2.1 * np.pi / (t + 0.05))
    raise ValueError(name)


def noisy(clean, db, rng):
    """Return a signal with white noise of a ratio in decibels, and the noise level."""
    std = clean.std() / 10.0 ** (db / 20.0)
    return clean + rng.normal(0.0, std, clean.shape), std
