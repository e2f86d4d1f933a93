"""Kernel PCA on landmarks is the full method where all rows are, and near it where many are."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli import KernelPCA, load_model, save_model
from ikpca_cli.data.first_pass import FirstPass
from ikpca_cli.errors import IkpcaWarning, InputError, UsageError
from ikpca_cli.models import nystroem as module
from ikpca_cli.models.kernels.kernel import load_kernel
from ikpca_cli.selection.choice import Choice

GIVEN = {"gamma": 0.3, "latent_gamma": 0.5, "ridge": 0.1, "noise_std": 0.1}


def test_the_number_of_rows_is_the_full_method(arcs):
    noisy, _ = arcs
    full = KernelPCA(4, **GIVEN).fit(noisy).denoise(noisy)
    assert_array_equal(KernelPCA(4, landmarks=120, **GIVEN).fit(noisy).denoise(noisy), full)
    assert_array_equal(KernelPCA(4, landmarks=500, **GIVEN).fit(noisy).denoise(noisy), full)


def test_all_rows_as_landmarks_equal_the_full_method(arcs, monkeypatch):
    noisy, _ = arcs
    full = KernelPCA(4, **GIVEN).fit(noisy)
    near = KernelPCA(4, landmarks=120, **GIVEN)
    # By the way of landmarks, though all rows are.
    monkeypatch.setattr(KernelPCA, "_landmark_count", lambda self, n: 0)
    monkeypatch.setattr("ikpca_cli.data.memory.available_bytes", lambda: 10**9)
    near.fitted_params_ = near.get_params()
    near.mean_, near.n_samples_ = full.mean_, 121
    near.gamma_, near.ridge_ = 0.3, 0.1
    chosen = Choice(n_components=4, gamma=0.3, ridge=0.1)
    near._fit_landmarks(noisy, chosen, True, lambda *_: None)
    near.noise_std_, near.estimated_mse_, near.estimated_mse_error_ = 0.1, None, None
    assert_allclose(near.explained_variance_, full.explained_variance_, rtol=1e-8)
    assert_allclose(near.total_variance_, full.total_variance_, rtol=1e-8)
    assert_allclose(np.abs(near.transform(noisy)), np.abs(full.transform(noisy)), atol=1e-7)
    scale = np.abs(full.denoise(noisy)).max()
    others = noisy + np.random.default_rng(0).normal(0, 0.1, noisy.shape)
    for rows in (noisy, others):
        assert_allclose(near.denoise(rows), full.denoise(rows), rtol=0, atol=1e-7 * scale)


def test_more_landmarks_come_nearer(arcs):
    noisy, _ = arcs
    full = KernelPCA(3, **GIVEN).fit(noisy).denoise(noisy)
    errors = [
        np.abs(KernelPCA(3, landmarks=m, **GIVEN).fit(noisy).denoise(noisy) - full).max()
        for m in (4, 12, 60)
    ]
    assert errors[0] > 3 * errors[1] > 9 * errors[2] > 0


def test_blocks_do_not_matter(arcs, monkeypatch):
    noisy, _ = arcs
    whole = KernelPCA(3, landmarks=30, **GIVEN).fit(noisy).denoise(noisy)
    monkeypatch.setattr("ikpca_cli.data.row_source.BLOCK_ELEMENTS", 400)
    assert_allclose(KernelPCA(3, landmarks=30, **GIVEN).fit(noisy).denoise(noisy), whole, atol=1e-8)


def test_variants_equal_fits_of_their_own(arcs, tmp_path):
    noisy, _ = arcs
    model = KernelPCA(5, landmarks=40, **GIVEN).fit(noisy)
    own = KernelPCA(2, landmarks=40, **(GIVEN | {"ridge": 1.0})).fit(noisy)
    assert_allclose(model.variant(2, 1.0).denoise(noisy), own.denoise(noisy), atol=1e-8)
    save_model(str(tmp_path / "m.joblib"), model)
    loaded = load_model(str(tmp_path / "m.joblib"))
    assert_array_equal(loaded.denoise(noisy), model.denoise(noisy))
    with pytest.raises(UsageError, match="fit it again"):
        loaded.variant(2)


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_everything_is_chosen_with_landmarks_too(arcs, kernel):
    noisy, clean = arcs
    cleaned = KernelPCA(landmarks=50, kernel=kernel).fit(noisy).denoise(noisy)
    assert np.mean((cleaned - clean) ** 2) < 0.8 * np.mean((noisy - clean) ** 2)


def test_equal_rows_make_no_trouble():
    rows = np.repeat(np.random.default_rng(1).normal(size=(7, 3)), 20, axis=0)
    model = KernelPCA(3, landmarks=60, **GIVEN).fit(rows)
    assert np.isfinite(model.denoise(rows)).all()


def test_the_root_is_one(arcs):
    gram = load_kernel("gaussian").gram(arcs[0], arcs[0], 0.3)
    root = module.inverse_root(gram.copy())
    assert_allclose(root.T @ gram @ root, np.eye(root.shape[1]), atol=1e-2)


def test_rows_that_do_not_fit_are_taken_with_landmarks(monkeypatch):
    monkeypatch.setattr("ikpca_cli.data.memory.available_bytes", lambda: 10**8)
    rows = np.random.default_rng(0).normal(size=(20_000, 2))
    with pytest.raises(InputError, match=r"3.2 GB kernel matrix .* use landmarks, 2000 say"):
        KernelPCA(2, **GIVEN).fit(rows)
    with pytest.raises(InputError, match="use fewer landmarks"):
        KernelPCA(2, landmarks=5000, **GIVEN).fit(rows)
    assert KernelPCA(2, landmarks=100, **GIVEN).fit(rows).rows_.shape == (100, 2)
    with pytest.raises(UsageError, match="landmarks 0 is not allowed"):
        KernelPCA(2, landmarks=0, **GIVEN).fit(rows)


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
@pytest.mark.parametrize("params", [{}, {"gamma": 0.1}])
def test_one_landmark_will_do(arcs, params):
    model = KernelPCA(landmarks=1, **params).fit(arcs[0])
    assert np.isfinite(model.denoise(arcs[0])).all()


def with_one_row_off(by):
    """Return rows of which one that is not in the sample is far off."""
    rng = np.random.default_rng(np.random.SeedSequence([61]))
    rows = rng.normal(size=(3000, 6))
    first_pass = FirstPass(rows, 0)
    first_pass.read_sample()
    known = {row.tobytes() for row in first_pass.sample(10**6)}
    rows[next(k for k, row in enumerate(rows) if row.tobytes() not in known)] = by
    return rows


def test_a_row_far_off_is_told_of_though_no_landmark_is_near():
    with pytest.warns(IkpcaWarning, match="a few rows are so far from the others"):
        KernelPCA(3, landmarks=50, **GIVEN).fit(with_one_row_off(1e6))


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
def test_single_precision_is_refused_for_the_spread_of_all_rows():
    with pytest.raises(InputError, match="beyond single precision"):
        KernelPCA(3, landmarks=50, dtype="float32", **GIVEN).fit(with_one_row_off(1e12))


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
@pytest.mark.parametrize("landmarks", ["all", 50])
def test_rows_that_are_all_but_alike_are_no_reason_to_refuse_a_gamma(landmarks):
    rows = np.ones((3000, 4))
    rows[1777] = 2.5
    model = KernelPCA(1, landmarks=landmarks, **GIVEN).fit(rows)
    assert np.isfinite(model.denoise(rows)).all()
