"""The error that is told without clean rows, and when it is not told."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli import IKPCA, PCA
from ikpca_cli.errors import IkpcaWarning, InputError
from ikpca_cli.evaluation.metrics import snr_gain_db
from ikpca_cli.evaluation.without_clean import _level, _with_that_of_fit, estimate_error
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.risk import stein_risks
from ikpca_cli.transforms.column_scale import ColumnScale


@pytest.fixture
def waves():
    rng = np.random.default_rng(np.random.SeedSequence([47]))
    phase = rng.uniform(0, 2 * np.pi, (240, 1))
    return np.sin(np.linspace(0, 2 * np.pi, 40) + phase), rng


def test_errors_of_rows_of_the_fit_are_not_told(waves):
    clean, rng = waves
    noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    model = IKPCA().fit(noisy)
    model.estimated_mse_ = 0.01
    found = estimate_error(model, noisy)
    assert found["estimated_mse"] is None
    assert "fitted on these rows, of which fit expected RMS 0.1" in found["no_estimate_because"]
    assert found["rough_mse"] is None


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
@pytest.mark.parametrize("count", [1, 30])
def test_rows_that_do_not_differ_tell_no_error(waves, count):
    clean, rng = waves
    model = PCA().fit(clean + rng.normal(scale=0.3, size=clean.shape))
    with pytest.raises(InputError, match="do not tell an error; give more of them"):
        estimate_error(model, np.ones((count, 40)))


def test_what_the_fit_doubts_of_the_noise_is_doubted_of_other_rows(waves):
    clean, rng = waves
    noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    model = PCA().fit(noisy[:160])
    before = estimate_error(model, noisy[160:])
    assert before["no_estimate_because"] in (None, "these rows tell it too roughly")
    model.withheld_ = 6
    found = estimate_error(model, noisy[160:])
    assert found["estimated_mse"] is None
    assert found["no_estimate_because"] == "the noise is not of one kind and level"
    assert found["rough_mse"] > 0.0


def test_few_rows_are_said_to_have_the_noise_of_the_fit(waves):
    clean, rng = waves
    noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    model = PCA().fit(noisy[:160])
    with pytest.warns(IkpcaWarning, match="do not tell their noise"):
        found = estimate_error(model, noisy[160:170])
    assert found["noise_std"] == pytest.approx(model.noise_std_)


@pytest.mark.filterwarnings("ignore:the noise level")
def test_values_that_are_left_out_are_no_error_of_the_rest(waves):
    _, rng = waves
    x = np.linspace(0.0, 1.0, 120)
    clean = rng.normal(size=(240, 1)) * np.sin(3.0 * x) + rng.normal(size=(240, 1)) * x**2
    noisy = clean + rng.normal(scale=0.1, size=clean.shape)
    spikes = rng.random(clean.shape) < 0.01
    noisy[spikes] += 5.0 * rng.choice((-1.0, 1.0), spikes.sum())
    model = PCA().fit(noisy[:160])
    assert model.spike_directions_ is not None
    found = estimate_error(model, noisy[160:])
    before = np.mean((noisy - clean)[160:] ** 2)
    assert found["estimated_mse_noisy"] == pytest.approx(before, rel=0.1)
    told = found["estimated_mse"] or found["rough_mse"]
    assert told < 0.1 * before


def test_a_level_read_off_the_same_rows_makes_less_error():
    """Of n p numbers with all but a share s of directions free: least squares by hand."""
    n, p, s = 200, 50, 0.1
    rng = np.random.default_rng(np.random.SeedSequence([48]))
    kept = round(s * p)
    told = []
    for _ in range(400):
        noise = rng.normal(size=(n, p))
        variance = np.mean(noise[:, kept:] ** 2)
        told.append(np.sum(noise[:, kept:] ** 2) / (n * p) - variance * (1.0 - 2.0 * s))
    error = (2.0 * (1.0 - s) / (n * p)) ** 0.5  # with the level known
    level = NoiseLevel(1.0, certain=True, error=(2.0 * n * (p - kept)) ** -0.5)
    alone = level.risk_error(s, error)
    shared = level.risk_error(s, error, n * p)
    assert np.std(told) < shared < 0.5 * alone
    assert alone == pytest.approx(np.hypot(error, 2.0 * level.error * (1.0 - 2.0 * s)))
    assert NoiseLevel(1.0, certain=True).risk_error(s, error, n * p) == error


def test_levels_of_columns_are_doubted_as_far_as_few_rows_tell_them(waves):
    clean, rng = waves
    levels = np.geomspace(0.05, 0.6, clean.shape[1])[rng.permutation(clean.shape[1])]
    noisy = clean + levels * rng.normal(size=clean.shape)
    transform = ColumnScale(levels)
    found = {}
    for n_samples in (60, 160):
        model = PCA().set_noise(transform).fit(noisy[:n_samples])
        told = estimate_error(model, noisy[160:])
        found[n_samples] = told["estimated_mse_error"] or told["rough_mse_error"]
    # The variance of the loudest of few columns is known to a tenth or two.
    least = np.mean(levels**4) ** 0.5 * (2.0 / 60 / clean.shape[1]) ** 0.5
    assert found[60] > 0.8 * least
    assert found[60] > 1.2 * found[160]


def test_a_level_that_these_rows_do_not_confirm_is_doubted_as_far(waves):
    clean, rng = waves
    noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    model, rows = PCA().fit(noisy[:120]), noisy[120:]
    own = estimate_noise(rows - rows.mean(axis=0))
    assert own.certain
    assert own.std is not None
    doubted = _level(model, rows, 1.15 * own.std)
    assert doubted.std == 1.15 * own.std
    assert doubted.error == pytest.approx(np.log(1.15))


def test_rows_of_which_some_are_louder_tell_no_error(waves):
    clean, rng = waves
    levels = np.where(rng.random((240, 1)) < 0.2, 0.6, 0.2)
    model = PCA().fit(clean[:120] + 0.3 * rng.normal(size=(120, 40)))
    for noise, is_told in ((0.3, True), (levels[120:], False)):
        found = estimate_error(model, clean[120:] + noise * rng.normal(size=(120, 40)))
        assert (found["no_estimate_because"] != "the noise is not of one kind and level") is is_told


def test_levels_of_rows_and_of_the_fit_are_better_together():
    """What is wanted is how much noise some rows hold: it is drawn, and so are both readings."""
    rng = np.random.default_rng(np.random.SeedSequence([49]))
    size, times, count = 4000, 0.5, 2000
    held = rng.normal(scale=(0.5 / size) ** 0.5, size=count)
    own_error = (1.5 / size) ** 0.5  # by a third of the numbers
    own = held + rng.normal(scale=(own_error**2 - 0.5 / size) ** 0.5, size=count)
    of_fit = rng.normal(scale=own_error * times**0.5, size=count)
    off, told = [], []
    for a, b, truth in zip(own, of_fit, held, strict=True):
        level = NoiseLevel(float(np.exp(a)), certain=True, error=own_error)
        both = _with_that_of_fit(level, float(np.exp(b)), size, times)
        off.append(np.log(both.std) - truth)
        told.append(both.error**2 - 0.5 / size)
    assert np.std(off) < 0.8 * min(np.std(own - held), np.std(of_fit - held))
    assert np.median(told) ** 0.5 == pytest.approx(np.std(off), rel=0.2)


def test_more_probes_tell_the_same_risk_better(waves):
    """A projection leaves noise in as many directions as it has, whatever the probes."""
    _, rng = waves
    directions = np.linalg.qr(rng.normal(size=(40, 8)))[0]
    noise = rng.normal(size=(50, 40))

    def projected(X):
        return X @ directions @ directions.T

    spread = []
    for n_probes in (1, 16):
        told = [
            stein_risks(projected, noise, 1.0, None, np.random.default_rng(seed), n_probes)[0]
            for seed in range(30)
        ]
        spread.append(np.std(told, axis=0).mean())
        expected = np.mean((projected(noise) - noise) ** 2, axis=1) - 1.0 + 2.0 * 8 / 40
        assert np.mean(told) == pytest.approx(expected.mean(), abs=0.02)
    assert spread[1] < 0.4 * spread[0]


def test_errors_that_differ_by_rounding_are_no_gain():
    assert snr_gain_db(0.01, 0.01 * (1.0 + 4e-16)) == 0.0
    assert snr_gain_db(0.01, 0.001) == pytest.approx(10.0)
