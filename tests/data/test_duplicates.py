"""Rows that come twice."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli.data.duplicates import without_duplicates


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    signal = np.outer(rng.normal(size=60), rng.normal(size=20))
    return signal + rng.normal(scale=0.05, size=signal.shape) + 1e3


@pytest.mark.parametrize("digits", [None, 6, 3])
def test_the_first_of_all_that_are_alike_stays(rows, digits):
    again = rows if digits is None else rows.round(digits)
    both = np.concatenate([rows, again[::-1]])
    assert_array_equal(without_duplicates(both), rows)
    assert_array_equal(without_duplicates(both * 1e-9), rows * 1e-9)


def test_rows_that_only_show_the_same_signal_stay(rows):
    rng = np.random.default_rng(0)
    again = rows + rng.normal(scale=0.05, size=rows.shape)
    assert len(without_duplicates(np.concatenate([rows, again]))) == 120


@pytest.mark.parametrize(("share", "left"), [(5e-6, 60), (2e-5, 120)])
def test_rows_fifty_decibels_apart_are_the_limit(rows, share, left):
    """Copies are moved by a share of the median squared distance: less is rounding."""
    distances = np.sum((rows[:, None] - rows) ** 2, axis=2)
    median = np.median(distances[np.triu_indices(60, 1)])
    step = np.random.default_rng(1).normal(size=rows.shape)
    step *= np.sqrt(share * median / np.sum(step**2, axis=1, keepdims=True))
    assert len(without_duplicates(np.concatenate([rows, rows + step]))) == left


@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_rows_that_are_near_by_chance_stay(n_features):
    X = np.random.default_rng(0).normal(size=(2000, n_features))
    assert len(without_duplicates(X)) >= 1995
    assert len(without_duplicates(np.concatenate([X, X]))) >= 1995


def test_one_row_stays():
    assert_array_equal(without_duplicates(np.ones((1, 3))), np.ones((1, 3)))
    assert_array_equal(without_duplicates(np.ones((5, 3))), np.ones((1, 3)))
