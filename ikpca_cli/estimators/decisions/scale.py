"""Scales of rows and of gamma that the numbers of a model can follow."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.first_pass import FirstPass
from ikpca_cli.data.row_source import LARGEST_SINGLE
from ikpca_cli.errors import InputError, UsageError
from ikpca_cli.estimators.base import Estimator
from ikpca_cli.models.kernels.kernel import load_kernel
from ikpca_cli.selection.choice import Auto

SCALE_ROWS, FARTHEST = 100, 1e12
"""Rows that tell a typical distance, and how far from its inverse a gamma may be."""

LARGEST_OFFSET = 1e5
"""Means over spread that single precision leaves two digits of."""


def check_scale(estimator: Estimator, rows: FirstPass) -> None:
    """Refuse rows, or a gamma, whose scale the numbers of the model cannot follow.

    Parameters
    ----------
    estimator : Estimator
        Whose parameters are the type of the model, its kernel and gamma.
    rows : FirstPass, shape (n_samples, n_features)
        The training rows, once they were read.

    Raises
    ------
    InputError
        If the rows are beyond single precision, and the model is to be in it.
    UsageError
        If gamma is far from the inverse of all squared distances.
    """
    if estimator.dtype == "float32":
        offset = float(np.abs(rows.mean).max())
        if not 1.0 / LARGEST_SINGLE <= rows.std <= LARGEST_SINGLE:
            raise InputError(
                f"{rows.name}: the spread of its values is beyond single precision; rescale "
                "them, or use float64"
            )
        if offset > LARGEST_OFFSET * rows.std:
            raise InputError(
                f"{rows.name}: values around {offset:.3g} that differ by {rows.std:.3g} are "
                "too alike for single precision; subtract what they share, or use float64"
            )
    gamma: float | Auto = getattr(estimator, "gamma", "auto")
    if gamma != "auto":
        some = rows.sample(SCALE_ROWS) - rows.mean
        kernel = load_kernel(getattr(estimator, "kernel", ""))
        typical = float(kernel.distance(some, some).mean())
        # Where all of some rows are alike, nothing is typical.
        if typical and not 1.0 / FARTHEST <= gamma * typical <= FARTHEST:
            raise UsageError(
                f"gamma {gamma:.3g} is far from what these rows need: use about "
                f"{1.0 / typical:.3g}, or 'auto'"
            )
