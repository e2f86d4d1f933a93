"""How far rows may be moved, so that none comes back worse than it came.

A displacement f of a row of p numbers is what a denoiser adds to it. It should undo noise, so it is
as long as noise at most: ``|f|^2 <= q p sigma^2``, q p being a high quantile of chi-square. A
longer one takes signal off, for the row is unlike those that the denoiser knows. So does one that
is longer than the noise of its own row, which differences of neighbours bound. What it has of the
noise is p sigma^2 at most, so that it is of no use beyond a share ``p sigma^2 / |f|^2``, that of
an estimate of James and Stein ("Estimation with quadratic loss", 1961). That is what is left of
one that is far longer; one that is a little longer is shortened by less, lest there be a step.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.errors import Note
from ikpca_cli.linalg.shrinkage import kept_share

FEW_ROWS = 20
"""A file of fewer rows tells hardly anything of its own noise."""

SOME_ROWS = 250
"""Rows of a file that are looked at."""

LIKE = 1.25
"""Ratio of levels that is not worth a word."""

_ENOUGH_COLUMNS, _QUIET = 20, 1.0 / 3.0  # which of a row has noise that is surely less, and by what


@dataclass(frozen=True)
class Caution:
    """What displacements are limited by.

    Attributes
    ----------
    std : float or None
        Noise level of the rows; None for no limit.
    strength : float
        What displacements are multiplied by; 0 leaves rows as they are.
    level_ratio : float
        The level of these rows over that of the training rows.
    seen_ratio : float
        What it looks to be, where it is not known for sure as well.
    is_certain : bool
        Whether the level of these rows is known for sure, by themselves.
    goes_by : float
        The level that their denoiser goes by, over that of the training rows.
    read : float or None
        What was read off the training rows, where their level was taken to be lower: what is read
        off others is to be compared with that.
    has_spikes : bool
        Whether there are spikes, of which some are not found: rows with these hold more noise.
    of_signal : bool
        Whether what is left of rows beside what they share is signal in part, or all of it.
    is_untold : bool
        Whether rows do not tell their level, which is taken to be that of the training rows.
    """

    std: float | None
    strength: float = 1.0
    level_ratio: float = 1.0
    seen_ratio: float = field(default=1.0, compare=False)
    is_certain: bool = field(default=False, compare=False)
    goes_by: float = 1.0
    read: float | None = field(default=None, compare=False)
    has_spikes: bool = field(default=False, compare=False)
    of_signal: bool = field(default=False, compare=False)
    is_untold: bool = field(default=False, compare=False)

    @property
    def is_usual(self) -> bool:
        """Whether the noise of these rows looks like that of the training rows."""
        return self.level_ratio == 1.0 and 1.0 / LIKE <= self.seen_ratio <= LIKE

    def apply(self, noisy: FloatArray, cleaned: FloatArray) -> FloatArray:
        """Return rows that are moved no farther than they may be, (n, p).

        Parameters
        ----------
        noisy, cleaned : ndarray, shape (n, p)
            Before and after a denoiser.
        """
        if self.std is None and self.strength == 1.0:
            return cleaned
        if self.strength == 0.0:
            return noisy.astype(cleaned.dtype)
        moved = cleaned - noisy
        share = np.full(len(noisy), float(self.strength))
        if self.std is not None:
            squares = np.einsum("ij,ij->i", moved, moved, dtype=np.float64)
            squares *= max(1.0, self.strength) ** 2
            places = moved.any(axis=0)
            variances = self.std**2 * _quietness(noisy[:, places], self.std)
            directions = int(np.count_nonzero(places))
            share *= kept_share(squares, variances, directions, may_be_more=self.has_spikes)
        out: FloatArray = cleaned.copy()
        far = share != 1.0
        out[far] = noisy[far] + share[far, None] * moved[far]
        return out

    def remark(self) -> str:
        """Return what is done to rows of other noise, a note; empty where they are as promised."""
        ratio = self.level_ratio
        left = self.strength == 0.0 and ratio != 1.0
        if self.is_untold and ratio == 1.0 and self.strength:
            return Note(
                f"these rows do not tell their own noise, which is taken to be {self.std:.3g}, as "
                "for the fit: those with less may come back worse; fit them with their "
                "noise_std (--noise-std)"
            )
        if 1.0 / LIKE <= ratio <= LIKE and not left:
            return ""
        kind = "louder" if ratio > 1.0 else "quieter"
        done = (
            "they are left as they are"
            if self.strength == 0.0
            else f"what is removed is multiplied by {self.strength:.2g}"
        )
        if self.of_signal:
            return Note(f"what is left of these rows beside what they share is signal, too: {done}")
        return Note(
            f"the noise of these rows is {kind}, {ratio:.2g} times that of the rows that the model "
            f"was fitted on: {done}; a model fitted on rows like these does better"
        )


def _quietness(rows: FloatArray, std: float) -> FloatArray:
    """Return the noise variance that rows (n, p) may have, over ``std**2``; 1 where it is not less.

    Differences of neighbours have twice that of white noise at least.
    """
    quietness = np.ones(len(rows))
    if rows.shape[1] >= _ENOUGH_COLUMNS:
        steps = np.diff(rows, axis=1)
        most = np.einsum("ij,ij->i", steps, steps, dtype=np.float64) / (2.0 * steps.shape[1])
        are_quiet = most < (_QUIET * std) ** 2
        quietness[are_quiet] = most[are_quiet] / std**2
    return quietness
