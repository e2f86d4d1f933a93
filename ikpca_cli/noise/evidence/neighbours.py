"""How far neighbours along the row are alike in what has no signal.

White noise has no correlation from column to column; what directions of signal take of it leaves a
known one. Noise that is alike in neighbours, and rough signal that passes for noise, have more at
one distance or less at another, which thousands of numbers tell to a few hundredths.

In signal neighbours of lines, waves and pictures are correlated in another way than any two
columns. Those of a table of unlike columns, such as words, shares or genes, are not.
"""

from __future__ import annotations

import math

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.low_rank import LowRank

SOME_ROWS = 1000
"""Rows that are looked at."""

MOST_ALIKE, OF_FEW_ROWS = 0.03, 0.3
"""Correlation that white noise does not have, and what is added to it over the root of the rows,
few of which do not tell weak signal from noise."""

_DISTANCES = (1, 2, 3)
_SURELY = 4.0  # standard errors
_SAME = 1e-6  # relative scatter of products that are equal but for rounding


def neighbour_correlation(X: FloatArray, spectrum: Eigenvalues | None = None) -> float:
    """Return the correlation of neighbours beyond that of white noise and beyond chance, 0 or more.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Centred rows in random order.
    spectrum : Eigenvalues, optional
        Theirs, if it is known.

    Returns
    -------
    float
        Of what the directions of signal leave, the largest at up to three columns apart.
    """
    found = LowRank.of(X[:SOME_ROWS], spectrum=spectrum if len(X) <= SOME_ROWS else None)
    rows, taken, size = found.residual, found.directions, X.shape[1]
    total, trace = float(np.einsum("ij,ij->", rows, rows)), float(size - found.rank)
    if total <= 0.0 or trace <= 0.0:
        return 0.0
    beyond = 0.0
    for apart in _DISTANCES:
        if apart < size - 1:
            shared = float(np.einsum("ij,ij->", rows[:, :-apart], rows[:, apart:])) / total
            expected = -float(np.einsum("ij,ij->", taken[:, :-apart], taken[:, apart:])) / trace
            beyond = max(beyond, abs(shared - expected))
    numbers = max(trace * (len(rows) - 1 - found.rank), 1.0)
    return max(beyond - _SURELY / float(np.sqrt(numbers)), 0.0)


def are_alike(X: FloatArray, times: float = 1.0, spectrum: Eigenvalues | None = None) -> bool:
    """Tell whether what has no signal in centred rows (n, p) is alike in neighbours for sure.

    That is so many times as much as the weak signal that is left in white noise may make it.
    `spectrum` is that of the rows, if it is known.
    """
    return neighbour_correlation(X, spectrum) > most_alike(len(X), times)


def most_alike(n_samples: int, times: float = 1.0) -> float:
    """Return the correlation that weak signal in white noise may make, so many times."""
    return times * (MOST_ALIKE + OF_FEW_ROWS / math.sqrt(n_samples))


def have_order(found: LowRank) -> bool:
    """Tell whether columns may have an order; they do if nothing is told."""
    signal = found.rows
    lengths = np.sqrt(np.einsum("ij,ij->j", signal, signal))
    signal, lengths = signal[:, lengths > 0.0], lengths[lengths > 0.0]
    if len(lengths) <= max(_DISTANCES):
        return True
    # One direction of one sign has no correlation but 1, and is told by how strong it is.
    told = [_far_from_usual(one.T @ one) for one in (signal / lengths, signal)]
    return max(told) >= _SURELY or not any(told)


def _far_from_usual(products: FloatArray) -> float:
    """Return how far products of neighbours among columns (p, p) are from others', over chance.

    It is 0 where all are alike.
    """
    size = len(products)
    others = products[~np.eye(size, dtype=bool)]
    usual, scatter = float(others.mean()), float(others.std())
    if scatter <= _SAME * abs(usual):
        return 0.0
    beyond = [
        abs(float(np.diagonal(products, apart).mean()) - usual) * (size - apart) ** 0.5
        for apart in _DISTANCES
    ]
    return float(max(beyond) / scatter)
