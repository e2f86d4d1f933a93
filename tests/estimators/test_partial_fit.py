"""Rows that come later give the model that all rows at once do."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli import IKPCA, PCA, load_model, save_model
from ikpca_cli.errors import InputError, UsageError
from ikpca_cli.models.random_features import FourierFeatures

GIVEN = {"n_rff": 40, "gamma": 0.3, "ridge": 0.5, "noise_std": 0.1}


@pytest.fixture
def halves(arcs):
    """Two parts of rows that have one mean, as the first part's stays."""
    noisy, _ = arcs
    first = noisy[:70]
    second = noisy[70:]
    return first, second - second.mean(axis=0) + first.mean(axis=0)


@pytest.mark.parametrize("pieces", [1, 3, 50])
def test_equal_to_one_fit(halves, pieces):
    first, second = halves
    both = np.concatenate(halves)
    model = IKPCA(5, **GIVEN).partial_fit(first)
    for part in np.array_split(second, pieces):
        assert model.partial_fit(part, part) is model
    whole = IKPCA(5, solver="primal", **GIVEN).fit(both)
    assert model.n_samples_ == whole.n_samples_ == 120
    assert_allclose(model.mean_, whole.mean_, atol=1e-12)
    assert_array_equal(model.W_, whole.W_)
    assert_allclose(model.explained_variance_, whole.explained_variance_, rtol=1e-8)
    assert_allclose(model.denoise(both), whole.denoise(both), rtol=1e-8, atol=1e-8)


def test_saved_between(halves, tmp_path):
    first, second = halves
    path = str(tmp_path / "m.joblib")
    model = IKPCA(5, **GIVEN).fit(first, keep_sums=True)
    save_model(path, model)
    loaded = load_model(path).partial_fit(second)
    assert_array_equal(loaded.denoise(second), model.partial_fit(second).denoise(second))
    assert np.abs(load_model(path).denoise(second) - loaded.denoise(second)).max() > 1e-6


def test_single_precision_adds_in_double(halves):
    first, second = halves
    model = IKPCA(5, dtype="float32", **GIVEN).partial_fit(first).partial_fit(second)
    assert model.scatter_.dtype == model.sums_mean_.dtype == np.float64
    assert model.components_.dtype == model.feature_mean_.dtype == np.float32
    double = IKPCA(5, **GIVEN).partial_fit(first).partial_fit(second)
    assert_allclose(model.denoise(first), double.denoise(first), atol=1e-4)


def test_features_that_were_given_stay(halves):
    features = FourierFeatures(np.random.default_rng(0).normal(size=(30, 5)), np.zeros(30))
    model = IKPCA(3, gamma=1.0, ridge=0.1, noise_std=0.1)
    model.fit(halves[0], features=features, keep_sums=True).partial_fit(halves[1])
    assert_array_equal(model.W_, features.W)


def test_what_cannot_be_added_to(halves):
    first, _ = halves
    with pytest.raises(UsageError, match="keep_sums=True"):
        IKPCA(5, **GIVEN).fit(first).partial_fit(first)
    with pytest.raises(UsageError, match="paper's inverse"):
        IKPCA(5, gamma=0.3).partial_fit(first)
    with pytest.raises(UsageError, match="dual solver"):
        IKPCA(5, solver="dual", **GIVEN).partial_fit(first)
    assert not hasattr(PCA(2), "partial_fit")
    with pytest.raises(UsageError, match="pca has no sums"):
        PCA(2).fit(first, keep_sums=True)
    model = IKPCA(5, **GIVEN).partial_fit(first)
    with pytest.raises(InputError, match="4 columns"):
        model.partial_fit(first[:, :4])
    before = model.scatter_.copy()
    with pytest.raises(InputError, match="row 1, column 1"):
        model.partial_fit(np.full((1, 5), np.nan))
    assert_array_equal(model.scatter_, before)
    assert model.n_samples_ == 70


def test_what_was_promised_for_the_first_rows_is_withdrawn():
    rng = np.random.default_rng(8)
    angle = rng.uniform(0.0, np.pi, 3000)
    arc = np.stack([np.cos(angle), np.sin(angle)], axis=1) @ rng.normal(size=(2, 5))
    halves = np.split(arc + rng.normal(scale=0.1, size=arc.shape), 2)
    model = IKPCA(5, n_rff=300, ridge=1.0, noise_std=0.1).fit(halves[0], keep_sums=True)
    model.estimated_mse_, model.estimated_mse_error_, model.removed_mse_ = 0.005, 0.0005, 0.004
    promised = ("estimated_mse", "estimated_mse_error", "removed_mse")
    assert all(model.summary()[name] is not None for name in promised)
    model.partial_fit(halves[1])
    assert all(model.summary()[name] is None for name in promised)
    assert model.summary()["no_estimate_because"] == "rows were added"


def test_what_is_known_of_the_rows_follows_an_update(arcs):
    """Rows of another kind count as like those of the fit once they are among them."""
    noisy, _ = arcs
    params = {"n_rff": 60, "gamma": 0.3, "ridge": 0.5, "noise_std": 0.1}
    model = IKPCA(3, **params).fit(noisy, keep_sums=True)
    far = 0.1 * noisy + 6.0
    before = model.distance_limit_
    assert (model.distances(far) > before).all()
    model.partial_fit(far)
    assert (model.distances(far) > model.distance_limit_).mean() < 0.05
    assert model.distance_limit_ >= before
