"""What is said of a result without clean rows."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli import IKPCA, PCA
from ikpca_cli.errors import Note
from ikpca_cli.estimators.decisions.reasons import Reason
from ikpca_cli.evaluation.diagnostics import Residual, noise_flaw
from ikpca_cli.evaluation.without_clean import estimate_error


@pytest.fixture
def waves():
    rng = np.random.default_rng(np.random.SeedSequence([41]))
    phase = rng.uniform(0, 2 * np.pi, (300, 1))
    return np.sin(np.linspace(0, 2 * np.pi, 40) + phase), rng


def test_white_noise_has_no_flaw(waves):
    clean, rng = waves
    noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    assert noise_flaw(IKPCA().fit(noisy), noisy) is None


def test_correlated_noise_is_noticed(waves):
    clean, rng = waves
    white = rng.normal(scale=0.3, size=(300, 44))
    noisy = clean + sum(white[:, k : k + 40] for k in range(5)) / 2.0
    assert "correlated along the row" in noise_flaw(PCA(2, noise_std=0.3).fit(noisy), noisy)


def test_white_noise_that_stays_with_smooth_signal_is_white():
    """What is removed is of high frequencies then, and by column of another strength."""
    rng = np.random.default_rng(np.random.SeedSequence([42]))
    x = np.linspace(0.0, 1.0, 120)
    first, rate = rng.uniform(2, 6, (150, 1)), rng.uniform(3, 15, (150, 1))
    chirps = np.sin(2 * np.pi * (first * x + rate * x**2 / 2) + rng.uniform(0, 0.6, (150, 1)))
    table = rng.laplace(size=(150, 5)) @ (rng.normal(size=(5, 12)) * np.geomspace(0.3, 3.0, 12))
    for clean in (chirps, table):
        noisy = clean + 0.2 * rng.normal(size=clean.shape)
        assert noise_flaw(PCA().fit(noisy), noisy) is None


def test_uneven_noise_is_noticed(waves):
    clean, rng = waves
    noisy = clean + rng.normal(size=clean.shape) * np.linspace(0.05, 0.6, 40)
    assert "stronger in some columns" in noise_flaw(PCA(2, noise_std=0.3).fit(noisy), noisy)


@pytest.mark.parametrize("unit", [1e-25, 1e25])
def test_single_precision_tells_a_residual_in_any_unit(waves, unit):
    clean, rng = waves
    noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    far = Residual.of(*((unit * one).astype(np.float32) for one in (noisy, clean)))
    assert far.autocorrelation == pytest.approx(Residual.of(noisy, clean).autocorrelation, abs=1e-6)


def test_residual_of_lost_signal_is_noticed(waves):
    clean, rng = waves
    noisy = clean + rng.normal(scale=0.05, size=clean.shape)
    kept = Residual.of(noisy, clean)
    assert kept.flaw() is None
    assert kept.std == pytest.approx(0.05, rel=0.05)
    assert kept.unevenness == pytest.approx(1.0, abs=0.25)
    rough = rng.normal(size=(300, 40))
    assert "with the signal" in Residual.of(rough, 0.5 * rough).flaw()
    assert "along the row" in Residual.of(noisy, np.zeros_like(noisy)).flaw()


@pytest.mark.parametrize("noise", [0.1, 0.5, 1.5])
def test_what_a_good_denoiser_removes_has_no_flaw(waves, noise):
    """Though it is correlated with the rest of the noise, which stays with the signal."""
    clean, rng = waves
    noisy = clean + noise * rng.normal(size=clean.shape)
    harmonics = np.fft.rfft(noisy, axis=1)
    harmonics[:, 6:] = 0.0
    smoothed = np.fft.irfft(harmonics, 40, axis=1)
    assert Residual.of(noisy, smoothed).flaw(noise) is None
    white = np.sqrt(0.5) * rng.normal(size=(300, 40))
    noisy = white + noise * rng.normal(size=white.shape)
    shrunk = noisy * 0.5 / (0.5 + noise**2)  # the posterior mean
    assert Residual.of(noisy, shrunk).flaw(noise) is None
    assert "with the signal" in Residual.of(noisy, 0.3 * noisy).flaw(0.1)


def test_estimate_is_near_the_truth(waves):
    clean, rng = waves
    noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    model = IKPCA().fit(noisy[:200])
    found = estimate_error(model, noisy[200:])
    truth = np.mean((model.denoise(noisy[200:]) - clean[200:]) ** 2)
    # Of so little that is left, its own error is a large share: it is given as a rough one.
    assert found["estimated_mse"] is None
    assert found["no_estimate_because"] == "these rows tell it too roughly"
    assert abs(found["rough_mse"] - truth) < 0.03 * 0.3**2
    assert abs(found["rough_mse"] - truth) < 3.0 * found["rough_mse_error"]
    assert found["noise_std"] == pytest.approx(0.3, rel=0.05)
    assert found["n_samples"] == 100


@pytest.mark.parametrize(("lost", "kind"), [(0.3, False), (0.8, True)])
def test_a_residual_is_harmful_where_more_signal_than_noise_went(waves, lost, kind):
    clean, rng = waves
    noise = 0.3 * rng.normal(size=clean.shape)
    signal = lost * clean
    residual = Residual.of(clean + noise, clean - signal)
    assert residual.flaw(0.3) is not None
    assert residual.is_harmful(0.3, is_usual=False) is kind
    assert residual.is_harmful(0.3, is_usual=True)
    assert not Residual.of(clean + noise, clean).is_harmful(0.3, is_usual=True)
    small = Residual.of(clean + noise, clean + noise - 0.05 * signal)
    assert small.flaw(0.3) is not None
    assert not small.is_harmful(0.3, is_usual=True)


def test_alike_neighbours_in_noise_is_warned_of_where_it_may_be_signal(waves):
    clean, rng = waves
    white = rng.normal(scale=0.3, size=(300, 44))
    noisy = clean + sum(white[:, k : k + 40] for k in range(5)) / 2.0
    model = PCA(2, noise_std=0.3).fit(noisy)
    assert type(noise_flaw(model, noisy)) is Note
    model.withheld_ = Reason.OTHER_NOISE
    assert type(noise_flaw(model, noisy)) is str
