"""How long the parts of a fit take by the kind of pre-image; see `selection.durations`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ikpca_cli.models.exact_spectrum import COMPONENTS
from ikpca_cli.selection.durations import NARROW, Durations
from ikpca_cli.selection.stages import Stage

_WIDE = 50  # columns up to which noise takes as many directions as there are, unless they are few
_FEWER = 0.6  # of the components that there may be, in wider rows
_MOST_COMPARED, _USED_EACH = 384, 32  # components: of a comparison, and for each of few columns


@dataclass(frozen=True)
class ExactDurations(Durations):
    """Those of kernel values.

    Attributes
    ----------
    n_landmarks : int or None
        Rows that stand for all, if some do.
    """

    n_landmarks: int | None = None

    def of_gamma(self, n_fitted: int, numbers: int, n_features: int) -> float:
        """Return those of one gamma, as `Durations` says."""
        used = min(n_fitted // 2, _MOST_COMPARED, _used(n_features))
        moved = (4.3e-9 + 7e-11 * n_features + 7e-12 * used) * numbers * n_fitted
        return 4.7e-10 * n_fitted**2 * used + moved

    def of_spectrum(self, n_samples: int, n_features: int) -> list[Stage]:
        """Return the stages of a spectrum, as `Durations` says."""
        if self.n_landmarks is None:
            return [Stage("eigenvectors", _of_exact_spectrum(n_samples, n_features))]
        used = _used(n_features) * (1.0 if NARROW < n_features < _WIDE else _FEWER)
        own = (3.2e-10 * used + 2e-8) * self.n_landmarks**2  # by iteration
        sums = (1.4e-8 + 3.3e-11 * used) * n_samples * self.n_landmarks
        names = "landmarks", "features", "eigenvectors"
        return list(map(Stage, names, (own, sums, own / 6.0)))

    def of_cleaning(self, n_samples: int, n_features: int) -> float:
        """Return those of one row, as `Durations` says."""
        return (self.n_landmarks or n_samples) * (7e-8 + 5e-11 * n_features)


@dataclass(frozen=True)
class FeatureDurations(Durations):
    """Those of random features.

    Attributes
    ----------
    n_rff, compared : int
        Features of a fit, and of a comparison.
    USED : int
        The most components.
    EIGENPAIRS : float
        Seconds for these, over the third power of their matrix's size.
    """

    USED: ClassVar[int] = 512
    EIGENPAIRS: ClassVar[float] = 1.4e-10

    n_rff: int
    compared: int

    def of_gamma(self, n_fitted: int, numbers: int, n_features: int) -> float:
        """Return those of one gamma, as `Durations` says."""
        used = min(n_fitted, self.USED)
        fitted = (3e-10 * n_features + 1e-10 * used) * n_fitted
        return (fitted + 2.2e-11 * (n_features + used) * numbers) * self.compared

    def of_spectrum(self, n_samples: int, n_features: int) -> list[Stage]:
        """Return the stages of a spectrum, as `Durations` says."""
        short, used = min(n_samples, self.n_rff), min(n_samples, self.USED)
        numbers = n_samples * self.n_rff
        summed = (2.5e-11 * short + 3e-10 * n_features) * numbers
        found, applied = self.EIGENPAIRS * short**3, 7e-11 * used * numbers
        if n_samples > self.n_rff:
            return [Stage("features", summed + found)]
        return [Stage("features", summed), Stage("components", found + applied)]

    def of_cleaning(self, n_samples: int, n_features: int) -> float:
        """Return those of one row, as `Durations` says."""
        return 4e-10 * self.n_rff * (n_features + min(n_samples, self.USED))


def _of_exact_spectrum(n_samples: int, n_features: int) -> float:
    """Return how long the spectrum of so many rows takes."""
    used = _used(n_features)
    if 3 * used < n_samples and not NARROW < n_features < _WIDE:  # by iteration
        return (3e-10 * used + 7e-8) * n_samples**2
    return 2.2e-10 * n_samples**3 + 6e-8 * n_samples**2


def _used(n_features: int) -> int:
    """Return how many components rows of a width have."""
    return min(COMPONENTS, _USED_EACH * n_features) if n_features <= NARROW else COMPONENTS
