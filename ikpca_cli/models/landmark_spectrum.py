r"""The exact model of many rows, in the span of a few of them (Nyström).

Of n rows, m serve as landmarks Z. All of feature space is then their span, but mean and components
are those of all rows (Williams and Seeger 2001). With ``k(x)`` the kernel of a row and the
landmarks, K that of the landmarks, H the centring matrix and ``H K H = U S U'``, the features
``f(x) = R'k(x)`` with ``R = U S^-1/2`` have the kernel's inner products in that span. Linear PCA of
these over all rows, with components P, gives ``V = R P`` whose columns sum to zero, and the mean

    c = 1/m + R R'(kbar - kbar_Z)

with kbar the mean of k over all rows and kbar_Z over the landmarks; ``U S^1/2`` times the mean
feature is ``H kbar``. Of U the leading columns do, those that a model of the landmarks alone would
have: what is beyond is noise. So time is that of the landmarks' own spectrum and of the kernel and
a product with it for each row. All the rest is as with all rows
(`ikpca_cli.models.exact_spectrum`), which this is where they are all landmarks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.row_source import FloatArray, Progress, RowSource, silent
from ikpca_cli.linalg.eigen import most_of_spectrum, sums_over_rows
from ikpca_cli.models.exact_spectrum import (
    COMPONENTS,
    GAIN_ROWS,
    TOLERANCE,
    ExactSpectrum,
)
from ikpca_cli.models.kernels.kernel import GAUSSIAN, Smooth
from ikpca_cli.models.spectrum_noise import negligible_variance, noise_gains

_SPAN = 2  # times as many directions of the landmarks as components are asked for, or more


@dataclass(frozen=True)
class CentredLandmarks:
    """The feature map ``R'k(x)``; what columns of R that sum to zero do to k, they do to ``k - 1``.

    Attributes
    ----------
    rows : ndarray, shape (m, p)
        Landmarks, centred like the rows that are mapped.
    gamma : float
    root : ndarray, shape (m, q)
        R.
    form : Smooth
        The kernel.
    """

    rows: FloatArray
    gamma: float
    root: FloatArray
    form: Smooth

    def features(self, X: FloatArray, features: slice = slice(None)) -> FloatArray:
        """Return the features (n, q) of centred rows, or a slice of them."""
        u = self.form.distance(X, self.rows)
        u *= self.gamma
        mapped: FloatArray = self.form.below(u) @ self.root[:, features]
        return mapped


def landmark_spectrum(
    X: RowSource,
    mean: FloatArray,
    rows: FloatArray,
    some: FloatArray,
    gamma: float,
    most: int | None = None,
    noise_variance: float = 0.0,
    form: Smooth = GAUSSIAN,
    progress: Progress = silent,
) -> ExactSpectrum:
    """Return the spectrum of all rows in the span of landmarks.

    Parameters
    ----------
    X : RowSource, shape (n_samples, n_features)
        All rows, read once and in blocks.
    mean : ndarray, shape (n_features,)
        What they are centred by.
    rows : ndarray, shape (m, n_features)
        Landmarks, centred.
    some : ndarray, shape (k, n_features)
        Some of the rows, centred, in random order: over them the noise that arrives is averaged.
    gamma : float
    most : int, optional
    noise_variance : float
    form : Smooth
        As for `ExactSpectrum.of`.
    progress : Progress
    """
    distances = form.distance(rows, rows)
    below = form.below(gamma * distances)
    own_mean = below.mean(axis=0)
    below -= own_mean
    below -= own_mean[:, None] - own_mean.mean()
    negligible = negligible_variance(form, gamma, noise_variance, rows.shape[1])
    asked = max(COMPONENTS, _SPAN * (most or 0))
    squares, directions = most_of_spectrum(below, asked, len(rows) * negligible)
    kept = squares > TOLERANCE * max(float(squares[0]), 0.0)
    lengths, directions = np.sqrt(squares[kept]), directions[:, kept]
    root = directions / lengths
    root -= root.mean(axis=0)
    landmarks = CentredLandmarks(rows, gamma, root, form)
    progress("landmarks", 1, 1)
    sums = sums_over_rows(X, mean, landmarks, root.shape[1], progress)
    covariance = sums.covariance
    total = float(np.trace(covariance))
    values, turns = most_of_spectrum(covariance, most or COMPONENTS, negligible)
    kept = values > TOLERANCE * max(float(values[0]), 0.0)
    values, vectors = values[kept], root @ turns[:, kept]
    weights = root @ (sums.mean - root.T @ own_mean) + 1.0 / len(rows)
    held = some[:GAIN_ROWS]
    far = form.distance(held, rows)
    gains = noise_gains(rows, distances, form.slope_below(gamma * far), far, vectors)
    return ExactSpectrum(
        rows=rows,
        gamma=gamma,
        # Of which all features but the constant one are known: R'kbar is their mean.
        gram_mean=1.0 + own_mean.mean() + (directions * lengths) @ sums.mean,
        mean_weights=weights,
        vectors=vectors,
        variances=values,
        noise_gains=gains * (2.0 * gamma * form.steepness) ** 2 / len(held),
        total=total,
        form=form,
    )
