"""Eigenpairs and linear systems in blocks are those of LAPACK."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli.linalg import cholesky, few_eigenpairs, krylov
from ikpca_cli.linalg.cholesky import solve_positive
from ikpca_cli.linalg.few_eigenpairs import LARGEST, eigenpairs_above
from ikpca_cli.linalg.krylov import leading_by_iteration, leading_by_krylov


def symmetric(values, seed=0):
    size = len(values)
    Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(size, size)))[0]
    return (Q * values) @ Q.T, Q


def test_leading_eigenpairs():
    values = 0.9 ** np.arange(400.0)
    matrix, Q = symmetric(values)
    found, vectors = leading_by_krylov(matrix, 6)
    assert_allclose(found[::-1], values[:6], rtol=1e-13)
    assert_allclose(vectors @ vectors.T, Q[:, :6] @ Q[:, :6].T, atol=1e-12)


@pytest.mark.parametrize("same", [3, 5])
def test_eigenvalues_that_coincide_are_all_found(same):
    values = np.concatenate([np.full(same, 2.0), np.linspace(1.0, 0.0, 900 - same)])
    matrix, Q = symmetric(values)
    found, vectors = leading_by_krylov(matrix, same)
    assert_allclose(found, 2.0, rtol=1e-13)
    assert_allclose(vectors @ vectors.T, Q[:, :same] @ Q[:, :same].T, atol=1e-11)


def test_matrices_of_low_rank_and_the_identity():
    for matrix in (np.eye(300), np.diag([1.0] + [0.0] * 299), np.ones((300, 300)) / 300):
        found, vectors = leading_by_krylov(matrix, 3)
        assert_allclose(found[-1], 1.0, rtol=1e-13)
        assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-13)
        assert_allclose(matrix @ vectors, vectors * found, atol=1e-13)


def test_a_spectrum_that_hardly_falls_is_left_to_others():
    assert leading_by_krylov(symmetric(1.0 - 1e-6 * np.arange(300.0))[0], 5) is None


@pytest.mark.parametrize("size", [1, 30, 64, 150])
def test_solve(size, monkeypatch):
    monkeypatch.setattr(cholesky, "PANEL", 32)
    matrix, _ = symmetric(np.linspace(1.0, 50.0, size))
    right = np.random.default_rng(1).normal(size=(size, 3))
    assert_allclose(
        solve_positive(matrix.copy(), right), np.linalg.solve(matrix, right), atol=1e-12
    )


def test_a_matrix_that_is_not_positive_is_refused(monkeypatch):
    monkeypatch.setattr(cholesky, "PANEL", 32)
    matrix, _ = symmetric(np.linspace(-1.0, 1.0, 70))
    with pytest.raises(np.linalg.LinAlgError):
        solve_positive(matrix, np.ones((70, 1)))


def falling(size, powers, seed=4):
    """Return a symmetric matrix with these leading eigenvalues, and 1e-6 for the others."""
    vectors = np.linalg.qr(np.random.default_rng(seed).normal(size=(size, size)))[0]
    values = np.full(size, 1e-6)
    values[: len(powers)] = powers
    return (vectors * values) @ vectors.T


def test_a_subspace_grows_until_little_is_left():
    powers = 0.9 ** np.arange(200)
    values, vectors = leading_by_iteration(falling(600, powers), 150, 0.01)
    assert np.sum(powers) - values.sum() < 0.01 + 600e-6
    assert_allclose(values[::-1][:30], powers[:30], rtol=1e-8)
    assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-12)
    # Where nothing may be left out, all of it is in double precision.
    whole, _ = leading_by_iteration(falling(600, powers[:40]), 150)
    assert_allclose(whole[::-1][:40], powers[:40], rtol=1e-12)
    single, vectors = leading_by_iteration(falling(600, powers).astype(np.float32), 150, 0.01)
    assert single.dtype == vectors.dtype == np.float32
    assert_allclose(single[::-1][:30], powers[:30], rtol=1e-4)


def test_widths_between_are_skipped_where_none_would_be_enough(monkeypatch):
    widths = []
    times = krylov._times
    monkeypatch.setattr(
        krylov, "_times", lambda A, block: widths.append(block.shape[1]) or times(A, block)
    )
    flat = falling(900, np.linspace(1.0, 0.5, 900))
    assert leading_by_iteration(flat, 400, 1e-3) is None
    assert set(widths) == {krylov.FIRST_WIDTH}
    widths.clear()
    values, _ = leading_by_iteration(flat, 250, 1e-3)
    assert len(values) == 250
    assert set(widths) == {krylov.FIRST_WIDTH, 275 - krylov.FIRST_WIDTH, 275}


def test_eigenpairs_above_a_level_are_those_of_all(monkeypatch):
    rng = np.random.default_rng(np.random.SeedSequence([73]))
    wave = np.sin(0.31 * np.arange(600))  # windows of which have pairs of like eigenvalues
    rows = np.lib.stride_tricks.sliding_window_view(wave, 40) + 0.1 * rng.normal(size=(561, 40))
    matrix = rows.T @ rows / 561
    values, vectors = np.linalg.eigh(matrix)
    above = values > 0.1
    for largest in (LARGEST, 0):
        monkeypatch.setattr(few_eigenpairs, "LARGEST", largest)
        found, directions = eigenpairs_above(matrix, 0.1)
        assert_allclose(found, values[above], rtol=1e-10)
        projected = vectors[:, above] @ vectors[:, above].T
        assert_allclose(directions @ directions.T, projected, atol=1e-10)
    assert eigenpairs_above(matrix, 100.0)[1].shape == (40, 0)
