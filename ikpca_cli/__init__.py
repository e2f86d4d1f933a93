"""Denoise stacks of signals with invertible kernel PCA.

The classes are imported on first use, so that ``import ikpca_cli`` costs no numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ikpca_cli.version import __version__ as __version__

if TYPE_CHECKING:
    from ikpca_cli.estimators.ikpca import IKPCA
    from ikpca_cli.estimators.kpca import KernelPCA
    from ikpca_cli.estimators.pca import PCA
    from ikpca_cli.modelfile.storage import load_model, save_model

__all__ = ["IKPCA", "PCA", "KernelPCA", "load_model", "save_model"]

_HOMES = {
    "IKPCA": "ikpca_cli.estimators.ikpca",
    "KernelPCA": "ikpca_cli.estimators.kpca",
    "PCA": "ikpca_cli.estimators.pca",
    "load_model": "ikpca_cli.modelfile.storage",
    "save_model": "ikpca_cli.modelfile.storage",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
