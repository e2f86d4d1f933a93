"""The one list of kernels, which commands, estimators and tests iterate over."""

from __future__ import annotations

KERNELS = {
    "gaussian": "ikpca_cli.models.kernels.kernel:Gaussian",
    "laplacian": "ikpca_cli.models.kernels.kernel:Laplacian",
}
"""Kernel name to ``module:class``."""
