r"""Random features with Wiener weights and a weighted, refined pre-image.

With features ``s(x) = sin(W x + b)``, their mean m and components P, a row has the code
``z = P (s - m)`` and the target ``t = m + P'(w z)`` with Wiener weights w. The arcsine of the
published pre-image magnifies an error in a feature by ``1 / cos``; minimising ``|s(x) - t|^2`` by
Gauss-Newton from the noisy row weighs it by the cosine instead, and needs neither branch nor
clipping:

    x <- x + H^-1 W'[cos(W x + b) (t - s(x))] / max(S, 1/2)

where ``H = W' diag(c) W``, with c the mean of cos^2 of each feature over the training rows, stands
for the Gauss-Newton matrix of every row, and ``S = (2 / r) t's(x)`` is the similarity of row and
target, as in the limit (`ikpca_cli.models.exact_spectrum`), to which all of this tends as r grows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray, row_blocks
from ikpca_cli.data.threads import cached_rows, parallel_for
from ikpca_cli.linalg.eigen import Spectrum
from ikpca_cli.linalg.shrinkage import at_level
from ikpca_cli.models.preimage import (
    DAMPING,
    Iteration,
    Preimage,
    check_expansion,
    cleaned_rows,
    dot,
    expansion_from_array,
    expansion_to_array,
    used_components,
    wiener_weights,
)
from ikpca_cli.models.random_features import FeatureModel, FourierFeatures, ridge_inverse


@dataclass(frozen=True)
class FeatureView:
    """Rows in feature space: sines and cosines of their angles, and how these change, (n, r)."""

    sines: FloatArray
    cosines: FloatArray
    turns: Sequence[FloatArray]
    slopes: Sequence[FloatArray]


@dataclass(frozen=True)
class GaussNewtonModel(FeatureModel, Preimage[FeatureView]):
    """Random features of training rows, their components, and the noise in these.

    Attributes
    ----------
    normal_inverse : ndarray, shape (n_features, n_features)
        ``H^-1``.
    signal_variances : ndarray, shape (n_components,)
        Variance of the training rows along each component.
    noise_variances : ndarray, shape (n_components,)
        Variance that the noise has along each component.
    expansion : ndarray, shape (n_iterations, 4)
        Shrinkage, whether to project anew, steps, and weight of each iteration.
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = FeatureModel.FIELDS | {
        "normal_inverse": ("p", "p"),
        "signal_variances": ("d",),
        "noise_variances": ("d",),
        "expansion": ("m", "q"),
    }

    normal_inverse: FloatArray
    signal_variances: FloatArray
    noise_variances: FloatArray
    expansion: FloatArray

    ridge: ClassVar[None] = None
    takes_companions: ClassVar[bool] = True

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], *, kernel: str, activation: str) -> Self:
        """Return the model of these arrays, as `PreimageModel` says."""
        check_expansion(arrays["expansion"])
        return cls(**arrays)

    @classmethod
    def of(
        cls,
        features: FourierFeatures,
        found: Spectrum,
        rows: FloatArray,
        noise_variance: float,
        seed: int,
    ) -> GaussNewtonModel:
        """Return the model of a spectrum of features, with no expansion yet.

        Parameters
        ----------
        features : FourierFeatures
        found : Spectrum
            Of the features of all training rows.
        rows : ndarray, shape (k, p)
            Centred training rows, enough of them for averages.
        noise_variance : float
        seed : int
            Draws the noise that is sent through the features to see how much arrives.
        """
        rng = model_rng(seed, Stream.FEATURE_NOISE)
        squares = np.zeros(features.n_rff)
        noise = np.zeros(len(found.variances))
        for _, block in row_blocks(rows, features.n_rff):
            _, cosines = features.sines_and_cosines(block)
            squares += np.einsum("ij,ij->j", cosines, cosines)
            cosines *= rng.choice((-1.0, 1.0), block.shape) @ features.W.T
            noise += np.sum((cosines @ found.components.T) ** 2, axis=0)
        weighted = features.W * np.sqrt(squares / len(rows))[:, None]
        return cls(
            features.W,
            features.b,
            found.mean,
            found.components,
            ridge_inverse(weighted, 0.0),
            found.variances,
            noise * (noise_variance / len(rows)),
            expansion_to_array({}),
        )

    @property
    def component_noise(self) -> FloatArray:
        """Variance that the noise has along each component, (d,)."""
        return self.noise_variances

    def denoise(self, X: FloatArray) -> FloatArray:
        """Clean centred rows (n, p)."""
        cleaned = np.empty_like(X)
        expansion = expansion_from_array(self.expansion)

        def clean(part: slice) -> None:
            cleaned[part] = cleaned_rows(self, 1.0, expansion, X[part])

        parallel_for(clean, cached_rows(len(X), self.n_rff))
        return cleaned

    def denoise_and_compare(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Clean centred rows (n, p), and return their distances, too."""
        return self.denoise(X), self.distances(X, 0)

    def expanded(self, expansion: Mapping[Iteration, float]) -> Self:
        """Return the model with an expansion, without the components that no iteration uses."""
        least = min((iteration.shrink for iteration in expansion), default=1.0)
        weights = wiener_weights(self.signal_variances, self.noise_variances, least)
        kept = self.variant(used_components(weights), None)
        return replace(kept, expansion=expansion_to_array(expansion))

    def at_level(self, ratio: float) -> Self:
        """Return the model for noise that is so many times as loud."""
        variances, noise = at_level(self.signal_variances, self.noise_variances, ratio)
        return replace(self, signal_variances=variances, noise_variances=noise)

    def variant(self, n_components: int, ridge: float | None) -> Self:
        """Return the model with fewer components."""
        return replace(
            self,
            components=self.components[:n_components],
            signal_variances=self.signal_variances[:n_components],
            noise_variances=self.noise_variances[:n_components],
        )

    @property
    def component_variances(self) -> tuple[FloatArray, FloatArray]:
        """Variances of the rows and of the noise, as `Preimage.component_variances` says."""
        return self.signal_variances, self.noise_variances

    def leading_components(self, count: int) -> FloatArray:
        """Return the first `count` components, (r, count)."""
        return self.components[:count].T

    def evaluate(self, x: FloatArray, dx: Sequence[FloatArray]) -> FeatureView:
        """Return the features of centred rows, and their derivatives along each dx."""
        sines, cosines = self.features.sines_and_cosines(x)
        turns = [d @ self.W.T for d in dx]
        return FeatureView(sines, cosines, turns, [cosines * turn for turn in turns])

    def codes_on(self, view: FeatureView, components: FloatArray) -> list[FloatArray]:
        """Return the codes of rows, as `Preimage.codes_on` says."""
        sines = (view.sines - self.feature_mean) @ components
        return [sines, *(slope @ components for slope in view.slopes)]

    def step(
        self,
        x: FloatArray,
        dx: Sequence[FloatArray],
        view: FeatureView,
        targets: Sequence[FloatArray],
    ) -> tuple[FloatArray, list[FloatArray]]:
        """Return rows and their derivatives after one step, as `Preimage.step` says."""
        share = 2.0 / self.n_rff
        target = targets[0] + self.feature_mean
        gap = target - view.sines
        similarity = share * dot(target, view.sines)
        divisor = np.maximum(similarity, DAMPING)
        shift = self._solve(view.cosines * gap) / divisor
        moved = []
        for d, turn, slope, aim in zip(dx, view.turns, view.slopes, targets[1:], strict=True):
            pull = self._solve(view.cosines * (aim - slope) - view.sines * turn * gap)
            change = share * (dot(aim, view.sines) + dot(target, slope))
            pull -= np.where(similarity > DAMPING, change, 0.0) * shift
            moved.append(d + pull / divisor)
        return x + shift, moved

    def _solve(self, errors: FloatArray) -> FloatArray:
        """Return ``H^-1 W' errors`` (n, p) for errors in the features (n, r)."""
        rows: FloatArray = (errors @ self.W) @ self.normal_inverse
        return rows
