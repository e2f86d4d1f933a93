"""Noise of another level in each row: told, made even, and undone."""

from __future__ import annotations

import warnings

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.data.row_source import as_rows
from ikpca_cli.errors import Note
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.evaluation.without_clean import estimate_error
from ikpca_cli.modelfile.storage import load_model, save_model
from ikpca_cli.noise.models.by_row import may_be_noise, propose
from ikpca_cli.noise.models.choose import noise_of
from ikpca_cli.noise.risk import stein_risks
from ikpca_cli.transforms.row_scale import RowScale

COLUMNS = 60


def spectra(n_samples, seed):
    """Return clean rows of three smooth shapes in any amount, and a generator."""
    rng = np.random.default_rng(np.random.SeedSequence([91, seed]))
    x = np.linspace(0.0, 1.0, COLUMNS)
    shapes = [np.exp(-(((x - at) / width) ** 2)) for at, width in ((0.3, 0.1), (0.6, 0.2), (0, 1))]
    return rng.gamma(3.0, 0.4, (n_samples, 3)) @ np.array(shapes), rng


def table(n_samples, seed):
    """Return clean rows of three factors in columns without order, and a generator."""
    rng = np.random.default_rng(np.random.SeedSequence([92, seed]))
    factors = np.random.default_rng(np.random.SeedSequence([92])).normal(size=(3, COLUMNS))
    return rng.laplace(size=(n_samples, 3)) @ factors, rng


FAMILIES = {"spectra": (spectra, 0.2), "table": (table, 0.8)}


def uneven(family, n_samples, seed, times=1.0):
    """Return noisy and clean rows, and their levels."""
    make, level = FAMILIES[family]
    clean, rng = make(n_samples, seed)
    levels = times * level * np.exp(rng.normal(0.0, 0.5, n_samples))
    return clean + levels[:, None] * rng.normal(size=clean.shape), clean, levels


