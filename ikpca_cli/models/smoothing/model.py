"""A weighted sum of smoothers, as it is kept in a model and used."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.smoothing.adaptive import ADAPTIVE
from ikpca_cli.models.smoothing.candidates import SmoothingFit
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.models.smoothing.row_windows import WindowModel


@dataclass(frozen=True)
class SmoothingModel:
    """What smoothers, times their weights, add to a row.

    Attributes
    ----------
    order : ndarray, shape (4,)
        See `RowOrder.to_array`.
    taken : ndarray, shape (p,)
        What is taken off each cosine coefficient of a row less the mean, as a share.
    constant : ndarray, shape (p,)
        What is added to each coefficient of any row.
    mean : ndarray, shape (p,)
        Coefficients of the mean of the rows, but for a constant added to all numbers.
    components : ndarray, shape (s, p)
        Principal components, in coefficients.
    component_weights : ndarray, shape (s,)
        What is given back along each of them.
    adaptive : ndarray, shape (a,)
        Weight of each of `ADAPTIVE`.
    noise_variance : ndarray, shape (1,)
        That these go by.
    columns : ndarray, shape (p,)
        1 for a column that may change; 0 for one that was constant in the training rows.
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = {
        "order": ("grid",),
        "taken": ("p",),
        "constant": ("p",),
        "mean": ("p",),
        "components": ("smooth", "p"),
        "component_weights": ("smooth",),
        "adaptive": ("adaptive",),
        "noise_variance": ("one",),
        "columns": ("p",),
    }

    order: FloatArray
    taken: FloatArray
    constant: FloatArray
    mean: FloatArray
    components: FloatArray
    component_weights: FloatArray
    adaptive: FloatArray
    noise_variance: FloatArray
    columns: FloatArray

    @classmethod
    def of(cls, fit: SmoothingFit, weights: FloatArray, varying: NDArray[np.bool_]) -> Self:
        """Return the sum of the candidates of a fit, with weights in the order of `fit.names`.

        But for that of windows, whose model has its own.
        """
        count = len(fit.order.bands)
        bands, means, rest = np.split(weights, [count, 2 * count])
        filtered, spectral, adaptive = np.split(rest, [1, 1 + len(fit.spans)])
        kept = spectral @ fit.component_weights
        used = kept != 0.0
        used[0] = True  # a file has no empty arrays
        taken = fit.order.spread(bands) + filtered * fit.filter
        for span, weight in zip(fit.spans, spectral, strict=True):
            taken[:span] += weight
        return cls(
            order=fit.order.to_array(),
            taken=taken,
            constant=-fit.order.spread(means) * fit.mean,
            mean=fit.mean,
            components=fit.components[used],
            component_weights=kept[used],
            adaptive=adaptive[: len(ADAPTIVE)],
            noise_variance=np.array([fit.noise_variance]),
            columns=varying.astype(np.float64),
        )

    def check(self) -> None:
        """Raise ValueError unless the numbers can be those of a model."""
        order = RowOrder.from_array(self.order)
        if order.n_features != len(self.taken):
            raise ValueError("its order of columns is that of other rows")
        if len(self.adaptive) != len(ADAPTIVE):
            raise ValueError("its smoothers are not those of this version")
        if self.noise_variance.shape != (1,) or not self.noise_variance[0] > 0.0:
            raise ValueError("its smoothers have no noise level")

    def at_level(self, ratio: float) -> Self:
        """Return the same for noise that is so many times as loud."""
        return replace(self, noise_variance=ratio**2 * self.noise_variance)

    def displacements(self, X: FloatArray, windows: WindowModel | None = None) -> FloatArray:
        """Return what is added to centred rows (m, p), what windows say included."""
        order, level = RowOrder.from_array(self.order), float(self.noise_variance[0])
        Z = order.forward(X)
        moved = self.constant - self.taken * Z
        moved += ((Z @ self.components.T) * self.component_weights) @ self.components
        for (_, smoother, centred), weight in zip(ADAPTIVE, self.adaptive, strict=True):
            if weight:
                moved += weight * smoother(order, level, Z if centred else Z + self.mean, ())[0]
        if windows is not None:
            moved += windows.weight * windows.displacements(order, level, Z + self.mean, ())[0]
        rows: FloatArray = order.inverse(moved) * self.columns
        return rows
