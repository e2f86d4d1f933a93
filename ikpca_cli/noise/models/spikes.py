"""Values that neither the other rows nor their own row explains: spikes, hits, dead pixels.

What rows should be is told by their leading directions, found without regard to spikes: values are
drawn in to a few robust standard deviations from what the directions make of them, and these found
again, and again (winsorised residuals: Huber, "Robust Statistics", 1981). A value that is many of
its column's, and its row's, robust standard deviations off, and beyond both its neighbours, may be
a spike.

That they are is told by what spikes have, and peaks, edges and heavy tails have not: hardly any
value is nearly as far off as they are, and they are anywhere, in any row and any column, alone, and
no more often where the signal is strong: what skewed signal has beyond its directions is there. Nor
are they at one place along the row, as what a few rows have at one time.
A few in columns without an order, as of a table, do not tell, nor do more that are there where the
signal is strongest beside others anywhere: rare signal looks the same. They have no part in a fit,
but rows keep them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.models.robust_directions import RobustDirections

FEWEST_COLUMNS = 10
"""Fewer do not tell what one value should be."""

_FAR = (4.5, 6.0, 9.0, 13.0, 19.0, 28.0, 40.0)  # robust standard deviations
_BESIDE_NEIGHBOURS = 0.5  # times that far beyond the nearer neighbour
_FEWEST, _MOST = 6, 0.06  # spikes, and share of values that may be some
_NEARLY, _ALMOST_NONE = 0.7, 0.5  # of that distance, and values beyond this for each spike
_FARTHER, _FAR_ONES = 1.5, 0.3  # times it, and least share of spikes beyond that
_ALONE = 0.25  # most of them that have a neighbour
_FARTHER_OFF = (1.0, 1.5, 2.2)  # times the limit, for what signal a file has beyond it
_SPREAD = 0.5  # share of spikes that as many columns, or rows, would have, were they anywhere
_NEAR_EACH_OTHER, _NO_CHANCE = 0.5, 2.0  # of Kuiper's statistic; the latter one time in 100
_STRONG = 0.75  # mean rank of the signal at spikes, from 0 to 1, that chance does not make of 0.5
_TENTHS = 10
_SHARP_COLUMNS = 0.05  # most columns in which signal stands out as spikes do
_CHANCE = 4.0  # standard errors of a count, for a column to have more than the usual one
_SOME, _ORDERS = 100, 50  # rows, and orders of columns, that tell whether theirs is one
_OUTLIERS, _FAR_FROM_ALL = 1e-3, 0.25  # share of values that are no signal, so far off they are


@dataclass(frozen=True)
class Spikes:
    """What finds spikes in rows, and says what they should be.

    Attributes
    ----------
    directions : RobustDirections
    limits : ndarray, shape (p,)
        How far values of a column are from what the directions make of them, from which on they
        are spikes; 0 where none is, for signal stands out there.
    margins : ndarray, shape (p,)
        How far beyond both neighbours they are at least; 0 where rows have no order.
    share : float
        Share of the values of the training rows that are.
    are_sure : bool
        Whether none of them can be signal.
    are_kept : bool
        Whether rows keep them, as they may be signal.
    """

    directions: RobustDirections
    limits: FloatArray
    margins: FloatArray
    share: float = 0.0
    are_sure: bool = False
    are_kept: bool = False

    def find(self, X: FloatArray) -> tuple[NDArray[np.bool_], FloatArray]:
        """Return which values of rows (n, p) are spikes, and what they should be, (n, p) both."""
        expected, scale = self.directions.explain(X)
        return self._are_spikes(X, expected, scale), expected

    def _are_spikes(
        self, X: FloatArray, expected: FloatArray, scale: FloatArray
    ) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = np.abs(X - expected) > self.limits * scale
        alone = beyond_neighbours(X - self.directions.centre) >= self.margins
        return found & alone & (self.limits > 0.0)

    def of_file(self, X: FloatArray) -> Spikes | None:
        """Return what finds those of a file by some of its rows (n, p).

        The quieter these are, the nearer are its spikes. None if what is off is not like spikes,
        see the module. In quieter rows no more of it is than in the training rows, however little:
        signal that was hidden in their noise stands out sooner.
        """
        quietness = self.directions.quietness(X)
        quieter = self.directions.scaled(quietness)
        expected, scale = quieter.explain(X)
        apart = np.abs(X - expected) / scale
        usual = self.share * X.size
        for times in _FARTHER_OFF:
            limits, margins = (times * quietness * one for one in (self.limits, self.margins))
            spikes = replace(self, directions=quieter, limits=limits, margins=margins)
            found = spikes._are_spikes(X, expected, scale)
            count = int(found.sum())
            is_few = count < _FEWEST and (quietness == 1.0 or count == 0)
            if is_few or (
                (quietness == 1.0 or count <= usual + _CHANCE * usual**0.5)
                and _are_like_spikes(found, apart, spikes.limits)
                and not _follow_signal(found, expected)
            ):
                return spikes
        return None

    def repair(self, X: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Return rows (n, p) with what they should be for spikes, and which values these are.

        Without any it is the same array.
        """
        found, expected = self.find(X)
        return np.where(found, expected, X) if found.any() else X, found

    def state(self) -> FloatArray:
        """Return what `from_state` needs, shape (e, p): margins are -1 where rows keep spikes."""
        parts = self.directions
        margins = np.full_like(self.margins, -1.0) if self.are_kept else self.margins
        return np.vstack([parts.centre, parts.scales, self.limits, margins, parts.vectors])

    @classmethod
    def from_state(cls, state: FloatArray | None, share: float) -> Spikes | None:
        """Return what `state` was of, for rows to clean; None of None."""
        if state is None:
            return None
        centre, scales, limits, margins = state[:4]
        directions, kept = RobustDirections(centre, state[4:], scales), bool((margins < 0.0).any())
        return cls(directions, limits, np.maximum(margins, 0.0), share, are_kept=kept)


