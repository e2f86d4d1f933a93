"""Random Fourier features in sine form: angles, features, and the way back to the input.

Gedon, Ribeiro, Wahlström and Schön, "Invertible Kernel PCA with Random Fourier Features" (2023),
section 3. A feature is ``sin(w'x + b)``; its angle is known from the noisy row up to the value
that the projection corrects, so the branch of the arcsine never has to be guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ikpca_cli.core.kernels import Kernel
from ikpca_cli.core.rows import FloatArray, model_rng
from ikpca_cli.errors import InputError, UsageError


@dataclass(frozen=True)
class FourierFeatures:
    """Frequencies and offsets of random Fourier features.

    Parameters
    ----------
    W : ndarray, shape (n_rff, n_features)
        Frequencies, one feature a row.
    b : ndarray, shape (n_rff,)
        Offsets in radians.

    Raises
    ------
    InputError
        If the shapes do not fit each other.
    """

    W: FloatArray
    b: FloatArray

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
        W = kernel.sample(model_rng(seed, 0), n_rff, n_features)
        W *= kernel.frequency_scale(gamma)
        return cls(W, model_rng(seed, 1).uniform(-np.pi, np.pi, n_rff))

    @property
    def n_rff(self) -> int:
        """Number of features."""
        return int(self.W.shape[0])

    def angles(self, X: FloatArray, features: slice = slice(None)) -> FloatArray:
        """Return ``X W' + b`` (n, k) for centred rows `X` (n, p) and a slice of the features."""
        alpha = X @ self.W[features].T
        alpha += self.b[features]
        return alpha

    def features(self, X: FloatArray, features: slice = slice(None)) -> FloatArray:
        """Return ``sin(X W' + b)`` (n, k) for centred rows `X` (n, p)."""
        alpha = self.angles(X, features)
        return np.sin(alpha, out=alpha)


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

    @property
    def n_rff(self) -> int:
        """Number of random features."""
        return int(self.b.shape[0])

    @property
    def width(self) -> int:
        """Width of the widest intermediate array per row."""
        return self.n_rff

    @property
    def features(self) -> FourierFeatures:
        """The random features themselves."""
        return FourierFeatures(self.W, self.b)

    def encode(self, X: FloatArray) -> FloatArray:
        """Return the latent codes (n, d) of centred rows (n, p)."""
        codes: FloatArray = (self.features.features(X) - self.feature_mean) @ self.components.T
        return codes


def angles_on_branch(alpha: FloatArray, beta_hat: FloatArray) -> FloatArray:
    r"""Return the angles with sines `beta_hat` that lie on the branches of `alpha`.

    With ``k = rint(alpha / pi)`` this is ``(-1)^k arcsin(beta_hat) + k pi``, so that
    ``sin(angles_on_branch(alpha, beta_hat)) == beta_hat`` on every branch. (Equation 3b of the
    paper, read literally, has the correction's sign wrong on odd branches.)

    Parameters
    ----------
    alpha : ndarray, shape (n, r)
        Angles of the noisy rows.
    beta_hat : ndarray, shape (n, r)
        Projected features; values beyond [-1, 1] are clipped.
    """
    branch = np.rint(alpha / np.pi)
    angles = np.arcsin(np.clip(beta_hat, -1.0, 1.0))
    np.negative(angles, out=angles, where=np.remainder(branch, 2.0) == 1.0)
    branch *= np.pi
    angles += branch
    return angles


def ridge_inverse(W: FloatArray, ridge: float) -> FloatArray:
    """Return ``(W'W + ridge I)^-1`` (p, p); for ``ridge = 0`` its pseudo-inverse.

    By the singular values of `W`, which keeps the digits that forming ``W'W`` would lose.

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
    from scipy.linalg import svd  # here: cleaning with a saved model does not need it

    if not (np.isfinite(ridge) and ridge >= 0.0):
        raise UsageError(f"ridge {ridge} is not allowed: use 0 or a positive number")
    _, s, Vt = svd(W, full_matrices=False, check_finite=False)
    squares = s**2 + ridge
    tiny = np.finfo(np.float64).eps * max(W.shape) * s[0]
    inverse = np.divide(1.0, squares, out=np.zeros_like(squares), where=(s > tiny) | (ridge > 0.0))
    matrix: FloatArray = (Vt.T * inverse) @ Vt
    return matrix
