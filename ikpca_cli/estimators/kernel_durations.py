"""How long a fit takes whose grid is searched; see `ikpca_cli.selection.durations`."""

from __future__ import annotations

from typing import ClassVar

from ikpca_cli.estimators.preimages.kind_durations import ExactDurations, FeatureDurations
from ikpca_cli.selection.stages import Stage


class KernelDurations(ExactDurations):
    """Those of kernel PCA with a regression from its codes; attributes as there."""

    def of_gamma(self, n_fitted: int, numbers: int, n_features: int) -> float:
        """Return those of one gamma, as `Durations` says."""
        n_fitted = min(n_fitted, self.n_landmarks or n_fitted)
        moved = (1.4e-8 + 5.5e-11 * n_features) * numbers * n_fitted
        return 1e-10 * n_fitted**3 + moved

    def of_variant(self, n_fitted: int, n_features: int) -> float:
        """Return those of a regression, as `Durations` says."""
        n_fitted = min(n_fitted, self.n_landmarks or n_fitted)
        return (1.7e-11 * n_fitted + 5.5e-11 * n_features + 1.1e-8) * n_fitted**2

    def of_spectrum(self, n_samples: int, n_features: int) -> list[Stage]:
        """Return the stages of a spectrum and a regression, as `Durations` says."""
        if self.n_landmarks is None:
            own = 1e-10 * n_samples**3
            last = self.of_variant(n_samples, n_features)
            return [Stage("eigenvectors", own), Stage("regression", last)]
        own = 1e-10 * self.n_landmarks**3
        sums = (5.5e-9 + 5.5e-11 * (n_features + self.n_landmarks)) * n_samples * self.n_landmarks
        return [
            Stage("features", own + sums),
            Stage("eigenvectors", own),
            Stage("regression", own + sums),
        ]

    def of_cleaning(self, n_samples: int, n_features: int) -> float:
        """Return those of one row, as `Durations` says."""
        return (self.n_landmarks or n_samples) * (1.4e-8 + 5.5e-11 * n_features)


class ArcsineDurations(FeatureDurations):
    """Those of random features with the published pre-image, which takes few components."""

    USED: ClassVar[int] = 64
    EIGENPAIRS: ClassVar[float] = 1.7e-11

    def of_gamma(self, n_fitted: int, numbers: int, n_features: int) -> float:
        """Return those of one gamma, as `Durations` says; each arcsine costs as much as two."""
        return 6.0 * super().of_gamma(n_fitted, numbers, n_features)
