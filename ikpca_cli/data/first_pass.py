"""One look at rows to learn from: their means, a random sample, and whether they can be used.

A fit reads its rows twice: once here, once for its features, unless these are the rows themselves.
Whatever else it needs to know, noise level and choice of parameters, it learns from the sample. A
fit that needs two passes after its choice begins with the sample alone, and looks at all rows in
the first of these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.covariance import FeatureSums, tiled_sums
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import (
    LARGEST,
    FloatArray,
    Progress,
    RowSource,
    as_rows,
    check_finite,
    pick_rows,
    row_name,
    sample_rows,
    silent,
    unchecked_blocks,
)
from ikpca_cli.data.slices import Opener, over_slices, slices_of
from ikpca_cli.data.threads import chunks, parallel_map
from ikpca_cli.errors import InputError

Indices: TypeAlias = NDArray[np.intp]

SumsOf: TypeAlias = Callable[[FloatArray], FeatureSums]
"""Maps rows (k, n_features) to the sums over their features; it can be pickled."""

SAMPLE_ROWS = 2000
"""Rows kept for later; up to this number all are, and nothing is read twice."""

_TILE_ELEMENTS = 2**16  # numbers that a thread looks at at once


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

    def __init__(self, X: Any, seed: int, opener: Opener | None = None) -> None:
        self._rows: RowSource = as_rows(X, least=2)
        self._seed = seed
        self._sample: FloatArray | None = None
        self._order: Indices = np.empty(0, dtype=np.intp)
        self.is_read = False
        self.name = row_name(self._rows)
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
        seen = _read(sample, 0, None, np.arange(len(sample)), products=False)
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
            seen = _read(self._rows, 0, None, chosen, products, sums_of, progress)
        else:
            pivot = np.asarray(self._rows[0:1], dtype=np.float64)[0]
            parts = slices_of(n_samples, max(width, self.shape[1]))
            given = pivot, chosen, products, sums_of
            found = over_slices(_read, self.opener, parts, *given, ticks=("reading", progress))
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


@dataclass
class _Seen:
    """What some rows told: differences from a pivot, whether there are any, and some rows.

    Differences from a row of the data itself keep a large common offset exact.
    """

    pivot: FloatArray
    total: FloatArray
    squares: FloatArray
    alike: bool
    sample: FloatArray
    products: bool
    sums: FeatureSums | None = None

    def look_at(self, block: FloatArray) -> float:
        """Take in a block of rows, and return a number that is finite only if all of them are."""
        if self.products:
            sums = tiled_sums(block, None, block.shape[1])
            self.gather(sums)
            self.alike = self.alike and bool((block == self.pivot).all())
            return float(sums.mean.sum())
        parts = chunks(len(block), max(1, _TILE_ELEMENTS // block.shape[1]))
        for more, much, alike in parallel_map(partial(_steps, block, self.pivot), parts):
            self.total += more
            self.squares += much
            self.alike &= alike
        return float(self.total.sum())

    def add(self, other: _Seen) -> None:
        """Add what was seen of the rows that follow."""
        with np.errstate(over="ignore", invalid="ignore"):
            self.total += other.total
            self.squares += other.squares
        self.alike &= other.alike
        self.sample = np.concatenate([self.sample, other.sample])
        if other.sums is not None:
            self.gather(other.sums)

    def gather(self, sums: FeatureSums) -> None:
        """Add sums over features of rows that were not counted yet."""
        if self.sums is None:
            self.sums = sums
        else:
            self.sums.merge(sums)

    def check(self, name: str, n_samples: int) -> tuple[FloatArray, float]:
        """Return column means and spread of rows that can be learned from; refuse others."""
        if self.alike:
            raise InputError(f"{name}: all rows are alike, there is nothing to learn from them")
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            offset = self.total / n_samples
            mean: FloatArray = self.pivot + offset
            variance = float(np.mean(self.squares / n_samples - offset**2))
            if self.products:
                assert self.sums is not None
                mean = self.sums.mean
                variance = float(np.mean(np.diag(self.sums.scatter) / n_samples))
        if not LARGEST**-2 <= variance <= LARGEST**2:
            raise InputError(
                f"{name}: the spread of its values is beyond double precision; rescale them"
            )
        return mean, variance**0.5


def _read(
    X: RowSource,
    start: int,
    pivot: FloatArray | None,
    chosen: Indices,
    products: bool,
    sums_of: SumsOf | None = None,
    progress: Progress = silent,
) -> _Seen:
    """Look at rows whose first is row `start` of all, and keep those that are chosen."""
    n_samples, n_features = X.shape
    first, last = np.searchsorted(chosen, [start, start + n_samples])
    chosen = chosen[first:last] - start
    total, squares, first_row = np.zeros((3, n_features))
    sample = np.empty((len(chosen), n_features))
    seen = _Seen(first_row if pivot is None else pivot, total, squares, True, sample, products)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for rows, block in unchecked_blocks(X, n_features):
            low, high = np.searchsorted(chosen, [rows.start, rows.stop])
            seen.sample[low:high] = block[chosen[low:high] - rows.start]
            if pivot is None and rows.start == 0:
                seen.pivot = block[0].copy()
            if not np.isfinite(seen.look_at(block)):
                check_finite(X, slice(start + rows.start, start + rows.stop), block)
            if sums_of is not None:
                seen.gather(sums_of(block))
            progress("reading", rows.stop, n_samples)
    return seen


def _steps(
    block: FloatArray, pivot: FloatArray, part: slice
) -> tuple[FloatArray, FloatArray, bool]:
    """Return sum and squares of the differences of some rows from a pivot; whether these are 0."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        steps = block[part] - pivot
        squares = np.einsum("ij,ij->j", steps, steps)
        # Squares of tiny numbers are zero, too.
        return steps.sum(axis=0), squares, not (squares.any() or steps.any())
