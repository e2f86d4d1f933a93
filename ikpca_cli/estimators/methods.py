"""Names to implementations: the one place that lists denoising methods and kernels.

Commands, model files and tests iterate over these tables. Implementations are imported on demand,
so that listing the names costs no numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ikpca_cli.errors import UsageError

if TYPE_CHECKING:
    from ikpca_cli.estimators.denoiser import Denoiser
    from ikpca_cli.models.kernels.base import Kernel

METHODS = {
    "ikpca": "ikpca_cli.estimators.ikpca:IKPCA",
    "kpca": "ikpca_cli.estimators.kpca:KernelPCA",
    "pca": "ikpca_cli.estimators.pca:PCA",
}
"""Method name to ``module:class``."""

KERNELS = {
    "gaussian": "ikpca_cli.models.kernels.base:Gaussian",
    "laplacian": "ikpca_cli.models.kernels.base:Laplacian",
}
"""Kernel name to ``module:class``."""


def _load(table: dict[str, str], kind: str, name: str) -> Any:
    if name not in table:
        raise UsageError(f"unknown {kind} {name!r}: choose from {', '.join(table)}")
    module, attribute = table[name].split(":")
    return getattr(import_module(module), attribute)


def load_method(name: str) -> type[Denoiser]:
    """Return the class of the method called `name`.

    Raises
    ------
    UsageError
        If no method has that name.
    """
    cls: type[Denoiser] = _load(METHODS, "method", name)
    return cls


def load_kernel(name: str) -> Kernel:
    """Return the kernel called `name`.

    Raises
    ------
    UsageError
        If no kernel has that name.
    """
    kernel: Kernel = _load(KERNELS, "kernel", name)()
    return kernel
