"""Spectra of the exact model: on all rows, or in the span of landmarks where they are many."""

from __future__ import annotations

from collections.abc import Sequence

from ikpca_cli.data.row_source import FloatArray, Progress, RowSource, read_all
from ikpca_cli.data.threads import parallel_map
from ikpca_cli.models.exact_spectrum import ExactSpectrum
from ikpca_cli.models.kernels.kernel import Smooth
from ikpca_cli.models.landmark_spectrum import landmark_spectrum
from ikpca_cli.models.nystroem import landmark_rows

EXACT_ROWS = 3000
"""The most training rows that are all in the exact model by default; more have landmarks."""

LANDMARK_WORK = 4 * EXACT_ROWS**3
"""The most rows times squared landmarks: very many rows have fewer landmarks than the most."""


def fits_whole(n_samples: int) -> bool:
    """Tell whether all of so many rows are in the model by default."""
    return n_samples <= EXACT_ROWS


def landmark_count(n_samples: int) -> int:
    """Return how many of the rows are landmarks."""
    return min(EXACT_ROWS, n_samples, int((LANDMARK_WORK / n_samples) ** 0.5))


def spectra_on_all(
    X: RowSource,
    mean: FloatArray,
    gammas: Sequence[float],
    most: int | None,
    noise_variance: float,
    form: Smooth,
    progress: Progress,
) -> list[ExactSpectrum]:
    """Return the spectrum of rows `X`, less their mean, at each gamma.

    Parameters
    ----------
    X : RowSource, shape (n_samples, n_features)
    mean : ndarray, shape (n_features,)
    gammas : sequence of float
    most : int or None
        Components to keep.
    noise_variance : float
    form : Smooth
        The kernel.
    progress : callable
    """
    rows = read_all(X) - mean
    progress("eigenvectors", 0, 0)
    distances = form.distance(rows, rows)

    def at(gamma: float) -> ExactSpectrum:
        return ExactSpectrum.of(rows, distances, gamma, most, noise_variance, form)

    found = []
    for spectrum in parallel_map(at, gammas):
        found.append(spectrum)
        progress("eigenvectors", len(found), 0)
    return found


def spectra_on_landmarks(
    X: RowSource,
    mean: FloatArray,
    some: FloatArray,
    gammas: Sequence[float],
    most: int | None,
    noise_variance: float,
    form: Smooth,
    seed: int,
    progress: Progress,
) -> list[ExactSpectrum]:
    """Return what `spectra_on_all` does, in the span of some rows that `seed` draws.

    Parameters
    ----------
    some : ndarray, shape (k, n_features)
        Some of the rows, centred, in random order.
    """
    rows = landmark_rows(X, landmark_count(X.shape[0]), seed) - mean
    found: list[ExactSpectrum] = []
    for gamma in gammas:
        progress("landmarks", 0, 0)
        given = most, noise_variance, form, progress
        found.append(landmark_spectrum(X, mean, rows, some, gamma, *given))
        progress("eigenvectors", len(found), 0)
    return found
