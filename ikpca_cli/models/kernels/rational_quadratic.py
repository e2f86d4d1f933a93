"""The rational quadratic kernel: Gaussians of all widths, few of them narrow."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.kernels.kernel import Smooth


class RationalQuadratic(Smooth):
    """``1 / (1 + gamma |x - y|^2)``, of scale mixture 1 (Rasmussen and Williams 2006, eq. 4.19)."""

    def value(self, u: FloatArray) -> FloatArray:
        """Return ``1 / (1 + u)``."""
        return 1.0 / (1.0 + u)

    def slope(self, u: FloatArray) -> FloatArray:
        """Return ``(1 + u)^-2``."""
        return (1.0 + u) ** -2

    def curvature(self, u: FloatArray) -> FloatArray:
        """Return ``2 (1 + u)^-3``."""
        return 2.0 * (1.0 + u) ** -3

    def variances(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Draw from the standard exponential density."""
        return rng.standard_exponential(count)
