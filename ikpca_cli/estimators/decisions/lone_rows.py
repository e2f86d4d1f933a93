"""Rows that stand alone, far from all others: a lost electrode, a dark or saturated spectrum.

Squares give one such row the weight of all others together, in the estimated error more than
anywhere, so that nothing is learned from these. It tells nothing of them in turn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.first_pass import FirstPass
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.errors import Note, tell

FEWEST = 12
"""Rows that tell what is far."""

_SHARE = 0.05  # of rows that may stand alone; more of them are of a kind
_GAP = 10.0  # times as far from the middle as any row that does not
_FAR = 1.5  # times as far as the logarithms of the others' distances would have any of them
_ALONE = 0.5  # of its distance from the middle: nearer than that is no other row


def lone_rows(rows: FloatArray) -> NDArray[np.intp]:
    """Return the places of rows (n, p) that stand alone, ascending. Copies of a row are one row.

    Distances from the middle of rows that differ in their strength are about lognormal, so that it
    is by their logarithms that a distance is too far to be one of them.
    """
    distinct, which = np.unique(rows, axis=0, return_inverse=True)
    return np.flatnonzero(np.isin(which.ravel(), _lone_among(distinct)))


def _lone_among(rows: FloatArray) -> list[int]:
    """Return the places of those among rows (n, p) that all differ."""
    n_rows = len(rows)
    distances = _lengths(rows - np.median(rows, axis=0))
    order = np.argsort(-distances)
    most = max(1, int(_SHARE * n_rows))
    if n_rows < FEWEST or distances[order[most]] == 0.0:
        return []
    sizes = np.log(np.maximum(distances[order], np.finfo(float).tiny))
    gaps = np.flatnonzero(sizes[:most] - sizes[1 : most + 1] > np.log(_GAP))
    if not gaps.size:
        return []
    count = int(gaps[-1]) + 1
    if sizes[count - 1] - np.median(sizes) < _FAR * _farthest_of(sizes[count:]):
        return []
    return [int(place) for place in order[:count] if _is_alone(rows, distances, place)]


def leave_out_lone_rows(rows: FirstPass) -> None:
    """Leave out of rows that were read those that stand alone, and say so."""
    sample = rows.in_order()
    places = lone_rows(sample)
    if not places.size:
        return
    rows.leave_out(places)
    if rows.is_sampled:
        return  # few of them were seen, and the others take part
    shown = ", ".join(str(place + 1) for place in places[:5]) + ", ..." * (len(places) > 5)
    are = f"row {shown} is" if len(places) == 1 else f"rows {shown} are"
    line = f"{rows.name}: {are} far from all others, which are learned from without"
    tell(Note(f"{line} {'it' if len(places) == 1 else 'them'}"), stacklevel=5)


def _farthest_of(sizes: FloatArray) -> float:
    """Return how far above the median the largest of normal numbers is, by those in order (n,).

    The scale is the largest by which any of them is as far as it is expected to be.
    """
    from scipy.special import ndtri

    upper = sizes[: max(1, len(sizes) // 4)]
    expected = ndtri(1.0 - (np.arange(len(upper)) + 0.5) / len(sizes))
    scale = float(np.max((upper - np.median(sizes)) / expected))
    return scale * float(expected[0])


def _is_alone(rows: FloatArray, distances: FloatArray, place: int) -> bool:
    apart = _lengths(rows - rows[place])
    apart[place] = np.inf
    return bool(apart.min() > _ALONE * distances[place])


def _lengths(rows: FloatArray) -> FloatArray:
    lengths: FloatArray = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return lengths
