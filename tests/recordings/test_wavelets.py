"""Wavelets beside windows: a transform that loses and moves nothing, and weights that pay."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.estimators.mixture import Mixture
from ikpca_cli.modelfile.storage import load_model, save_model
from ikpca_cli.recordings import windows
from ikpca_cli.recordings.colour import coloured
from ikpca_cli.recordings.fitting import fit_windows
from ikpca_cli.recordings.wavelets import undecimated
from ikpca_cli.recordings.wavelets.combination import Combination
from ikpca_cli.recordings.wavelets.continued import read_continued
from ikpca_cli.recordings.window_risk import signs
from ikpca_cli.recordings.windowed import Windowed
from tests.recordings.signals import noisy, signal

RNG = np.random.default_rng(8)
NAMES = sorted(undecimated.FILTERS)


def shrunk_circle(rows, name, depth, threshold):
    """Clean rows that begin again where they end."""
    margin = undecimated.reach(name, depth)
    around = np.pad(rows, ((margin, margin), (0, 0)), mode="wrap")
    return undecimated.shrunk(around, name, np.full((depth, 1), threshold))


def test_a_line_goes_on_as_one_beyond_the_ends_of_a_signal():
    stds = np.zeros(2)
    for length in (2, 3, 50, 300):
        line = np.stack([np.arange(length) * 0.3 - 2.0, 5.0 - np.arange(length)], axis=1)
        for start, stop in ((-7, length + 9), (-4 * length, 5 * length), (1, length)):
            found = read_continued(line, start, stop, stds)
            places = np.arange(start, stop)
            assert_allclose(found, np.stack([places * 0.3 - 2.0, 5.0 - places], axis=1), atol=1e-9)
    assert_array_equal(read_continued(np.array([[3.0]]), -2, 3, np.zeros(1)), np.full((5, 1), 3.0))


def test_ends_are_known_the_better_the_straighter_a_signal_is():
    rng = np.random.default_rng(4)
    places = np.arange(20_000)[:, None]
    for clean, most in ((1e-3 * places, 0.5), (50.0 * np.cos(places / 300.0), 2.0)):
        rows = clean + rng.normal(size=(20_000, 200))
        around = read_continued(rows, -1, 2, np.ones(200))
        ends = (around[0] + around[2]) / 2.0  # what it is turned about
        assert np.sqrt(np.mean((ends - clean[0]) ** 2)) < most * 2.0 / np.sqrt(64.0)


@pytest.mark.parametrize("name", NAMES)
def test_filters_are_orthonormal_and_see_no_polynomials(name):
    low = np.array(undecimated.FILTERS[name])
    for shift in range(0, len(low), 2):
        assert low[shift:] @ low[: len(low) - shift] == pytest.approx(float(shift == 0), abs=1e-14)
    places = np.linspace(-1.0, 1.0, 200)
    for power in range(len(low) // 2):
        details, _ = undecimated.forward(places**power, name, 2)
        assert max(np.abs(detail).max() for detail in details) < 1e-13


@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_lost_without_a_threshold(name, depth):
    rows = RNG.normal(size=(100, 3))
    assert_allclose(shrunk_circle(rows, name, depth, 0.0), rows, rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_moved_or_scaled_comes_back_moved_or_scaled(name):
    rows = RNG.normal(size=(128, 1)) + 3.0 * (np.arange(128)[:, None] > 50)
    found = shrunk_circle(rows, name, 3, 2.0)
    assert_array_equal(shrunk_circle(np.roll(rows, 1, axis=0), name, 3, 2.0)[1:], found[:-1])
    assert_allclose(shrunk_circle(-100.0 * rows, name, 3, 200.0), -100.0 * found, rtol=1e-12)
    assert np.abs(found - rows).max() > 1.0


def test_a_smooth_signal_is_as_well_known_near_its_ends():
    clean = np.sin(2.0 * np.pi * (5.3 * np.arange(2048)[:, None] / 2048 + 0.05))
    ends = np.r_[:40, 2008:2048]
    wavelets = Combination.for_length(2048, 64)
    errors = []
    for seed in range(6):
        rows = clean + np.random.default_rng(seed).normal(0.0, 0.3, clean.shape)
        terms = list(wavelets.terms(rows, 0, rows, np.array([0.3]), ()))
        errors.append(np.mean((rows + terms[2] - clean)[ends] ** 2))
    assert np.mean(errors) < 0.065 * 0.3**2  # by reflection .09


def test_details_below_the_threshold_go_and_large_ones_stay():
    rows = np.tile([[0.0, 0.0], [1.0, 1e6]], (32, 1))
    found = shrunk_circle(rows, "haar", 1, 2.0)
    assert_allclose(found[:, 0], 0.5, atol=1e-12)
    assert_allclose(found[:, 1], rows[:, 1], atol=1e-9)


@pytest.mark.parametrize("colour", [(), (0.6, 0.2), (-0.4,)])
@pytest.mark.parametrize("name", NAMES)
def test_noise_is_as_strong_at_each_scale_as_it_is_said_to_be(name, colour):
    noise = coloured(np.random.default_rng(0).normal(size=(1 << 16, 1)), colour)
    details, _ = undecimated.forward(noise, name, 4)
    told = undecimated.level_stds(name, 4, colour)
    assert_allclose([detail.std() for detail in details], told, rtol=0.05)
    if not colour:
        assert_allclose(told, 1.0, rtol=1e-12)


def test_a_moving_average_is_a_triangle():
    impulse = np.zeros((15 + 2 * 7, 1))
    impulse[14] = 1.0
    triangle = 8.0 - np.abs(np.arange(15) - 7.0)
    assert_allclose(undecimated.smoothed(impulse, 3)[:, 0], triangle / 64.0, atol=1e-15)


@pytest.mark.parametrize("length", [32, 50])
def test_signs_are_uncorrelated_and_as_strong_at_each_scale(length):
    draws = np.stack([signs((length, 2), np.random.default_rng(seed)) for seed in range(800)])
    flat = draws.reshape(len(draws), -1)
    assert np.abs(flat.T @ flat / len(flat) - np.eye(2 * length)).max() < 0.2
    if length == 32:
        assert_allclose((draws**2).sum(axis=1), 32.0, rtol=1e-12)


@pytest.fixture(scope="module")
def combined():
    """Return blocks with noise, the clean ones, and a fit that has wavelets."""
    clean = signal("blocks", 2048)
    rows, std = noisy(clean, 7.0, np.random.default_rng(12))
    return rows[:, None], clean[:, None], std, fit_windows(Mixture(), [rows[:, None]], window=(32,))


def windows_alone(model):
    return Windowed(model.model, model.cutting)


def test_the_combination_is_better_than_windows_alone(combined):
    rows, clean, std, model = combined
    assert model.combination is not None
    weights = np.array(model.combination.weights)
    assert (weights >= 0.0).all()
    assert weights.sum() <= 1.0 + 1e-9
    together, alone = (
        np.mean((one.denoise(rows) - clean) ** 2) / std**2 for one in (model, windows_alone(model))
    )
    assert together < 0.9 * alone


def test_the_estimated_error_is_that_of_the_combination(combined):
    rows, clean, std, model = combined
    risk = model.estimate([rows], trained=True)
    mse = np.mean((model.denoise(rows) - clean) ** 2)
    assert abs(risk.mse - mse) < 4.0 * risk.error
    other = clean + np.random.default_rng(3).normal(0.0, std, clean.shape)
    risk = model.estimate([other])
    assert abs(risk.mse - np.mean((model.denoise(other) - clean) ** 2)) < 4.0 * risk.error


def test_blocks_are_as_the_whole(combined, monkeypatch):
    rows, _, _, model = combined
    whole = model.denoise(rows)
    monkeypatch.setattr(windows, "BAND_NUMBERS", 3000)
    assert_allclose(model.denoise(rows), whole, rtol=0.0, atol=1e-12)


def test_a_part_is_as_in_the_whole_beyond_the_reach(combined):
    rows, _, _, model = combined
    model = windows_alone(model)
    model.combination = Combination(3.0, 6, 3, 4, 0.25, 0.25, 0.25, 0.25)
    reach = model.combination.reach + model.cutting.height
    part = model.denoise(rows[200:1500])
    assert_allclose(part[reach:-reach], model.denoise(rows)[200 + reach : 1500 - reach], atol=1e-12)


def test_a_model_file_keeps_the_weights_and_may_have_none(combined, tmp_path):
    rows, _, _, model = combined
    save_model(str(tmp_path / "model.joblib"), model)
    loaded = load_model(str(tmp_path / "model.joblib"))
    assert loaded.combination == model.combination
    assert_array_equal(loaded.denoise(rows), model.denoise(rows))
    alone = windows_alone(model)
    save_model(str(tmp_path / "alone.joblib"), alone)
    loaded = load_model(str(tmp_path / "alone.joblib"))
    assert loaded.combination is None
    assert_array_equal(loaded.denoise(rows), alone.denoise(rows))


def test_channels_are_cleaned_apart_and_in_units_of_their_noise():
    rng = np.random.default_rng(3)
    rows = np.column_stack([signal("blocks", 600), 50.0 * signal("heavisine", 600)])
    rows += rng.normal(0.0, [1.0, 50.0], rows.shape)
    every = Combination(3.0, 6, 4, 4)
    stds, cleaned = np.array([1.0, 50.0]), np.zeros(rows.shape)
    both = list(every.terms(rows, 0, cleaned, stds, ()))
    for place in range(2):
        one = slice(place, place + 1)
        alone = every.terms(rows[:, one] / stds[one], 0, cleaned[:, one], np.ones(1), ())
        for found, own in zip(both, alone, strict=True):
            assert_allclose(found[:, one], own * stds[one], atol=1e-10)


@pytest.fixture(scope="module")
def unlike():
    """Return two channels that wavelets clean otherwise, with noise, and a fit."""
    rng = np.random.default_rng(3)
    clean = np.stack([signal("doppler", 2048), signal("blocks", 2048)], axis=1)
    clean /= clean.std(axis=0)
    stds = np.array([0.45, 0.14])
    rows = clean + rng.normal(size=clean.shape) * stds
    return rows, clean, stds, fit_windows(Mixture(), [rows], window=(32,))


def test_each_channel_has_its_own_weights(unlike, tmp_path):
    rows, clean, stds, model = unlike
    weights = model.combination.by_channel
    assert weights.shape == (4, 2)
    assert (weights >= 0.0).all()
    assert (weights.sum(axis=0) <= 1.0 + 1e-9).all()
    assert model.summary()["wavelet_share"] == pytest.approx(weights.sum() / 2.0)
    common = Windowed(model.model, model.cutting)
    common.combination = model.combination.weighted(weights.mean(axis=1)[:, None])
    assert common.combination.others == ()
    own, same = (np.mean((one.denoise(rows) - clean) ** 2 / stds**2) for one in (model, common))
    assert own < 0.95 * same
    save_model(str(tmp_path / "model.joblib"), model)
    loaded = load_model(str(tmp_path / "model.joblib"))
    assert loaded.combination == model.combination
    assert_array_equal(loaded.denoise(rows), model.denoise(rows))


@pytest.mark.parametrize(
    "change", [{"wavelet_1_0": -0.5}, {"wavelet_1_2": 1}, {"wavelet_2_0": 0.1}]
)
def test_damaged_weights_of_channels_are_refused(unlike, change):
    model = unlike[3]
    with pytest.raises(ValueError, match="weights of its wavelets"):
        Windowed.from_plain(model.model, model.to_plain() | change)
    three = model.to_plain() | {f"wavelet_2_{place}": 0.0 for place in range(4)}
    with pytest.raises(ValueError, match="not those of its channels"):
        Windowed.from_plain(model.model, three)


def test_what_windows_clean_well_is_left_to_them():
    clean = np.sin(np.arange(1024.0) / 4.0)
    errors = []
    for seed in (6, 7, 8):
        rows = (clean + np.random.default_rng(seed).normal(0.0, 0.5, 1024))[:, None]
        model = fit_windows(Mixture(), [rows], window=(64,))
        both = (model, windows_alone(model))
        errors.append([np.mean((one.denoise(rows)[:, 0] - clean) ** 2) for one in both])
    with_weights, alone = np.mean(errors, axis=0)
    assert with_weights <= 1.01 * alone


def test_signal_that_passes_for_noise_brings_no_wavelets():
    clean = np.tile(signal("bumps", 250), 12)
    rows = clean + np.random.default_rng(5).normal(0.0, 0.1 * clean.std(), clean.shape)
    too_high = float(0.17 * clean.std())
    with pytest.warns(UserWarning, match="cannot be right"):
        model = fit_windows(Mixture(noise_std=too_high), [rows[:, None]], window=(16,))
    assert model.combination is None
    with pytest.warns(UserWarning, match="looks the same"):
        model = fit_windows(Mixture(), [rows[:, None]], window=(16,))
    assert model.noise_std_ < 1.3 * 0.1 * clean.std()  # by the median alone it is 1.7
    assert model.combination is None
