"""How long the parts of a fit take by the kind of pre-image; see `selection.durations`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ikpca_cli.estimators.preimages.trial_fits import COMPARED_COMPONENTS
from ikpca_cli.models.exact_spectrum import COMPONENTS
from ikpca_cli.selection.durations import NARROW, Durations
from ikpca_cli.selection.stages import Stage

_USED_EACH = 32  # components that each of few columns has


@dataclass(frozen=True)
class ExactDurations(Durations):
    """Those of kernel values.

    Attributes
    ----------
    n_landmarks : int or None
        Rows that stand for all, if some do.
    components : int or None
        That a comparison has found, if one has.
    """

    n_landmarks: int | None = None
    components: int | None = None

    def with_components(self, count: int) -> ExactDurations:
        """Return those where a comparison has found so many components, as `Durations` says."""
        # One that has all that it may have tells nothing of more.
        return replace(self, components=count if count < COMPARED_COMPONENTS else COMPONENTS)

    def of_gamma(self, n_fitted: int, numbers: int, n_features: int) -> float:
        """Return those of one gamma, as `Durations` says."""
        used = min(n_fitted, COMPARED_COMPONENTS, self._used(n_features))
        moved = (1.5e-9 + 7.1e-11 * n_features + 1.6e-11 * used) * numbers * n_fitted
        return _of_eigenpairs(n_fitted, used) + _of_gains(n_fitted, used) + moved

    def of_spectrum(self, n_samples: int, n_features: int) -> list[Stage]:
        """Return the stages of a spectrum, as `Durations` says."""
        count = self.n_landmarks or n_samples
        used = min(count, self._used(n_features))
        own, gains = _of_eigenpairs(count, used), _of_gains(count, used)
        if self.n_landmarks is None:
            return [Stage("eigenvectors", own + gains)]
        sums = (3.3e-8 + 5.6e-11 * used) * n_samples * count
        stages = ("landmarks", own), ("features", sums), ("eigenvectors", gains)
        return [Stage(*stage) for stage in stages]

    def of_cleaning(self, n_samples: int, n_features: int) -> float:
        """Return those of one row, as `Durations` says."""
        return (self.n_landmarks or n_samples) * (3.9e-8 + 2.8e-11 * n_features)

    def _used(self, n_features: int) -> int:
        """Return how many components rows of a width are likely to have."""
        few = _USED_EACH * n_features if n_features <= NARROW else COMPONENTS
        return self.components or min(COMPONENTS, few)


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
    EIGENPAIRS: ClassVar[float] = 7.7e-11

    n_rff: int
    compared: int

    def of_gamma(self, n_fitted: int, numbers: int, n_features: int) -> float:
        """Return those of one gamma, as `Durations` says."""
        used = min(n_fitted, self.USED)
        fitted = (2.8e-10 * n_features + 8.8e-11 * used) * n_fitted
        return (fitted + 1.9e-11 * (n_features + used) * numbers) * self.compared

    def of_spectrum(self, n_samples: int, n_features: int) -> list[Stage]:
        """Return the stages of a spectrum, as `Durations` says."""
        short, used = min(n_samples, self.n_rff), min(n_samples, self.USED)
        numbers = n_samples * self.n_rff
        summed = (1.4e-11 * short + 1.7e-10 * n_features) * numbers
        found, applied = self.EIGENPAIRS * short**3, 3.9e-11 * used * numbers
        if n_samples > self.n_rff:
            return [Stage("features", summed + found)]
        return [Stage("features", summed), Stage("components", found + applied)]

    def of_cleaning(self, n_samples: int, n_features: int) -> float:
        """Return those of one row, as `Durations` says."""
        return 7.1e-11 * self.n_rff * (n_features + min(n_samples, self.USED))


def _of_eigenpairs(size: int, used: int) -> float:
    """Return how long the leading eigenpairs of a matrix take: by iteration, or all of them."""
    return (3.5e-10 * used if 3 * used <= size else 1.1e-10 * size) * size**2


def _of_gains(size: int, used: int) -> float:
    """Return how long it takes to prepare a spectrum, and to tell what noise does to it."""
    return (2.2e-8 + 4.8e-11 * used) * size**2
