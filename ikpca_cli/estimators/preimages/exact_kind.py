"""The pre-image in the limit of infinitely many features, on all rows or on landmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from ikpca_cli.data.memory import check_matrix
from ikpca_cli.data.row_source import FloatArray, Progress, RowSource, read_all
from ikpca_cli.data.threads import parallel_map
from ikpca_cli.estimators.decisions.conflicts import (
    check_sine,
    check_smooth,
    check_spectrum,
    no_sums,
)
from ikpca_cli.estimators.preimages.kind import Asked, ExpandedKind, FittedPreimage, expansion_of
from ikpca_cli.models.companions import LowPassRows
from ikpca_cli.models.exact import ExactModel
from ikpca_cli.models.exact_spectrum import ExactSpectrum
from ikpca_cli.models.kernels.kernel import load_smooth
from ikpca_cli.models.landmark_spectrum import landmark_spectrum
from ikpca_cli.models.nystroem import landmark_rows
from ikpca_cli.models.preimage import Iteration
from ikpca_cli.selection.choice import Auto, Choice
from ikpca_cli.selection.outcome import Fits

if TYPE_CHECKING:
    from ikpca_cli.selection.durations import Durations


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


class ExactKind(ExpandedKind):
    """Kernel values instead of features, at one gamma or two.

    Parameters
    ----------
    asked : Asked
    on_landmarks : bool
        Whether landmarks stand for the rows.
    """

    CHOICE_ROWS, ENOUGH = 2000, 100_000

    def __init__(self, asked: Asked, *, on_landmarks: bool) -> None:
        super().__init__(asked)
        self.on_landmarks = on_landmarks

    def check(self, n_samples: int, n_features: int) -> None:
        """Refuse what it does not go with, as `Kind` says."""
        asked = self.asked
        if asked.keep_sums:
            raise no_sums()
        check_sine(asked.activation)
        check_smooth("infinitely many features", asked.kernel, asked.ridge, asked.inverse)
        count = landmark_count(n_samples) if self.on_landmarks else n_samples
        check_matrix("exact ikpca", count, "give a number of random features")

    @property
    def second_gamma(self) -> float | Literal["none"] | Auto:
        """The second gamma that is asked for."""
        return self.asked.second_gamma

    def durations(self, n_samples: int, n_features: int) -> Durations:
        """Return about how long the parts of a fit take, as `ExpandedKind` says."""
        from ikpca_cli.estimators.preimages.kind_durations import ExactDurations

        return ExactDurations(landmark_count(n_samples) if self.on_landmarks else None)

    def fits(self, n_features: int) -> Fits:
        """Return what fits candidates, as `ExpandedKind` says."""
        from ikpca_cli.estimators.preimages.trial_fits import exact_fits

        most = None if self.asked.n_components == "auto" else self.asked.n_components
        form = load_smooth(self.asked.kernel)
        return partial(exact_fits, most=most, form=form)

    def fit(
        self,
        X: RowSource,
        mean: FloatArray,
        chosen: Choice,
        *,
        exact: bool,
        progress: Progress,
    ) -> FittedPreimage:
        """Fit with every parameter known, as `Kind` says."""
        found = expansion_of(chosen)
        spectra = self._spectra(X, mean, found.rows, found.gammas, chosen, progress)
        check_spectrum(len(spectra[0].variances), chosen.n_components or 1, exact=exact)
        given = found.noise_variance, found.weights, self.asked.kernel
        model = ExactModel.of(spectra, *given)
        companions = self.companions(X, mean, chosen, progress)
        return FittedPreimage(model, model.main_variances, spectra[0].total, companions=companions)

    def low_model(
        self,
        rows: LowPassRows,
        few: FloatArray,
        gamma: float,
        expansion: Mapping[Iteration, float],
        chosen: Choice,
        progress: Progress,
    ) -> ExactModel:
        """Return a model of low frequencies alone, as `ExpandedKind` says."""
        found = self._spectra(rows, np.zeros(rows.shape[1]), few, [gamma], chosen, progress)
        noise_variance = expansion_of(chosen).noise_variance
        return ExactModel.of(found, noise_variance, [expansion], self.asked.kernel)

    def _spectra(
        self,
        X: RowSource,
        mean: FloatArray,
        some: FloatArray,
        gammas: Sequence[float],
        chosen: Choice,
        progress: Progress,
    ) -> list[ExactSpectrum]:
        """Return the spectrum of rows `X` at each gamma, on all or in the span of landmarks.

        Of the rows `some` are some, centred, in random order.
        """
        form = load_smooth(self.asked.kernel)
        given = chosen.n_components, expansion_of(chosen).noise_variance, form
        found: list[ExactSpectrum] = []
        if self.on_landmarks:
            rows = landmark_rows(X, landmark_count(X.shape[0]), self.asked.seed) - mean
            for gamma in gammas:
                progress("landmarks", 0, 0)
                found.append(landmark_spectrum(X, mean, rows, some, gamma, *given, progress))
                progress("eigenvectors", len(found), 0)
            return found
        rows = read_all(X) - mean
        progress("eigenvectors", 0, 0)
        distances = form.distance(rows, rows)
        for one in parallel_map(
            lambda gamma: ExactSpectrum.of(rows, distances, gamma, *given), gammas
        ):
            found.append(one)
            progress("eigenvectors", len(found), 0)
        return found
