"""Leading eigenpairs of a centred covariance, from row blocks (primal) or feature blocks (dual).

Both routes give the same projector. The primal one holds r x r numbers and costs O(r^2 n + r^3);
the dual one holds n x n and costs O(r n^2 + n^3) (section 3.3 of Gedon et al. 2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ikpca_cli.data.covariance import FEW_FEATURES, FeatureSums, add_products, mirror, tiled_sums
from ikpca_cli.data.first_pass import FirstPass
from ikpca_cli.data.row_source import (
    BLOCK_ELEMENTS,
    FloatArray,
    Progress,
    RowSource,
    read_all,
    row_blocks,
    silent,
)
from ikpca_cli.data.slices import Opener, over_slices, slices_of
from ikpca_cli.data.threads import chunks
from ikpca_cli.linalg.krylov import leading_by_iteration, leading_by_krylov

ITERATED_SIZE = 300
"""Below this size all eigenpairs of a matrix are cheap."""

KEPT_BYTES = 2**26
"""Features that the dual route keeps to use again instead of computing them twice."""


class FeatureMap(Protocol):
    """Maps centred rows (n, p) to features (n, r), whole or a slice of them."""

    def features(self, X: FloatArray, features: slice = ..., /) -> FloatArray:
        """Return the features (n, k) of the rows `X` (n, p), which may be a view of these."""


@dataclass(frozen=True)
class Spectrum:
    """The leading part of a covariance.

    Attributes
    ----------
    mean : ndarray, shape (r,)
        Mean of the features.
    components : ndarray, shape (d, r)
        Orthonormal directions, largest variance first.
    variances : ndarray, shape (d,)
        Eigenvalues of the 1/n covariance.
    total : float
        Trace of the covariance.
    sums : FeatureSums or None
        What it was computed from, by the primal route.
    """

    mean: FloatArray
    components: FloatArray
    variances: FloatArray
    total: float
    sums: FeatureSums | None = None


def leading_eigenpairs(
    matrix: FloatArray, most: int, *, roughly: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return the `most` largest eigenvalues, descending, and their eigenvectors as columns.

    Eigenvalues that are zero to working precision are left out, so fewer may come back.

    Parameters
    ----------
    matrix : ndarray, shape (m, m)
        Symmetric and positive semi-definite; overwritten.
    most : int
        At least 1.
    roughly : bool
        Whether the last of many may be mixtures of their neighbours, see `leading_by_iteration`.

    Returns
    -------
    values : ndarray, shape (d,)
    vectors : ndarray, shape (m, d)
    """
    size = matrix.shape[0]
    most = min(most, size)
    found = None
    if size >= 1000 and most * 50 <= size:
        found = leading_by_krylov(matrix, most)
    elif roughly and size >= ITERATED_SIZE:
        found = leading_by_iteration(matrix, most)
    # All of them, also where few are wanted: LAPACK's search for a part of a spectrum loses
    # eigenvalues that coincide, as those of a kernel too narrow for its data do.
    values, vectors = found or all_eigenpairs(matrix)
    order = np.argsort(values)[::-1][:most]
    values, vectors = values[order], vectors[:, order]
    kept = values > size * np.finfo(np.float64).eps * max(values[0], 0.0)
    return values[kept], np.ascontiguousarray(vectors[:, kept])


