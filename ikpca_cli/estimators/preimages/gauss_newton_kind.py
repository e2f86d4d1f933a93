"""The refined pre-image of random features: weighted Gauss-Newton steps from the noisy row."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ikpca_cli.data.row_source import FloatArray, Progress, RowSource
from ikpca_cli.estimators.decisions.conflicts import (
    check_feature_count,
    check_second_gamma,
    check_sine,
    check_smooth,
    check_spectrum,
    no_sums,
)
from ikpca_cli.estimators.preimages.drawn_features import (
    drawn_features,
    feature_count,
    spectrum_of_features,
)
from ikpca_cli.estimators.preimages.kind import ExpandedKind, FittedPreimage, expansion_of
from ikpca_cli.models.companions import LowPassRows
from ikpca_cli.models.gauss_newton import GaussNewtonModel
from ikpca_cli.models.kernels.kernel import load_smooth
from ikpca_cli.models.preimage import Iteration
from ikpca_cli.models.random_features import fewest_pairs
from ikpca_cli.selection.choice import Choice
from ikpca_cli.selection.outcome import Fits

if TYPE_CHECKING:
    from ikpca_cli.selection.durations import Durations

CHOICE_RFF = 8000
"""The most random features that the choice works with, unless rows are wider than half of it."""

REFINED_COMPONENTS = 512
"""The most components; the noise leaves fewer."""


class GaussNewtonKind(ExpandedKind):
    """Balanced random features of a smooth kernel."""

    CHOICE_ROWS, ENOUGH = 1000, 50_000

    def check(self, n_samples: int, n_features: int) -> None:
        """Refuse what it does not go with, as `Kind` says."""
        asked = self.asked
        check_second_gamma(asked.second_gamma)
        if asked.keep_sums:
            raise no_sums()
        check_sine(asked.activation)
        check_smooth("the refined way", asked.kernel, asked.ridge, asked.inverse)
        check_feature_count(feature_count(asked, n_features), n_features, drawn=True)

    def durations(self, n_samples: int, n_features: int) -> Durations:
        """Return about how long the parts of a fit take, as `ExpandedKind` says."""
        from ikpca_cli.estimators.preimages.kind_durations import FeatureDurations

        n_rff = feature_count(self.asked, n_features)
        return FeatureDurations(n_rff, self._compared(n_features))

    def fits(self, n_features: int) -> Fits:
        """Return what fits candidates, as `ExpandedKind` says."""
        from ikpca_cli.estimators.preimages.trial_fits import refined_fits

        asked = self.asked
        return partial(
            refined_fits,
            most=self._most(asked.n_components),
            n_rff=self._compared(n_features),
            route=asked.solver,
            seed=asked.seed,
            form=load_smooth(asked.kernel),
        )

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
        given = float(found.gammas[0]), chosen, exact, progress
        model, total = self._model(X, mean, found.rows, *given)
        model = model.expanded(found.weights[0])
        companions = self.companions(X, mean, chosen, progress)
        return FittedPreimage(model, model.signal_variances, total, companions=companions)

    def low_model(
        self,
        rows: LowPassRows,
        few: FloatArray,
        gamma: float,
        expansion: Mapping[Iteration, float],
        chosen: Choice,
        progress: Progress,
    ) -> GaussNewtonModel:
        """Return a model of low frequencies alone, as `ExpandedKind` says."""
        centre = np.zeros(rows.shape[1])
        model, _ = self._model(rows, centre, few, gamma, chosen, False, progress)
        return model.expanded(expansion)

    def _model(
        self,
        X: RowSource,
        mean: FloatArray,
        some: FloatArray,
        gamma: float,
        chosen: Choice,
        exact: bool,
        progress: Progress,
    ) -> tuple[GaussNewtonModel, float]:
        """Return the model of rows without an expansion, and their total variance."""
        most = self._most(chosen.n_components)
        features = drawn_features(self.asked, gamma, X.shape[1], balanced=True)
        # Components that are asked for by their number are those, to the last.
        given = self.asked, X, mean, features, most, progress
        found = spectrum_of_features(*given, roughly=not exact)
        check_spectrum(len(found.variances), most, exact=exact)
        noise_variance, seed = expansion_of(chosen).noise_variance, self.asked.seed
        return GaussNewtonModel.of(features, found, some, noise_variance, seed), found.total

    def _compared(self, n_features: int) -> int:
        """Return with how many features candidates are compared."""
        most = max(CHOICE_RFF, fewest_pairs(n_features))
        return min(feature_count(self.asked, n_features), most)

    @staticmethod
    def _most(n_components: int | str | None) -> int:
        return n_components if isinstance(n_components, int) else REFINED_COMPONENTS
