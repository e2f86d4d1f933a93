"""Rows that are unlike all that a model was fitted on are noticed, and others are not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli import IKPCA, PCA, KernelPCA
from ikpca_cli.models.kernels.kernel import Gaussian
from ikpca_cli.models.novelty import kernel_distances, mahalanobis

TIME = np.linspace(0.0, 1.0, 40)
MODELS = [
    IKPCA(),
    IKPCA(n_rff=1000),
    IKPCA(4, n_rff=400, gamma=0.02, ridge=1.0),
    KernelPCA(),
    KernelPCA(kernel="laplacian"),
    PCA(),
    PCA(39),
]


def waves(n_samples, seed):
    """Return noisy waves of random phase, (n_samples, 40)."""
    rng = np.random.default_rng(np.random.SeedSequence([51, seed]))
    phase = rng.uniform(0, np.pi, (n_samples, 1))
    return np.sin(2 * np.pi * TIME + phase) + rng.normal(scale=0.2, size=(n_samples, 40))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_only_rows_unlike_the_training_rows_are_beyond_the_limit(model):
    train, like = waves(150, 1), waves(200, 2)
    unlike = np.stack([3.0 * like[0], -4.0 * like[1], like[2] + 3.0])
    model.fit(train)
    assert np.mean(model.distances(like) > model.distance_limit_) < 0.02
    assert np.mean(model.distances(train) > model.distance_limit_) < 0.02
    assert np.all(model.distances(unlike) > model.distance_limit_)
    # Neither far below nor far above: twice the rows are beyond, nearly all of them.
    assert np.mean(model.distances(2.0 * like) > model.distance_limit_) > 0.8


def test_few_rows_that_fill_all_components_are_like_others_of_their_kind():
    rng = np.random.default_rng(np.random.SeedSequence([53]))
    places, turns = rng.uniform(0.2, 0.8, (100, 1)), rng.uniform(5.0, 15.0, (100, 1))
    x = np.linspace(0.0, 1.0, 100) - places
    rows = np.exp(-((x / 0.1) ** 2)) * np.cos(2 * np.pi * turns * x)
    rows += rng.normal(scale=0.02, size=rows.shape)
    model = PCA().fit(rows[:40])
    assert np.mean(model.distances(rows[40:]) > model.distance_limit_) < 0.05
    assert np.mean(model.distances(6.0 * rows[40:]) > model.distance_limit_) > 0.5


def test_unlike_rows_are_kept_where_that_is_asked_for():
    model = IKPCA().fit(waves(150, 1))
    rows = np.concatenate([waves(3, 3), waves(1, 4) + 5.0])
    for keep in (False, True):
        ((part, _, cleaned, unlike, _),) = model.flagged_blocks(rows, keep_unlike=keep)
        assert part == slice(0, 4)
        assert unlike.tolist() == [False, False, False, True]
        assert_allclose(cleaned[:3], model.denoise(rows)[:3], rtol=1e-12)
    assert_allclose(cleaned[3], rows[3], rtol=1e-15)


def test_a_row_is_not_compared_with_itself():
    rows = waves(50, 5)
    alone = [
        kernel_distances(Gaussian(), rows[i : i + 1], np.delete(rows, i, axis=0), 0.05)[0]
        for i in range(50)
    ]
    assert_allclose(kernel_distances(Gaussian(), rows, rows, 0.05), alone, rtol=1e-10)


def test_mahalanobis_distance_is_that_of_the_covariance():
    rng = np.random.default_rng(np.random.SeedSequence([52]))
    X = rng.normal(size=(300, 4)) * [3.0, 1.0, 0.5, 0.5]
    X -= X.mean(axis=0)
    variances, vectors = np.linalg.eigh(X.T @ X / 300)
    variances, vectors = variances[::-1], vectors[:, ::-1]
    spread = np.mean(variances[2:])
    model = vectors @ np.diag([*variances[:2], spread, spread]) @ vectors.T
    expected = np.einsum("ij,jk,ik->i", X, np.linalg.inv(model), X)
    found = mahalanobis(X, X @ vectors[:, :2], variances[:2], float(variances.sum()))
    assert_allclose(found, expected, rtol=1e-9)


def test_the_limit_is_saved_and_a_variant_has_none(tmp_path):
    from ikpca_cli import load_model, save_model

    model = PCA(5).fit(waves(60, 1))
    save_model(str(tmp_path / "m.joblib"), model)
    same = load_model(str(tmp_path / "m.joblib"))
    assert same.distance_limit_ == model.distance_limit_
    assert model.variant(2).distance_limit_ is None
    ((_, _, _, unlike, _),) = model.variant(2).flagged_blocks(waves(9, 2) + 100.0)
    assert not unlike.any()
