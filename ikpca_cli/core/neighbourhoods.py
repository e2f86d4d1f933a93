"""How far rows stray from the surface that they lie on, read off small neighbourhoods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ikpca_cli.core.kernels import Gaussian
from ikpca_cli.core.rows import FloatArray

_CENTRES = 400
_ROWS = (15, 55)  # effective number in a window
_FAR = 1e-6  # weight of a row, over the largest, below which it is left out


@dataclass(frozen=True)
class Thickness:
    """The thickness of a surface in noise.

    Attributes
    ----------
    std : float
        Standard deviation of the rows across the surface; infinite where there is none.
    saturation : float
        How far the window sets it, from 0 to 1.
    count : float
        Effective number of rows in a window.
    """

    std: float
    saturation: float
    count: float


def thickness(X: FloatArray) -> Thickness:
    """Estimate how thick the surface is that rows lie on.

    Around each of some centres, rows are weighed by a Gaussian window of variance h^2, as wide as a
    covariance needs and no wider. The surface is fitted there as a parabola over all but the least
    variable direction, so that its bend does not count as noise, and distances to it are taken
    across it (to first order, as Sampson, "Fitting conic sections to very scattered data", 1982).
    The window shrinks noise of variance s^2 to v = s^2 h^2 / (s^2 + h^2), so that
    s^2 = v / (1 - v / h^2).

    Parameters
    ----------
    X : ndarray, shape (n_samples, n_features)
        Centred rows in random order, without constant columns.

    Returns
    -------
    Thickness
    """
    n_samples, n_features = X.shape
    wanted = float(np.clip(n_samples / 36, *_ROWS))
    centres = np.arange(0, n_samples, max(1, n_samples // _CENTRES))
    squares = Gaussian().distance(X[centres], X)
    squares[np.arange(len(centres)), centres] = np.inf  # a row is not its own neighbour
    width, weights, count = _windows(squares, wanted, 10.0 * float(X.std(axis=0).max()))
    enough = np.flatnonzero(count > n_features + 2)
    if len(enough) == 0:
        return Thickness(np.inf, 1.0, wanted)
    parabola = _n_terms(n_features) <= wanted / 2.0
    variances = []
    for centre in enough:
        near = weights[centre] > _FAR * weights[centre].max()
        share = weights[centre, near] / weights[centre, near].sum()
        variances.append(_variance_across(X[near], share, parabola=parabola))
    saturation = float(np.mean(variances)) / width**2
    if not 0.0 < saturation < 1.0:
        return Thickness(np.inf, 1.0, wanted)
    return Thickness(width * (saturation / (1.0 - saturation)) ** 0.5, saturation, wanted)


def _windows(
    squares: FloatArray, wanted: float, widest: float
) -> tuple[float, FloatArray, FloatArray]:
    """Return the width of a window that holds as many rows as wanted, their weights and number."""
    low, high = 1e-5 * widest, widest
    for _ in range(40):
        width = (low * high) ** 0.5
        weights = np.exp(squares / (-2.0 * width**2))
        total = weights.sum(axis=1)
        count = total**2 / np.maximum((weights**2).sum(axis=1), np.finfo(float).tiny)
        low, high = (width, high) if np.median(count) < wanted else (low, width)
    return width, weights, count


def _variance_across(X: FloatArray, weights: FloatArray, *, parabola: bool) -> float:
    """Return the variance of weighted rows (m, p) across the surface through them."""
    centred = X - weights @ X
    values, axes = np.linalg.eigh((centred.T * weights) @ centred)
    if not parabola:
        return float(values[0] / (1.0 - (weights**2).sum()))
    across, along = centred @ axes[:, 0], centred @ axes[:, 1:]
    terms, slopes = _parabola(along)
    root = np.sqrt(weights)
    basis, triangle = np.linalg.qr(terms * root[:, None])
    if np.linalg.cond(triangle) > 1e8:  # rows on a lattice, say
        return float(values[0] / (1.0 - (weights**2).sum()))
    found = basis.T @ (root * across)
    residual = across - (basis @ found) / root
    coefficients = np.linalg.solve(triangle, found)
    steepness = np.einsum("imk,k->im", slopes, coefficients)
    variance = weights @ (residual**2 / (1.0 + (steepness**2).sum(axis=0)))
    # Of independent noise a weighted least-squares fit takes the trace of Q' diag(weights) Q.
    return float(variance / (1.0 - weights @ (basis**2).sum(axis=1)))


def _n_terms(n_features: int) -> int:
    return n_features * (n_features + 1) // 2


def _parabola(U: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the monomials of degree 0 to 2 of (m, q), (m, k), and their slopes, (q, m, k)."""
    m, q = U.shape
    first, second = np.triu_indices(q)
    terms = np.concatenate([np.ones((m, 1)), U, U[:, first] * U[:, second]], axis=1)
    slopes = np.zeros((q, m, terms.shape[1]))
    places = np.arange(1 + q, terms.shape[1])
    for axis in range(q):
        slopes[axis, :, 1 + axis] = 1.0
        slopes[axis][:, places] = U[:, second] * (first == axis) + U[:, first] * (second == axis)
    return terms, slopes
