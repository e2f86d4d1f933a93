"""Sums over features, gathered in pieces, are those over all rows at once."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ikpca_cli import PCA
from ikpca_cli.data.covariance import FeatureSums
from ikpca_cli.linalg.eigen import feature_sums, spectrum, spectrum_of_sums
from ikpca_cli.models.kernels.kernel import Gaussian
from ikpca_cli.models.random_features import FourierFeatures

ROWS = np.random.default_rng(0).normal(size=(60, 4)) + 1e4


def gathered(rows):
    sums = FeatureSums.empty(rows.shape[1])
    sums.add(rows.copy())
    return sums


def check(sums, rows):
    assert sums.count == len(rows)
    assert_allclose(sums.mean, rows.mean(axis=0), rtol=1e-14)
    desired = np.cov(rows.T, bias=True)
    assert_allclose(sums.covariance, desired, rtol=0, atol=1e-10 * np.abs(desired).max())


@given(st.lists(st.integers(1, 59), unique=True), st.data())
def test_pieces_in_any_grouping(cuts, data):
    parts = [gathered(part) for part in np.split(ROWS, sorted(cuts))]
    while len(parts) > 1:
        place = data.draw(st.integers(0, len(parts) - 2))
        parts[place].merge(parts.pop(place + 1))
    check(parts[0], ROWS)


def test_nothing_added_changes_nothing():
    sums = gathered(ROWS)
    sums.merge(FeatureSums.empty(4))
    check(sums, ROWS)
    empty = FeatureSums.empty(4)
    empty.merge(sums)
    check(empty, ROWS)


def test_state_is_plain_and_gives_the_sums_back():
    state = asdict(gathered(ROWS))
    assert set(state) == {"count", "mean", "scatter"}
    check(FeatureSums(**state), ROWS)


@pytest.mark.parametrize("elements", [300, 10**6])
def test_spectrum_from_slices_equals_one_pass(monkeypatch, elements):
    monkeypatch.setattr("ikpca_cli.data.row_source.BLOCK_ELEMENTS", elements)
    mean = ROWS.mean(axis=0)
    features = FourierFeatures.draw(Gaussian(), 0.1, 30, 4, seed=1)
    whole = spectrum(ROWS, mean, features, 30, 5, route="primal")
    sums = feature_sums(ROWS[:17], mean, features, 30)
    sums.merge(feature_sums(ROWS[17:], mean, features, 30))
    pieces = spectrum_of_sums(sums, 5)
    assert_allclose(pieces.mean, whole.mean, rtol=0, atol=1e-12)
    assert_allclose(pieces.variances, whole.variances, rtol=1e-9)
    projectors = [found.components.T @ found.components for found in (pieces, whole)]
    assert_allclose(*projectors, rtol=0, atol=1e-9)


def test_a_small_mean_and_a_constant_column_cost_no_digits():
    rng = np.random.default_rng(np.random.SeedSequence([47]))
    rows = 0.3 + rng.normal(size=(500, 6)) * np.array([3.0, 2.0, 1.5, 1.0, 0.5, 0.0])
    model = PCA(4, noise_std=0.1).fit(rows)
    _, values, directions = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(model.explained_variance_, values[:4] ** 2 / 500, rtol=1e-12)
    np.testing.assert_allclose(np.abs(model.components_ @ directions[:4].T), np.eye(4), atol=1e-10)
    np.testing.assert_allclose(model.components_[:, 5], 0.0, atol=1e-14)
