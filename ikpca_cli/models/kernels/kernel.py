"""Shift-invariant kernels: value, derivatives and a sampler of the spectral density each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.data.threads import chunks, parallel_for
from ikpca_cli.errors import UsageError
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


def squared_lengths(X: FloatArray) -> FloatArray:
    """Return the squared length of each row of `X` (n, p), (n,)."""
    lengths: FloatArray = np.einsum("ij,ij->i", X, X)
    return lengths


class Kernel(ABC):
    """A function of ``u = gamma * distance(x, y)``, which is ``exp(-u)`` unless it says so.

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

    def value(self, u: FloatArray) -> FloatArray:
        """Return the kernel at ``u = gamma * distance``; it is 1 at 0."""
        values: FloatArray = np.exp(-u)
        return values

    def gram(self, X: FloatArray, Y: FloatArray, gamma: float) -> FloatArray:
        """Return the kernel matrix (n, m) between the rows of `X` (n, p) and `Y` (m, p)."""
        values = np.empty((len(X), len(Y)), dtype=np.result_type(X, Y))

        def fill(place: tuple[slice, slice]) -> None:
            part = self.distance(X[place[0]], Y[place[1]])
            part *= gamma
            values[place] = self.value(part)

        parts = chunks(len(Y), TILE)
        parallel_for(fill, [(rows, part) for rows in chunks(len(X), TILE) for part in parts])
        return values


class Radial(Kernel):
    """A kernel of the squared Euclidean distance, a mixture of Gaussians of many widths.

    Frequencies are normal with variance ``2 gamma``, times a random factor for each.
    """

    def distance(
        self, X: FloatArray, Y: FloatArray, lengths: FloatArray | None = None
    ) -> FloatArray:
        """Squared Euclidean distances, by one matrix product; those of `Y` from 0 may be known."""
        squares = X @ Y.T
        squares *= -2.0
        squares += squared_lengths(X)[:, None]
        squares += squared_lengths(Y) if lengths is None else lengths
        return np.maximum(squares, 0.0, out=squares)

    @abstractmethod
    def variances(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Draw how many times wider than a Gaussian's each frequency's density is, (count,)."""

    def sample(self, rng: np.random.Generator, n_rff: int, n_features: int) -> FloatArray:
        """Draw from N(0, 2 v), with `variances` v from a stream of their own."""
        mixture = rng.spawn(1)[0]
        frequencies = rng.normal(scale=np.sqrt(2.0), size=(n_rff, n_features))
        return frequencies * np.sqrt(self.variances(mixture, n_rff))[:, None]

    def sample_orthogonal(
        self, rng: np.random.Generator, n_rff: int, n_features: int
    ) -> FloatArray:
        """Draw frequencies (n_rff, n_features) as `sample` does, but at right angles in blocks.

        Each has the same density as before, and together they leave a smaller error in the kernel
        (Yu et al., "Orthogonal Random Features", 2016).
        """
        size = min(n_features, ORTHOGONAL)
        count = -(-n_rff // size)
        # Of their own, so that the first blocks do not depend on their number.
        chi, mixture = rng.spawn(2)
        directions, triangles = np.linalg.qr(rng.normal(size=(count, n_features, size)))
        # With these signs the directions are uniform, whichever way the factorisation works.
        lengths = np.sign(np.diagonal(triangles, axis1=1, axis2=2))
        lengths = lengths * np.sqrt(2.0 * chi.chisquare(n_features, (count, size)))
        directions *= lengths[:, None, :]
        frequencies: FloatArray = directions.transpose(0, 2, 1).reshape(-1, n_features)[:n_rff]
        return frequencies * np.sqrt(self.variances(mixture, n_rff))[:, None]

    def frequency_scale(self, gamma: float) -> float:
        """Frequencies grow as the square root of gamma."""
        return float(np.sqrt(gamma))


class Smooth(Radial):
    """A radial kernel k(u) with a gradient everywhere, which the exact model goes back along.

    Attributes
    ----------
    steepness : float
        ``-k'(0)``.
    """

    steepness: ClassVar[float] = 1.0

    def farthest(self, exponent: float) -> float:
        """Return a u beyond which the kernel is below ``exp(-exponent)``, infinite without one.

        What is beyond counts for nothing, but products with it would be denormal numbers, which
        processors are many times slower with.
        """
        return np.inf

    @abstractmethod
    def slope(self, u: FloatArray) -> FloatArray:
        """Return ``k'(u) / k'(0)``, 1 at 0: the pull of a row on another."""

    @abstractmethod
    def curvature(self, u: FloatArray) -> FloatArray:
        """Return minus the derivative of `slope`."""

    def parts(self, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return value, slope and curvature, which may be one array, of `u`, which is changed."""
        np.minimum(u, self.farthest(-0.5 * float(np.log(np.finfo(u.dtype).tiny))), out=u)
        return self._parts(u)

    def _parts(self, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.value(u), self.slope(u), self.curvature(u)

    def below(self, u: FloatArray) -> FloatArray:
        """Return the kernel less 1, with all its digits where it is near 1 if that is possible."""
        return self.value(u) - 1.0

    def slope_below(self, u: FloatArray) -> FloatArray:
        """Return the slope less 1, likewise."""
        return self.slope(u) - 1.0


class Gaussian(Smooth):
    """``exp(-gamma * |x - y|^2)``: it is its own slope and curvature."""

    def farthest(self, exponent: float) -> float:
        """Return the exponent, as u is."""
        return exponent

    def slope(self, u: FloatArray) -> FloatArray:
        """Return ``exp(-u)``."""
        return self.value(u)

    def curvature(self, u: FloatArray) -> FloatArray:
        """Return ``exp(-u)``."""
        return self.value(u)

    def _parts(self, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        k = self.value(u)
        return k, k, k

    def below(self, u: FloatArray) -> FloatArray:
        """Return ``exp(-u) - 1``."""
        values: FloatArray = np.expm1(-u)
        return values

    def slope_below(self, u: FloatArray) -> FloatArray:
        """Return ``exp(-u) - 1``."""
        return self.below(u)

    def variances(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Return ones."""
        return np.ones(count)


GAUSSIAN = Gaussian()


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


def load_smooth(name: str) -> Smooth:
    """Return the kernel called `name`, which has to be smooth.

    Raises
    ------
    UsageError
        If no kernel has that name, or it is not smooth.
    """
    kernel = load_kernel(name)
    if not isinstance(kernel, Smooth):
        smooth = [other for other in KERNELS if is_smooth(other)]
        raise UsageError(f"the {name} kernel is not smooth: use one of {', '.join(smooth)}")
    return kernel


def is_smooth(name: str) -> bool:
    """Tell whether the kernel called `name` is smooth."""
    return isinstance(load_kernel(name), Smooth)


def load_kernel(name: str) -> Kernel:
    """Return the kernel called `name`.

    Raises
    ------
    UsageError
        If no kernel has that name.
    """
    kernel: Kernel = load_named(KERNELS, "kernel", name)()
    return kernel
