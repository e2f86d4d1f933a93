"""Methods ranked without clean rows."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ikpca_cli import IKPCA, PCA
from ikpca_cli.errors import InputError
from ikpca_cli.evaluation.ranking import Standing, best_of, rank
from ikpca_cli.noise.level import estimate_noise


@pytest.fixture(scope="module")
def curves():
    """Noisy and clean rows on a curve that bends through 12 unordered columns, (400, 12)."""
    rng = np.random.default_rng(1)
    t = rng.uniform(0.0, 2.0 * np.pi, (400, 1))
    clean = np.concatenate([np.cos(k * t) for k in range(1, 7)] + [np.sin(t), t / 3.0], axis=1)
    clean = clean @ rng.normal(size=(8, 12))
    return clean + rng.normal(scale=0.4, size=clean.shape), clean


def test_the_ranking_is_that_of_the_true_errors(curves):
    noisy, clean = curves
    methods = [PCA(noise_std=0.4), PCA(1, noise_std=0.4), IKPCA(noise_std=0.4)]
    standings = rank(methods, noisy[:200], 0)
    truth = {}
    for method in methods:
        error = np.mean((method.fit(noisy[:200]).denoise(noisy[200:]) - clean[200:]) ** 2)
        truth[method.method, method.n_components] = error
    assert [one.method for one in standings] == ["ikpca", "pca", "pca"]
    assert standings[0].behind == 0.0 < standings[1].behind < standings[2].behind
    best, middle, worst = sorted(truth.values())
    assert truth["ikpca", "auto"] == best
    assert standings[1].behind == pytest.approx(middle - best, abs=4 * standings[1].behind_error)
    assert standings[2].behind == pytest.approx(worst - best, abs=4 * standings[2].behind_error)


def test_an_estimate_is_as_doubtful_as_its_noise_level(curves):
    rows = np.concatenate([curves[0], np.random.default_rng(2).normal(0.0, 0.4, (400, 12))], axis=1)
    level = estimate_noise(rows - rows.mean(axis=0))
    (found,) = rank([PCA()], rows, 0)
    (given,) = rank([PCA(noise_std=level.std)], rows, 0)
    assert found.estimated_mse == pytest.approx(given.estimated_mse)
    error = level.risk_error(given.estimated_mse, given.estimated_mse_error)
    assert found.estimated_mse_error == pytest.approx(error)
    assert error > given.estimated_mse_error * (1.0 + 1e-6)


def test_no_method_stands_below_zero():
    rng = np.random.default_rng(0)
    x, start = np.arange(80), rng.uniform(5.0, 40.0, (150, 1))
    clean = (x > start) & (x < start + rng.uniform(8.0, 35.0, (150, 1)))
    noisy = clean * rng.uniform(0.6, 1.4, (150, 1)) + rng.normal(scale=0.12, size=clean.shape)
    (found,) = rank([IKPCA()], noisy, 0)
    assert 0.05 < found.estimated_mse / 0.12**2 < 0.5


def test_the_preferred_method_is_taken_where_it_is_as_good():
    first = Standing("pca", 1.0, 0.1, 0.0, 0.0)
    near, far = (Standing("ikpca", 1.0, 0.1, 0.01 * k, 0.02) for k in (1, 3))
    assert best_of([first, near]) == "ikpca"
    assert best_of([first, far]) == "pca"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (np.repeat(np.eye(4), 20, axis=0), "8 different rows or more, and here are 4: give more"),
        (np.random.default_rng(0).normal(size=(40, 1)), r"give noise_std \(--noise-std\)"),
    ],
)
def test_rows_that_cannot_tell_are_refused(rows, reason):
    with pytest.raises(InputError, match=f"the array: methods .* {reason}"):
        rank([PCA()], rows, 0)


def test_a_fit_takes_the_best_method_and_compare_shows_all(cli, curves):
    noisy, _ = curves
    np.save("rows.npy", noisy[:80])
    ranked = json.loads(cli("compare", "rows.npy", "--noise-std", 0.4, "--format", "json").stdout)
    order = [record["method"] for record in ranked["results"]]
    assert sorted(order) == ["ikpca", "kpca", "pca"]
    given = ["--method", "auto", "--noise-std", 0.4, "--shrink", "cut", "--format", "json"]
    fitted = json.loads(cli("fit", "rows.npy", *given).stdout)
    assert fitted["method"] in order
