"""Values that stand out of their row: spikes, hits, dead or hot pixels.

A value counts as one where it is farther than so many robust standard deviations from the running
median of its row. It is taken to be missing and gets that median.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray

FEWEST_COLUMNS = 15
"""A shorter row has no running median to speak of."""

_WIDTH = 7  # of the running median
_FAR = 4.0  # robust standard deviations
_MAD = 0.6744897501960817  # median absolute deviation of a standard normal number
_MOST = 0.15  # share of values that may be spikes
_FEWEST = 1e-4  # share of values from which on it is worth a word
_BEYOND = 2.0  # times the distance that noise reaches among so many values
_FAR_ONES, _ALONE = 0.3, 0.25  # least share that is beyond that, most that has a neighbour
_COMMON = 0.5  # share of rows in which a value of a column stands out, if it is the column's own
_OFTEN = 5.0  # standard errors of a share of rows, for a column to have more than the usual one
_SHARP = 0.1  # and how much more at least
_OUTLYING, _ACROSS = 40.0, 15.0  # robust standard deviations, in its row and in its column
_FEW = 1e-3  # share of values that may be outliers
_SPREAD = 0.5  # share of spikes that as many columns would have, were they anywhere
_ENOUGH, _WELL = 20, 1.17  # spikes, half of which are so many times the limit from their medians


@dataclass(frozen=True)
class Spikes:
    """Spikes, by how far they are from the running median.

    Attributes
    ----------
    limit : float
        Distance from which a value is one.
    are_sure : bool
        Whether none of them can be signal.
    """

    limit: float
    are_sure: bool = False

    def find(self, X: FloatArray) -> tuple[NDArray[np.bool_], FloatArray]:
        """Return which values of rows (n, p) are spikes, and the running medians, (n, p) both."""
        medians = running_median(X)
        return np.abs(X - medians) > self.limit, medians

    def are_found(self, X: FloatArray) -> bool:
        """Tell whether what is found in rows (n, p) is like spikes: in any column, and far off.

        Peaks of a signal stand out in their own columns. Of so many spikes, Poisson leaves a share
        ``exp(-count / p)`` of the columns without any; peaks leave many more. And what a signal has
        at any place has hardly ever more than the limit.
        """
        found, medians = self.find(X)
        without = float(np.mean(~found.any(axis=0)))
        count, n_features = int(found.sum()), X.shape[1]
        if without > 0.0 and -n_features * np.log(without) < _SPREAD * count:
            return False
        return count < _ENOUGH or bool(np.median(np.abs(X - medians)[found]) > _WELL * self.limit)

    def repair(self, X: FloatArray) -> FloatArray:
        """Return rows (n, p) with medians for spikes; the same array where there are none."""
        found, medians = self.find(X)
        return np.where(found, medians, X) if found.any() else X


def apart_from_medians(rows: FloatArray) -> tuple[FloatArray, float]:
    """Return how far values (n, p) are from the running medians, and how far noise takes them.

    That is 0 where it cannot be told.
    """
    if rows.shape[1] < FEWEST_COLUMNS:
        return np.zeros_like(rows), 0.0
    apart: FloatArray = np.abs(rows - running_median(rows))
    return apart, float(np.median(apart)) / _MAD


def propose(apart: FloatArray, std: float) -> Spikes | None:
    """Return the limit of spikes, None where there are none, or too many.

    Parameters
    ----------
    apart, std
        As `apart_from_medians` returns them.
    """
    if std == 0.0:
        return None
    limit = _FAR * std
    spikes = apart > limit
    spikes &= spikes.mean(axis=0) < _COMMON
    count = int(spikes.sum())
    # Edges and peaks of a signal stand out by little, and beside each other.
    far = int((apart[spikes] > _BEYOND * (2.0 * np.log(apart.size)) ** 0.5 * std).sum())
    beside = int((spikes[:, 1:] & spikes[:, :-1]).sum())
    rare = _FEWEST * apart.size < count < _MOST * apart.size
    if not (rare and far > _FAR_ONES * count > 0 and beside < _ALONE * count):
        return None
    return Spikes(_beyond_sharp_columns(apart, limit))


def _beyond_sharp_columns(apart: FloatArray, limit: float) -> float:
    """Return a limit that signal hardly reaches in columns where it stands out as spikes do.

    Spikes are anywhere. A sharp line has its columns, in which more rows are beyond the limit than
    chance would have it.
    """
    shares = (apart > limit).mean(axis=0)
    usual = max(float(np.median(shares)), 1.0 / len(apart))
    sharp = shares > usual + max(_OFTEN * (usual / len(apart)) ** 0.5, _SHARP)
    sharp &= shares < _COMMON
    if not sharp.any():
        return limit
    return max(limit, float(np.quantile(apart[:, sharp], 1.0 - 2.0 * usual)))


def propose_outliers(rows: FloatArray, apart: FloatArray, std: float) -> Spikes | None:
    """Return the limit of single values that cannot be of rows (n, p), None where there are none.

    They may be so few, and so large, that no spectrum is one of anything but them.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
    apart, std
        As `apart_from_medians` returns them.
    """
    limit = _OUTLYING * std
    if not 0.0 < limit < apart.max():
        return None
    across = np.abs(rows - np.median(rows, axis=0))
    scatter = np.median(across, axis=0) / _MAD
    outlying = (apart > limit) & (across > _ACROSS * scatter) & (_from_neighbours(rows) > limit)
    beside = outlying[:, 1:] & outlying[:, :-1]
    if beside.any() or not 0 < outlying.sum() <= max(1.0, _FEW * rows.size):
        return None
    # Whatever else is as far off is left to what it belongs to.
    return Spikes(limit, are_sure=True) if (apart > limit).sum() == outlying.sum() else None


def _from_neighbours(rows: FloatArray) -> FloatArray:
    """Return how far values (n, p) are from the nearer one of those beside them in their row.

    The top of a peak is far from the running median, but not from its own flank.
    """
    steps = np.pad(np.abs(np.diff(rows, axis=1)), ((0, 0), (1, 1)), constant_values=np.inf)
    nearer: FloatArray = np.minimum(steps[:, :-1], steps[:, 1:])
    return nearer


def running_median(X: FloatArray) -> FloatArray:
    """Return the running medians of rows (n, p)."""
    from scipy.ndimage import median_filter

    medians: FloatArray = median_filter(X, size=(1, _WIDTH), mode="mirror")
    return medians
