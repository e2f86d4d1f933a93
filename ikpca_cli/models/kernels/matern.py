"""Matérn kernels, whose rows need not be as smooth as a Gaussian's; their limit is the Gaussian.

Rasmussen and Williams, "Gaussian Processes for Machine Learning" (2006), section 4.2.1, with gamma
for ``1 / (2 l^2)``. The spectral density of smoothness nu is Student's t with 2 nu degrees of
freedom, which is a normal one of random variance ``2 nu / chi^2(2 nu)``.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.kernels.kernel import Radial, Smooth


class Exponential(Radial):
    """``exp(-sqrt(2 gamma) |x - y|)``, the Matérn kernel of smoothness 1/2, which has an edge."""

    def distance(
        self, X: FloatArray, Y: FloatArray, lengths: FloatArray | None = None
    ) -> FloatArray:
        """Squared Euclidean distances, which have to be exact where they are small."""
        from scipy.spatial.distance import cdist

        distances: FloatArray = cdist(X, Y, "sqeuclidean").astype(np.result_type(X, Y), copy=False)
        return distances

    def value(self, u: FloatArray) -> FloatArray:
        """Return ``exp(-s)`` with ``s = sqrt(2 u)``."""
        values: FloatArray = np.exp(-np.sqrt(2.0 * u))
        return values

    def variances(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Draw ``1 / chi^2(1)``."""
        return 1.0 / rng.chisquare(1.0, count)


class Matern32(Smooth):
    """``(1 + s) exp(-s)`` with ``s = sqrt(6 gamma) |x - y|``."""

    steepness = 3.0

    def farthest(self, exponent: float) -> float:
        """Return the u at which ``s`` is the exponent."""
        return exponent**2 / 6.0

    def value(self, u: FloatArray) -> FloatArray:
        """Return the kernel."""
        s = np.sqrt(6.0 * u)
        values: FloatArray = (1.0 + s) * np.exp(-s)
        return values

    def slope(self, u: FloatArray) -> FloatArray:
        """Return ``exp(-s)``."""
        values: FloatArray = np.exp(-np.sqrt(6.0 * u))
        return values

    def curvature(self, u: FloatArray) -> FloatArray:
        """Return ``3 exp(-s) / s``, which what it is multiplied by makes 0 at 0."""
        s = np.sqrt(6.0 * u)
        values: FloatArray = 3.0 * np.exp(-s) / np.maximum(s, np.finfo(s.dtype).eps)
        return values

    def variances(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Draw ``3 / chi^2(3)``."""
        return 3.0 / rng.chisquare(3.0, count)


class Matern52(Smooth):
    """``(1 + s + s^2 / 3) exp(-s)`` with ``s = sqrt(10 gamma) |x - y|``."""

    steepness = 5.0 / 3.0

    def farthest(self, exponent: float) -> float:
        """Return the u at which ``s`` is the exponent."""
        return exponent**2 / 10.0

    def value(self, u: FloatArray) -> FloatArray:
        """Return the kernel."""
        s = np.sqrt(10.0 * u)
        values: FloatArray = (1.0 + s + s * s / 3.0) * np.exp(-s)
        return values

    def slope(self, u: FloatArray) -> FloatArray:
        """Return ``(1 + s) exp(-s)``."""
        s = np.sqrt(10.0 * u)
        values: FloatArray = (1.0 + s) * np.exp(-s)
        return values

    def curvature(self, u: FloatArray) -> FloatArray:
        """Return ``5 exp(-s)``."""
        values: FloatArray = 5.0 * np.exp(-np.sqrt(10.0 * u))
        return values

    def variances(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Draw ``5 / chi^2(5)``."""
        return 5.0 / rng.chisquare(5.0, count)
