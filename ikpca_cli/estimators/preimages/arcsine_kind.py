"""The published pre-image: the arcsine on each row's own branch, and a ridge solve."""

from __future__ import annotations

from ikpca_cli.data.row_source import FloatArray, Progress, RowSource
from ikpca_cli.estimators.decisions.conflicts import (
    check_feature_count,
    check_second_gamma,
    check_spectrum,
    no_sums,
)
from ikpca_cli.estimators.preimages.drawn_features import (
    drawn_features,
    feature_count,
    spectrum_of_features,
)
from ikpca_cli.estimators.preimages.kind import FittedPreimage, Kind
from ikpca_cli.models.arcsine import ArcsineModel
from ikpca_cli.selection.choice import Choice


class ArcsineKind(Kind):
    """Random features as the paper has them; a grid of gammas, ridges and components is searched.

    It alone keeps the sums that more rows can be added to, and takes any activation.
    """

    def check(self, n_samples: int, n_features: int) -> None:
        """Refuse what it does not go with, as `Kind` says."""
        asked = self.asked
        check_second_gamma(asked.second_gamma)
        if asked.keep_sums and asked.solver == "dual":
            raise no_sums()
        n_rff = asked.features.n_rff if asked.features else feature_count(asked, n_features)
        check_feature_count(n_rff, n_features, drawn=asked.features is None)

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
        count, gamma, ridge = chosen.n_components, chosen.gamma, chosen.ridge
        assert count is not None
        assert gamma is not None
        assert ridge is not None
        features = drawn_features(self.asked, float(gamma), X.shape[1], balanced=False)
        found = spectrum_of_features(self.asked, X, mean, features, count, progress)
        check_spectrum(len(found.variances), count, exact=exact)
        model = ArcsineModel.of(features, found, float(ridge))
        sums = found.sums if self.asked.keep_sums else None
        return FittedPreimage(model, found.variances, found.total, sums)
