"""The error of cleaned rows in the units of the data, whatever their noise is like."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.transforms.protocol import Transform

_STEP = 0.01  # of the probe, in units of the noise


def stein_risks(
    clean: Callable[[FloatArray], FloatArray],
    X: FloatArray,
    noise_std: float,
    transform: Transform | None,
    rng: np.random.Generator,
    n_probes: int = 1,
) -> tuple[FloatArray, FloatArray]:
    """Return unbiased estimates of each row's mean squared error after cleaning, and before, (n,).

    For noise of covariance C and a denoiser f with derivative J it is
    ``(|f(y) - y|^2 - tr(C) + 2 tr(C J)) / p``. The last trace is the mean of ``b' J b`` over noise
    b, of which one draw will do (Stein 1981; Ramani, Blu and Unser 2008), and some do better.

    Parameters
    ----------
    clean : callable
        Maps rows (n, p) to cleaned rows.
    X : ndarray, shape (n, p)
        Noisy rows.
    noise_std : float
        Noise level, in units of the transform if there is one.
    transform : Transform or None
        What makes the noise white.
    rng : numpy.random.Generator
        Draws the noise.
    n_probes : int
        How many draws.
    """
    cleaned = clean(X)
    transform = None if transform is None else transform.of_rows(X)
    signal = cleaned if transform is None else transform.forward(cleaned)
    unit = np.ones(signal.shape)
    if signal.shape == X.shape:
        unit[:, np.ptp(X, axis=0) == 0.0] = 0.0
    levels = noise_std * (unit if transform is None else transform.levels(signal))
    traces = np.zeros(len(X))
    for _ in range(n_probes):
        signs: FloatArray = unit * rng.choice((-1.0, 1.0), signal.shape)
        probe = noise_std * (signs if transform is None else transform.noise(signal, signs))
        traces += np.mean(probe * (clean(X + _STEP * probe) - cleaned), axis=1)
    risks: FloatArray = np.mean((cleaned - X) ** 2 - levels**2, axis=1)
    risks += 2.0 / (_STEP * n_probes) * traces
    before: FloatArray = np.mean(levels**2, axis=1)
    return risks, before