def propose(rows: FloatArray) -> Spikes | None:
    """Return what finds spikes like those in rows (n, p), None where there are none."""
    if rows.shape[1] < FEWEST_COLUMNS:
        return None
    directions = RobustDirections.of(rows)
    expected, scale = directions.explain(rows)
    apart = np.abs(rows - expected) / scale
    beside = _BESIDE_NEIGHBOURS * float(_have_order(expected))
    for far in _FAR:
        limits = far * directions.scales
        found = Spikes(directions, limits, beside * limits)._are_spikes(rows, expected, scale)
        in_column = found.sum(axis=0)
        usual = max(float(np.median(in_column)), 1.0)
        sharp = in_column > usual + _CHANCE * usual**0.5 + 1.0
        found &= ~sharp
        count = int(found.sum())
        are_sure = far == _FAR[-1] and 0 < count <= max(1.0, _OUTLIERS * rows.size)
        if sharp.mean() > _SHARP_COLUMNS or not (count >= _FEWEST or are_sure):
            continue
        limits = np.where(sharp, 0.0, limits)
        if not are_sure and _follow_signal(found, expected):
            continue
        if _are_like_spikes(found, apart, limits, are_outliers=are_sure):
            share, margins = float(found.mean()), beside * limits
            are_few = count < rows.shape[1] or _are_more_where_strong(found, expected)
            if are_few and not _have_order(expected, _ORDERS):
                return Spikes(directions, limits, np.zeros_like(limits), share, are_kept=True)
            return Spikes(directions, limits, margins, share, are_sure)
    return None


def _are_like_spikes(
    found: NDArray[np.bool_], apart: FloatArray, limits: FloatArray, *, are_outliers: bool = False
) -> bool:
    """Tell whether values are like spikes, by where they are and how far off.

    Parameters
    ----------
    found : ndarray of bool, shape (n, p)
        Which may be spikes.
    apart : ndarray, shape (n, p)
        How far values are off.
    limits : ndarray, shape (p,)
        As of `Spikes`.
    are_outliers : bool
        Whether they are few, and farther than all else by far.
    """
    count = int(found.sum())
    times = apart[:, limits > 0.0] / limits[limits > 0.0]
    least = _FAR_FROM_ALL if are_outliers else _NEARLY
    between = int(((times > least) & (times < 1.0)).sum())
    far = int((apart > _FARTHER * limits)[found].sum())
    beside = int((found[:, 1:] & found[:, :-1]).sum())
    return bool(
        count < _MOST * found.size
        and between < _ALMOST_NONE * count
        and (are_outliers or far > _FAR_ONES * count)
        and beside < _ALONE * count
        and _as_if_anywhere(found.sum(axis=0)) > _SPREAD * count
        and _as_if_anywhere(found.sum(axis=1)) > _SPREAD * count
        and not _are_at_one_place(found.sum(axis=0))
    )


