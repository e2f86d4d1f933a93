"""Denoise stacks of signals with invertible kernel PCA."""

__version__ = "0.1.0"
