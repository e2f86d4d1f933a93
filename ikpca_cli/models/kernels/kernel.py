"""Shift-invariant kernels: a Gram function and a sampler of the spectral density each."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.data.threads import chunks, parallel_for
from ikpca_cli.models.kernels.names import KERNELS
from ikpca_cli.registry import load_named

TILE = 512
"""Rows on each side whose kernel a thread computes at once."""

ORTHOGONAL = 4096
"""The most frequencies that are drawn at right angles to each other: more would cost too much."""

_SAME = 1e-9  # how far below 1 the kernel of a row and itself may be
_SAME_SINGLE = 1e-5  # in single precision, where distances are differences of larger numbers


def is_same(similarity: FloatArray) -> NDArray[np.bool_]:
    """Tell for values of a kernel whether they are those of a row and itself."""
    same: NDArray[np.bool_] = similarity >= 1.0 - (
        _SAME if similarity.dtype == np.float64 else _SAME_SINGLE
    )
    return same


class Kernel(ABC):
    r"""A kernel of the form ``k(x, y) = exp(-gamma * distance(x, y))``.

    By Bochner's theorem it is the Fourier transform of a probability density over frequencies,
    which `sample` draws from (Rahimi and Recht, "Random Features for Large-Scale Kernel
    Machines", 2007).
    """

    @abstractmethod
    def distance(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Return the distance of every row of `X` (n, p) to every row of `Y` (m, p): (n, m)."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, n_rff: int, n_features: int) -> FloatArray:
        """Draw frequencies (n_rff, n_features) from the spectral density at ``gamma = 1``."""

    @abstractmethod
    def frequency_scale(self, gamma: float) -> float:
        """Return the factor that turns frequencies for ``gamma = 1`` into those for `gamma`."""

    def gram(self, X: FloatArray, Y: FloatArray, gamma: float) -> FloatArray:
        """Return the kernel matrix (n, m) between the rows of `X` (n, p) and `Y` (m, p)."""
        values = np.empty((len(X), len(Y)), dtype=np.result_type(X, Y))

        def fill(place: tuple[slice, slice]) -> None:
            part = self.distance(X[place[0]], Y[place[1]])
            part *= -gamma
            np.exp(part, out=values[place])

        parts = chunks(len(Y), TILE)
        parallel_for(fill, [(rows, part) for rows in chunks(len(X), TILE) for part in parts])
        return values


class Gaussian(Kernel):
    """``exp(-gamma * ||x - y||^2)``; its frequencies are normal with variance ``2 gamma``."""

    def distance(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Squared Euclidean distances, by one matrix product."""
        squares = X @ Y.T
        squares *= -2.0
        squares += np.einsum("ij,ij->i", X, X)[:, None]
        squares += np.einsum("ij,ij->i", Y, Y)[None, :]
        return np.maximum(squares, 0.0, out=squares)

    def sample(self, rng: np.random.Generator, n_rff: int, n_features: int) -> FloatArray:
        """Draw from N(0, 2)."""
        return rng.normal(scale=np.sqrt(2.0), size=(n_rff, n_features))

    def sample_orthogonal(
        self, rng: np.random.Generator, n_rff: int, n_features: int
    ) -> FloatArray:
        """Draw frequencies (n_rff, n_features) as `sample` does, but at right angles in blocks.

        Each has the same density as before, and together they leave a smaller error in the kernel
        (Yu et al., "Orthogonal Random Features", 2016).
        """
        size = min(n_features, ORTHOGONAL)
        count = -(-n_rff // size)
        chi = rng.spawn(1)[0]  # of its own, so that the first blocks do not depend on their number
        directions, triangles = np.linalg.qr(rng.normal(size=(count, n_features, size)))
        # With these signs the directions are uniform, whichever way the factorisation works.
        lengths = np.sign(np.diagonal(triangles, axis1=1, axis2=2))
        lengths = lengths * np.sqrt(2.0 * chi.chisquare(n_features, (count, size)))
        directions *= lengths[:, None, :]
        frequencies: FloatArray = directions.transpose(0, 2, 1).reshape(-1, n_features)[:n_rff]
        return frequencies

    def frequency_scale(self, gamma: float) -> float:
        """Frequencies grow as the square root of gamma."""
        return float(np.sqrt(gamma))


class Laplacian(Kernel):
    """``exp(-gamma * ||x - y||_1)``; its frequencies are Cauchy with scale ``gamma``."""

    def distance(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """City-block distances."""
        from scipy.spatial.distance import cdist

        distances: FloatArray = cdist(X, Y, "cityblock")
        return distances

    def sample(self, rng: np.random.Generator, n_rff: int, n_features: int) -> FloatArray:
        """Draw from the standard Cauchy density in each coordinate."""
        return rng.standard_cauchy(size=(n_rff, n_features))

    def frequency_scale(self, gamma: float) -> float:
        """Frequencies grow as gamma."""
        return gamma


def load_kernel(name: str) -> Kernel:
    """Return the kernel called `name`.

    Raises
    ------
    UsageError
        If no kernel has that name.
    """
    kernel: Kernel = load_named(KERNELS, "kernel", name)()
    return kernel
