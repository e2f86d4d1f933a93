"""Smoothers that decide for each row how much of it is noise, as displacements of coefficients.

Each takes cosine coefficients Z (m, p) of rows and directions dZ in which they may change, and
returns the displacement F and its derivatives along these directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.smoothing.nonlocal_means import nonlocal_means
from ikpca_cli.models.smoothing.order import RowOrder

Smoother: TypeAlias = Callable[
    [RowOrder, float, FloatArray, Sequence[FloatArray]], tuple[FloatArray, list[FloatArray]]
]
"""Maps order, noise variance, Z and the dZ to F (m, p) and its derivatives."""

_PENALTIES = 10.0 ** np.arange(-3.0, 10.0)  # of squared second differences
_SHARPNESS = 0.25  # of the choice among penalties, as Leung and Barron have it


def splines(
    order: RowOrder, noise_variance: float, Z: FloatArray, dZ: Sequence[FloatArray]
) -> tuple[FloatArray, list[FloatArray]]:
    """Smooth each row by smoothing splines of several penalties, mixed by their risks for it.

    A penalty l on squared second differences multiplies a coefficient by ``g = 1 / (1 + l u)`` with
    u its roughness (Garcia, "Robust smoothing of gridded data", 2010). By Stein's identity its risk
    for the row is, but for a constant, ``r = sum (1 - g)^2 z^2 + 2 sigma^2 sum g``; the mixture has
    the weights ``exp(-r / (4 sigma^2))``, normalised (Leung and Barron, "Information theory and
    mixing least-squares regressions", 2006).
    """
    gains = 1.0 / (1.0 + _PENALTIES[:, None] * order.roughness)
    missing = (1.0 - gains) ** 2
    sharpness = _SHARPNESS / noise_variance
    risks = Z**2 @ missing.T + 2.0 * noise_variance * gains.sum(axis=1)
    weights = np.exp(-sharpness * (risks - risks.min(axis=1, keepdims=True)))
    weights /= weights.sum(axis=1, keepdims=True)
    change = weights @ gains - 1.0
    turned = []
    for d in dZ:
        slopes = (-2.0 * sharpness) * ((Z * d) @ missing.T)
        slopes -= np.einsum("ij,ij->i", weights, slopes)[:, None]
        turned.append(change * d + Z * ((weights * slopes) @ gains))
    return change * Z, turned


ADAPTIVE: tuple[tuple[str, Smoother, bool], ...] = (
    ("splines", splines, False),
    ("splines of differences", splines, True),
    ("non-local means", nonlocal_means, False),
)
"""Name, smoother, and whether it smooths rows less the mean of all; the order is that of files."""
