"""Random Fourier features in sine form: angles, features, and their pre-image.

Gedon, Ribeiro, Wahlström and Schön, "Invertible Kernel PCA with Random Fourier Features" (2023),
section 3. A feature is ``sin(w'x + b)``; its angle is known from the noisy row up to the value
that the projection corrects, so the branch of the arcsine never has to be guessed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.data.threads import chunks, parallel_for
from ikpca_cli.errors import InputError, UsageError
from ikpca_cli.linalg.sines import sines
from ikpca_cli.models.activations.activation import load_activation
from ikpca_cli.models.kernels.kernel import ORTHOGONAL, Kernel, Radial
from ikpca_cli.models.novelty import ROWS, from_mean_kernels

CHUNK_FEATURES = 512
"""The most features that a thread computes at once."""

CHUNK_ELEMENTS = 2**17
"""The numbers in a tile of features: 1 MiB in float64, which a core's cache holds."""

WELL_CONDITIONED = 1e-3
"""Smallest over largest eigenvalue of ``W'W + ridge I`` above which forming it costs no digits."""


@dataclass(frozen=True)
class FourierFeatures:
    """Frequencies and offsets of random Fourier features.

    Parameters
    ----------
    W : ndarray, shape (n_rff, n_features)
        Frequencies, one feature a row.
    b : ndarray, shape (n_rff,)
        Offsets in radians.
    activation : str
        What angles pass through, a key of `ACTIVATIONS`.

    Raises
    ------
    InputError
        If the shapes do not fit each other.
    """

    W: FloatArray
    b: FloatArray
    activation: str = "sine"

    def __post_init__(self) -> None:
        """Check shapes once, so that every later use can rely on them."""
        if self.W.ndim != 2 or self.b.shape != self.W.shape[:1]:
            raise InputError(
                f"W {self.W.shape} and b {self.b.shape} must have shapes (n_rff, n_features) "
                "and (n_rff,)"
            )

    @classmethod
    def draw(
        cls, kernel: Kernel, gamma: float, n_rff: int, n_features: int, seed: int
    ) -> FourierFeatures:
        """Draw `n_rff` features of `kernel` for rows of `n_features` numbers.

        The first features are the same however many are drawn, and for every gamma but for scale.

        Raises
        ------
        UsageError
            If the seed is negative.
        """
        W = kernel.sample(model_rng(seed, Stream.FREQUENCIES), n_rff, n_features)
        W *= kernel.frequency_scale(gamma)
        return cls(W, model_rng(seed, Stream.OFFSETS).uniform(-np.pi, np.pi, n_rff))

    @classmethod
    def draw_balanced(
        cls, kernel: Radial, gamma: float, n_rff: int, n_features: int, seed: int
    ) -> FourierFeatures:
        """Draw features whose kernel is nearer to the true one than that of independent ones.

        Frequencies are at right angles to each other, and each makes two features, a quarter turn
        apart (Sutherland and Schneider, "On the Error of Random Fourier Features", 2015). With
        fewer features than `fewest_pairs` says they come singly, or rows could not be told from
        them. The first features are the same however many pairs are drawn.

        Raises
        ------
        UsageError
            If the seed is negative.
        """
        each = 2 if n_rff >= fewest_pairs(n_features) else 1
        count = -(-n_rff // each)
        W = kernel.sample_orthogonal(model_rng(seed, Stream.FREQUENCIES), count, n_features)
        W *= kernel.frequency_scale(gamma)
        b = model_rng(seed, Stream.OFFSETS).uniform(-np.pi, np.pi, count)
        turns = np.arange(n_rff) % each * (0.5 * np.pi)
        return cls(np.repeat(W, each, axis=0)[:n_rff], np.repeat(b, each)[:n_rff] + turns)

    def scaled(self, factor: float) -> FourierFeatures:
        """Return the features with frequencies times a factor."""
        return replace(self, W=factor * self.W)

    @property
    def n_rff(self) -> int:
        """Number of features."""
        return int(self.W.shape[0])

    def rounded(self, dtype: type[np.floating[Any]]) -> FourierFeatures:
        """Return the features in another precision, which is then that of their values."""
        return replace(self, W=self.W.astype(dtype, copy=False), b=self.b.astype(dtype, copy=False))

    def half_turns(self, X: FloatArray, features: slice = slice(None)) -> FloatArray:
        """Return ``(X W' + b) / pi`` (n, k) for centred rows `X` (n, p) and some of the features.

        In half turns, as `ikpca_cli.linalg.sines` counts angles, and in the precision of `W`.
        """
        angles = (X * (1.0 / np.pi)).astype(self.W.dtype, copy=False) @ self.W[features].T
        angles += (self.b[features] * (1.0 / np.pi)).astype(self.W.dtype, copy=False)
        return angles

    def features(self, X: FloatArray, features: slice = slice(None)) -> FloatArray:
        """Return ``sin(X W' + b)`` (n, k) for centred rows `X` (n, p) and some of the features.

        With another activation, that of the same angles.
        """
        forward = load_activation(self.activation).forward
        start, stop, _ = features.indices(self.n_rff)
        values = np.empty((len(X), stop - start), dtype=self.W.dtype)

        def fill(place: tuple[slice, slice]) -> None:
            rows, columns = place
            part = self.half_turns(X[rows], slice(start + columns.start, start + columns.stop))
            forward(part)
            values[place] = part

        parallel_for(fill, places(*values.shape))
        return values

    def sines_and_cosines(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return ``sin(X W' + b)`` and ``cos(X W' + b)`` (n, r) for centred rows `X` (n, p)."""
        both = np.empty((2, len(X), self.n_rff), dtype=self.W.dtype)

        def fill(place: tuple[slice, slice]) -> None:
            part = self.half_turns(X[place[0]], place[1])
            both[1][place] = part + 0.5  # a quarter turn on, the sine is the cosine
            sines(part)
            both[0][place] = part
            sines(both[1][place])

        parallel_for(fill, places(*both.shape[1:]))
        return both[0], both[1]


@dataclass(frozen=True)
class FeatureModel:
    """Random features of training rows and the leading components of these.

    Attributes
    ----------
    W : ndarray, shape (n_rff, n_features)
        Frequencies.
    b : ndarray, shape (n_rff,)
        Offsets in radians.
    feature_mean : ndarray, shape (n_rff,)
        Mean of the training rows' features.
    components : ndarray, shape (n_components, n_rff)
        Orthonormal directions in feature space, largest variance first.
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = {
        "W": ("r", "p"),
        "b": ("r",),
        "feature_mean": ("r",),
        "components": ("d", "r"),
    }

    W: FloatArray
    b: FloatArray
    feature_mean: FloatArray
    components: FloatArray

    second_gamma: ClassVar[None] = None

    @property
    def n_rff(self) -> int:
        """Number of random features."""
        return int(self.b.shape[0])

    def feature_count(self, n_samples: int) -> int:
        """Return the number of random features, which rows do not change."""
        return self.n_rff

    @property
    def n_features(self) -> int:
        """Width of the rows."""
        return int(self.W.shape[1])

    @property
    def width(self) -> int:
        """Width of the widest intermediate array per row."""
        return self.n_rff

    @property
    def features(self) -> FourierFeatures:
        """The random features themselves."""
        return FourierFeatures(self.W, self.b)

    def distances(self, X: FloatArray, n_samples: int) -> FloatArray:
        """Return how far centred rows (n, p) are from the training rows, by some of the features.

        If these are among `n_samples` training rows, the means hold a share of each row's own.
        """
        some = slice(0, self.compared)
        return self.distances_of(
            self.features.features(X, some) @ self.feature_mean[some], n_samples
        )

    @property
    def compared(self) -> int:
        """How many of the first features tell how far rows are."""
        return min(self.n_rff, ROWS)

    def distances_of(self, products: FloatArray, n_samples: int = 0) -> FloatArray:
        """Return `distances` by products (n,) of the `compared` features with their means."""
        means = products * (2.0 / self.compared)
        if n_samples > 1:
            means = (n_samples * means - 1.0) / (n_samples - 1.0)
        return from_mean_kernels(means)

    def encode(self, X: FloatArray) -> FloatArray:
        """Return the latent codes (n, d) of centred rows (n, p)."""
        codes: FloatArray = (self.features.features(X) - self.feature_mean) @ self.components.T
        return codes


def fewest_pairs(n_features: int) -> int:
    """Return the fewest features in pairs that tell all rows of a width apart."""
    # As many frequencies as columns do only if they are all at right angles.
    return (2 if n_features <= ORTHOGONAL else 4) * n_features


def places(n_rows: int, n_features: int) -> list[tuple[slice, slice]]:
    """Return the chunks that features (n_rows, n_features) are computed in, by rows."""
    width = min(CHUNK_FEATURES, n_features)
    columns = chunks(n_features, width)
    return [(rows, part) for rows in chunks(n_rows, CHUNK_ELEMENTS // width) for part in columns]


def ridge_inverse(W: FloatArray, ridge: float) -> FloatArray:
    """Return ``(W'W + ridge I)^-1`` (p, p); for ``ridge = 0`` its pseudo-inverse.

    By the singular values of `W` where forming ``W'W`` would lose digits.

    Parameters
    ----------
    W : ndarray, shape (r, p)
    ridge : float
        Not negative.

    Raises
    ------
    UsageError
        If `ridge` is negative or not finite.
    """
    if not (np.isfinite(ridge) and ridge >= 0.0):
        raise UsageError(f"ridge {ridge} is not allowed: use 0 or a positive number")
    W = W.astype(np.float64, copy=False)
    squares, vectors = np.linalg.eigh(W.T @ W)
    if squares[0] + ridge < WELL_CONDITIONED * squares[-1]:
        R = np.linalg.qr(W, mode="r")
        _, s, Vt = np.linalg.svd(R, full_matrices=False)
        squares, vectors = s**2, Vt.T
        if ridge == 0.0:
            squares[s <= np.finfo(np.float64).eps * max(W.shape) * s[0]] = np.inf
    matrix: FloatArray = (vectors / (squares + ridge)) @ vectors.T
    return matrix
