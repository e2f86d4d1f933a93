"""How far rows stray from the surface that they lie on, read off small neighbourhoods."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.data.threads import chunks, parallel_map
from ikpca_cli.models.kernels.kernel import Gaussian

_CENTRES = 400
_ROWS = (15, 55)  # effective number in a window
_PER_TERM = 1.5  # effective number of rows that each term of a parabola needs
_FAR = 1e-6  # weight of a row, over the largest, below which it is left out
_THICKNESSES = (0.1, 0.15, 0.2, 0.3, 0.4, 0.55, 0.75, 1.0, 1.4)  # of surfaces, over the window's
_CLOSE = 1e-6  # relative error of a window's width, or of the rows in it
_BOX = 2.5  # half the side of a flat surface, in units of the window
_DRAWS = 40
_DOUBT = 0.02  # squared distance of log variances that tells nothing
_WIDER = 2.0  # rows in the second window, over those in the first
_STEADY = (0.9, 1.15)  # what the second reading may be, over the first
_THINNER = 2.0  # variance across the surface where rows are sparse, over that where they are dense
_NUMBERS = 2**18  # in arrays of rows around some centres
_BENDS = 2.0  # the second variance over the first, or the first over it, that only a bend makes


@dataclass(frozen=True)
class Thickness:
    """The thickness of a surface in noise.

    Attributes
    ----------
    std : float
        Standard deviation of the rows across the surface; infinite where there is none.
    saturation : float
        How far the window sets it, from 0 to 1.
    across : int
        Number of directions across the surface.
    count : float
        Effective number of rows in a window.
    is_steady : bool
        Whether a window with twice the rows tells much the same: where rows are too few for the
        bend of the surface, or fill the space, it does not.
    is_bound : bool
        Whether the bend of the surface, rather than noise, may be all that is seen: a window with
        twice the rows tells quite another thickness, or has too few of them to fit a bend. Or the
        thickness may be signal, of which there is less where rows are dense.
    """

    std: float
    saturation: float
    across: int
    count: float
    is_steady: bool = True
    is_bound: bool = False


def thickness(X: FloatArray, *, white: bool = False) -> Thickness:
    """Estimate how thick the surface is that rows lie on.

    Around each of some centres, rows are weighed by a Gaussian window of variance h^2, as wide as a
    covariance needs and no wider. How many directions lie across the surface is told by drawn
    windows whose variances are nearest to these. The surface is fitted as a parabola over the
    other directions, so that its bend does not count as noise, and distances to it are
    taken across it (to first order, as Sampson, "Fitting conic sections to very scattered data",
    1982). The window shrinks noise of variance s^2 to v = s^2 h^2 / (s^2 + h^2), so that
    s^2 = v / (1 - v / h^2).

    Parameters
    ----------
    X : ndarray, shape (n_samples, n_features)
        Centred rows in random order, without constant columns.
    white : bool
        Whether the rows as a whole have no direction of larger variance.

    Returns
    -------
    Thickness
    """
    n_samples = len(X)
    wanted = float(np.clip(n_samples / 36, *_ROWS))
    centres = np.arange(0, n_samples, max(1, n_samples // _CENTRES))
    squares = Gaussian().distance(X[centres], X)
    squares[np.arange(len(centres)), centres] = np.inf  # a row is not its own neighbour
    found, wider = (_seen(X, squares, rows, white=white) for rows in (wanted, _WIDER * wanted))
    low, high = _STEADY
    ratio = wider.std / found.std if 0.0 < found.std < np.inf else np.inf
    along = X.shape[1] - found.across
    is_flat = _PER_TERM * (along + 1) * (along + 2) / 2 > wanted
    is_bent = not 1.0 / _BENDS < ratio**2 < _BENDS
    is_bound = found.is_bound or is_flat or is_bent
    return replace(found, is_steady=low < ratio < high, is_bound=is_bound)


def _seen(X: FloatArray, squares: FloatArray, wanted: float, *, white: bool) -> Thickness:
    """Return the thickness that windows with a number of rows see, see `thickness`.

    Parameters
    ----------
    X : ndarray, shape (n_samples, n_features)
    squares : ndarray, shape (n_centres, n_samples)
        Squared distances of the rows from the centres.
    wanted : float
        Effective number of rows in a window.
    white : bool
    """
    n_features = X.shape[1]
    width, weights, count = _windows(squares, wanted, 10.0 * float(X.std(axis=0).max()))
    weights = weights[count > n_features + 2]
    if not len(weights):
        return Thickness(np.inf, 1.0, 0, wanted)
    places = _Places.of(X, weights)
    variances = np.concatenate([some.variances for some in places]).mean(axis=0)
    across = _count_across(variances / width**2, float(np.median(count)), white=white)
    read = parallel_map(lambda some: some.variances_across(across), places)
    found = np.concatenate(list(read)) / width**2
    saturation = float(found.mean())
    if not 0.0 < saturation < 1.0:
        return Thickness(np.inf, 1.0, across, wanted)
    std = width * (saturation / (1.0 - saturation)) ** 0.5
    by_density = found[np.argsort(weights.sum(axis=1))]
    third = max(1, len(found) // 3)
    sparse, dense = float(by_density[:third].mean()), float(by_density[-third:].mean())
    is_signal = sparse * (1.0 - dense) > _THINNER * dense * (1.0 - min(sparse, 1.0))
    return Thickness(std, saturation, across, wanted, is_bound=is_signal)


def _windows(
    squares: FloatArray, wanted: float, widest: float
) -> tuple[float, FloatArray, FloatArray]:
    """Return the width of a window that holds as many rows as wanted, their weights and number."""
    low, high = np.log(1e-12 * widest), np.log(widest)  # a row may be far off
    above = below = None
    while True:
        # The number grows as a power of the width where there are some rows.
        guess = (low + high) / 2.0
        if above is not None and below is not None:
            guess = low + (high - low) * float(np.clip(below / (below - above), 0.01, 0.99))
        width = float(np.exp(guess))
        weights = np.exp(squares / (-2.0 * width**2))
        total = weights.sum(axis=1)
        count = total**2 / np.maximum((weights**2).sum(axis=1), np.finfo(float).tiny)
        apart = float(np.log(max(float(np.median(count)), 1e-300) / wanted))
        if high - low < _CLOSE or abs(apart) < _CLOSE:
            return width, weights, count
        if apart < 0.0:
            low, below = guess, max(apart, -1.0)  # far off, it halves
        else:
            high, above = guess, min(apart, 1.0)


def _count_across(variances: FloatArray, count: float, *, white: bool) -> int:
    """Return in how many directions rows lie across a surface, by their mean local variances.

    Variances of windows on flat surfaces with noise are drawn for any number of directions and a
    range of thicknesses; the nearest, on a log scale, tells.

    Parameters
    ----------
    variances : ndarray, shape (n_features,)
        Ascending, in units of the window's.
    count : float
        Effective number of rows in a window.
    white : bool
        Whether the rows as a whole have no direction of larger variance.
    """
    found = np.log(np.maximum(variances, 1e-12))
    n_features = len(variances)
    distances = np.empty(n_features)
    for directions in range(1, n_features + 1):
        gaps = found - [
            np.log(_drawn_variances(n_features, directions, thin, count)) for thin in _THICKNESSES
        ]
        # Thinner still, all noise shrinks alike.
        gaps[0, :directions] -= min(0.0, float(gaps[0, :directions].mean()))
        distances[directions - 1] = np.sum(gaps**2, axis=1).min()
    # Where noise is all there is, it is wider than the window, which sees it evenly spread.
    gap = found - np.log(_drawn_variances(n_features, 0, 0.0, count))
    gap -= min(0.0, float(gap.mean()))
    distances[-1] = min(distances[-1], float(gap @ gap))
    # In doubt there are few: a surface that is not flat looks a little more like noise.
    # Of more than three columns of nothing but noise, some do look like a surface.
    enough = distances.min() + (0.0 if white and n_features > 3 else _DOUBT)
    return int(np.argmax(distances <= enough)) + 1


@cache
def _drawn_variances(n_features: int, across: int, thin: float, count: float) -> FloatArray:
    """Return mean local variances, ascending, in windows of variance 1 on a flat surface.

    Parameters
    ----------
    n_features : int
    across : int
        Directions across the surface.
    thin : float
        Standard deviation of the noise.
    count : float
        Effective number of rows in a window.
    """
    rng = model_rng(0, Stream.FLAT_SURFACES)
    along = n_features - across
    # The share of the rows that count, for uniform positions along and normal ones across.
    share = (np.pi**0.5 / _BOX) ** along
    share *= ((1.0 + 2.0 * thin**2) ** 0.5 / (1.0 + thin**2)) ** across
    size = (_DRAWS, round(count / share) + 1)
    rows = rng.uniform(-_BOX, _BOX, (*size, n_features))
    rows[:, :, :across] = thin * rng.normal(size=(*size, across))
    centres = np.zeros((_DRAWS, 1, n_features))
    centres[:, :, :across] = thin * rng.normal(size=(_DRAWS, 1, across))
    weights = np.exp(-0.5 * np.sum((rows - centres) ** 2, axis=2))
    weights /= weights.sum(axis=1, keepdims=True)
    rows -= np.einsum("km,kma->ka", weights, rows)[:, None]
    moments = (rows * weights[:, :, None]).transpose(0, 2, 1) @ rows
    moments /= 1.0 - np.sum(weights**2, axis=1)[:, None, None]
    variances: FloatArray = np.linalg.eigvalsh(moments).mean(axis=0)
    return variances


@dataclass(frozen=True)
class _Places:
    """Rows around some centres, along their principal axes, ascending.

    Attributes
    ----------
    rows : ndarray, shape (k, m, p)
    weights : ndarray, shape (k, m)
        Of sum 1 for each centre; 0 for rows beyond its window.
    variances : ndarray, shape (k, p)
    """

    rows: FloatArray
    weights: FloatArray
    variances: FloatArray

    @classmethod
    def of(cls, X: FloatArray, weights: FloatArray) -> list[_Places]:
        """Return all places, some at a time, of rows (n, p) by their weights (n_centres, n)."""
        near = weights > _FAR * weights.max(axis=1, keepdims=True)
        most, n_features = int(near.sum(axis=1).max()), X.shape[1]
        nearest = np.argpartition(-weights, most - 1, axis=1)[:, :most]
        weights = np.take_along_axis(weights * near, nearest, axis=1)
        parts = chunks(len(weights), max(1, _NUMBERS // (most * n_features**2)))
        return list(parallel_map(lambda part: cls._at(X[nearest[part]], weights[part]), parts))

    @classmethod
    def _at(cls, rows: FloatArray, weights: FloatArray) -> _Places:
        """Turn rows (k, m, p) to their principal axes."""
        weights = weights / weights.sum(axis=1, keepdims=True)
        centred = rows - weights[:, None] @ rows
        products = (centred * weights[:, :, None]).swapaxes(1, 2) @ centred
        values, axes = np.linalg.eigh(products)
        free = 1.0 - (weights**2).sum(axis=1, keepdims=True)
        return cls(centred @ axes, weights, values / free)

    def variances_across(self, across: int) -> FloatArray:
        """Return the variances across the surface that a parabola, or else a plane, fits, (k,)."""
        weights, heights, along = self.weights, self.rows[:, :, :across], self.rows[:, :, across:]
        found: FloatArray = self.variances[:, :across].mean(axis=1)
        q = along.shape[2]
        first, second = np.triu_indices(q)
        ones = np.ones((*weights.shape, 1))
        terms = np.concatenate([ones, along, along[:, :, first] * along[:, :, second]], axis=2)
        # Where there are few rows to fit it to, a parabola follows the noise.
        enough = _PER_TERM * terms.shape[2] * (weights**2).sum(axis=1) <= 1.0
        if not enough.any():
            return found
        basis, triangle = np.linalg.qr(terms * np.sqrt(weights)[:, :, None])
        fits = enough & (np.linalg.cond(triangle) <= 1e8)  # rows may be on a lattice, say
        weights, heights, along, terms = (one[fits] for one in (weights, heights, along, terms))
        basis, weighed = basis[fits], np.sqrt(weights)[:, :, None] * heights
        shape = np.linalg.solve(triangle[fits], basis.swapaxes(1, 2) @ weighed)
        residual = heights - terms @ shape
        bends = np.zeros((len(shape), q, q, across))
        bends[:, first, second] += shape[:, 1 + q :]
        bends[:, second, first] += shape[:, 1 + q :]
        steepness = np.zeros(heights.shape)
        for axis in range(q):
            steepness += (shape[:, [1 + axis]] + along @ bends[:, axis]) ** 2
        variances = (residual**2 / (1.0 + steepness)).mean(axis=2)
        # Of independent noise a weighted least-squares fit takes the trace of Q' diag(weights) Q.
        taken = np.einsum("km,kmt,kmt->k", weights, basis, basis)
        found[fits] = (weights * variances).sum(axis=1) / (1.0 - taken)
        return found