def all_eigenpairs(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return all eigenvalues, ascending, and eigenvectors of a symmetric matrix.

    By numpy, whose LAPACK lets other threads run meanwhile: scipy's would hold an interrupt back.
    """
    values, vectors = np.linalg.eigh(matrix)
    return values, vectors


def most_of_spectrum(
    matrix: FloatArray, most: int, negligible: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Return about the `most` largest eigenvalues, descending, and eigenvectors as columns.

    Exact where most of a spectrum is wanted, else see `leading_by_iteration`.

    Parameters
    ----------
    matrix : ndarray, shape (m, m)
        Symmetric and positive semi-definite; overwritten.
    most : int
    negligible : float
        What the eigenvalues that are left out may sum up to.

    Returns
    -------
    values : ndarray, shape (d,)
    vectors : ndarray, shape (m, d)
    """
    large = len(matrix) >= ITERATED_SIZE
    found = leading_by_iteration(matrix, most, negligible) if large else None
    values, vectors = found or all_eigenpairs(matrix)
    return values[::-1][:most], vectors[:, ::-1][:, :most]


def choose_route(n_samples: int, n_features: int) -> str:
    """Return the cheaper route: ``"primal"`` when there are at least as many rows as features."""
    return "primal" if n_features <= n_samples else "dual"


def spectrum(
    X: RowSource,
    mean: FloatArray,
    feature_map: FeatureMap,
    n_rff: int,
    most: int,
    *,
    route: str = "auto",
    roughly: bool = False,
    progress: Progress = silent,
) -> Spectrum:
    """Return the leading `most` eigenpairs of the covariance of the features of `X`.

    Parameters
    ----------
    X : RowSource, shape (n_samples, n_features)
    mean : ndarray, shape (n_features,)
        Subtracted from each row before it is mapped.
    feature_map : FeatureMap
    n_rff : int
        Number of features that the map gives.
    most : int
        Fewer come back where the covariance has a lower rank.
    route : {"auto", "primal", "dual"}
    roughly : bool
        As for `leading_eigenpairs`.
    progress : Progress
    """
    if route == "auto":
        route = choose_route(X.shape[0], n_rff)
    if route == "primal":
        sums = feature_sums(X, mean, feature_map, n_rff, progress)
        return spectrum_of_sums(sums, most, progress, roughly=roughly)
    return _dual(read_all(X) - mean, feature_map, n_rff, most, roughly, progress)


def sums_over_rows(
    X: RowSource,
    mean: FloatArray,
    feature_map: FeatureMap,
    n_rff: int,
    progress: Progress = silent,
) -> FeatureSums:
    """Return the sums over the features of all rows; see `spectrum`."""
    if isinstance(X, FirstPass) and X.opener is not None:
        return gathered_sums(X, X.opener, mean, feature_map, n_rff, progress)
    return feature_sums(X, mean, feature_map, n_rff, progress)


def feature_sums(
    X: RowSource,
    mean: FloatArray,
    feature_map: FeatureMap,
    n_rff: int,
    progress: Progress = silent,
) -> FeatureSums:
    """Return the sums over the features of the rows `X`, centred by `mean`; see `spectrum`.

    Rows that other processes can open are summed slice by slice, where joblib's backend says.
    """
    if isinstance(X, FirstPass) and X.opener is not None:
        return gathered_sums(X, X.opener, mean, feature_map, n_rff, progress)
    sums = FeatureSums.empty(n_rff)
    for rows, block in row_blocks(X, n_rff):
        if n_rff <= FEW_FEATURES:
            sums.merge(tiled_sums(block, lambda part: feature_map.features(part - mean), n_rff))
        else:
            sums.add(feature_map.features(block - mean))
        progress("features", rows.stop, X.shape[0])
    return sums


def gathered_sums(
    X: RowSource,
    opener: Opener,
    mean: FloatArray,
    feature_map: FeatureMap,
    n_rff: int,
    progress: Progress = silent,
) -> FeatureSums:
    """Return what `feature_sums` does, from slices that joblib's active backend works on."""
    sums = FeatureSums.empty(n_rff)
    parts = slices_of(X.shape[0], n_rff)
    given = mean, feature_map, n_rff
    for more in over_slices(_sums_of_part, opener, parts, *given, ticks=("features", progress)):
        sums.merge(more)
    return sums


def _sums_of_part(
    X: RowSource, _start: int, mean: FloatArray, feature_map: FeatureMap, n_rff: int
) -> FeatureSums:
    return feature_sums(X, mean, feature_map, n_rff)


def spectrum_of_sums(
    sums: FeatureSums, most: int, progress: Progress = silent, *, roughly: bool = False
) -> Spectrum:
    """Return the leading `most` eigenpairs of the covariance that sums hold; see `spectrum`."""
    covariance = sums.covariance
    trace = float(np.trace(covariance))
    progress("eigenvectors", 0, 0)
    variances, vectors = leading_eigenpairs(covariance, most, roughly=roughly)
    return Spectrum(sums.mean, np.ascontiguousarray(vectors.T), variances, trace, sums)


def _dual(
    X: FloatArray,
    feature_map: FeatureMap,
    n_rff: int,
    most: int,
    roughly: bool,
    progress: Progress,
) -> Spectrum:
    n_samples = X.shape[0]
    mean = np.empty(n_rff)
    gram = np.zeros((n_samples, n_samples))
    kept: dict[int, FloatArray] = {}  # as many of the features as fit, to be used again
    parts = chunks(n_rff, max(1, BLOCK_ELEMENTS // n_samples))
    for part in parts:
        features = feature_map.features(X, part)
        mean[part] = features.mean(axis=0, dtype=np.float64)
        features = features - mean[part].astype(features.dtype, copy=False)
        add_products(gram, features)
        if (len(kept) + 1) * features.nbytes <= KEPT_BYTES:
            kept[part.start] = features
        progress("features", part.stop, n_rff)
    trace = float(np.trace(gram)) / n_samples
    progress("eigenvectors", 0, 0)
    most = min(most, max(n_samples - 1, 1))
    values, vectors = leading_eigenpairs(mirror(gram), most, roughly=roughly)
    vectors /= np.sqrt(values)
    components = np.empty((len(values), n_rff))
    for part in parts:
        if part.start in kept:
            features = kept.pop(part.start)
        else:
            features = feature_map.features(X, part)
            features = features - mean[part].astype(features.dtype, copy=False)
        components[:, part] = vectors.T.astype(features.dtype, copy=False) @ features
        progress("components", part.stop, n_rff)
    return Spectrum(mean, components, values / n_samples, trace)
