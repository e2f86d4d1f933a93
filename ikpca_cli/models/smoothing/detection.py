"""Is there an order along the rows? Those in which neighbours are most alike are found."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.smoothing.order import RowOrder

FEWEST_COLUMNS = 8
"""Below this width there is no order to speak of."""

SHORTEST_SIDE, MOST_CHANNELS = 4, 16
"""Of a picture; and numbers side by side that are different things."""

_ROWS = 200  # that are looked at
_CLEARLY = 0.95  # of the rate along the line that another order has to leave
_ORDERED = 0.97  # of the rate along shuffled columns that any order has to leave
_NEARLY = 0.9  # of the least rate, over that of an order which may be as good for other smoothers
_SHUFFLES = 3
_MOST_NUMBERS = 2**22  # in the rows looked at


def find_order(rows: FloatArray, noise_variance: float) -> RowOrder | None:
    """Return the first of `likely_orders`, None where rows (n, p) are too short to have one."""
    return next(iter(likely_orders(rows, noise_variance)), None)


def likely_orders(rows: FloatArray, noise_variance: float) -> list[RowOrder]:
    """Return the order along rows, and others whose neighbours are nearly as much alike.

    Orders are compared by the rate at which bands of frequencies tell the signal: the more alike
    neighbours are, the fewer bands hold it. A picture or channels, which are found by their sides,
    have to be clearly better than a line. Of pictures, and of signals of a few channels, only the
    best is looked at beside a line. Where neighbours are no more alike than any two columns, the
    only order is one along no axis; rows that are too short have none.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
        Centred.
    noise_variance : float
    """
    n_features = rows.shape[1]
    if n_features < FEWEST_COLUMNS:
        return []
    line, some = RowOrder(n_features, 1), _looked_at(rows)
    rates = {order: _rate(order, some, noise_variance) for order in (line, *_grids(n_features))}
    ascending = sorted(rates, key=lambda order: rates[order])
    least = rates[ascending[0]]
    found = ascending[0] if least < _CLEARLY * rates[line] else line
    # Which columns are called neighbours does not matter.
    rng = model_rng(0, Stream.SHUFFLED_COLUMNS)
    others = [some[:, rng.permutation(n_features)] for _ in range(_SHUFFLES)]
    shuffled = [_rate(line, other, noise_variance) for other in others]
    if rates[found] >= _ORDERED * np.mean(shuffled):
        return [RowOrder(n_features, 1, down=False)]
    kinds: dict[str, RowOrder] = {}
    for order in reversed(ascending):
        kinds["line" if order.width == 1 else f"{order.down and order.across}"] = order
    near = [order for order in kinds.values() if _NEARLY * rates[order] < least]
    return [found, *(order for order in near if order != found)]


def _looked_at(rows: FloatArray) -> FloatArray:
    """Return the first rows, as many as tell an order."""
    return rows[: max(2, min(_ROWS, _MOST_NUMBERS // rows.shape[1]))]


def _grids(n_features: int) -> Iterator[RowOrder]:
    """Yield the pictures, and signals of a few channels, that have so many numbers."""
    for width in range(2, n_features // 2 + 1):
        height = n_features // width
        if height * width != n_features:
            continue
        if min(height, width) >= SHORTEST_SIDE:
            yield RowOrder(height, width, down=True, across=True)
        if width <= MOST_CHANNELS and height >= FEWEST_COLUMNS:
            yield RowOrder(height, width, down=True, across=False)
        if height <= MOST_CHANNELS and width >= FEWEST_COLUMNS:
            yield RowOrder(height, width, down=False, across=True)


def _rate(order: RowOrder, rows: FloatArray, noise_variance: float) -> float:
    """Return how many nats a number takes that is told to within the noise, by its band alone.

    With v the mean square in a band it is the mean of ``max(log(v / sigma^2), 0) / 2`` (reverse
    water-filling: Cover and Thomas, "Elements of information theory", 2006, chapter 10). Unlike the
    risk of a filter it tells orders apart where all bands stand out of the noise.
    """
    powers = order.by_band(np.mean(order.forward(rows) ** 2, axis=0)) / order.sizes
    nats = np.log(np.maximum(powers / noise_variance, 1.0)) / 2.0
    return float(nats @ order.sizes) / order.n_features


def signal_band(order: RowOrder, rows: FloatArray, noise_variance: float, ratio: float) -> int:
    """Return how many of the lowest coefficients of rows (n, p) hold signal.

    Parameters
    ----------
    order : RowOrder
    rows : ndarray, shape (n, p)
    noise_variance : float
    ratio : float
        Of signal to noise in the highest band that counts.
    """
    powers = order.by_band(np.mean(order.forward(rows) ** 2, axis=0)) / order.sizes
    above = np.flatnonzero(powers > (1.0 + ratio) * noise_variance)
    return int(np.cumsum(order.sizes)[above[-1]]) if len(above) else 0
