"""The exact model by landmarks: all rows as landmarks are the exact one, and fewer come near it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli import IKPCA, load_model, save_model
from ikpca_cli.models.exact import ExactModel
from ikpca_cli.models.exact_spectrum import ExactSpectrum
from ikpca_cli.models.kernels.kernel import Gaussian
from ikpca_cli.models.landmark_spectrum import landmark_spectrum
from ikpca_cli.models.preimage import Iteration, all_iterations

GAMMA = 0.4


@pytest.fixture(scope="module")
def rows(arcs):
    noisy, _ = arcs
    return noisy - noisy.mean(axis=0)


def displaced(spectrum, rows):
    return {m: f for m, f, _ in spectrum.displacements(0.01, rows, all_iterations())}


@pytest.mark.parametrize("gamma", [1e-4, GAMMA, 10.0])
def test_all_rows_as_landmarks_are_the_exact_model(rows, gamma):
    exact = ExactSpectrum.of(rows, Gaussian().distance(rows, rows), gamma)
    order = np.random.default_rng(0).permutation(len(rows))
    near = landmark_spectrum(rows, np.zeros(5), rows[order], rows, gamma)
    many = exact.variances > 1e-6 * exact.variances[0]
    assert_allclose(near.variances[: many.sum()], exact.variances[many], rtol=1e-4)
    assert_allclose(near.noise_gains[:3], exact.noise_gains[:3], rtol=1e-4)
    assert_allclose(near.gram_mean, exact.gram_mean[order], rtol=1e-6)
    assert_allclose(near.mean_weights.sum(), 1.0)
    others = rows[:40] + 0.1
    expected = displaced(exact, others)
    for move, displacement in displaced(near, others).items():
        assert_allclose(displacement, expected[move], atol=1e-4)


def test_codes_of_all_rows_have_mean_zero_and_the_variances(rows):
    near = landmark_spectrum(rows, np.zeros(5), rows[:50], rows, GAMMA)
    codes = near.codes(rows)
    assert_allclose(codes.mean(axis=0), 0.0, atol=1e-9)
    assert_allclose(codes.T @ codes / len(rows), np.diag(near.variances), atol=1e-9)


def test_more_landmarks_come_nearer(rows):
    exact = ExactSpectrum.of(rows, Gaussian().distance(rows, rows), GAMMA)
    move = Iteration(1.0, False, 2)
    expected = displaced(exact, rows + 0.05)[move]
    gaps = []
    for count in (6, 24, 96):
        near = landmark_spectrum(rows, np.zeros(5), rows[:count], rows, GAMMA)
        gaps.append(np.linalg.norm(displaced(near, rows + 0.05)[move] - expected))
    assert gaps[0] > 1.5 * gaps[1] > 2.25 * gaps[2]


def test_blocks_do_not_matter(rows, monkeypatch):
    whole = landmark_spectrum(rows, np.zeros(5), rows[:30], rows, GAMMA)
    monkeypatch.setattr("ikpca_cli.data.row_source.BLOCK_ELEMENTS", 400)
    parts = landmark_spectrum(rows, np.zeros(5), rows[:30], rows, GAMMA)
    assert_allclose(parts.variances, whole.variances, rtol=1e-9)
    assert_allclose(parts.mean_weights, whole.mean_weights, atol=1e-9)


@pytest.fixture
def few_exact(monkeypatch):
    monkeypatch.setattr("ikpca_cli.estimators.preimages.exact_kind.EXACT_ROWS", 200)


def curve(count, seed):
    rng = np.random.default_rng(np.random.SeedSequence([71, seed]))
    t = rng.uniform(-4.7, 4.7, count)
    clean = np.stack([np.sin(t), rng.uniform(0, 2, count), np.sign(t) * (np.cos(t) - 1)], axis=1)
    return clean + rng.normal(scale=0.25, size=clean.shape), clean


def test_no_step_where_landmarks_take_over(few_exact):
    noisy, _ = curve(400, 0)
    test, clean = curve(2000, 1)
    errors = []
    for count in (199, 200, 201, 400):
        model = IKPCA(noise_std=0.25, gamma=1.0, second_gamma="none").fit(noisy[:count])
        assert model.n_rff_ == ("exact" if count <= 200 else "landmarks")
        assert len(model.rows_) == min(count, 200)
        errors.append(np.mean((model.denoise(test) - clean) ** 2))
    assert errors[2] < 1.02 * errors[1]
    assert errors[3] < errors[0]


def test_a_model_of_landmarks_survives_its_file(few_exact, tmp_path):
    noisy, _ = curve(300, 0)
    model = IKPCA(noise_std=0.25, gamma=1.0, second_gamma="none").fit(noisy)
    assert isinstance(model.model_, ExactModel)
    save_model(str(tmp_path / "m.joblib"), model)
    loaded = load_model(str(tmp_path / "m.joblib"))
    assert_allclose(loaded.denoise(noisy), model.denoise(noisy), rtol=0, atol=1e-12)
    assert loaded.n_rff_ == "landmarks"


def test_equal_rows_make_no_trouble():
    rows = np.repeat(np.random.default_rng(1).normal(size=(7, 3)), 20, axis=0)
    rows -= rows.mean(axis=0)
    near = landmark_spectrum(rows, np.zeros(3), rows[:60], rows, GAMMA)
    assert all(np.isfinite(f).all() for f in displaced(near, rows).values())


def test_of_many_landmarks_the_leading_directions_do():
    rng = np.random.default_rng(8)
    angle = rng.uniform(0.0, 2.0 * np.pi, 1500)
    rows = np.stack([np.cos(angle), np.sin(angle)], axis=1) + rng.normal(scale=0.1, size=(1500, 2))
    exact = ExactSpectrum.of(rows, Gaussian().distance(rows, rows), GAMMA, None, 0.01)
    near = landmark_spectrum(rows, np.zeros(2), rows, rows, GAMMA, None, 0.01)
    assert near.vectors.shape[1] < 200
    others = rows[:100] + 0.05
    expected = displaced(exact, others)
    for move, displacement in displaced(near, others).items():
        gap = np.linalg.norm(displacement - expected[move])
        assert gap < 0.02 * np.linalg.norm(expected[move])