def _are_at_one_place(counts: NDArray[np.int_]) -> bool:
    """Tell whether what columns hold of spikes, (p,), is in few that are near each other.

    As what some rows have at one time, such as the jerk of a hand. It is by how far the shares of
    spikes and of columns are apart, on both sides (Kuiper, "Tests concerning random points on a
    circle", 1960).
    """
    count = int(counts.sum())
    ahead = np.cumsum(counts) / count - np.arange(1, len(counts) + 1) / len(counts)
    apart = float(ahead.max() - ahead.min())
    return bool(apart > max(_NEAR_EACH_OTHER, _NO_CHANCE / count**0.5))


def _follow_signal(found: NDArray[np.bool_], expected: FloatArray) -> bool:
    """Tell whether found values are where the signal of their columns is strong, (n, p) both."""
    return bool(_strengths(expected)[found].mean() > _STRONG)


def _are_more_where_strong(found: NDArray[np.bool_], expected: FloatArray) -> bool:
    """Tell whether more values are found in the tenth of strongest signal than anywhere else.

    What skewed signal has beyond its directions is there, whatever spikes are beside it.
    """
    counts = np.histogram(_strengths(expected)[found], _TENTHS, (0.0, 1.0))[0]
    usual = float(np.median(counts))
    return bool(counts[-1] > usual + _CHANCE * usual**0.5 + 1.0)


def _strengths(expected: FloatArray) -> FloatArray:
    """Return the rank of the signal of each number in its column, from 0 to 1, (n, p)."""
    strength = np.abs(expected - np.median(expected, axis=0))
    ranks: FloatArray = (np.argsort(np.argsort(strength, axis=0), axis=0) + 0.5) / len(strength)
    return ranks


def _as_if_anywhere(counts: NDArray[np.int_]) -> float:
    """Return how many spikes, were they anywhere, would leave as many rows or columns without any.

    By Poisson, a number of them leaves a share ``exp(-number / len(counts))``.
    """
    without = float(np.mean(counts == 0))
    return -len(counts) * float(np.log(without)) if without > 0.0 else np.inf


def _have_order(expected: FloatArray, others: int = 0) -> bool:
    """Tell whether neighbours in what rows (n, p) should be are more alike than others, if any.

    And more than in some other orders of the columns, of which chance makes one look right.
    """
    signal = expected - expected.mean(axis=0)
    if np.allclose(signal, 0.0, atol=1e-9 * float(np.abs(expected).max())):
        return True
    if _apart(signal) > np.mean(signal**2):
        return False
    rng, some = np.random.default_rng(0), signal[:_SOME]
    near, orders = _apart(some), (rng.permutation(some.shape[1]) for _ in range(others))
    return all(near < _apart(some[:, order]) for order in orders)


def _apart(rows: FloatArray) -> float:
    """Return the mean squared difference of neighbours in rows (n, p)."""
    return float(np.mean(np.diff(rows, axis=1) ** 2))


def beyond_neighbours(X: FloatArray) -> FloatArray:
    """Return how far values of centred rows (n, p) are beyond both neighbours; 0 between these.

    An edge is between them, the top of a peak by little beyond.
    """
    steps = np.diff(X, axis=1)
    left = np.concatenate([-steps[:, :1], steps], axis=1)
    right = np.concatenate([-steps, steps[:, -1:]], axis=1)
    nearer = np.minimum(np.abs(left), np.abs(right))
    return np.where(left * right > 0.0, nearer, 0.0)
