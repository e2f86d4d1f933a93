"""Noise of recordings that is not white: told from differences, allowed for, or said."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.signal import lfilter

from ikpca_cli.errors import IkpcaNote, IkpcaWarning, InputError
from ikpca_cli.estimators.mixture import Mixture
from ikpca_cli.modelfile.storage import load_model, save_model
from ikpca_cli.recordings.colour import coloured, correlations, roots
from ikpca_cli.recordings.evaluation import evaluate_windows
from ikpca_cli.recordings.fitting import fit_windows
from ikpca_cli.recordings.roughness import channel_noise
from ikpca_cli.recordings.window_risk import _LEVEL_ERROR
from tests.recordings.signals import signal

N = 12_000
TIME = np.arange(N)
CLEAN = np.sin(TIME / 50.0) + 0.5 * np.sign(np.sin(TIME / 180.0))
STD = 0.3


def moving_average(share, rng=0):
    noise = np.random.default_rng(rng).normal(size=N + 1)
    return STD * (noise[1:] + share * noise[:-1]) / np.hypot(1.0, share)


@pytest.mark.parametrize("share", [0.3, 0.8, -0.5])
def test_correlation_and_level_are_read_from_differences(share):
    noisy = CLEAN + moving_average(share)
    (first, *rest), ratio = correlations([noisy[:, None]])
    assert_allclose(first, share / (1.0 + share**2), atol=0.05)
    assert_allclose(rest, 0.0, atol=0.05)
    second = np.median(np.abs(np.diff(noisy, 2))) / 0.6745 / 6.0**0.5
    assert_allclose(ratio * second, STD, rtol=0.05)


def test_white_noise_is_white_whatever_the_units():
    noisy = CLEAN + np.random.default_rng(1).normal(0.0, STD, N)
    for scale in (1.0, 1e-9, 1e9):
        assert correlations([scale * noisy[:, None]]) == ((), 1.0)
    assert correlations([np.zeros((N, 1))]) == ((), 1.0)


@pytest.mark.parametrize("height", [1.0, 3.0])
def test_what_turns_at_each_sample_has_no_correlations_of_noise(height):
    signs = height * (-1.0) ** np.arange(N)
    rows = (np.random.default_rng(6).normal(size=N) + signs)[:, None]
    assert correlations([rows]) == ((), 1.0)
    assert_allclose(channel_noise([rows], "signal"), 1.0, rtol=0.05)


def test_a_fast_oscillation_is_no_noise_and_is_kept_beside_a_slow_channel():
    rng, times = np.random.default_rng(3), np.arange(4096) / 250.0
    clean = np.stack([np.sin(2.0 * np.pi * (1.0 + 3.0 * times) * times), np.sin(times)], axis=1)
    noise = rng.normal(0.0, 0.2, clean.shape)
    model = fit_windows(Mixture(), [clean + noise], window=(32,))
    assert model.noise_std_ == pytest.approx(0.2, rel=0.1)
    errors = np.mean((model.denoise(clean + noise) - clean) ** 2, axis=0)
    assert (errors < 0.25 * 0.2**2).all()


def test_roots_undo_each_other_and_noise_has_its_correlations():
    colour = (0.45, 0.1)
    white, back = roots(colour, 16, 2)
    assert_allclose(white @ back, np.eye(32), atol=1e-9)
    noise = coloured(np.random.default_rng(2).normal(size=(200_000, 1)), colour)[:, 0]
    assert_allclose(noise.std(), 1.0, rtol=0.01)
    for lag, value in enumerate((*colour, 0.0), start=1):
        assert_allclose(np.corrcoef(noise[:-lag], noise[lag:])[0, 1], value, atol=0.015)


def test_correlated_noise_is_removed_and_nothing_false_is_promised(tmp_path):
    noisy = (CLEAN + moving_average(0.8))[:, None]
    with pytest.warns(IkpcaWarning, match="signal as rough looks the same"):
        found = fit_windows(Mixture(), [noisy], window=(32,), hop=4)
    error = np.mean((found.denoise(noisy)[:, 0] - CLEAN) ** 2)
    assert error < STD**2 / 6.0  # taken for white, a half of it stays
    assert_allclose(found.noise_std_, STD, rtol=0.05)
    assert found.risk is None
    assert found.most is None
    save_model(str(tmp_path / "m"), found)
    again = load_model(str(tmp_path / "m"))
    assert again.colour == found.colour
    assert_allclose(again.denoise(noisy), found.denoise(noisy), rtol=1e-5, atol=1e-5)


def test_noise_that_cannot_be_told_from_signal_is_no_ground_for_a_promise():
    noise = np.random.default_rng(3).normal(size=N + 100)
    noisy = CLEAN + STD * 0.6 * lfilter([1.0], [1.0, -0.8], noise)[100:]
    with pytest.warns(IkpcaNote, match="may be taken for noise"):
        found = fit_windows(Mixture(), [noisy[:, None]], window=(32,), hop=8)
    assert found.risk is None
    assert "from sample to sample" in found.summary()["no_estimate_because"]
    with pytest.raises(InputError, match="give the clean recording"):
        evaluate_windows(found, noisy[:, None], None, (1,))


def test_rough_signal_is_kept_where_the_level_of_the_noise_is_given():
    rng = np.random.default_rng(5)
    clean = lfilter([1.0], [1.0, -0.5], rng.normal(size=4000))[:, None]
    noisy = clean + rng.normal(0.0, 0.1, clean.shape)
    found = fit_windows(Mixture(noise_std=0.1), [noisy], window=(32,))
    assert not found.colour
    before, after = (np.mean((one - clean) ** 2) for one in (noisy, found.denoise(noisy)))
    assert after < 1.01 * before


def test_the_error_of_another_recording_is_that_of_its_own_noise():
    rng = np.random.default_rng(4)
    found = fit_windows(Mixture(), [(CLEAN + rng.normal(0, STD, N))[:, None]], window=(32,), hop=4)
    louder = (CLEAN + rng.normal(0, 2.0 * STD, N))[:, None]
    with pytest.warns(IkpcaWarning, match="is not that of the fit"):
        told = evaluate_windows(found, louder, None, (1,))
    with pytest.warns(IkpcaWarning):
        true = evaluate_windows(found, louder, CLEAN[:, None], (1,))
    assert_allclose(told["estimated_mse_noisy"], true["mse_noisy"], rtol=0.1)
    # The noise of so many samples is known to 1.4 %: 2.8 % of its variance are .7 of this error.
    assert told["estimated_mse"] is None
    assert abs(told["rough_mse"] - true["mse"]) < 2.0 * told["rough_mse_error"]
    assert told["rough_mse_error"] < 0.05 * true["mse_noisy"]


def test_the_error_of_a_level_is_what_it_varies_by():
    """Or an error is promised that chance has made."""
    rng, count = np.random.default_rng(6), 1024
    levels = [channel_noise([rng.normal(size=(count, 1))], "signal")[0] for _ in range(400)]
    assert_allclose(np.mean(levels), 1.0, atol=0.01)
    assert_allclose(np.std(levels) * count**0.5, _LEVEL_ERROR, rtol=0.1)
    bumps = np.tile(signal("bumps", 250) / signal("bumps", 250).std() * 10.0, 4)
    bent = [(bumps + rng.normal(size=1000))[:, None] for _ in range(20)]
    median = [np.median(np.abs(np.diff(rows[:, 0], 2))) / 0.6745 / 6.0**0.5 for rows in bent]
    trimmed = [channel_noise([rows], "signal")[0] for rows in bent]
    assert np.mean(trimmed) - 1.0 < 0.5 * (np.mean(median) - 1.0)
