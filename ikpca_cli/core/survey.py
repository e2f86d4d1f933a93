"""One look at rows to learn from: their means, a random sample, and whether they can be used.

A fit reads its rows twice: once here, once for its features. Whatever else it needs to know, noise
level and choice of parameters, it learns from the sample.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ikpca_cli.core.rows import (
    LARGEST,
    FloatArray,
    Progress,
    RowSource,
    as_rows,
    model_rng,
    row_blocks,
    row_name,
    sample_rows,
    silent,
)
from ikpca_cli.errors import InputError

SAMPLE_ROWS = 2000
"""Rows kept for later; up to this number all are, and nothing is read twice."""

_SAMPLE = 2  # stream of `model_rng`


class Survey:
    """Rows to learn from, and what one pass over them told. It is a row source itself.

    Parameters
    ----------
    X : array_like or row source, shape (n_samples, n_features)
    seed : int
        Seeds the sample.

    Attributes
    ----------
    mean : ndarray, shape (n_features,)
        Column means, once `look` was called.

    Raises
    ------
    InputError
        If `X` is no stack of at least two rows of real numbers.
    """

    mean: FloatArray

    def __init__(self, X: Any, seed: int) -> None:
        self._rows: RowSource = as_rows(X, least=2)
        self._seed = seed
        self._sample: FloatArray | None = None
        self.name = row_name(self._rows)
        self.shape = (int(self._rows.shape[0]), int(self._rows.shape[1]))

    def __getitem__(self, rows: slice) -> Any:
        """Return some rows as their source gives them."""
        return self._rows[rows]

    def look(self, progress: Progress = silent) -> None:
        """Read the rows, unless that was done before.

        Raises
        ------
        InputError
            If a number is not finite, all rows are alike, or their spread is beyond double
            precision.
        UsageError
            If the seed is negative.
        """
        if self._sample is not None:
            return
        n_samples, n_features = self.shape
        chosen = np.arange(n_samples)
        if n_samples > SAMPLE_ROWS:
            rng = model_rng(self._seed, _SAMPLE)
            chosen = np.sort(rng.choice(n_samples, size=SAMPLE_ROWS, replace=False))
        sample = np.empty((len(chosen), n_features))
        moments = _Moments(self.shape)
        for rows, block in row_blocks(self._rows, n_features):
            moments.add(block)
            low, high = np.searchsorted(chosen, [rows.start, rows.stop])
            sample[low:high] = block[chosen[low:high] - rows.start]
            progress("reading", rows.stop, n_samples)
        self.mean = moments.check(self.name)
        if n_samples > SAMPLE_ROWS:
            sample = sample[rng.permutation(SAMPLE_ROWS)]
        else:
            self._rows = sample
        self._sample = sample

    def sample(self, most: int) -> FloatArray:
        """Return at most `most` rows, and not more than `SAMPLE_ROWS`, in random order.

        Parameters
        ----------
        most : int

        Returns
        -------
        ndarray, shape (min(n_samples, most, SAMPLE_ROWS), n_features)
        """
        self.look()
        assert self._sample is not None
        if self.shape[0] > SAMPLE_ROWS:
            return self._sample[:most]
        return sample_rows(self._sample, most, model_rng(self._seed, _SAMPLE))


def selection_rows(X: RowSource, most: int, seed: int) -> FloatArray:
    """Return at most `most` of the rows, in random order, to estimate and choose from."""
    if isinstance(X, Survey):
        return X.sample(most)
    return sample_rows(X, most, model_rng(seed, _SAMPLE))


class _Moments:
    """Sums over row blocks, of differences from the first row: these keep a large offset exact."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self._n_samples, n_features = shape
        self._pivot: FloatArray | None = None
        self._total, self._squares = np.zeros(n_features), np.zeros(n_features)
        self._largest = 0.0

    def add(self, block: FloatArray) -> None:
        """Add some rows (k, n_features)."""
        if self._pivot is None:
            self._pivot = block[0].copy()
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            steps = block - self._pivot
            self._total += steps.sum(axis=0)
            self._squares += np.einsum("ij,ij->j", steps, steps)
            self._largest = max(self._largest, float(np.abs(steps, out=steps).max()))

    def check(self, name: str) -> FloatArray:
        """Return the column means of rows that can be learned from; refuse others."""
        assert self._pivot is not None
        if self._largest == 0.0:
            raise InputError(f"{name}: all rows are alike, there is nothing to learn from them")
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            offset = self._total / self._n_samples
            variance = float(np.mean(self._squares / self._n_samples - offset**2))
        if not LARGEST**-2 <= variance <= LARGEST**2:
            raise InputError(
                f"{name}: the spread of its values is beyond double precision; rescale them"
            )
        mean: FloatArray = self._pivot + offset
        return mean
