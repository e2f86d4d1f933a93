"""Short windows of rows, cleaned by what all windows have in common, wherever in a row they are.

Rows whose features sit at different places share no components, but their windows do: an edge, a
peak or a turn of a wave looks much the same in each. All overlapping windows, or patches of
pictures, are modelled by a mixture of probabilistic PCAs (`ikpca_cli.models.ppca_mixture`), and
each number becomes the mean of what the windows that hold it say (for patches of photographs:
Zoran and Weiss, "From learning models of natural image patches to whole image restoration", 2011).

Windows are in units of the noise, so that single precision does while candidates are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.data.threads import CACHED, chunks
from ikpca_cli.models.ppca_mixture import MixtureModel, fit_mixture
from ikpca_cli.models.smoothing.order import RowOrder

_LINE, _PICTURE = 32, 5  # the longest side of a window along a line, and of one in a picture
_LINE_PLACES, _PICTURE_PLACES = 8, 2  # at which windows begin within a side of one, at least
_COMPONENTS = 24  # to begin with
_MOST, _FIRST = 12_000, 4000  # windows that are learned from, and at first
_FIRST_ITERATIONS, _ITERATIONS = 8, 4


@dataclass(frozen=True)
class WindowModel:
    """What windows have in common, and how much of the cleaned rows is due to it.

    Attributes
    ----------
    size : ndarray, shape (2,)
        Height and width of a window, w numbers in all.
    weight : ndarray, shape (1,)
        Of the displacement by windows, in a model; 1 before it is known.
    shares, directions, owners, signal_variances : ndarray
        Of the mixture, see `MixtureModel`: (k,), (e, w), (e,) and (e,).
    """

    FIELDS: ClassVar[dict[str, tuple[str, ...]]] = {
        "size": ("window sides",),
        "weight": ("one",),
        "shares": ("windows",),
        "directions": ("window directions", "window"),
        "owners": ("window directions",),
        "signal_variances": ("window directions",),
    }

    size: FloatArray
    weight: FloatArray
    shares: FloatArray
    directions: FloatArray
    owners: FloatArray
    signal_variances: FloatArray

    @classmethod
    def learned(
        cls, order: RowOrder, rows: FloatArray, offset: FloatArray, noise_variance: float
    ) -> Self | None:
        """Learn from rows (n, p); None where they have no order, or are too short.

        Parameters
        ----------
        order : RowOrder
        rows : ndarray, shape (n, p)
            Centred.
        offset : ndarray, shape (p,)
            What has to be added to have them as they are.
        noise_variance : float
        """
        size = _size(order)
        if size is None or not order.patches:
            return None
        mean = order.forward(offset[None])
        mean[:, : order.sizes[0]] = 0.0
        whole = (rows + order.inverse(mean)) / noise_variance**0.5
        windows = _views(order, whole, size)
        rng = model_rng(0, Stream.ROW_WINDOWS)
        total = int(np.prod(windows.shape[:3]))
        at = np.sort(rng.choice(total, min(total, _MOST), replace=False))
        some = windows[np.unravel_index(at, windows.shape[:3])]
        found = np.ascontiguousarray(some.reshape(len(at), -1), dtype=np.float32)
        few = found[np.sort(rng.choice(len(found), min(len(found), _FIRST), replace=False))]
        first = fit_mixture(few, 1.0, _COMPONENTS, rng, iterations=_FIRST_ITERATIONS)
        mixture = fit_mixture(found, 1.0, _COMPONENTS, rng, iterations=_ITERATIONS, start=first)
        return cls(
            size=np.array(size, dtype=np.float64),
            weight=np.ones(1),
            shares=mixture.shares,
            directions=mixture.directions.astype(np.float64),
            owners=mixture.owners,
            signal_variances=noise_variance * mixture.signal_variances.astype(np.float64),
        )

    def check(self, order: RowOrder) -> None:
        """Raise ValueError unless the numbers can be those of windows of such rows."""
        sides = np.array([order.height, order.width])
        if self.size.shape != (2,) or np.any(self.size < 1) or np.any(self.size > sides):
            raise ValueError("its windows do not fit into rows")
        width = self.directions.shape[1]
        if np.any(self.size != np.rint(self.size)) or np.prod(self.size) != width:
            raise ValueError("its windows are of another size")
        if self.weight.shape != (1,) or not self.weight[0] > 0.0:
            raise ValueError("its windows have no weight")
        self._mixture(1.0).check()

    def displacements(
        self, order: RowOrder, noise_variance: float, Z: FloatArray, dZ: Sequence[FloatArray]
    ) -> tuple[FloatArray, list[FloatArray]]:
        """Clean each row by its windows; a `Smoother`, without the weight."""
        mixture, level = self._mixture(noise_variance), noise_variance**0.5
        size = int(self.size[0]), int(self.size[1])
        count = _PICTURE_PLACES if min(size) > 1 else _LINE_PLACES
        places = _places(order.height, size[0], count), _places(order.width, size[1], count)
        numbers = len(places[0]) * len(places[1]) * max(self.directions.shape)
        step, turned = np.empty_like(Z), [np.empty_like(d) for d in dZ]
        dtype = self.directions.dtype
        for part in chunks(len(Z), max(1, CACHED // numbers)):
            rows = [order.inverse(some[part]) / level for some in (Z, *dZ)]
            windows = [_cut(order, some.astype(dtype, copy=False), size, places) for some in rows]
            cleaned = mixture.denoise_along(windows[0], windows[1:])
            for whole, found, before in zip((step, *turned), cleaned, rows, strict=True):
                means = _put_back(order, found, size, places)
                whole[part] = order.forward(level * (means - before))
        return step, turned

    def _mixture(self, noise_variance: float) -> MixtureModel:
        """Return the mixture in units of the noise."""
        signal = (self.signal_variances / noise_variance).astype(self.directions.dtype, copy=False)
        return MixtureModel(self.shares, self.directions, self.owners, signal, 1.0)


def windows_of(order: RowOrder, n_samples: int) -> int:
    """Return how many numbers the windows of so many rows have that are learned from."""
    size = _size(order)
    if size is None or not order.patches:
        return 0
    each = (order.height - size[0] + 1) * (order.width - size[1] + 1)
    return min(n_samples * each, _MOST) * size[0] * size[1]


def _size(order: RowOrder) -> tuple[int, int] | None:
    """Return the height and width of windows, None where nothing is to be had of them."""
    longest = _PICTURE if order.down and order.across else _LINE
    sides = [
        min(longest, side // 2) if ordered else 1
        for side, ordered in ((order.height, order.down), (order.width, order.across))
    ]
    return None if max(sides) < 2 else (sides[0], sides[1])


def _places(length: int, side: int, count: int) -> NDArray[np.intp]:
    """Return where windows of a side begin along a length, at some places within a side."""
    last = length - side
    return np.unique([*range(0, last, max(1, side // count)), last])


def _views(order: RowOrder, rows: FloatArray, size: tuple[int, int]) -> FloatArray:
    """Return every window of rows (n, p), as a view (n, y, x, height, width)."""
    grids = rows.reshape(-1, order.height, order.width)
    views: FloatArray = sliding_window_view(grids, size, axis=(1, 2))
    return views


def _cut(
    order: RowOrder,
    rows: FloatArray,
    size: tuple[int, int],
    places: tuple[NDArray[np.intp], NDArray[np.intp]],
) -> FloatArray:
    """Return the windows (v, w) of rows at some places."""
    found = _views(order, rows, size)[:, places[0][:, None], places[1]]
    return np.ascontiguousarray(found).reshape(-1, size[0] * size[1])


def _put_back(
    order: RowOrder,
    windows: FloatArray,
    size: tuple[int, int],
    places: tuple[NDArray[np.intp], NDArray[np.intp]],
) -> FloatArray:
    """Return rows (m, p) whose numbers are the means of those of windows (v, w) at them."""
    down, across = places
    grid = windows.reshape(-1, len(down), len(across), *size)
    total = np.zeros((len(grid), order.height, order.width))
    count = np.zeros((order.height, order.width))
    for y in range(size[0]):
        for x in range(size[1]):
            at = (down + y)[:, None], across + x
            total[:, *at] += grid[..., y, x]
            count[at] += 1.0
    rows: FloatArray = (total / count).reshape(len(grid), -1)
    return rows
