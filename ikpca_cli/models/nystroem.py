"""Kernel PCA and its regression on landmarks, a few of the rows, by the Nyström method.

With landmarks Z and ``K = k(Z, Z)``, the features ``k(x, Z) K^{-1/2}`` have the kernel's own inner
products between landmarks, and approximate them elsewhere (Williams and Seeger 2001). Linear PCA
of these features is kernel PCA, and linear ridge regression on them is kernel ridge regression;
with all rows as landmarks both are the full methods. Memory is that of m x m numbers for m
landmarks, and time n m^2, whatever the number n of rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ikpca_cli.data.covariance import FeatureSums, add_products, mirror
from ikpca_cli.data.first_pass import SAMPLE_ROWS, FirstPass
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import (
    FloatArray,
    Progress,
    RowSource,
    pick_rows,
    row_blocks,
    silent,
)
from ikpca_cli.data.slices import over_slices, slices_of
from ikpca_cli.errors import IkpcaWarning
from ikpca_cli.linalg.eigen import all_eigenpairs, feature_sums
from ikpca_cli.models.kernels.kernel import load_kernel

_OFF = 100.0  # spread of all rows over that of a sample, from which some rows are far off
_TOLERANCE = 1e-13  # below this share of the largest, eigenvalues of K are rounding errors


def landmark_rows(X: RowSource, count: int, seed: int) -> FloatArray:
    """Return `count` of the rows, drawn without repetition, (count, p).

    From the sample of the first pass, if it has as many: they are not read again then.
    """
    if isinstance(X, FirstPass) and count <= SAMPLE_ROWS:
        return X.sample(count)
    places = np.sort(
        model_rng(seed, Stream.LANDMARKS).choice(X.shape[0], size=count, replace=False)
    )
    return pick_rows(X, places)


def inverse_root(gram: FloatArray) -> FloatArray:
    """Return ``K^{-1/2}`` as a (m, q) factor, for a kernel matrix (m, m) of rank q; overwritten."""
    values, vectors = all_eigenpairs(gram)
    kept = values > _TOLERANCE * values[-1]
    root: FloatArray = vectors[:, kept] / np.sqrt(values[kept])
    return root


@dataclass(frozen=True)
class Landmarks:
    """The feature map ``k(x, Z) K^{-1/2}``.

    Attributes
    ----------
    kernel : str
        A key of `ikpca_cli.models.kernels.names.KERNELS`.
    gamma : float
    rows : ndarray, shape (m, p)
        Z.
    root : ndarray, shape (m, q)
        `inverse_root` of their kernel matrix.
    codes : callable, optional
        Maps rows to what the kernel takes, as `rows` already are. It can be pickled.
    """

    kernel: str
    gamma: float
    rows: FloatArray
    root: FloatArray
    codes: Callable[[FloatArray], FloatArray] | None = None

    @property
    def n_features(self) -> int:
        """Number of features, q."""
        return int(self.root.shape[1])

    def features(self, X: FloatArray, features: slice = slice(None)) -> FloatArray:
        """Return the features (n, q) of centred rows, or a slice of them."""
        X = X if self.codes is None else self.codes(X)
        gram = load_kernel(self.kernel).gram(X, self.rows, self.gamma)
        found: FloatArray = gram @ self.root[:, features]
        return found


def landmark_sums(
    X: RowSource, mean: FloatArray, landmarks: Landmarks, progress: Progress
) -> tuple[FeatureSums, FloatArray]:
    """Return the sums over the features of all rows `X`, and the rows' means, in one pass.

    A first pass that has only read its sample reads all rows in the same pass.

    Parameters
    ----------
    X : RowSource, shape (n_samples, n_features)
    mean : ndarray, shape (n_features,)
        About what they are centred, and the landmarks are.
    landmarks : Landmarks
    progress : Progress
    """
    sums_of = partial(feature_sums, mean=mean, feature_map=landmarks, n_rff=landmarks.n_features)
    if not isinstance(X, FirstPass) or X.is_read:
        return sums_of(X, progress=progress), mean
    before = X.std
    X.read(progress, sums_of=sums_of, width=landmarks.n_features)
    if X.std > _OFF * before:
        warnings.warn(
            f"{X.name}: a few rows are so far from the others that the spread of all is "
            f"{X.std / before:.3g} times that of most: they govern the fit, so take them out",
            IkpcaWarning,
            stacklevel=6,
        )
    assert X.sums is not None
    return X.sums, X.mean


def landmark_regression(
    X: RowSource, mean: FloatArray, landmarks: Landmarks, ridge: float, progress: Progress
) -> FloatArray:
    """Return B (m, p) so that ``k(x, Z) B`` predicts the centred rows `X` by ridge regression.

    Parameters
    ----------
    X : RowSource, shape (n_samples, n_features)
    mean : ndarray, shape (n_features,)
    landmarks : Landmarks
        Of what stands for the rows.
    ridge : float
    progress : Progress
    """
    if isinstance(X, FirstPass) and X.opener is not None:
        parts = slices_of(X.shape[0], len(landmarks.root))
        ticks = ("regression", progress)
        found = over_slices(_products_and_targets, X.opener, parts, mean, landmarks, ticks=ticks)
        products, targets = next(found)
        for more, others in found:
            products += more
            targets += others
    else:
        products, targets = _products_and_targets(X, 0, mean, landmarks, progress)
    values, vectors = all_eigenpairs(mirror(products))
    values += ridge
    useful = values > _TOLERANCE * values[-1]
    vectors = vectors[:, useful]
    coefficients: FloatArray = landmarks.root @ ((vectors / values[useful]) @ (vectors.T @ targets))
    return coefficients


def _products_and_targets(
    X: RowSource,
    _start: int,
    mean: FloatArray,
    landmarks: Landmarks,
    progress: Progress = silent,
) -> tuple[FloatArray, FloatArray]:
    """Return the sums of ``f f'``, its lower triangle, and ``f x'`` over rows x with features f."""
    n_features = landmarks.n_features
    products, targets = np.zeros((n_features, n_features)), np.zeros((n_features, X.shape[1]))
    for rows, block in row_blocks(X, len(landmarks.root)):
        centred = block - mean
        features = landmarks.features(centred)
        add_products(products, features.T)
        targets += features.T @ centred
        progress("regression", rows.stop, X.shape[0])
    return products, targets
