"""Rows brought to more numbers than they were measured at: their noise is told and removed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.fft import idct

from ikpca_cli import load_model, save_model
from ikpca_cli.errors import IkpcaWarning
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.estimators.methods import METHODS
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.models.band_limited import propose
from ikpca_cli.noise.models.choose import noise_of
from ikpca_cli.noise.risk import stein_risks
from ikpca_cli.transforms.frequency_band import FrequencyBand, at_samples

MEASURED, COLUMNS = 160, 400
BAND = FrequencyBand(COLUMNS, MEASURED, (0.3,), 0.0)


def interpolated(rows):
    """Return rows (n, MEASURED) at COLUMNS places, by cubic splines."""
    from scipy.interpolate import CubicSpline

    places = np.linspace(0.0, MEASURED - 1.0, COLUMNS)
    return CubicSpline(np.arange(float(MEASURED)), rows, axis=1)(places)


def bumps(n_samples, seed, std=0.15):
    """Return noisy and clean rows of one bump each, measured and then interpolated."""
    rng = np.random.default_rng(np.random.SeedSequence([81, seed]))
    place, height = rng.uniform(0.2, 0.8, (n_samples, 1)), rng.uniform(0.5, 2.0, (n_samples, 1))
    clean = height * np.exp(-((np.linspace(0, 1, MEASURED) - place) ** 2) / 0.01)
    return interpolated(clean + std * rng.normal(size=clean.shape)), interpolated(clean)


def test_a_band_is_white_and_comes_back():
    noise = np.random.default_rng(1).normal(size=(4000, MEASURED))
    rows = BAND.inverse(noise)
    assert rows.shape == (4000, COLUMNS)
    assert_allclose(BAND.forward(rows), noise, atol=1e-12)
    assert_allclose(BAND.noise(noise, noise), rows)
    assert_allclose(np.mean(rows**2), np.mean(BAND.levels(noise) ** 2), rtol=0.02)
    assert_array_equal(FrequencyBand.from_state(BAND.state()).forward(rows), BAND.forward(rows))


def test_channels_have_levels_of_their_own(tmp_path):
    """Of rows whose channels take turns, as beats of two leads."""
    channels = [bumps(200, 1, 0.15), bumps(200, 2, 0.3)]
    rows, clean = (np.stack(some, axis=2).reshape(200, -1) for some in zip(*channels, strict=True))
    found = propose(rows)
    assert (found.width, len(found.stds)) == (2 * COLUMNS, 2)
    assert 0.6 * MEASURED < found.band <= MEASURED
    levels = found.levels(rows)[0].reshape(COLUMNS, 2)
    stds = np.std((rows - clean).reshape(200, COLUMNS, 2), axis=(0, 1))
    assert_allclose(levels, np.broadcast_to(stds, levels.shape), rtol=0.06)
    noise = np.random.default_rng(1).normal(size=(50, 2 * found.band))
    assert_allclose(found.forward(found.inverse(noise)), noise, atol=1e-12)
    model = load_method("pca")().fit(rows)
    errors = np.mean((model.denoise(rows) - clean).reshape(200, COLUMNS, 2) ** 2, axis=(0, 1))
    assert np.all(errors < stds**2 / 5.0)
    save_model(str(tmp_path / "m.joblib"), model)
    loaded = load_model(str(tmp_path / "m.joblib"))
    assert_array_equal(loaded.denoise(rows), model.denoise(rows))


def test_what_has_no_higher_frequencies_keeps_its_length():
    rows = np.random.default_rng(2).normal(size=(5, 30, 2))
    more = at_samples(rows, 70)
    assert_allclose((more**2).sum(axis=1), (rows**2).sum(axis=1))
    assert_allclose(at_samples(more, 30), rows, atol=1e-12)


@pytest.mark.parametrize("std", [0.15, 0.6])
def test_the_band_and_its_noise_are_told(std):
    rows, clean = bumps(200, 1, std)
    found = propose(rows)
    assert 0.6 * MEASURED < found.band <= MEASURED
    assert_allclose(found.levels(rows)[0, 0], (rows - clean).std(), rtol=0.06)
    noise = noise_of(rows)
    assert (noise.name, type(noise.transform), noise.is_doubtful) == (
        "correlated",
        FrequencyBand,
        False,
    )


@pytest.mark.parametrize("kind", ["clean", "white noise", "cut off", "sines", "one process"])
def test_smooth_rows_have_no_band_of_noise(kind):
    rng = np.random.default_rng(np.random.SeedSequence([82]))
    rows, clean = bumps(150, 2)
    x = np.linspace(0, 1, COLUMNS)
    if kind == "clean":
        rows = clean
    elif kind == "white noise":
        rows = clean + 0.15 * rng.normal(size=clean.shape)
    elif kind == "cut off":
        rows = at_samples(
            at_samples(np.where(x > rng.uniform(0.1, 0.9, (150, 1)), 1.0, 0.0), 80), 200
        )
    elif kind == "sines":
        rows = np.sin(2.0 * np.pi * (rng.uniform(1, 30, (150, 1)) * x + rng.random((150, 1))))
    else:
        rows = at_samples(rng.normal(size=(150, MEASURED)), COLUMNS)
    assert noise_of(rows).transform is None


@pytest.mark.parametrize("width", [0.2, 0.25])
def test_signal_that_falls_off_smoothly_is_no_noise_of_a_band(width):
    """As what beats differ by: it may be even to some frequency, but does not end there."""
    rng = np.random.default_rng(np.random.SeedSequence([83, 0]))
    frequencies = np.arange(512) / 512
    power = 0.05**2 / (1.0 + (frequencies / width) ** 4)
    beat = np.exp(-(((frequencies - 0.4) / 0.02) ** 2))
    own = np.sqrt(power) * rng.normal(size=(60, 512))
    rows = rng.normal(1.0, 0.1, (60, 1)) * beat + idct(own, norm="ortho", axis=1)
    noisy = rows + 0.001 * rng.normal(size=rows.shape)
    assert noise_of(noisy).transform is None
    level = estimate_noise(noisy - noisy.mean(axis=0))
    assert not level.certain
    assert level.std is None or level.std < 0.003  # and not that of what rows differ by


@pytest.mark.parametrize(("std", "is_band"), [(0.001, True), (0.04, False)])
def test_white_noise_is_not_that_of_a_band_with_more_in_it(std, is_band):
    """But it may be as little as rounding makes."""
    rows, _ = bumps(200, 1)
    rows = rows + std * np.random.default_rng(7).normal(size=rows.shape)
    assert (propose(rows) is not None) is is_band


@pytest.mark.parametrize("method", METHODS)
def test_interpolated_rows_are_cleaned(method, tmp_path):
    rows, _ = bumps(200, 3)
    noisy, clean = bumps(60, 4)
    model = load_method(method)().fit(rows)
    cleaned = model.denoise(noisy)
    assert model.n_features_in_ == COLUMNS
    assert model.summary()["noise_model"] == "correlated"
    assert np.mean((cleaned - clean) ** 2) < np.mean((noisy - clean) ** 2) / 8.0
    save_model(str(tmp_path / "m.joblib"), model)
    loaded = load_model(str(tmp_path / "m.joblib"))
    assert_array_equal(loaded.denoise(noisy), cleaned)
    assert loaded.transform(noisy).shape == (60, model.n_components_)
    assert_array_equal(loaded.distances(noisy), model.distances(noisy))


def test_cleaning_follows_shift_and_scale_of_the_data():
    rows, noisy = bumps(200, 3)[0], bumps(40, 4)[0]
    plain = load_method("pca")().fit(rows).denoise(noisy)
    moved = load_method("pca")().fit(1000.0 * rows + 7.0).denoise(1000.0 * noisy + 7.0)
    assert_allclose(moved, 1000.0 * plain + 7.0, rtol=1e-7)


def test_the_estimated_risk_is_the_error():
    noisy, clean = bumps(400, 5)
    rows, _ = bumps(200, 6)
    model = load_method("pca")().fit(rows)
    usual = model.treatment(noisy)
    risks, before = stein_risks(
        lambda X: model.clean(X, usual), noisy, 1.0, usual.transform, np.random.default_rng(7)
    )
    error = np.mean((model.clean(noisy, usual) - clean) ** 2)
    assert_allclose(before.mean(), np.mean((noisy - clean) ** 2), rtol=0.1)
    assert_allclose(risks.mean(), error, atol=0.02 * before.mean())


@pytest.mark.filterwarnings(f"ignore::{IkpcaWarning.__module__}.IkpcaWarning")
def test_columns_that_never_vary_come_back_as_they_are():
    rows, _ = bumps(100, 8)
    rows[:, :3] = 5.0
    model = load_method("pca")(noise_model="correlated").fit(rows)
    assert_array_equal(model.denoise(rows)[:, :3], 5.0)


@pytest.mark.parametrize(
    "numbers",
    [
        [COLUMNS, 80.5, 0.3, 0.0],
        [COLUMNS, COLUMNS, 0.3, 0.0],
        [COLUMNS, 0, 0.3, 0.0],
        [COLUMNS, MEASURED, 0.0, 0.0],
        [COLUMNS, MEASURED, 0.3, -1.0],
        [np.nan, MEASURED, 0.3, 0.0],
        [COLUMNS, MEASURED, 0.3],
        [COLUMNS + 1, MEASURED, 0.3, 0.0],
        [COLUMNS, MEASURED - 1, 0.3, 0.0],
    ],
)
def test_a_band_that_cannot_be_is_refused(numbers):
    model = load_method("pca")(2, noise_std=1.0).set_noise(BAND).fit(bumps(50, 9)[0])
    state = model.get_state() | {"constant_": np.zeros(COLUMNS)}
    assert model.from_state(model.get_params(), state).n_features_in_ == COLUMNS
    with pytest.raises(ValueError, match=r"band of frequencies|rows of another width"):
        model.from_state(model.get_params(), state | {"frequency_band_": np.array(numbers)})
    with pytest.raises(ValueError, match="does not hold what its noise is like"):
        model.from_state(model.get_params(), state | {"frequency_band_": None})
