"""A quick denoiser, to compare noise models by: principal components, optimally shrunk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.risk import stein_risks
from ikpca_cli.transforms.protocol import Transform

_FOLDS, _ENOUGH = 4, 100  # folds, and held-out rows after which one will do


def quick_risks(
    rows: FloatArray, by: Transform | None, truth: Transform, noise_std: float
) -> FloatArray:
    """Return estimated mean squared errors of held-out rows, (m,), in the units of the data.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
        In random order.
    by : Transform or None
        What the denoiser takes to make the noise white; None for nothing.
    truth : Transform
        What does make it white.
    noise_std : float
        The noise level, in units of `truth`.
    """
    found = []
    for held in np.array_split(np.arange(len(rows)), _FOLDS):
        denoiser = _Shrunk.of(np.delete(rows, held, axis=0), by, noise_std)
        rng = model_rng(0, Stream.MODEL_PROBE)
        found.append(stein_risks(denoiser.clean, rows[held], noise_std, truth, rng)[0])
        if sum(map(len, found)) >= _ENOUGH:
            break
    return np.concatenate(found)


@dataclass(frozen=True)
class _Shrunk:
    """Principal components (d, p) about a mean (p,), and what codes are multiplied by, (d,)."""

    by: Transform | None
    mean: FloatArray
    components: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, rows: FloatArray, by: Transform | None, noise_std: float) -> _Shrunk:
        Z = rows if by is None else by.forward(rows)
        mean = Z.mean(axis=0)
        level = noise_std if by is not None else estimate_noise(Z - mean).std or 0.0
        _, values, components = np.linalg.svd(Z - mean, full_matrices=False)
        variances = values**2 / len(Z)
        # Below the edge of its law (Marchenko and Pastur) noise is all there is.
        edge = level**2 * (1.0 + (Z.shape[1] / len(Z)) ** 0.5) ** 2
        kept = variances > edge
        weights = 1.0 - level**2 / variances[kept]
        return cls(by, mean, components[kept], weights)

    def clean(self, X: FloatArray) -> FloatArray:
        """Return cleaned rows (n, p)."""
        by = None if self.by is None else self.by.of_rows(X)
        Y = X if by is None else by.forward(X)
        codes = (Y - self.mean) @ self.components.T
        cleaned: FloatArray = (codes * self.weights) @ self.components + self.mean
        return cleaned if by is None else by.inverse(cleaned)
