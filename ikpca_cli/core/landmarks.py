"""Kernel PCA and its regression on landmarks, a few of the rows, by the Nyström method.

With landmarks Z and ``K = k(Z, Z)``, the features ``k(x, Z) K^{-1/2}`` have the kernel's own inner
products between landmarks, and approximate them elsewhere (Williams and Seeger 2001). Linear PCA
of these features is kernel PCA, and linear ridge regression on them is kernel ridge regression;
with all rows as landmarks both are the full methods. Memory is that of m x m numbers for m
landmarks, and time n m^2, whatever the number n of rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ikpca_cli.core.rows import FloatArray, Progress, RowSource, model_rng, pick_rows, row_blocks
from ikpca_cli.core.spectrum import Spectrum, all_eigenpairs, spectrum
from ikpca_cli.core.sums import add_products, mirror
from ikpca_cli.core.survey import SAMPLE_ROWS, Survey

_LANDMARKS = 7  # stream of `model_rng`
_TOLERANCE = 1e-13  # below this share of the largest, eigenvalues of K are rounding errors

GramOf = Callable[[FloatArray], FloatArray]
"""Maps centred rows (k, p) to their kernel with the landmarks, (k, m)."""


def landmark_rows(X: RowSource, count: int, seed: int) -> FloatArray:
    """Return `count` of the rows, drawn without repetition, (count, p).

    From the sample of rows that were surveyed, if it has as many: they are not read again then.
    """
    if isinstance(X, Survey) and count <= SAMPLE_ROWS:
        return X.sample(count)
    places = np.sort(model_rng(seed, _LANDMARKS).choice(X.shape[0], size=count, replace=False))
    return pick_rows(X, places)


def inverse_root(gram: FloatArray) -> FloatArray:
    """Return ``K^{-1/2}`` as a (m, q) factor, for a kernel matrix (m, m) of rank q; overwritten."""
    values, vectors = all_eigenpairs(gram)
    kept = values > _TOLERANCE * values[-1]
    root: FloatArray = vectors[:, kept] / np.sqrt(values[kept])
    return root


def landmark_spectrum(
    X: RowSource, mean: FloatArray, gram_of: GramOf, root: FloatArray, most: int, progress: Progress
) -> Spectrum:
    """Return the spectrum of the features ``k(x, Z) K^{-1/2}`` of all rows `X`."""
    return spectrum(
        X, mean, _Whitened(gram_of, root), root.shape[1], most, route="primal", progress=progress
    )


def landmark_regression(
    X: RowSource,
    mean: FloatArray,
    gram_of: GramOf,
    root: FloatArray,
    ridge: float,
    progress: Progress,
) -> FloatArray:
    """Return B (m, p) so that ``k(x, Z) B`` predicts the centred rows `X` by ridge regression.

    Parameters
    ----------
    X : RowSource, shape (n_samples, n_features)
    mean : ndarray, shape (n_features,)
    gram_of : callable
        Maps centred rows to the kernel of what stands for them with that of the landmarks.
    root : ndarray, shape (m, q)
        `inverse_root` of the landmarks' own kernel matrix.
    ridge : float
    progress : Progress
    """
    n_features = root.shape[1]
    whitened = _Whitened(gram_of, root)
    products, targets = np.zeros((n_features, n_features)), np.zeros((n_features, X.shape[1]))
    for rows, block in row_blocks(X, len(root)):
        centred = block - mean
        features = whitened.features(centred)
        add_products(products, features.T)
        targets += features.T @ centred
        progress("regression", rows.stop, X.shape[0])
    values, vectors = all_eigenpairs(mirror(products))
    values += ridge
    useful = values > _TOLERANCE * values[-1]
    vectors = vectors[:, useful]
    coefficients: FloatArray = root @ ((vectors / values[useful]) @ (vectors.T @ targets))
    return coefficients


class _Whitened:
    """The feature map ``k(x, Z) K^{-1/2}``."""

    def __init__(self, gram_of: GramOf, root: FloatArray) -> None:
        self._gram_of, self._root = gram_of, root

    def features(self, X: FloatArray, features: slice = slice(None)) -> FloatArray:
        return self._gram_of(X) @ self._root[:, features]
