"""How much of each principal component of noisy rows to keep, and of a displacement of a row.

With a matrix of n rows and p columns of noise of variance 1 and of signal of low rank, singular
values of the signal come out larger, and vectors turned away from its own, by amounts that depend
on n, p and the value alone (Benaych-Georges and Nadakuditi, "The singular values and vectors of low
rank perturbations of large rectangular random matrices", 2012).
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray

_TINY = 1e-300
_HIGH = 0.999  # quantile of the squared length of noise
_FALL = 4  # power by which what is a little longer is shortened


def optimal_weights(
    squares: FloatArray, n_samples: int, n_features: int, noise_variance: float
) -> FloatArray:
    """Return weights of components for the rows they were found in, of least mean squared error.

    Gavish and Donoho, "Optimal shrinkage of singular values" (2017): a singular value y, in units
    of what noise has, becomes ``sqrt((y^2 - beta - 1)^2 - 4 beta) / y`` above ``1 + sqrt(beta)``,
    else 0, with beta the ratio of the sides.

    Parameters
    ----------
    squares : ndarray, shape (d,)
        Sums of squares of the centred noisy rows along their components.
    n_samples, n_features : int
        Degrees of freedom of the rows, one less than their number, and columns.
    noise_variance : float

    Returns
    -------
    ndarray, shape (d,)
        The shrunk over the noisy singular values.
    """
    short, long = sorted((n_samples, n_features))
    beta = short / long
    found = squares / (long * noise_variance)
    inner = np.where(found > (1.0 + beta**0.5) ** 2, (found - beta - 1.0) ** 2 - 4.0 * beta, 0.0)
    weights: FloatArray = np.sqrt(np.maximum(inner, 0.0)) / np.maximum(found, _TINY)
    return weights


def prediction_weights(
    squares: FloatArray, n_samples: int, n_features: int, noise_variance: float
) -> FloatArray:
    """Return weights of components for rows they were not found in, of least mean squared error.

    A component of signal variance l (noise 1) is found at an angle with
    ``cos^2 = (1 - g / l^2) / (1 + g / l)``, g being p / n; the best multiple of a new row's code is
    ``l cos^2 / (l cos^2 + 1)`` (Dobriban, Leeb and Singer, "Optimal prediction in the linearly
    transformed spiked model", 2020). Parameters as for `optimal_weights`.
    """
    ratio = n_features / n_samples
    found = squares / (n_samples * noise_variance)
    above = found > (1.0 + ratio**0.5) ** 2
    middle = np.where(above, found - 1.0 - ratio, 0.0)
    signal = (middle + np.sqrt(np.maximum(middle**2 - 4.0 * ratio, 0.0))) / 2.0
    safe = np.where(above, signal, 1.0)
    cosines = np.where(above, (1.0 - ratio / safe / safe) / (1.0 + ratio / safe), 0.0)
    kept = signal * np.clip(cosines, 0.0, 1.0)
    weights: FloatArray = kept / (kept + 1.0)
    return weights


def kept_share(
    squares: FloatArray,
    variance: FloatArray | float,
    directions: int,
    *,
    may_be_more: bool = False,
) -> FloatArray:
    """Return the shares (n,) of displacements that are kept.

    Parameters
    ----------
    squares : ndarray, shape (n,)
        Their squared lengths.
    variance : ndarray, shape (n,), or float
        Of the noise.
    directions : int
        In how many directions there is noise.
    may_be_more : bool
        Whether single rows may have more noise than that.
    """
    mean = np.maximum(np.multiply(directions, variance), np.finfo(float).tiny)
    longest = mean * (longest_square(directions) / max(directions, 1))
    far = np.maximum(squares, longest)
    share: FloatArray = longest / far
    if may_be_more:
        return share
    shares: FloatArray = np.maximum(share**_FALL, np.minimum(mean / far, 1.0))
    return shares


def longest_square(directions: int) -> float:
    """Return the squared length, in units of the noise, that noise hardly ever exceeds."""
    from scipy.special import gammaincinv  # of chi-square: scipy.stats takes a second to import

    return 2.0 * float(gammaincinv(max(directions, 1) / 2.0, _HIGH))


def at_level(
    variances: FloatArray, noise: FloatArray, ratio: float
) -> tuple[FloatArray, FloatArray]:
    """Return variances of rows and of noise along components, (d,), for noise so often as loud.

    What is signal in them stays what it was.
    """
    louder: FloatArray = ratio**2 * noise
    return np.maximum(variances - noise, 0.0) + louder, louder


def weights_at_level(weights: FloatArray, ratio: float) -> FloatArray:
    """Return Wiener weights, (d,), for noise that is so many times as loud, see `at_level`."""
    signal, noise = weights, 1.0 - weights  # as shares of the variance of rows
    variances, louder = at_level(signal + noise, noise, ratio)
    kept: FloatArray = 1.0 - louder / variances
    return kept
