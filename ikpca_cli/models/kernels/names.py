"""The one list of kernels, which commands, estimators and tests iterate over."""

from __future__ import annotations

KERNELS = {
    "gaussian": "ikpca_cli.models.kernels.kernel:Gaussian",
    "laplacian": "ikpca_cli.models.kernels.kernel:Laplacian",
    "matern32": "ikpca_cli.models.kernels.matern:Matern32",
    "matern52": "ikpca_cli.models.kernels.matern:Matern52",
    "rational-quadratic": "ikpca_cli.models.kernels.rational_quadratic:RationalQuadratic",
    "exponential": "ikpca_cli.models.kernels.matern:Exponential",
}
"""Kernel name to ``module:class``."""
