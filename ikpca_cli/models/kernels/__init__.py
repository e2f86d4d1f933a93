"""Kernels by name."""
