"""What one pass over rows tells: sums about a pivot, whether rows differ, and a sample of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.covariance import FeatureSums, tiled_sums
from ikpca_cli.data.row_source import (
    LARGEST,
    LARGEST_VALUE,
    FloatArray,
    Progress,
    RowSource,
    check_finite,
    silent,
    unchecked_blocks,
)
from ikpca_cli.data.threads import chunks, parallel_map
from ikpca_cli.errors import InputError

Indices: TypeAlias = NDArray[np.intp]

SumsOf: TypeAlias = Callable[[FloatArray], FeatureSums]
"""Maps rows (k, n_features) to the sums over their features; it can be pickled."""

_CHUNK_ELEMENTS = 2**16  # numbers that a thread looks at at once


@dataclass
class RowStatistics:
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
        parts = chunks(len(block), max(1, _CHUNK_ELEMENTS // block.shape[1]))
        for more, much, alike in parallel_map(partial(_steps, block, self.pivot), parts):
            self.total += more
            self.squares += much
            self.alike &= alike
        return float(self.total.sum())

    def add(self, other: RowStatistics) -> None:
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
            raise InputError(f"{name}: all rows are alike: give rows that differ")
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            offset = self.total / n_samples
            mean: FloatArray = self.pivot + offset
            variance = float(np.mean(self.squares / n_samples - offset**2))
            if self.products:
                assert self.sums is not None
                mean = self.sums.mean
                variance = float(np.mean(np.diag(self.sums.scatter) / n_samples))
        if not LARGEST**-2 <= variance <= LARGEST**2:
            of_columns = self.squares if self.sums is None else np.diag(self.sums.scatter)
            most = int(np.argmax(np.where(np.isnan(of_columns), np.inf, of_columns)))
            raise InputError(
                f"{name}: the spread of its values, most of all that of column {most + 1}, is "
                "beyond double precision; mend or rescale them"
            )
        return mean, variance**0.5


def read_statistics(
    X: RowSource,
    start: int,
    pivot: FloatArray | None,
    chosen: Indices,
    products: bool,
    sums_of: SumsOf | None = None,
    progress: Progress = silent,
) -> RowStatistics:
    """Read rows whose first is row `start` of all, and keep those that are chosen."""
    n_samples, n_features = X.shape
    first, last = np.searchsorted(chosen, [start, start + n_samples])
    chosen = chosen[first:last] - start
    total, squares, first_row = np.zeros((3, n_features))
    sample = np.empty((len(chosen), n_features))
    seen = RowStatistics(
        first_row if pivot is None else pivot, total, squares, True, sample, products
    )
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for rows, block in unchecked_blocks(X, n_features):
            low, high = np.searchsorted(chosen, [rows.start, rows.stop])
            seen.sample[low:high] = block[chosen[low:high] - rows.start]
            if pivot is None and rows.start == 0:
                seen.pivot = block[0].copy()
            if not abs(seen.look_at(block)) <= LARGEST_VALUE:
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
