"""The one list of denoising methods, which commands, model files and tests iterate over."""

from __future__ import annotations

METHODS = {
    "ikpca": "ikpca_cli.estimators.ikpca:IKPCA",
    "kpca": "ikpca_cli.estimators.kpca:KernelPCA",
    "pca": "ikpca_cli.estimators.pca:PCA",
}
"""Method name to ``module:class``."""

WINDOW_METHODS = {"mixture": "ikpca_cli.estimators.mixture:Mixture"}
"""The same of methods that are for windows of a recording or picture."""
