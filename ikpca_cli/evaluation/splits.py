"""Which rows a run fits on and which it cleans: random or fixed splits, and fresh noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray, row_name
from ikpca_cli.errors import InputError, UsageError


@dataclass(frozen=True)
class Split:
    """One run's rows: those to fit on, those to clean, and what these should become.

    `name` is what messages call those to fit on.
    """

    train: FloatArray
    noisy: FloatArray
    reference: FloatArray
    name: str = row_name(None)


def part_size(size: float | None, n_samples: int, rest: int | None = None) -> int:
    """Return a number of rows from a count, a share below 1, or None for the rest.

    Raises
    ------
    UsageError
        If that is no row at all, or more than there are.
    """
    if size is None:
        count = n_samples - (rest or 0)
    elif 0.0 < size < 1.0:
        count = round(size * n_samples)
    elif float(size).is_integer():
        count = int(size)
    else:
        raise UsageError(
            f"--train-size or --test-size {size} is neither a number of rows nor a share below 1: "
            "give one of these"
        )
    if not 0 < count <= n_samples - (rest or 0):
        raise UsageError(
            f"a part of {count} rows is not possible: {n_samples - (rest or 0)} of {n_samples} "
            "rows are left for it; give another --train-size or --test-size"
        )
    return count


def random_splits(
    rows: FloatArray,
    clean: FloatArray | None,
    *,
    train_size: float | None,
    test_size: float | None,
    noise: float | None,
    runs: int,
    seed: int,
    name: str = row_name(None),
) -> Iterator[Split]:
    """Yield `runs` random splits of one array.

    Parameters
    ----------
    rows : ndarray, shape (n_samples, n_features)
    clean : ndarray, shape (n_samples, n_features), optional
        What the rows should become; without it, the mean of the noisy test rows.
    train_size, test_size : float, optional
        Numbers of rows, or shares below 1; what is left by the other one if None.
    noise : float, optional
        Standard deviation of fresh Gaussian noise for each run.
    runs, seed : int
    name : str
        What messages call the rows.
    """
    n_samples = len(rows)
    if n_samples < 3:
        few = "1 row" if n_samples == 1 else f"{n_samples} rows"
        raise InputError(f"{name} has {few}: at least 3 are needed, two to fit on and one to clean")
    if train_size is None and test_size is None:
        train_size = 0.7
    if train_size is None:
        test = part_size(test_size, n_samples)
        train = part_size(None, n_samples, test)
    else:
        train = part_size(train_size, n_samples)
        test = part_size(test_size, n_samples, train)
    if train < 2:
        raise UsageError("one row to fit on is not enough: give --train-size 2 or more, or a share")
    for run in range(runs):
        order = model_rng(seed + run, Stream.SPLIT).permutation(n_samples)
        chosen, held = order[:train], order[train : train + test]
        noisy = add_noise(rows, noise, seed + run)
        reference = noisy[held].mean(axis=0) if clean is None else clean[held]
        yield Split(noisy[chosen], noisy[held], reference, name)


def fixed_split(
    train: FloatArray,
    noisy: FloatArray,
    clean: FloatArray | None,
    *,
    noise: float | None,
    runs: int,
    seed: int,
    name: str = row_name(None),
) -> Iterator[Split]:
    """Yield the same rows `runs` times, with fresh noise each time if `noise` is given."""
    for run in range(runs):
        both = add_noise(np.concatenate([train, noisy]), noise, seed + run)
        test = both[len(train) :]
        reference = test.mean(axis=0) if clean is None else clean
        yield Split(both[: len(train)], test, reference, name)


def add_noise(rows: FloatArray, noise: float | None, seed: int) -> FloatArray:
    """Return `rows` with Gaussian noise of standard deviation `noise`; the rows for None."""
    if noise is None:
        return rows
    return rows + model_rng(seed, Stream.ADDED_NOISE).normal(scale=noise, size=rows.shape)
