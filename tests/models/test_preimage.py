"""The limit of infinitely many features and the refined pre-image: formulas against definitions."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli import IKPCA
from ikpca_cli.linalg.eigen import spectrum
from ikpca_cli.models.exact import ExactModel
from ikpca_cli.models.exact_spectrum import ExactSpectrum
from ikpca_cli.models.gauss_newton import GaussNewtonModel
from ikpca_cli.models.kernels.kernel import Gaussian
from ikpca_cli.models.preimage import (
    Iteration,
    all_iterations,
    expansion_from_array,
    expansion_to_array,
)
from ikpca_cli.models.random_features import FourierFeatures
from ikpca_cli.selection.cross_validation import CrossValidation
from tests.conftest import ROOT

GAMMA = 0.4


@pytest.fixture(scope="module")
def rows(arcs):
    noisy, _ = arcs
    return noisy - noisy.mean(axis=0)


@pytest.fixture(scope="module")
def exact(rows):
    return ExactSpectrum.of(rows, Gaussian().distance(rows, rows), GAMMA)


def refined(rows, n_rff, seed=0):
    features = FourierFeatures.draw_balanced(Gaussian(), GAMMA, n_rff, rows.shape[1], seed)
    found = spectrum(rows, np.zeros(rows.shape[1]), features, n_rff, 60)
    return GaussNewtonModel.of(features, found, rows, 1.0, 1)


def test_codes_are_those_of_kernel_pca(rows, exact):
    codes = exact.codes(rows)
    assert_allclose(codes.mean(axis=0), 0.0, atol=1e-9)
    assert_allclose(codes.T @ codes / len(rows), np.diag(exact.variances), atol=1e-9)
    assert_allclose(exact.variances.sum(), exact.total, rtol=1e-8)


def test_noise_gains_are_what_small_noise_does(rows, exact):
    rng = np.random.default_rng(0)
    step = 1e-5
    total = np.zeros(8)
    for _ in range(200):
        change = exact.codes(rows + step * rng.normal(size=rows.shape)) - exact.codes(rows)
        total += np.mean(change[:, :8] ** 2, axis=0) / step**2
    assert_allclose(total / 200, exact.noise_gains[:8], rtol=0.06)


def test_one_step_of_a_cut_is_the_gradient_step(rows, exact):
    """The step equals minus the gradient of the distance to the target over 4 gamma s."""
    some = exact.cut(4)
    y = rows[:5] + 0.05
    ((_, moved, _),) = some.displacements(0.0, y, [Iteration(0.0, False, 1)])
    kernel = some.kernel(y)
    a = 1 / len(rows) + some.codes(y) @ some.vectors.T

    def distance(x):
        return 1.0 - 2.0 * np.sum(a * Gaussian().gram(x, rows, GAMMA), axis=1)

    gradient = np.empty_like(y)
    for j in range(y.shape[1]):
        e = np.zeros(y.shape[1])
        e[j] = 1e-6
        gradient[:, j] = (distance(y + e) - distance(y - e)) / 2e-6
    s = np.maximum(np.sum(a * kernel, axis=1), 0.5)[:, None]
    assert_allclose(moved, -gradient / (4 * GAMMA * s), atol=1e-7)


@pytest.mark.parametrize("kind", ["exact", "refined"])
def test_divergences_are_derivatives(rows, exact, kind):
    preimage = exact if kind == "exact" else refined(rows, 300)
    y = rows[:7]
    axes = [np.broadcast_to(np.sqrt(5.0) * e, y.shape) for e in np.eye(5)]
    moves = all_iterations((0.5, 2.0))
    found = {m: (f, d) for m, f, d in preimage.displacements(0.01, y, moves, axes)}
    step = 1e-6
    for move in moves:
        divergence = np.zeros(7)
        for e in axes:
            up, down = (
                next(iter(preimage.displacements(0.01, y + sign * step * e, [move])))[1]
                for sign in (1, -1)
            )
            divergence += np.sum(e * (up - down) / (2 * step), axis=1) / 5
        assert_allclose(found[move][1], divergence, atol=1e-5)
        alone = next(iter(preimage.displacements(0.01, y, [move])))[1]
        assert_allclose(found[move][0], alone, atol=1e-12)


def test_random_features_tend_to_the_limit(rows, exact):
    moves = all_iterations()
    limit = {m: f for m, f, _ in exact.displacements(0.01, rows, moves)}
    gaps = []
    for n_rff in (200, 2000, 20_000):
        found = refined(rows, n_rff).displacements(0.01, rows, moves)
        gaps.append(np.sqrt(np.mean([(f - limit[m]) ** 2 for m, f, _ in found])))
    assert gaps[0] > 1.5 * gaps[1] > 1.5 * gaps[2]
    assert gaps[2] < 0.05 * np.sqrt(np.mean(np.square(list(limit.values()))))


def test_a_zero_shrink_keeps_every_component(rows, exact):
    full = next(iter(exact.displacements(5.0, rows, [Iteration(0.0, False, 1)])))[1]
    assert np.sqrt(np.mean(full**2)) < 1e-4
    shrunk = next(iter(exact.displacements(0.01, rows, [Iteration(2.0, False, 1)])))[1]
    assert np.sqrt(np.mean(shrunk**2)) > 0.03


def test_single_precision_is_taken_where_rounding_is_less_than_what_may_be_left_out(rows, exact):
    distances = Gaussian().distance(rows, rows)
    for noise_variance, is_enough in ((0.01, True), (1e-9, False)):
        given = rows, distances, GAMMA, 12, noise_variance, Gaussian()
        found, double = ExactSpectrum.of(*given, np.float32), ExactSpectrum.of(*given)
        for name in ("variances", "noise_gains", "vectors"):
            assert getattr(found, name).dtype == np.float32
        assert np.array_equal(found.noise_gains, np.float32(double.noise_gains)) != is_enough
        assert_allclose(found.variances, exact.variances[:12], rtol=1e-4)
        assert_allclose(found.noise_gains, exact.noise_gains[:12], rtol=2e-3)


def test_an_expansion_is_better_than_each_of_its_iterations_alone(rows):
    distances = Gaussian().distance(rows, rows)
    noise_variance = 0.01

    def fit(places, gamma):
        return ExactSpectrum.of(rows[places], distances[np.ix_(places, places)], gamma)

    moves = all_iterations()
    trial = CrossValidation(rows, fit, noise_variance, moves, np.random.default_rng(0))
    best = trial.best(GAMMA)
    weights = best.weights[0]
    alone = {}
    for move in moves:
        single = CrossValidation(rows, fit, noise_variance, [move], np.random.default_rng(0))
        alone[move] = single.best(GAMMA).risk
    # Nothing done at all leaves the noise: all weights at zero.
    assert best.risk < min(alone.values()) <= noise_variance
    assert sum(weights.values()) < 2.0
    assert len(weights) < len(moves)


@pytest.fixture(scope="module")
def digits():
    """Noisy digits to fit on, and others with their clean versions, (n, 64) each."""
    with h5py.File(ROOT / "sample_data/digits.h5") as file:
        parts = file["train"][:300], file["noisy"][:], file["clean"][:]
        return [part.reshape(len(part), -1).astype(float) for part in parts]


def test_a_second_gamma_is_found_where_rows_have_two_scales(digits):
    train, noisy, clean = digits
    both, one = (IKPCA(second_gamma=second, order="none").fit(train) for second in ("auto", "none"))
    assert one.second_gamma_ is None
    assert both.second_gamma_ not in (None, both.gamma_)
    assert both.estimated_mse_ < 0.99 * one.estimated_mse_
    errors = [np.mean((model.denoise(noisy) - clean) ** 2) for model in (both, one)]
    assert errors[0] < 0.99 * errors[1]


def test_spectra_at_two_gammas_add_their_moves(rows):
    distances = Gaussian().distance(rows, rows)
    spectra = [ExactSpectrum.of(rows, distances, g) for g in (0.2, 0.8)]
    expansions = [
        {Iteration(1.0, False, 1): 0.5},
        {Iteration(0.5, True, 2): 0.25, Iteration(1.0, False, 1): 0.25},
    ]
    both = ExactModel.of(spectra, 0.01, expansions)
    alone = [ExactModel.of([s], 0.01, [b]) for s, b in zip(spectra, expansions, strict=True)]
    moved = sum(model.denoise(rows) - rows for model in alone)
    assert_allclose(both.denoise(rows) - rows, moved, atol=1e-12)
    assert_allclose(both.encode(rows), alone[0].encode(rows), atol=1e-12)


def test_blends_survive_as_numbers():
    expansion = {Iteration(0.5, True, 2): 0.25, Iteration(1.0, False, 3): 0.75}
    assert expansion_from_array(expansion_to_array(expansion)) == expansion


def test_rows_without_noise_are_not_made_worse():
    with pytest.warns(UserWarning, match="free of noise|told apart"):
        model = IKPCA(gamma=GAMMA, noise_std=1e-6).fit(
            np.random.default_rng(0).normal(size=(90, 4))
        )
    rows = np.random.default_rng(1).normal(size=(50, 4))
    assert np.mean((model.denoise(rows) - rows) ** 2) < 1e-8


@pytest.mark.parametrize("n_rff", ["exact", 400])
def test_shift_scale_and_blocks(arcs, n_rff, monkeypatch):
    noisy, _ = arcs
    plain = IKPCA(n_rff=n_rff).fit(noisy)
    cleaned = plain.denoise(noisy)
    moved = IKPCA(n_rff=n_rff).fit(noisy + 50.0)
    assert_allclose(moved.denoise(noisy + 50.0) - 50.0, cleaned, atol=1e-6)
    scaled = IKPCA(n_rff=n_rff).fit(noisy * 1000.0)
    assert_allclose(scaled.denoise(noisy * 1000.0) / 1000.0, cleaned, atol=1e-6)
    monkeypatch.setattr("ikpca_cli.data.row_source.BLOCK_ELEMENTS", 1000)
    assert_allclose(plain.denoise(noisy), cleaned, atol=1e-10)


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"n_rff": "exact", "kernel": "laplacian"}, "smooth"),
        ({"n_rff": "exact", "ridge": 1.0}, "neither a ridge"),
        ({"n_rff": "exact", "inverse": "paper"}, "paper's inverse"),
        ({"inverse": "refined", "ridge": 1.0, "n_rff": 50}, "neither a ridge"),
        ({"inverse": "cosine"}, "not allowed: use 'auto' or 'paper' or 'refined'"),
    ],
)
def test_contradictions_are_refused(arcs, params, reason):
    from ikpca_cli.errors import UsageError

    with pytest.raises(UsageError, match=reason):
        IKPCA(**params).fit(arcs[0])


def odd_rows(name):
    """Rows that hardly fill their space, or in which noise cannot be told from signal."""
    rng = np.random.default_rng(np.random.SeedSequence([55]))
    waves = np.sin(np.linspace(0, 6, 20) + rng.uniform(0, 6.3, (120, 1)))
    noisy = waves + rng.normal(scale=0.2, size=waves.shape)
    outlier = noisy.copy()
    outlier[5] *= 1e8
    return {
        "few, repeated": np.repeat(rng.normal(size=(3, 20)), 40, axis=0),
        "without noise": waves,
        "of low rank": rng.normal(size=(100, 2)) @ rng.normal(size=(2, 20)),
        "sparse": np.where(rng.uniform(size=(200, 20)) < 0.02, 1.0, 0.0),
        "each twice": np.concatenate([noisy, noisy]),
        "with an outlier": outlier,
        "pure noise": rng.normal(size=(50, 300)),
        "a single column": rng.normal(size=(40, 1)),
        "two": noisy[:2],
    }[name]


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
@pytest.mark.parametrize("n_rff", ["exact", 400])
@pytest.mark.parametrize(
    "name",
    [
        "few, repeated",
        "without noise",
        "of low rank",
        "sparse",
        "each twice",
        "with an outlier",
        "pure noise",
        "a single column",
        "two",
    ],
)
def test_odd_rows_are_never_thrown_far_off(name, n_rff):
    rows = odd_rows(name)
    model = IKPCA(n_rff=n_rff).fit(rows)
    new = rows + np.random.default_rng(7).normal(scale=1e-3, size=rows.shape)
    for cleaned in (model.denoise(rows), model.denoise(new)):
        assert np.isfinite(cleaned).all()
        assert np.abs(cleaned).max() < 5 * np.abs(rows).max()
    if model.estimated_mse_ is not None:
        assert model.estimated_mse_ > -3 * model.estimated_mse_error_ - 0.1 * model.noise_std_**2


@pytest.mark.parametrize("method", ["ikpca", "kpca", "pca"])
def test_constant_columns_change_nothing(arcs, method):
    from ikpca_cli.estimators.denoiser import load_method

    noisy, _ = arcs
    wider = np.hstack([noisy, np.full((120, 2), 7.0)])
    plain = load_method(method)(seed=1).fit(noisy)
    padded = load_method(method)(seed=1).fit(wider)
    assert padded.noise_std_ == pytest.approx(plain.noise_std_)
    cleaned = padded.denoise(wider)
    assert_allclose(cleaned[:, 5:], 7.0, atol=1e-9)
    gap = np.mean((cleaned[:, :5] - plain.denoise(noisy)) ** 2)
    assert gap < 0.2 * plain.noise_std_**2


def test_rows_of_the_fit_are_cleaned_like_others():
    rng = np.random.default_rng(np.random.SeedSequence([66]))
    angle = rng.uniform(0, 2 * np.pi, 400)
    plane = np.stack([np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)], axis=1)
    clean = 2 * plane @ np.linalg.qr(rng.normal(size=(200, 4)))[0].T
    noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    model = IKPCA(noise_std=0.3).fit(noisy[:200])
    errors = np.mean((model.denoise(noisy) - clean) ** 2, axis=1)
    assert errors[:200].mean() < 1.3 * errors[200:].mean()
    assert errors.mean() < 0.5 * 0.3**2
