"""Rows by their leading directions: as singular vectors have it, without a second decomposition."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli.noise.high_frequencies import high_reading, powers_read
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.low_rank import LowRank


@pytest.mark.parametrize("shape", [(90, 40), (40, 90), (40, 40)])
def test_the_best_approximation_is_that_of_singular_vectors(shape):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(shape[0], 5)) @ rng.normal(size=(5, shape[1])) + rng.normal(size=shape)
    X -= X.mean(axis=0)
    left, values, right = np.linalg.svd(X, full_matrices=False)
    found = LowRank.of(X, 5)
    assert_allclose(found.rows, (left[:, :5] * values[:5]) @ right[:5], atol=1e-10)
    assert_allclose(found.rows + found.residual, X, atol=1e-12)
    assert_allclose(found.row_leverage, (left[:, :5] ** 2).sum(axis=1), atol=1e-10)
    assert_allclose(found.column_leverage, (right[:5] ** 2).sum(axis=0), atol=1e-10)
    assert_allclose(found.directions @ found.directions.T, np.eye(5), atol=1e-10)


def test_rows_of_fewer_directions_than_are_asked_for():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(30, 2)) @ rng.normal(size=(2, 50))
    X -= X.mean(axis=0)
    found = LowRank.of(X, 29)
    assert_allclose(found.rows, X, atol=1e-7)
    assert np.isfinite(found.row_leverage).all()


def test_a_level_is_read_off_one_decomposition_of_the_rows(monkeypatch):
    X = np.random.default_rng(6).normal(size=(80, 30)) + np.linspace(-3.0, 3.0, 80)[:, None]
    decomposed, eigh = [], np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda A: decomposed.append(A.shape) or eigh(A))
    estimate_noise(X - X.mean(axis=0))
    assert decomposed.count((30, 30)) == 1


def test_no_level_is_higher_than_the_power_that_it_is_read_off():
    from scipy.fft import dct

    X = np.random.default_rng(5).normal(size=(200, 100))
    X += np.cos(np.linspace(0.0, np.pi, 100))
    X -= X.mean(axis=0)
    powers = np.mean(dct(X, norm="ortho", axis=1) ** 2, axis=0) * (200.0 / 199.0)
    reading = high_reading(X)
    assert reading is not None
    assert 0.9 < reading.std**2 / max(powers_read(powers)) <= 1.0 + 1e-12
