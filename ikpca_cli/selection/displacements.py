"""What candidates do to held-out rows, and what any weighted sum of them would be worth.

With displacements f_k of m rows and their gains c_k (`Displacements.gains`) the mean squared error
after a sum with weights t is ``before + mean |sum_k t_k f_k|^2 / p + 2 sum_k t_k mean c_k``, so all
that the best weights depend on are mean products of displacements, and mean gains. Where rows have
an order, displacements are in cosine coefficients along it, which leave products as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.smoothing.candidates import SmoothingFit, place_of_components
from ikpca_cli.models.smoothing.order import RowOrder


class Candidates(Protocol):
    """What several candidates do to the same rows."""

    @property
    def gains(self) -> FloatArray:
        """Inner product of displacement and error, or Stein's estimate of it, over p, (k, m)."""

    @property
    def products(self) -> FloatArray:
        """Mean products of the displacements, (k, k)."""

    @property
    def farthest(self) -> FloatArray:
        """The longest displacement of each, (k,)."""

    def products_with(self, other: Displacements) -> FloatArray:
        """Return the mean products with displacements of the same rows, (k, l)."""

    def together(self, weights: FloatArray) -> FloatArray:
        """Return the displacement (m, p) of a sum with weights (k,)."""

    def some(self, rows: slice | NDArray[np.intp]) -> Candidates:
        """Return what is done to some of the rows."""


@dataclass(frozen=True)
class Displacements:
    """What some ways do to some rows.

    Attributes
    ----------
    steps : ndarray, shape (k, m, p)
    gains : ndarray, shape (k, m)
        Inner product of step and error, or Stein's estimate of it, over p.
    before : ndarray, shape (m,)
        Mean squared error of the rows.
    """

    steps: FloatArray
    gains: FloatArray
    before: FloatArray

    @classmethod
    def joined(cls, parts: Iterable[Displacements]) -> Displacements:
        """Join the rows of several trials."""
        found = list(parts)
        return cls(
            np.concatenate([part.steps for part in found], axis=1),
            np.concatenate([part.gains for part in found], axis=1),
            np.concatenate([part.before for part in found]),
        )

    # What follows is asked for each pair of gammas anew.

    @cached_property
    def farthest(self) -> FloatArray:
        """The longest step of each way, (k,)."""
        longest: FloatArray = np.sqrt(np.einsum("kij,kij->ki", self.steps, self.steps).max(axis=1))
        return longest

    @cached_property
    def products(self) -> FloatArray:
        """Mean products of the ways' steps, (k, k)."""
        return self.products_with(self)

    def products_with(self, other: Displacements) -> FloatArray:
        """Return the mean products with the steps of other ways for the same rows."""
        flat = self.steps.reshape(len(self.steps), -1)
        products: FloatArray = flat @ other.steps.reshape(len(other.steps), -1).T
        return products / flat.shape[1]

    def together(self, weights: FloatArray) -> FloatArray:
        """Return the displacement (m, p) of a sum with weights (k,)."""
        on = np.flatnonzero(weights)
        step: FloatArray = np.tensordot(weights[on], self.steps[on], 1)
        return step

    def some(self, rows: slice | NDArray[np.intp]) -> Displacements:
        """Return what is done to some of the rows."""
        steps = np.ascontiguousarray(self.steps[:, rows])  # which products need, again and again
        return Displacements(steps, self.gains[:, rows], self.before[rows])


