"""The one list of activations, which estimators, commands and tests iterate over."""

from __future__ import annotations

ACTIVATIONS = {
    "sine": "ikpca_cli.models.activations.sine:Sine",
    "relu": "ikpca_cli.models.activations.relu:ReLU",
    "leaky-relu": "ikpca_cli.models.activations.leaky_relu:LeakyReLU",
}
"""Activation name to ``module:class``."""
