"""What must hold whatever the data: identity, equivariance, equal routes, rows by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

from ikpca_cli import IKPCA, PCA
from ikpca_cli.data import row_source as rows_module
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.estimators.methods import METHODS
from ikpca_cli.linalg.eigen import choose_route, leading_eigenpairs
from ikpca_cli.linalg.sines import angles_on_branch
from ikpca_cli.models.kernels.kernel import Gaussian, load_kernel
from ikpca_cli.models.kernels.names import KERNELS
from ikpca_cli.models.random_features import FourierFeatures, ridge_inverse


def build(method, n_components=3, gamma=0.2, ridge=1e-3, **more):
    """Return an estimator of any method with no choice left to make."""
    params = {
        "n_components": n_components,
        "gamma": gamma,
        "latent_gamma": 0.5,
        "ridge": ridge,
        "noise_std": 0.1,
    }
    cls = load_method(method)
    names = cls.parameter_names()
    return cls(**{k: v for k, v in (params | more).items() if k in names})


@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_full_rank_and_no_ridge_is_the_identity(arcs, solver):
    noisy, _ = arcs
    model = IKPCA(60, n_rff=60, gamma=0.5, ridge=0.0, noise_std=0.1, solver=solver).fit(noisy)
    assert np.abs(model.W_ @ (noisy - model.mean_).T).max() > 2 * np.pi
    assert_allclose(model.denoise(noisy), noisy, atol=1e-9)
    assert_allclose(PCA(5).fit(noisy).denoise(noisy), noisy, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_shift(arcs, method):
    noisy, _ = arcs
    shift = np.array([100.0, -3.0, 0.0, 7.5, 1e4])
    plain = build(method).fit(noisy).denoise(noisy)
    moved = build(method).fit(noisy + shift).denoise(noisy + shift)
    assert_allclose(moved - shift, plain, atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-6, 0.1, 1e5])
def test_scale(arcs, method, kernel, scale):
    noisy, _ = arcs
    one, two = (
        load_kernel(kernel).distance(np.full((1, 5), x), np.zeros((1, 5))) for x in (1.0, 2.0)
    )
    power = np.log2((two / one).item())  # of length in the units of gamma
    gamma = 0.2 / scale**power
    # The ridge of ikPCA has the units of W'W, that of kPCA has none.
    ridge = 1e-3 / scale**2 if method == "ikpca" else 1e-3
    plain = build(method, kernel=kernel).fit(noisy).denoise(noisy)
    scaled = build(method, gamma=gamma, ridge=ridge, kernel=kernel, noise_std=0.1 * scale)
    assert_allclose(scaled.fit(noisy * scale).denoise(noisy * scale) / scale, plain, atol=1e-7)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_automatic_choice_follows_the_scale(arcs, method, scale):
    noisy, _ = arcs
    plain = load_method(method)().fit(noisy)
    scaled = load_method(method)().fit(noisy * scale)
    assert_allclose(scaled.denoise(noisy * scale) / scale, plain.denoise(noisy), atol=1e-7)
    assert scaled.n_components_ == plain.n_components_


def test_column_order(arcs):
    noisy, _ = arcs
    order = np.array([3, 0, 4, 1, 2])
    for method in ("pca", "kpca"):
        plain = build(method).fit(noisy).denoise(noisy)
        assert_allclose(
            build(method).fit(noisy[:, order]).denoise(noisy[:, order]), plain[:, order], atol=1e-10
        )
    drawn = FourierFeatures.draw(load_kernel("gaussian"), 0.2, 80, 5, seed=1)
    same = FourierFeatures(drawn.W[:, order], drawn.b)
    plain = build("ikpca").fit(noisy, features=drawn).denoise(noisy)
    permuted = build("ikpca").fit(noisy[:, order], features=same).denoise(noisy[:, order])
    assert_allclose(permuted, plain[:, order], atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_each_row_is_cleaned_by_itself(arcs, method):
    noisy, _ = arcs
    model = build(method).fit(noisy)
    together = model.denoise(noisy)
    alone = np.concatenate([model.denoise(noisy[i : i + 1]) for i in range(20)])
    assert_allclose(together[:20], alone, atol=1e-12)


@pytest.mark.parametrize("n_samples", [30, 120])
def test_primal_equals_dual(arcs, n_samples):
    noisy = arcs[0][:n_samples]
    found = [build("ikpca", n_rff=70, solver=s).fit(noisy) for s in ("primal", "dual", "auto")]
    assert_allclose(found[0].denoise(noisy), found[1].denoise(noisy), atol=1e-10)
    assert_allclose(found[0].explained_variance_, found[1].explained_variance_, rtol=1e-10)
    assert_allclose(found[0].total_variance_, found[1].total_variance_, rtol=1e-12)
    same = found[0] if choose_route(n_samples, 70) == "primal" else found[1]
    np.testing.assert_array_equal(found[2].components_, same.components_)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_one_block_equals_many(arcs, method, solver, monkeypatch):
    noisy, _ = arcs
    whole = build(method, solver=solver).fit(noisy)
    for module in ("data.row_source", "linalg.eigen"):
        monkeypatch.setattr(f"ikpca_cli.{module}.BLOCK_ELEMENTS", 2500)
    assert len(list(rows_module.row_blocks(noisy, 100))) > 3
    parts = build(method, solver=solver).fit(noisy)
    assert_allclose(parts.denoise(noisy), whole.denoise(noisy), atol=1e-10)
    assert_allclose(parts.transform(noisy) ** 2, whole.transform(noisy) ** 2, atol=1e-10)


def test_codes_have_the_explained_variance(arcs):
    noisy, _ = arcs
    for method in METHODS:
        model = build(method).fit(noisy)
        codes = model.transform(noisy)
        assert_allclose(codes.mean(axis=0), 0.0, atol=1e-10)
        assert_allclose(codes.var(axis=0), model.explained_variance_, rtol=1e-8)
        shares = model.explained_variance_ratio_
        assert np.all(np.diff(shares) <= 0)
        assert 0.0 < shares.sum() <= 1.0 + 1e-12


def test_ikpca_tends_to_pca_as_gamma_falls(arcs):
    noisy, _ = arcs
    linear = PCA(2).fit(noisy).denoise(noisy)
    gaps = [
        np.abs(IKPCA(2, n_rff=4000, gamma=g, ridge=0.0).fit(noisy).denoise(noisy) - linear).max()
        for g in (1e-2, 1e-5)
    ]
    assert gaps[1] < 0.1 < gaps[0]


def test_pca_weighs_components_of_wide_rows_for_rows_to_come():
    rng = np.random.default_rng(8)
    axes = np.linalg.qr(rng.normal(size=(900, 3)))[0].T * np.sqrt([90.0, 60.0, 40.0])[:, None]
    old, new = (rng.normal(size=(n, 3)) @ axes for n in (60, 3000))
    noisy = new + rng.normal(size=new.shape)
    model = PCA(shrink="optimal", noise_std=1.0).fit(old + rng.normal(size=old.shape))
    codes = (noisy - model.mean_) @ model.components_.T
    target = (new - model.mean_) @ model.components_.T
    best = np.sum(codes * target, axis=0) / np.sum(codes**2, axis=0)
    assert_allclose(model.weights_, best, atol=0.05)


def test_angles_keep_their_branch():
    alpha = np.linspace(-20.0, 20.0, 4001)
    wanted = np.sin(alpha) * 0.9

    def back(alpha, targets):
        return angles_on_branch(alpha[:, None] / np.pi, targets[:, None].copy())[:, 0]

    assert_allclose(back(alpha, np.sin(alpha)), alpha, atol=1e-7)
    assert_allclose(np.sin(back(alpha, wanted)), wanted, atol=1e-12)
    assert np.abs(back(alpha, wanted) - alpha).max() < np.pi / 2
    far = back(np.array([0.1, 3.2]), np.array([9.0, -9.0]))
    assert_allclose(far, [np.pi / 2, np.pi + np.pi / 2])


def test_ridge_inverse_is_the_pseudo_inverse_without_ridge():
    rng = np.random.default_rng(3)
    W = rng.normal(size=(9, 4)) @ np.diag([1.0, 1.0, 1.0, 0.0])
    assert_allclose(ridge_inverse(W, 0.0), np.linalg.pinv(W.T @ W), atol=1e-12)
    assert_allclose(ridge_inverse(W, 0.5), np.linalg.inv(W.T @ W + 0.5 * np.eye(4)), atol=1e-12)


@pytest.mark.parametrize("name", KERNELS)
def test_random_features_approach_their_kernel(name):
    kernel = load_kernel(name)
    X = np.random.default_rng(0).normal(size=(6, 3))
    drawn = FourierFeatures.draw(kernel, 0.3, 200_000, 3, seed=0)
    beta = drawn.features(X)
    assert_allclose(2.0 * beta @ beta.T / 200_000, kernel.gram(X, X, 0.3), atol=0.01)


@pytest.mark.parametrize("n_features", [1, 3, 40])
def test_balanced_features_have_the_density_of_independent_ones(n_features):
    n_rff = 60_000
    drawn = FourierFeatures.draw_balanced(Gaussian(), 0.7, n_rff, n_features, seed=4)
    assert drawn.W.shape == (n_rff, n_features)
    assert_allclose(drawn.W.T @ drawn.W / n_rff, 1.4 * np.eye(n_features), atol=0.05)
    fourth = np.mean(drawn.W**4) / (3 * 1.4**2)
    assert fourth == pytest.approx(1.0, abs=0.05)
    assert_allclose(drawn.W[::2], drawn.W[1::2])
    assert_allclose(drawn.b[1::2] - drawn.b[::2], np.pi / 2)
    if n_features > 1:
        block = drawn.W[: 2 * n_features : 2] @ drawn.W[: 2 * n_features : 2].T
        assert_allclose(block, np.diag(np.diag(block)), atol=1e-9)


@pytest.mark.parametrize(("n_rff", "rank"), [(30, 20), (40, 20), (25, 20), (300, 20)])
def test_balanced_features_tell_all_rows_apart(n_rff, rank):
    drawn = FourierFeatures.draw_balanced(Gaussian(), 0.7, n_rff, 20, seed=4)
    assert drawn.W.shape[0] == len(drawn.b) == n_rff
    assert np.linalg.matrix_rank(drawn.W) == rank


def test_balanced_features_are_nearer_to_their_kernel():
    X = np.random.default_rng(0).normal(size=(30, 50)) / 5.0
    errors = []
    for draw in (FourierFeatures.draw, FourierFeatures.draw_balanced):
        gaps = []
        for seed in range(10):
            beta = draw(Gaussian(), 0.3, 400, 50, seed).features(X)
            gaps.append(2.0 * beta @ beta.T / 400 - Gaussian().gram(X, X, 0.3))
        errors.append(np.mean(np.square(gaps)))
    assert errors[1] < 0.5 * errors[0]


@pytest.mark.parametrize(
    ("name", "density"),
    [
        ("gaussian", lambda w: np.exp(-(w**2) / (4 * 0.7)) / np.sqrt(4 * np.pi * 0.7)),
        ("laplacian", lambda w: 0.7 / (np.pi * (0.7**2 + w**2))),
    ],
)
def test_spectral_density_is_the_kernels(name, density):
    kernel = load_kernel(name)
    draws = kernel.sample(np.random.default_rng(5), 100_000, 1)[:, 0] * kernel.frequency_scale(0.7)
    for low, high in [(-1.0, 0.0), (0.0, 0.5), (0.5, 3.0)]:
        share = np.mean((draws >= low) & (draws < high))
        assert share == pytest.approx(quad(density, low, high)[0], abs=0.008)


@pytest.mark.parametrize(("size", "most"), [(40, 3), (40, 30), (1200, 10)])
def test_leading_eigenpairs(size, most):
    rng = np.random.default_rng(size)
    basis = np.linalg.qr(rng.normal(size=(size, size)))[0]
    values = np.sort(rng.uniform(1.0, 2.0, size))[::-1] * np.linspace(1.0, 0.1, size)
    values[::-1].sort()
    found, vectors = leading_eigenpairs((basis * values) @ basis.T, most)
    assert_allclose(found, values[:most], rtol=1e-9)
    assert_allclose(np.abs(np.sum(vectors * basis[:, :most], axis=0)), 1.0, atol=1e-6)


def test_rough_eigenpairs_are_right_where_they_hold_more_than_noise():
    """In ten directions above a flat spectrum, of which any half is as good as another."""
    rng = np.random.default_rng(7)
    basis = np.linalg.qr(rng.normal(size=(500, 500)))[0]
    values = np.append(np.geomspace(100.0, 3.0, 10), np.linspace(1.0, 0.9, 490))
    matrix = (basis * values) @ basis.T
    found, vectors = leading_eigenpairs(matrix.copy(), 100, roughly=True)
    assert_allclose(found[:10], values[:10], rtol=1e-2)
    assert_allclose(np.abs(np.sum(vectors * basis[:, :100], axis=0))[:10], 1.0, atol=1e-2)
    assert_allclose(vectors.T @ vectors, np.eye(100), atol=1e-10)
    assert_allclose(np.einsum("ij,ij->j", vectors, matrix @ vectors), found, rtol=1e-10)


def test_eigenpairs_of_lower_rank_are_fewer():
    low = np.random.default_rng(0).normal(size=(50, 4))
    values, _ = leading_eigenpairs(low @ low.T, 20)
    assert len(values) == 4


@pytest.mark.parametrize("size", [210, 1200])
def test_eigenvalues_that_coincide_are_all_found(size):
    values, vectors = leading_eigenpairs(np.eye(size) - 1.0 / size, 5)
    assert_allclose(values, np.ones(5))
    assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-10)