@dataclass(frozen=True)
class SmoothDisplacements:
    """What smoothers do to some rows; that of one band of frequencies is not kept apart.

    Attributes
    ----------
    order : RowOrder
    coefficients, means : ndarray, shape (m, p)
        Coefficients of the rows less the mean, and of that mean, which each fold has its own of.
    dense : ndarray, shape (d, m, p)
        Displacements that are not of one band, in coefficients.
    gains : ndarray, shape (k, m)
        As for `Displacements`; those of bands come first.
    crossed : dict
        Products with other displacements, which pairs of gammas ask for again and again.
    """

    order: RowOrder
    coefficients: FloatArray
    means: FloatArray
    dense: FloatArray
    gains: FloatArray
    crossed: dict[int, tuple[Displacements, FloatArray]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        fit: SmoothingFit,
        held: FloatArray,
        tangents: Sequence[FloatArray],
        varying: NDArray[np.bool_],
        error: FloatArray | None = None,
    ) -> SmoothDisplacements:
        """Return what the smoothers of a fit do to rows that are held out of it.

        Parameters
        ----------
        fit : SmoothingFit
        held : ndarray, shape (m, p)
        tangents : sequence of ndarray, shape (m, p)
            Directions of unit variance, see `Preimage.displacements`.
        varying : ndarray, shape (p,)
            Whether columns have noise.
        error : ndarray, shape (m, p), optional
            That of the rows, where it is known.
        """
        order, n_features = fit.order, held.shape[1]
        Z = order.forward(held) - fit.centre
        quiet = np.zeros((int(np.sum(~varying)), n_features))
        quiet[np.arange(len(quiet)), np.flatnonzero(~varying)] = 1.0
        trace = 1.0 - (order.forward(quiet) ** 2).sum(axis=0)
        dense, turns = fit.dense(Z, [order.forward(e) for e in tangents], trace)
        means = np.broadcast_to(fit.mean, Z.shape)
        if error is None:
            bands = np.repeat(-order.by_band(trace)[:, None], len(held), axis=1)
            gains = np.concatenate([bands, np.zeros_like(bands), turns]) * fit.noise_variance
        else:
            E = order.forward(error)
            banded = [-order.by_band(A * E).T for A in (Z, means)]
            gains = np.concatenate([*banded, np.einsum("kij,ij->ki", dense, E)])
        return cls(order, Z, means, dense, gains / n_features)

    @classmethod
    def joined(cls, parts: Iterable[SmoothDisplacements]) -> SmoothDisplacements:
        """Join the rows of several trials."""
        found = list(parts)
        return cls(
            found[0].order,
            np.concatenate([part.coefficients for part in found]),
            np.concatenate([part.means for part in found]),
            np.concatenate([part.dense for part in found], axis=1),
            np.concatenate([part.gains for part in found], axis=1),
        )

    @property
    def linear(self) -> NDArray[np.bool_]:
        """Which candidate is PCA of all coefficients, (k,)."""
        linear: NDArray[np.bool_] = np.arange(len(self.gains)) == place_of_components(self.order)
        return linear

    @cached_property
    def farthest(self) -> FloatArray:
        """The longest displacement of each candidate, (k,)."""
        squares = np.concatenate(
            [
                self.order.by_band(self.coefficients**2).T,
                self.order.by_band(self.means**2).T,
                np.einsum("kij,kij->ki", self.dense, self.dense),
            ]
        )
        longest: FloatArray = np.sqrt(squares.max(axis=1))
        return longest

    @cached_property
    def products(self) -> FloatArray:
        """Mean products of the displacements, (k, k)."""
        Z, M, count = self.coefficients, self.means, len(self.order.bands)
        size = 2 * count + len(self.dense)
        products = np.empty((size, size))
        products[: 2 * count, : 2 * count] = np.block(
            [[np.diag(self._sums(A * B)) for B in (Z, M)] for A in (Z, M)]
        )
        products[:, 2 * count :] = self._with_steps(self.dense)
        products[2 * count :] = products[:, 2 * count :].T
        return products

    def products_with(self, other: Displacements) -> FloatArray:
        """Return the mean products with steps of the same rows, (k, l)."""
        if id(other) not in self.crossed:
            self.crossed[id(other)] = other, self._with_steps(other.steps)
        return self.crossed[id(other)][1]

    def together(self, weights: FloatArray) -> FloatArray:
        """Return the displacement (m, p) of a sum with weights (k,)."""
        count = len(self.order.bands)
        step = -self.order.spread(weights[:count]) * self.coefficients
        step -= self.order.spread(weights[count : 2 * count]) * self.means
        step += np.tensordot(weights[2 * count :], self.dense, 1)
        return step

    def some(self, rows: slice | NDArray[np.intp]) -> SmoothDisplacements:
        """Return what is done to some of the rows."""
        dense = np.ascontiguousarray(self.dense[:, rows])
        own = self.coefficients[rows], self.means[rows], dense, self.gains[:, rows]
        return SmoothDisplacements(self.order, *own)

    def _with_steps(self, steps: FloatArray) -> FloatArray:
        """Return the mean products (k, l) with steps in coefficients, (l, m, p)."""
        flat = steps.reshape(len(steps), -1)
        banded = [
            [-self.order.by_band(np.einsum("ij,ij->j", A, step)) / A.size for step in steps]
            for A in (self.coefficients, self.means)
        ]
        own = self.dense.reshape(len(self.dense), -1) @ flat.T / self.coefficients.size
        return np.concatenate([*(np.array(part).T for part in banded), own])

    def _sums(self, products: FloatArray) -> FloatArray:
        """Return sums over rows and within each band, over all numbers, (bands,)."""
        return self.order.by_band(products.sum(axis=0)) / products.size
