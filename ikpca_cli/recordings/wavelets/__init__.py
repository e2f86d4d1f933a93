"""Wavelet shrinkage beside the windows of a signal."""
