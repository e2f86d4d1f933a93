"""Random features for rows: how many, of which kind, and their spectrum."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ikpca_cli.data.row_source import FloatArray, Progress, RowSource
from ikpca_cli.estimators.preimages.kind import Asked
from ikpca_cli.linalg.eigen import Spectrum, spectrum
from ikpca_cli.models.kernels.kernel import load_kernel, load_smooth
from ikpca_cli.models.random_features import FourierFeatures


def feature_count(asked: Asked, n_features: int) -> int:
    """Return the number of random features to draw for rows of a width."""
    return asked.n_rff if isinstance(asked.n_rff, int) else max(2000, 4 * n_features)


def drawn_features(
    asked: Asked, gamma: float, n_features: int, *, balanced: bool
) -> FourierFeatures:
    """Return the random features of a fit, drawn unless some are given.

    Parameters
    ----------
    asked : Asked
    gamma : float
    n_features : int
        Width of the rows.
    balanced : bool
        Whether they are balanced; those of the paper are independent.
    """
    size = feature_count(asked, n_features), n_features
    if asked.features is not None:
        features = asked.features
    elif balanced:
        features = FourierFeatures.draw_balanced(
            load_smooth(asked.kernel), gamma, *size, asked.seed
        )
    else:
        features = FourierFeatures.draw(load_kernel(asked.kernel), gamma, *size, asked.seed)
    kept: type[np.floating[Any]] = np.float32 if asked.dtype == "float32" else np.float64
    return replace(features, activation=asked.activation).rounded(kept)


def spectrum_of_features(
    asked: Asked,
    X: RowSource,
    mean: FloatArray,
    features: FourierFeatures,
    n_components: int,
    progress: Progress,
    *,
    roughly: bool = False,
) -> Spectrum:
    """Return the leading components of the features of rows `X` (n_samples, n_features)."""
    route = "primal" if asked.keep_sums else asked.solver
    roughly &= not asked.keep_sums  # so that a model that grows is that of all its rows
    size = features.n_rff, n_components
    return spectrum(X, mean, features, *size, route=route, roughly=roughly, progress=progress)
