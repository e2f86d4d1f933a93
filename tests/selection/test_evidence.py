"""What choices are judged by: an estimate, rows of one signal, or the clean rows themselves."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli import IKPCA, PCA, KernelPCA
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.estimators.methods import METHODS
from ikpca_cli.selection.choice import Oracle
from ikpca_cli.selection.held_out import means_of_others

TIME = np.linspace(0.0, 1.0, 40)


def waves(n_samples, seed, noise=0.3):
    """Return noisy and clean waves of random phase and height, (n_samples, 40)."""
    rng = np.random.default_rng(np.random.SeedSequence([41, seed]))
    phase, height = rng.uniform(0, 2 * np.pi, (n_samples, 1)), rng.uniform(0.5, 2, (n_samples, 1))
    clean = height * np.sin(2 * np.pi * TIME + phase)
    return clean + rng.normal(scale=noise, size=clean.shape), clean


def beats(n_samples, seed):
    """Return rows of one shape, each with a strong offset of its own and a little noise."""
    rng = np.random.default_rng(np.random.SeedSequence([42, seed]))
    shape = np.exp(-((TIME - 0.5) ** 2) / 0.005)
    offset = rng.normal(scale=0.3, size=(n_samples, 1))
    return shape + offset + rng.normal(scale=0.02, size=(n_samples, 40))


VARIANTS = [(name, {}) for name in METHODS] + [
    ("ikpca", {"n_rff": 200}),
    ("ikpca", {"n_rff": 200, "inverse": "paper"}),
    ("pca", {"shrink": "optimal"}),
    ("kpca", {"shrink": "optimal", "kernel": "laplacian"}),
]


@pytest.mark.parametrize(("method", "params"), VARIANTS)
def test_an_oracle_states_the_error_and_does_no_worse_than_the_blind(method, params):
    train, _ = waves(120, 1)
    noisy, clean = waves(400, 2)
    blind = load_method(method)(**params).fit(train)
    bound = load_method(method)(**params).fit_up_to(train, oracle=Oracle(noisy, clean))
    blind.strength_ = None  # an oracle's rows are moved as far as it says
    errors = [np.mean((model.denoise(noisy) - clean) ** 2) for model in (blind, bound)]
    # Where the fit that was judged is the fit that is kept, the error is known exactly.
    assert bound.estimated_mse_ == pytest.approx(errors[1], rel=0.02)
    assert errors[1] < 1.02 * errors[0]


@pytest.mark.parametrize("method", METHODS)
def test_rows_of_one_signal_are_brought_to_their_mean(method):
    train, noisy = beats(60, 1), beats(40, 2)
    model = load_method(method)(replicates=True).fit(train)
    reference = noisy.mean(axis=0)
    before, after = (np.mean((X - reference) ** 2) for X in (noisy, model.denoise(noisy)))
    assert after < 0.1 * before
    assert model.noise_std_ == pytest.approx(np.sqrt(np.var(train, axis=0, ddof=1).mean()))
    # Offsets differ from row to row, so without being told they are signal.
    with warnings.catch_warnings(action="ignore"):  # one of them sees that it is of no use
        told_nothing = load_method(method)().fit(train)
    assert np.mean((told_nothing.denoise(noisy) - reference) ** 2) > 0.5 * before


def test_a_row_far_from_all_others_still_finds_the_signal():
    train = beats(60, 1)
    strange = train[:1] + 3.0
    model = IKPCA(replicates=True).fit(train)
    assert_allclose(model.denoise(strange)[0], train.mean(axis=0), atol=0.2)


def test_the_mean_of_others_does_not_hold_the_row_itself():
    rows = beats(5, 3)
    assert_allclose(means_of_others(rows)[2], rows[[0, 1, 3, 4]].mean(axis=0), rtol=1e-12)
    assert_allclose(means_of_others(rows[:1]), np.zeros((1, 40)), atol=1e-15)


@pytest.mark.parametrize("method", [PCA, KernelPCA])
def test_weighing_components_beats_a_cut_where_the_signal_fades_slowly(method):
    rng = np.random.default_rng(np.random.SeedSequence([43]))
    spread = 2.0 ** -(np.arange(30.0)[None, :] ** 0.7)
    clean = rng.normal(size=(700, 30)) * spread
    noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    errors = {}
    for shrink in ("cut", "optimal", "auto"):
        model = method(shrink=shrink, noise_std=0.3).fit(noisy[:400])
        errors[shrink] = np.mean((model.denoise(noisy[400:]) - clean[400:]) ** 2)
        assert shrink in ("auto", model.shrink_)
    assert errors["optimal"] < errors["cut"]
    assert errors["auto"] <= 1.02 * errors["optimal"]


def test_weights_of_kernel_pca_are_wieners_for_small_noise():
    """With a wide kernel it is linear PCA, where noise has the same variance in each direction."""
    noisy, _ = waves(300, 4)
    model = KernelPCA(2, gamma=1e-6, ridge=1e-12, latent_gamma=1.0).fit(noisy)
    shrunk = model.shrunk(0.3)
    linear = np.linalg.eigvalsh(np.cov(noisy.T, bias=True))[::-1][:2]
    assert_allclose(shrunk.weights_, 1.0 - 0.3**2 / linear, rtol=0.02)
    assert_allclose(shrunk.codes_, model.codes_ * shrunk.weights_, rtol=1e-9)


@pytest.mark.parametrize(("n_rff", "n_samples"), [("exact", 1300), (300, 1900), (300, 6000)])
def test_risk_for_all_rows_is_nearer_than_that_of_some_of_them(n_rff, n_samples):
    """Half of the rows are held out, or many not looked at, but the model is fitted on all."""
    rng = np.random.default_rng(np.random.SeedSequence([44]))
    angle, across = rng.uniform(0, np.pi, n_samples + 1500), rng.uniform(0, 2, n_samples + 1500)
    clean = np.stack([2 * np.cos(angle), 2 * np.sin(angle), across], axis=1)
    noisy = clean + rng.normal(scale=0.25, size=clean.shape)
    params = {"gamma": 0.5, "second_gamma": "none", "noise_std": 0.25, "n_rff": n_rff}
    model = IKPCA(**params).fit(noisy[:n_samples])
    truth = np.mean((model.denoise(noisy[n_samples:]) - clean[n_samples:]) ** 2)
    assert model.estimated_mse_ == pytest.approx(truth, abs=0.05 * 0.25**2)
