"""Made-up rows that several tests of noise look at."""

from __future__ import annotations

import numpy as np


def strokes(rng, n_samples):
    """Return pictures of one stroke each, 10 x 10, whose rows of pixels recur as hum does."""
    y, x = np.mgrid[-1:1:10j, -1:1:10j]
    angle = rng.uniform(0.0, np.pi, (n_samples, 1, 1))
    x, y = x - rng.normal(0.0, 0.3, angle.shape), y - rng.normal(0.0, 0.3, angle.shape)
    apart = x * np.sin(angle) - y * np.cos(angle)
    return np.exp(-((apart / 0.2) ** 2)).reshape(n_samples, -1)
