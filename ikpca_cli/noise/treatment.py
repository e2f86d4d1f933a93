"""What happens to rows before and after a denoiser: white noise, limits, and the inverse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray, RowSource, row_name
from ikpca_cli.noise.caution import Caution
from ikpca_cli.noise.models.spikes import Spikes
from ikpca_cli.transforms.growing import GrowingNoise
from ikpca_cli.transforms.protocol import Transform

MOST_BELOW = 0.05
"""Share of a row's values that may be lower than its noise allows, as dead pixels are."""


class CleanedBlock(NamedTuple):
    """Some rows of a file before and after.

    Attributes
    ----------
    part : slice
        Their places.
    rows, cleaned : ndarray, shape (n, p)
    unlike : ndarray of bool, shape (n,)
        Which of them are unlike the training rows.
    left_out : int
        How many of their values are, as spikes.
    """

    part: slice
    rows: FloatArray
    cleaned: FloatArray
    unlike: NDArray[np.bool_]
    left_out: int = 0


class Prepared(NamedTuple):
    """Some rows as a denoiser works on them.

    Attributes
    ----------
    white : ndarray, shape (n, q)
        Without spikes, with white noise.
    left_out : int
        How many of their values are, as spikes.
    transform : Transform or None
        What made the noise white, and takes them back.
    strange : ndarray of bool, shape (n,)
        Which of them cannot have the noise that the transform is of, and come back as they are.
    kept : ndarray of bool, shape (n, p), or None
        Which of their values come back as they are.
    """

    white: FloatArray
    left_out: int
    transform: Transform | None
    strange: NDArray[np.bool_]
    kept: NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class Treatment:
    """How the rows of one file are cleaned.

    Attributes
    ----------
    caution : Caution
        How far rows may be moved, in units of the transform.
    transform : Transform or None
        What makes the noise white; None where it is.
    constant : ndarray of bool, shape (p,), or None
        Columns without variance in the training rows, which come back as they are.
    spikes : Spikes or None
        What finds values to leave out.
    """

    caution: Caution
    transform: Transform | None = None
    constant: NDArray[np.bool_] | None = None
    spikes: Spikes | None = None

    @property
    def is_needed(self) -> bool:
        """Whether rows are not what their denoiser works on."""
        return self.transform is not None or self.spikes is not None

    @property
    def by_row(self) -> bool:
        """Whether each row tells its own noise level, which a clean row has as well."""
        return self.transform is not None and self.transform.BY_ROW

    def of_file(self, X: FloatArray) -> Treatment:
        """Return that of a file of which X (n, p) are some rows."""
        transform = None if self.transform is None else self.transform.of_file(X)
        spikes = None if self.spikes is None else self.spikes.of_file(X)
        return replace(self, transform=transform, spikes=spikes)

    def width_of(self, n_features: int) -> int:
        """Return how many columns rows of as many have with white noise."""
        return n_features if self.transform is None else self.transform.columns(n_features)

    def forward(self, X: FloatArray) -> FloatArray:
        """Return rows (n, p) without spikes and with white noise."""
        return self.prepared(X).white

    def prepared(self, X: FloatArray) -> Prepared:
        """Return rows (n, p) without spikes and with white noise, and how they came by it."""
        left_out, kept = 0, None
        if self.spikes is not None:
            X, found = self.spikes.repair(X)
            left_out, kept = (0, found) if self.spikes.are_kept else (int(found.sum()), None)
        strange = np.zeros(len(X), dtype=bool)
        if self.transform is None:
            return Prepared(X, left_out, None, strange, kept)
        transform = self.transform.of_rows(X)
        if isinstance(transform, GrowingNoise):
            below = np.less(X, transform.lowest)
            if self.constant is not None:
                below[:, self.constant] = False
            kept = below if kept is None else kept | below
            strange = below.mean(axis=1) > MOST_BELOW
        return Prepared(transform.forward(X), left_out, transform, strange, kept)

    def both(self, X: FloatArray, cleaned: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return rows (n, p) and what became of them, by what makes the noise of these white."""
        found = self.prepared(X)
        if found.transform is None:
            return found.white, self.forward(cleaned)
        return found.white, found.transform.forward(cleaned)

    def clean(self, X: FloatArray, denoise: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Return cleaned rows.

        Parameters
        ----------
        X : ndarray, shape (n, p)
            Rows as they came.
        denoise : callable
            Maps rows with white noise to cleaned ones.

        Returns
        -------
        ndarray, shape (n, p)
            Rows that are not moved have the same bits as before, and so have constant columns.
        """
        return self.finish(X, self.prepared(X), denoise)

    def finish(
        self, X: FloatArray, prepared: Prepared, denoise: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """Return cleaned rows (n, p), as `clean` does, for rows X that are `prepared`."""
        white, transform = prepared.white, prepared.transform
        cleaned = self.caution.apply(white, denoise(white))
        if transform is not None:
            still = (cleaned == white).all(axis=1)
            cleaned = transform.inverse(cleaned).astype(cleaned.dtype, copy=False)
            cleaned[still] = X[still]  # the way there and back may round
        if prepared.kept is not None and prepared.kept.any():
            cleaned[prepared.kept] = X[prepared.kept]
        cleaned[prepared.strange] = X[prepared.strange]
        if self.constant is not None and self.constant.any():
            cleaned[:, self.constant] = X[:, self.constant]
        return cleaned


class WhiteRows:
    """A row source whose noise a treatment makes white.

    Parameters
    ----------
    rows : RowSource, shape (n_samples, n_features)
    treatment : Treatment
        That may leave fewer columns.
    """

    def __init__(self, rows: RowSource, treatment: Treatment) -> None:
        self._rows, self._treatment = rows, treatment
        width = treatment.width_of(int(rows.shape[1]))
        self.shape = (int(rows.shape[0]), width)
        self.name = row_name(rows)

    def __getitem__(self, rows: slice) -> FloatArray:
        """Return some rows with white noise."""
        return self._treatment.forward(np.asarray(self._rows[rows], dtype=np.float64))