@pytest.mark.parametrize("family", FAMILIES)
def test_levels_of_rows_are_told_by_themselves(family):
    noisy, _, _ = uneven(family, 120, 1)
    found = propose(noisy)
    assert noise_of(noisy).name == "rows"
    other, _, levels = uneven(family, 100, 2)
    told = found.of_rows(other).stds
    assert_allclose(np.median(told / levels), 1.0, atol=0.08)
    assert np.std(np.log(told / levels)) < 0.15
    # In another unit, from another zero, and a row at a time.
    assert_allclose(propose(3.0 * noisy + 5.0).of_rows(3.0 * other + 5.0).stds, 3.0 * told)
    alone = [found.of_rows(row).stds[0] for row in other[:, None]]
    assert_allclose(alone, told, rtol=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("odd", [0, 5])
def test_noise_of_one_level_is_not_told_by_row(family, odd):
    """Nor where a few rows are louder, or have a signal of their own."""
    make, level = FAMILIES[family]
    clean, rng = make(120, 3)
    noise = rng.normal(size=clean.shape)
    noise[:odd] *= 4.0
    assert noise_of(clean + level * noise).name == "white"


def test_levels_above_a_floor_may_be_those_of_signal():
    rng = np.random.default_rng(np.random.SeedSequence([94]))
    assert may_be_noise(np.exp(rng.normal(0.0, 0.5, 300)))
    assert may_be_noise(rng.uniform(0.1, 1.0, 300))
    assert not may_be_noise(np.hypot(1.0, np.exp(rng.normal(-1.0, 1.2, 300))))


def test_texture_that_some_rows_have_more_of_is_not_told_by_row(shared):
    """All of its rows have the noise of the quiet ones, and came back twice as far from clean."""
    with h5py.File(shared / "data/real_rows.h5") as file:
        rows = np.asarray(file["patches"], float).reshape(-1, 64)
    rng = np.random.default_rng(np.random.SeedSequence([95]))
    rows = rows[rng.permutation(len(rows))[:500]]
    level = 0.1 * (rows - rows.mean(axis=0)).std()
    assert noise_of(rows + level * rng.normal(size=rows.shape)).name == "white"


@pytest.mark.parametrize("method", ["ikpca", "kpca", "pca"])
@pytest.mark.parametrize("family", FAMILIES)
def test_rows_are_cleaner_than_if_all_had_one_level(method, family, tmp_path):
    train, _, _ = uneven(family, 120, 4)
    model = load_method(method)().fit(train)
    assert model.summary()["noise_model"] == "rows"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        white = load_method(method)(noise_model="white").fit(train)
    noisy, clean, levels = uneven(family, 100, 5)
    cleaned = model.denoise(noisy)
    after = np.mean((cleaned - clean) ** 2)
    assert after < 0.6 * np.mean((white.denoise(noisy) - clean) ** 2)
    assert after < 0.3 * np.mean(levels**2)
    # The signal that a row loses counts as its noise, so that nothing is promised.
    assert model.estimated_mse_ is None
    assert model.removed_mse_ is None
    assert estimate_error(model, noisy)["no_estimate_because"]
    path = str(tmp_path / "model.joblib")
    save_model(path, model)
    assert_array_equal(load_model(path).denoise(noisy), cleaned)
    for times in (0.25, 3.0):
        noisy, clean, levels = uneven(family, 100, 6, times)
        assert np.mean((model.denoise(noisy) - clean) ** 2) < 0.6 * np.mean(levels**2)
    # What holds no noise stays as it is.
    assert np.mean((model.denoise(clean) - clean) ** 2) < 0.02 * np.mean((levels / 3.0) ** 2)


def test_a_row_that_none_is_like_is_not_taken_for_a_loud_one():
    """A signal of its own is left beside what rows share; most of its bends are noise's."""
    train, _, _ = uneven("spectra", 120, 7)
    model = load_method("pca")().fit(train)
    noisy, clean, _ = uneven("spectra", 40, 8)
    steps = np.where(np.arange(COLUMNS) % 30 < 12, 3.0, 0.0)
    odd, truth = noisy[:3] + steps, clean[:3] + steps
    noisy[:3] = odd
    cleaned = model.denoise(noisy)[:3]
    assert np.all(np.mean((cleaned - truth) ** 2, axis=1) < 2.0 * np.mean((odd - truth) ** 2))


def test_no_row_of_a_table_is_taken_to_be_louder_than_any_was():
    """A signal of its own has no order there that would tell it; but a whole file may be louder."""
    train, _, _ = uneven("table", 120, 14)
    model = load_method("pca")().fit(train)
    noisy, clean, levels = uneven("table", 60, 15)
    own = 20.0 * np.random.default_rng(np.random.SeedSequence([16])).normal(size=COLUMNS)
    noisy[0], clean[0] = noisy[0] + own, clean[0] + own
    errors = np.mean((model.denoise(noisy) - clean) ** 2, axis=1)
    assert errors[0] < 3.0 * levels[0] ** 2
    assert np.mean(errors[1:]) < 0.3 * np.mean(levels[1:] ** 2)
    noisy, clean, levels = uneven("table", 60, 15, 5.0)
    assert np.mean((model.denoise(noisy) - clean) ** 2) < 0.4 * np.mean(levels**2)


def textured(n_samples, seed, times):
    """Return noisy and clean rows of any smooth shape, with a little texture of their own."""
    rng = np.random.default_rng(np.random.SeedSequence([93, seed]))
    waves = np.arange(1, 40)[:, None]
    strengths = rng.laplace(size=(n_samples, 39)) / waves.T**2
    clean = strengths @ np.cos(np.pi * waves * np.linspace(0.0, 1.0, 2 * COLUMNS))
    texture = rng.normal(size=clean.shape)
    for column in range(1, 2 * COLUMNS):
        texture[:, column] = 0.5 * texture[:, column - 1] + 0.75**0.5 * texture[:, column]
    clean = clean / clean.std() + 0.06 * texture
    levels = times * 0.3 * np.exp(rng.normal(0.0, 0.6, (n_samples, 1)))
    return clean + levels * rng.normal(size=clean.shape), clean


def test_signal_that_a_model_loses_is_not_taken_for_the_noise_of_a_quiet_file():
    model = load_method("pca")().fit(textured(150, 1, 1.0)[0])
    assert model.summary()["noise_model"] == "rows"
    for times, most in ((1.0, 0.2), (0.3, 0.5), (0.05, 1.05), (0.02, 1.05)):
        noisy, clean = textured(100, 2, times)
        assert np.mean((model.denoise(noisy) - clean) ** 2) < most * np.mean((noisy - clean) ** 2)


def test_a_file_whose_rest_is_signal_is_left_alone_and_it_is_said():
    train, _, _ = uneven("table", 120, 9)
    model = load_method("pca")().fit(train)
    clean, rng = table(100, 10)
    # A rough signal of many shapes beside hardly any noise, in doses.
    rough = rng.laplace(size=(100, 12)) @ rng.normal(size=(12, COLUMNS)) / 8.0
    treatment = model.treatment(as_rows(clean + rough + 0.02 * rng.normal(size=clean.shape)))
    assert treatment.caution.strength < 0.9
    assert isinstance(treatment.caution.remark(), Note)
    assert "signal" in treatment.caution.remark()


def test_an_estimated_error_counts_the_level_of_each_row():
    noisy, clean, levels = uneven("table", 400, 11)
    found = propose(noisy)
    shrunk = stein_risks(
        lambda X: 0.5 * X, noisy, 1.0, found, np.random.default_rng(np.random.SeedSequence([9])), 4
    )
    assert_allclose(shrunk[1].mean(), np.mean(levels**2), rtol=0.05)
    assert_allclose(shrunk[0].mean(), np.mean((0.5 * noisy - clean) ** 2), rtol=0.1)


@pytest.mark.parametrize(
    "state",
    [np.ones((5, COLUMNS)), np.ones((2, COLUMNS)), np.zeros((4, COLUMNS)), np.ones((80, COLUMNS))],
    ids=["not orthonormal", "too few", "without levels", "more than columns"],
)
def test_what_is_no_transform_is_refused(state):
    with pytest.raises(ValueError, match="directions|levels"):
        RowScale.from_state({"row_directions": state})


def test_rows_without_noise_are_divided_by_something():
    noisy, _, _ = uneven("table", 120, 12)
    found = propose(noisy)
    rows = np.vstack([found.mean, found.mean + found.directions[0], noisy[0]])
    by = found.of_rows(rows)
    assert np.all(np.isfinite(by.forward(rows)))
    assert_allclose(by.inverse(by.forward(rows)), rows, rtol=1e-6, atol=1e-6)
    assert propose(np.zeros((40, COLUMNS))) is None
    assert propose(np.vstack([noisy, noisy.mean(axis=0)[None], noisy[:1]])) is not None


def test_levels_that_even_far_more_directions_are_taken_though_little_is_gained():
    """Wide spectra, few of them: the quick denoiser gains no more than its error."""
    rng = np.random.default_rng(np.random.SeedSequence([119, 2]))
    places = rng.uniform(0.05, 0.95, 6)
    peaks = np.exp(-0.5 * ((np.linspace(0.0, 1.0, 400) - places[:, None]) / 0.05) ** 2)
    clean = 10.0 + rng.normal(1.0, 0.2, (40, 6)) @ peaks
    levels = 0.08 * np.exp(0.5 * rng.normal(size=(40, 1)))
    assert noise_of(clean + levels * rng.normal(size=clean.shape)).name == "rows"
