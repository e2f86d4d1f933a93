"""The order of a row's numbers, and the cosine transform along it.

A row may be a signal, a picture or a few channels of a signal. In each case an orthonormal cosine
transform (DCT-II) along the axes that have an order takes smooth rows to few coefficients, and
white noise to white noise of the same level. Where columns have no order, the coefficients are the
numbers themselves, in one band.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray

_GROWTH = 1.35  # of a band's upper edge over its lower one
_SINGLE = 4  # lowest frequencies that are a band each


@dataclass(frozen=True)
class RowOrder:
    """Numbers of a row in a grid, in the order in which C stores it.

    Attributes
    ----------
    height, width : int
        Sides of the grid; their product is the number of columns p.
    down, across : bool
        Whether numbers one below the other, and side by side, are neighbours.
    patches : bool
        Whether numbers may be averaged by what surrounds them. A file does not keep it, as what was
        left out has no weight.
    """

    height: int
    width: int
    down: bool = True
    across: bool = False
    patches: bool = field(default=True, compare=False)

    @classmethod
    def from_array(cls, numbers: FloatArray) -> RowOrder:
        """Return what `to_array` made numbers of.

        Raises
        ------
        ValueError
            If they are no order.
        """
        if len(numbers) != 4 or np.any(numbers < 0) or np.any(numbers != np.rint(numbers)):
            raise ValueError("its order of columns is none")
        height, width, down, across = (int(number) for number in numbers)
        if height < 1 or width < 1 or down > 1 or across > 1:
            raise ValueError("its order of columns is none")
        return cls(height, width, bool(down), bool(across))

    def to_array(self) -> FloatArray:
        """Return the order as numbers, (4,)."""
        return np.array([self.height, self.width, self.down, self.across], dtype=np.float64)

    def __str__(self) -> str:
        """Return what is printed."""
        if self.down and self.across:
            return f"{self.height}x{self.width}"
        if not self._axes:
            return "none"
        channels = self.n_features // self._length
        return "line" if channels == 1 else f"{channels} channels"

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.height * self.width

    def forward(self, X: FloatArray) -> FloatArray:
        """Return the cosine coefficients (m, p) of rows (m, p), lowest frequency first."""
        from scipy.fft import dctn

        if not self._axes:
            return X.copy()
        grid = X.reshape(len(X), self.height, self.width)
        found = dctn(grid, axes=self._axes, norm="ortho").reshape(X.shape)
        coefficients: FloatArray = found[:, self._places]
        return coefficients

    def inverse(self, coefficients: FloatArray) -> FloatArray:
        """Return the rows (m, p) that have these coefficients; fewer than p are the lowest."""
        from scipy.fft import idctn

        grid = np.zeros((len(coefficients), self.n_features), dtype=coefficients.dtype)
        grid[:, self._places[: coefficients.shape[1]]] = coefficients
        if not self._axes:
            return grid
        shaped = grid.reshape(len(grid), self.height, self.width)
        rows: FloatArray = idctn(shaped, axes=self._axes, norm="ortho").reshape(grid.shape)
        return rows

    @cached_property
    def roughness(self) -> FloatArray:
        """Squared second differences of each coefficient's cosine, for a length of 1, (p,)."""
        steps = self._along(lambda index, side: 2.0 - 2.0 * np.cos(np.pi * index / side))
        roughness: FloatArray = steps[self._places] ** 2
        return roughness

    @cached_property
    def bands(self) -> NDArray[np.intp]:
        """First coefficient of each band of frequencies, (bands,).

        A band is about a third wider than all below it; the lowest frequencies are one each.
        """
        if not self._axes:
            return np.array([0])
        unit = 1 if self.down and self.across else self.n_features // self._length
        edges = list(range(_SINGLE))
        while edges[-1] < self.n_features // unit:
            edges.append(int(np.ceil(max(edges[-1], _SINGLE - 1) * _GROWTH)))
        starts = np.array(edges) * unit
        return starts[starts < self.n_features]

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Number of coefficients in each band, (bands,)."""
        return np.diff(self.bands, append=self.n_features)

    def by_band(self, values: FloatArray) -> FloatArray:
        """Return the sums (…, bands) over each band of values for coefficients (…, p)."""
        sums: FloatArray = np.add.reduceat(values, self.bands, axis=-1)
        return sums

    def spread(self, values: FloatArray) -> FloatArray:
        """Return values for coefficients (…, p) that are alike within each band (…, bands)."""
        spread: FloatArray = np.repeat(values, self.sizes, axis=-1)
        return spread

    @property
    def _axes(self) -> tuple[int, ...]:
        return tuple(axis for axis, on in ((1, self.down), (2, self.across)) if on)

    @property
    def _length(self) -> int:
        """Numbers along the axis of an order that has one."""
        return self.height if self.down else self.width

    @cached_property
    def _places(self) -> NDArray[np.intp]:
        """Places in the grid of coefficients by rising frequency, (p,)."""
        squares = self._along(lambda index, side: (index / side) ** 2)
        return np.argsort(squares, kind="stable")

    def _along(self, value: Callable[[FloatArray, int], FloatArray]) -> FloatArray:
        """Return a function of index and side, summed over the axes, for each place, (p,)."""
        down, across = np.indices((self.height, self.width), dtype=np.float64)
        total = np.zeros((self.height, self.width))
        if self.down:
            total += value(down, self.height)
        if self.across:
            total += value(across, self.width)
        return total.ravel()
