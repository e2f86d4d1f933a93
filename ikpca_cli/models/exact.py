"""The model of ikPCA in the limit of infinitely many features, as it is kept and used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.duplicates import own_places
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.data.threads import cached_rows, parallel_for
from ikpca_cli.linalg.shrinkage import at_level
from ikpca_cli.models.exact_spectrum import ExactSpectrum
from ikpca_cli.models.kernels.kernel import load_smooth, squared_lengths
from ikpca_cli.models.novelty import compared_rows, kernel_distances
from ikpca_cli.models.preimage import (
    Iteration,
    check_expansion,
    cleaned_rows,
    expansion_from_array,
    expansion_to_array,
    used_components,
    wiener_weights,
)


@dataclass(frozen=True)
class ExactModel:
    """Spectra at one gamma or more, the noise in their components, and the iterations for rows.

    The first spectrum is the main one: codes and variances are its. A row is moved by the sum of
    what all of them do.

    Attributes
    ----------
    rows : ndarray, shape (n_samples, n_features)
        The centred training rows, or landmarks among them.
    gammas : ndarray, shape (k,)
        Kernel width of each spectrum.
    gram_means : ndarray, shape (k, n_samples)
        Mean kernel of each with all training rows, at each gamma.
    mean_weights : ndarray, shape (k, n_samples)
        At each gamma, the mean of all training rows is ``sum_i mean_weights_i Phi(x_i)``.
    vectors : ndarray, shape (n_samples, e)
        Component j is ``sum_i vectors_ij Phi(x_i)``; those of the first spectrum come first.
    owners : ndarray, shape (e,)
        Index of the spectrum that each component belongs to.
    spectral_variances : ndarray, shape (e,)
        Variance of the training rows along each component.
    spectral_noise : ndarray, shape (e,)
        Variance that the noise has along each component.
    copies : ndarray, shape (k,)
        Kernel at each gamma of a row and the same with other noise; 0 where that is not known.
    expansion : ndarray, shape (n_iterations, 5)
        Index of the spectrum, shrinkage, whether to project anew, steps and weight of each.
    kernel : str
        A key of `ikpca_cli.models.kernels.names.KERNELS`, of a smooth one.
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = {
        "rows": ("n", "p"),
        "gammas": ("k",),
        "gram_means": ("k", "n"),
        "mean_weights": ("k", "n"),
        "vectors": ("n", "e"),
        "owners": ("e",),
        "spectral_variances": ("e",),
        "spectral_noise": ("e",),
        "copies": ("k",),
        "expansion": ("m", "q"),
    }

    rows: FloatArray
    gammas: FloatArray
    gram_means: FloatArray
    mean_weights: FloatArray
    vectors: FloatArray
    owners: FloatArray
    spectral_variances: FloatArray
    spectral_noise: FloatArray
    copies: FloatArray
    expansion: FloatArray
    kernel: str = "gaussian"

    ridge: ClassVar[None] = None
    takes_companions: ClassVar[bool] = True

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], *, kernel: str, activation: str) -> Self:
        """Return the model of these arrays, as `PreimageModel` says."""
        model = cls(**arrays, kernel=kernel)
        model.check()
        return model

    @classmethod
    def of(
        cls,
        spectra: Sequence[ExactSpectrum],
        noise_variance: float,
        expansions: Sequence[Mapping[Iteration, float]],
        kernel: str = "gaussian",
    ) -> ExactModel:
        """Return the model of spectra of the same rows, less components of no use."""
        kept = []
        for spectrum, expansion in zip(spectra, expansions, strict=True):
            least = min((iteration.shrink for iteration in expansion), default=1.0)
            noise = noise_variance * spectrum.noise_gains
            weights = wiener_weights(spectrum.variances, noise, least)
            kept.append(spectrum.cut(used_components(weights)))
        numbers = [expansion_to_array(expansion) for expansion in expansions]
        gammas = np.array([spectrum.gamma for spectrum in kept])
        noisy = int(np.count_nonzero(np.ptp(spectra[0].rows, axis=0)))
        return cls(
            rows=spectra[0].rows,
            gammas=gammas,
            gram_means=np.stack([spectrum.gram_mean for spectrum in kept]),
            mean_weights=np.stack([spectrum.mean_weights for spectrum in kept]),
            vectors=np.ascontiguousarray(np.hstack([spectrum.vectors for spectrum in kept])),
            owners=_indexed([spectrum.variances for spectrum in kept]),
            spectral_variances=np.concatenate([spectrum.variances for spectrum in kept]),
            spectral_noise=noise_variance * np.concatenate([s.noise_gains for s in kept]),
            copies=np.exp(-2.0 * noise_variance * noisy * gammas),
            expansion=np.column_stack([_indexed(numbers), np.concatenate(numbers)]),
            kernel=kernel,
        )

    def feature_count(self, n_samples: int) -> str:
        """Return "exact", or "landmarks" where these stand for more rows."""
        return "landmarks" if len(self.rows) < n_samples else "exact"

    @property
    def second_gamma(self) -> float | None:
        """The gamma of the second spectrum, None without one."""
        return float(self.gammas[1]) if len(self.gammas) > 1 else None

    @property
    def n_features(self) -> int:
        """Width of the rows."""
        return int(self.rows.shape[1])

    @property
    def width(self) -> int:
        """Width of the widest intermediate array per row."""
        return len(self.rows)

    @property
    def main_variances(self) -> FloatArray:
        """Variances along the components of the first spectrum."""
        variances: FloatArray = self.spectral_variances[self.owners == 0]
        return variances

    @property
    def component_noise(self) -> FloatArray:
        """Variances that the noise has along them."""
        variances: FloatArray = self.spectral_noise[self.owners == 0]
        return variances

    def check(self) -> None:
        """Raise ValueError unless the indices point at spectra and the expansion is one."""
        check_expansion(self.expansion[:, 1:])
        spectra = np.arange(len(self.gammas))
        if not all(np.isin(index, spectra).all() for index in (self.owners, self.expansion[:, 0])):
            raise ValueError("its expansion does not fit its spectra")
        if np.any(np.diff(self.owners) < 0.0):
            raise ValueError("its components are not sorted by their spectra")
        if not np.all((self.copies >= 0.0) & (self.copies <= 1.0)):
            raise ValueError("it has kernels that are not between 0 and 1")

    def denoise(self, X: FloatArray) -> FloatArray:
        """Clean centred rows (n, p); one that would be thrown far off stays as it is."""
        cleaned = np.empty_like(X)
        farthest = np.sqrt(self._lengths.max())
        expansions = [
            (spectrum, expansion_from_array(self.expansion[self.expansion[:, 0] == index, 1:]))
            for index, spectrum in enumerate(self._spectra)
        ]

        def clean(part: slice) -> None:
            rows = X[part]
            moved = np.zeros_like(rows)
            own = self._own(rows)
            for spectrum, expansion in expansions:
                moved += cleaned_rows(replace(spectrum, own=own), 1.0, expansion, rows) - rows
            reach = np.linalg.norm(rows, axis=1) + 2.0 * farthest
            moved[~(np.linalg.norm(moved, axis=1) <= reach)] = 0.0
            cleaned[part] = rows + moved

        parallel_for(clean, cached_rows(len(X), len(self.rows)))
        return cleaned

    def _own(self, X: FloatArray) -> NDArray[np.intp] | None:
        """Return for centred rows (m, p) which training row each is but for rounding, else -1."""
        form = load_smooth(self.kernel)
        nearest = form.distance(X, self.rows, self._lengths).argmin(axis=1)
        own = own_places(X, self.rows, nearest)
        return own if (own >= 0).any() else None

    def denoise_and_compare(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Clean centred rows (n, p), and return their distances, too."""
        return self.denoise(X), self.distances(X, 0)

    def encode(self, X: FloatArray) -> FloatArray:
        """Return the latent codes (n, d) of centred rows (n, p)."""
        return self._spectra[0].codes(X)

    def distances(self, X: FloatArray, n_samples: int) -> FloatArray:
        """Return how far centred rows (n, p) are from the training rows, at the first gamma."""
        form = load_smooth(self.kernel)
        return kernel_distances(form, X, self._some_rows, float(self.gammas[0]))

    def at_level(self, ratio: float) -> Self:
        """Return the model for noise that is so many times as loud."""
        copies = self.copies ** (ratio**2)
        variances, noise = at_level(self.spectral_variances, self.spectral_noise, ratio)
        return replace(self, spectral_variances=variances, spectral_noise=noise, copies=copies)

    def variant(self, n_components: int, ridge: float | None) -> Self:
        """Return the model with fewer components in each spectrum."""
        places = np.concatenate(
            [np.flatnonzero(self.owners == k)[:n_components] for k in range(len(self.gammas))]
        )
        return replace(
            self,
            vectors=np.ascontiguousarray(self.vectors[:, places]),
            owners=self.owners[places],
            spectral_variances=self.spectral_variances[places],
            spectral_noise=self.spectral_noise[places],
        )

    # What all files that are cleaned have in common, however small they are.

    @cached_property
    def _lengths(self) -> FloatArray:
        return squared_lengths(self.rows)

    @cached_property
    def _some_rows(self) -> FloatArray:
        return compared_rows(self.rows)

    @cached_property
    def _spectra(self) -> list[ExactSpectrum]:
        """The spectra, whose noise gains are for the noise as it is."""
        form = load_smooth(self.kernel)
        spectra = []
        for index, gamma in enumerate(self.gammas):
            # One spectrum's components lie side by side: a slice of them is not a copy.
            first, last = np.searchsorted(self.owners, [index, index + 1])
            own = slice(int(first), int(last))
            variances = self.spectral_variances[own]
            spectra.append(
                ExactSpectrum(
                    self.rows,
                    float(gamma),
                    self.gram_means[index],
                    self.mean_weights[index],
                    self.vectors[:, own],
                    variances,
                    self.spectral_noise[own],
                    float(variances.sum()),
                    copies=float(self.copies[index]),
                    form=form,
                    lengths=self._lengths,
                )
            )
        return spectra


def _indexed(parts: Sequence[FloatArray]) -> FloatArray:
    """Return for each row of some arrays the index of its array."""
    return np.repeat(np.arange(float(len(parts))), [len(part) for part in parts])
