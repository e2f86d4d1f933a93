"""One look at rows to learn from: their means, a random sample, and whether they can be used.

A fit reads its rows twice: once here, once for its features, unless these are the rows themselves.
Whatever else it needs to know, noise level and choice of parameters, it learns from the sample. A
fit that needs two passes after its choice begins with the sample alone, and looks at all rows in
the first of these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ikpca_cli.data.covariance import FeatureSums
from ikpca_cli.data.feature_names import names_of
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import (
    FloatArray,
    Progress,
    RowSource,
    as_rows,
    pick_rows,
    row_name,
    sample_rows,
    silent,
)
from ikpca_cli.data.row_statistics import Indices, SumsOf, read_statistics
from ikpca_cli.data.slices import Opener, over_slices, slices_of

SAMPLE_ROWS = 2000
"""Rows kept for later; up to this number all are, and nothing is read twice."""


class FirstPass:
    """Rows to learn from, and what one pass over them told. It is a row source itself.

    Parameters
    ----------
    X : array_like or row source, shape (n_samples, n_features)
    seed : int
        Seeds the sample.
    opener : Opener, optional
        Opens the same rows in other processes: passes over many rows are then run slice by slice
        by joblib's active backend.
    name : str, optional
        What messages call the rows, if not as `X` says.

    Attributes
    ----------
    mean : ndarray, shape (n_features,)
        Column means, once `read` was called; those of the sample after `read_sample`.
    std : float
        Root mean variance of the columns, likewise.
    sums : FeatureSums or None
        What `read` was asked to gather.
    is_read : bool
        Whether all rows were read.

    Raises
    ------
    InputError
        If `X` is no stack of at least two rows of real numbers.
    """

    mean: FloatArray
    std: float
    sums: FeatureSums | None = None

    def __init__(
        self, X: Any, seed: int, opener: Opener | None = None, *, name: str | None = None
    ) -> None:
        self._rows: RowSource = as_rows(X, least=2)
        self._seed = seed
        self._sample: FloatArray | None = None
        self._order: Indices = np.empty(0, dtype=np.intp)
        self.is_read = False
        self.name = name or row_name(self._rows)
        self.feature_names = names_of(self._rows)
        self.shape = (int(self._rows.shape[0]), int(self._rows.shape[1]))
        self.opener = opener if self.shape[0] > SAMPLE_ROWS else None

    def __getitem__(self, rows: slice) -> Any:
        """Return some rows as their source gives them."""
        return self._rows[rows]

    def read_sample(self, progress: Progress = silent) -> None:
        """Read the sample alone, or all rows where they are few.

        Raises
        ------
        InputError, UsageError
            As `read` does; of what is in other rows, not until then.
        """
        if self.shape[0] <= SAMPLE_ROWS:
            self.read(progress)
        if self._sample is not None:
            return
        sample = pick_rows(self._rows, self._drawn())
        seen = read_statistics(sample, 0, None, np.arange(len(sample)), products=False)
        if seen.alike:  # which the others may not be
            self.read(progress)
            return
        self._sample = sample
        self.mean, self.std = seen.check(self.name, len(sample))

    def read(
        self,
        progress: Progress = silent,
        *,
        products: bool = False,
        sums_of: SumsOf | None = None,
        width: int = 0,
    ) -> None:
        """Read the rows, unless that was done before.

        Parameters
        ----------
        progress : callable
        products : bool
            Gather the sums over the rows themselves in the same pass.
        sums_of : callable, optional
            Gather sums over these features instead.
        width : int
            Number of these features.

        Raises
        ------
        InputError
            If a number is not finite, all rows are alike, or their spread is beyond double
            precision.
        UsageError
            If the seed is negative.
        """
        if self.is_read:
            return
        n_samples = self.shape[0]
        few = n_samples <= SAMPLE_ROWS
        chosen = np.arange(n_samples) if few else self._drawn()
        if self.opener is None:
            seen = read_statistics(self._rows, 0, None, chosen, products, sums_of, progress)
        else:
            pivot = np.asarray(self._rows[0:1], dtype=np.float64)[0]
            parts = slices_of(n_samples, max(width, self.shape[1]))
            given = pivot, chosen, products, sums_of
            found = over_slices(
                read_statistics, self.opener, parts, *given, ticks=("reading", progress)
            )
            seen = next(found)
            for more in found:
                seen.add(more)
        self.mean, self.std = seen.check(self.name, n_samples)
        self.sums, self.is_read = seen.sums, True
        self._sample = seen.sample
        if few:
            self._rows = seen.sample

    def _drawn(self) -> Indices:
        """Return the places of the sample, and draw the order it is handed out in."""
        rng = model_rng(self._seed, Stream.SAMPLE)
        chosen = np.sort(rng.choice(self.shape[0], size=SAMPLE_ROWS, replace=False))
        self._order = rng.permutation(SAMPLE_ROWS)
        return chosen

    def in_order(self) -> FloatArray:
        """Return the rows that are kept, (k, n_features): all where they are few, or the sample."""
        if self._sample is None:
            self.read()
        assert self._sample is not None
        return self._sample

    @property
    def is_sampled(self) -> bool:
        """Whether there are more rows than are kept."""
        return self.shape[0] > SAMPLE_ROWS

    def leave_out(self, places: Indices) -> None:
        """Go on without some of the rows that are kept; others take part as before.

        Parameters
        ----------
        places : ndarray of int
            Counted from 0 among those of `in_order`.
        """
        kept = np.delete(self.in_order(), places, axis=0)
        if self.is_sampled:
            # The order counts places among those that are left.
            order = self._order[~np.isin(self._order, places)]
            self._order = order - np.searchsorted(places, order)
        else:
            self.shape = kept.shape
            self._rows = kept
            seen = read_statistics(kept, 0, None, np.arange(len(kept)), products=False)
            self.mean, self.std = seen.check(self.name, len(kept))
            self.sums = None
        self._sample = kept

    def sample(self, most: int) -> FloatArray:
        """Return at most `most` rows, and not more than `SAMPLE_ROWS`, in random order.

        Parameters
        ----------
        most : int

        Returns
        -------
        ndarray, shape (min(n_samples, most, SAMPLE_ROWS), n_features)
        """
        if self._sample is None:
            self.read()
        assert self._sample is not None
        if self.shape[0] > SAMPLE_ROWS:
            return self._sample[self._order[:most]]
        return sample_rows(self._sample, most, model_rng(self._seed, Stream.SAMPLE))


def selection_rows(X: RowSource, most: int, seed: int) -> FloatArray:
    """Return at most `most` of the rows, in random order, to estimate and choose from."""
    if isinstance(X, FirstPass):
        return X.sample(most)
    return sample_rows(X, most, model_rng(seed, Stream.SAMPLE))
