"""What fits the models that a choice of parameters compares: roughly, as it takes many of them.

Each is a `Fits` of `ikpca_cli.selection.expansion.ExpansionSearch`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.precision import rounded_fields
from ikpca_cli.data.row_source import LARGEST_SINGLE, FloatArray
from ikpca_cli.linalg.eigen import spectrum
from ikpca_cli.models.exact_spectrum import ExactSpectrum
from ikpca_cli.models.gauss_newton import GaussNewtonModel
from ikpca_cli.models.kernels.kernel import Smooth
from ikpca_cli.models.preimage import Preimage
from ikpca_cli.models.random_features import FourierFeatures
from ikpca_cli.selection.outcome import Fit

SINGLE_FROM = 400
"""Rows from which a comparison by the exact kernel saves time in single precision."""

COMPARED_COMPONENTS = 384
"""The most components in a comparison, unless their number is given."""


def exact_fits(
    rows: FloatArray,
    distances: FloatArray,
    noise_variance: float,
    *,
    most: int | None,
    form: Smooth,
) -> Fit:
    """Return what fits the limit of infinitely many features.

    Of many rows, what it finds is in single precision, if that can hold them: it is enough to tell
    candidates apart.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
    distances : ndarray, shape (n, n)
    noise_variance : float
    most : int or None
        Components to keep.
    form : Smooth
        The kernel.
    """
    dtype = _enough_precision(rows) if len(rows) >= SINGLE_FROM else np.float64

    def fit(places: NDArray[np.intp], gamma: float) -> Preimage[Any]:
        near = distances[np.ix_(places, places)]
        asked = most or COMPARED_COMPONENTS
        return ExactSpectrum.of(rows[places], near, gamma, asked, noise_variance, form, dtype)

    return fit


def refined_fits(
    rows: FloatArray,
    _distances: FloatArray,
    _noise_variance: float,
    *,
    most: int,
    n_rff: int,
    route: str,
    seed: int,
    form: Smooth,
) -> Fit:
    """Return what fits the refined model, without an expansion.

    In single precision, if that can hold the rows: it is enough to tell candidates apart.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
    most : int
        Components to keep.
    n_rff : int
        Random features.
    route : {"auto", "primal", "dual"}
    seed : int
    form : Smooth
        The kernel.
    """
    n_features = rows.shape[1]
    drawn = FourierFeatures.draw_balanced(form, 1.0, n_rff, n_features, seed)
    mean = np.zeros(n_features)
    dtype = _enough_precision(rows)

    def fit(places: NDArray[np.intp], gamma: float) -> Preimage[Any]:
        features = drawn.scaled(form.frequency_scale(gamma)).rounded(dtype)
        some = rows[places]
        found = spectrum(some, mean, features, n_rff, most, route=route, roughly=True)
        return rounded_fields(GaussNewtonModel.of(features, found, some, 1.0, seed), dtype)

    return fit


def _enough_precision(rows: FloatArray) -> type[np.floating[Any]]:
    """Return single precision if it can hold the rows, which is enough to tell candidates apart."""
    can_hold = 1.0 / LARGEST_SINGLE <= np.abs(rows).max() <= LARGEST_SINGLE
    return np.float32 if can_hold else np.float64
