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
) -> tuple[FloatArray, FloatArray]:
    """Return unbiased estimates of each row's mean squared error after cleaning, and before, (n,).

    For noise of covariance C and a denoiser f with derivative J it is
    ``(|f(y) - y|^2 - tr(C) + 2 tr(C J)) / p``. The last trace is the mean of ``b' J b`` over noise
    b, of which one draw will do (Stein 1981; Ramani, Blu and Unser 2008).

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
    """
    cleaned = clean(X)
    signal = cleaned if transform is None else transform.forward(cleaned)
    signs: FloatArray = rng.choice((-1.0, 1.0), signal.shape)
    if signal.shape == X.shape:
        signs[:, np.ptp(X, axis=0) == 0.0] = 0.0
    if transform is None:
        probe: FloatArray = noise_std * signs
        variances: FloatArray = probe**2
    else:
        probe = noise_std * transform.noise(signal, signs)
        variances = (noise_std * transform.levels(signal)) ** 2
    turned = (clean(X + _STEP * probe) - cleaned) / _STEP
    risks: FloatArray = np.mean((cleaned - X) ** 2 - variances + 2.0 * probe * turned, axis=1)
    return risks, variances.mean(axis=1)
