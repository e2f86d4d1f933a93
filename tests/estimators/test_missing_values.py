"""Missing values that a model fills in: what is known stays, and the error falls."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.errors import InputError
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.estimators.missing_values import FilledRows, fit_filled, refill

pytestmark = pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")

METHODS = ("ikpca", "pca", "kpca")


def sines(n_samples, seed):
    """Return clean sines of random phase and period, (n_samples, 40)."""
    rng = np.random.default_rng(seed)
    phase, cycles = rng.uniform(0.0, 2.0 * np.pi, (n_samples, 1)), rng.uniform(1.0, 2.0)
    return np.sin(cycles * np.linspace(0.0, 2.0 * np.pi, 40) + phase)


def with_holes(rows, seed, share=0.1):
    """Return rows without a tenth of their values."""
    rows = rows.copy()
    rows[np.random.default_rng([91, seed]).random(rows.shape) < share] = np.nan
    return rows


def noisy(clean, std, seed):
    return clean + std * np.random.default_rng([92, seed]).normal(size=clean.shape)


def real(shared, name, count):
    import h5py

    with h5py.File(shared / "data/real_rows.h5") as file:
        rows = np.asarray(file[name], float)
    rows = rows.reshape(len(rows), -1)[np.random.default_rng(93).permutation(len(rows))]
    return rows[:count], rows[count : 2 * count]


def filled_model(method, rows):
    filled = FilledRows(rows)
    model = load_method(method)()
    return fit_filled(filled, model.fit, 0), filled


def errors(method, train, test, std):
    """Return the mean squared errors of test rows by means and by the model."""
    damaged = with_holes(noisy(train, std, 1), 1)
    new = with_holes(noisy(test, std, 2), 2)
    means = np.nanmean(damaged, axis=0)
    plain = load_method(method)().fit(np.where(np.isnan(damaged), means, damaged))
    by_means = plain.denoise(np.where(np.isnan(new), np.nanmean(new, axis=0), new))
    model, _ = filled_model(method, damaged)
    by_model = model.denoise(refill(model, new))
    return np.mean((by_means - test) ** 2), np.mean((by_model - test) ** 2), model


@pytest.mark.parametrize("method", METHODS)
def test_better_than_column_means_on_sines(method):
    by_means, by_model, model = errors(method, sines(200, 1), sines(100, 2), 0.3)
    assert by_model < 0.85 * by_means
    assert_allclose(model.noise_std_, 0.3, rtol=0.05)


@pytest.mark.parametrize("method", METHODS)
def test_better_than_column_means_on_vowels(method, shared):
    train, test = real(shared, "vowels", 400)
    std = float(np.sqrt(np.mean((train - train.mean(axis=0)) ** 2) / 10.0))
    by_means, by_model, _ = errors(method, train, test, std)
    assert by_model < 0.85 * by_means


def test_blocks_of_missing_values_are_filled_by_what_whole_rows_are_like(shared):
    """A line of a picture at a time: column means there hid the noise, and all was left alone."""
    train, test = real(shared, "patches", 200)
    std = float(np.sqrt(np.mean((train - train.mean(axis=0)) ** 2) / 10.0))

    def without_lines(rows, seed):
        holes = np.random.default_rng([94, seed]).random((len(rows), 8)) < 0.2
        return np.where(np.repeat(holes, 8, axis=1), np.nan, noisy(rows, std, seed))

    model, _ = filled_model("pca", without_lines(train, 1))
    new = without_lines(test, 2)
    found, holes = model.denoise(refill(model, new)), np.isnan(new)
    assert np.mean((found - test)[~holes] ** 2) < 0.7 * std**2
    means = np.nanmean(new, axis=0)
    assert np.mean((found - test)[holes] ** 2) < 0.6 * np.mean((means - test)[holes] ** 2)


def test_rows_of_low_rank_are_completed():
    rng = np.random.default_rng(5)
    clean = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 12)) + 4.0
    model = load_method("pca")(n_components=2, noise_std=1e-3).fit(noisy(clean, 1e-3, 3))
    damaged = with_holes(clean, 4)
    holes = np.isnan(damaged)
    error = (refill(model, damaged) - clean)[holes]
    assert np.sqrt(np.mean(error**2)) < 0.05 * clean.std()


@pytest.mark.parametrize("method", METHODS)
def test_values_that_are_there_stay_and_rows_are_filled_one_by_one(method):
    rows = with_holes(noisy(sines(80, 1), 0.3, 1), 1)
    model, filled = filled_model(method, rows)
    found = refill(model, rows)
    there = ~np.isnan(rows)
    assert np.isfinite(found).all()
    assert_array_equal(found[there], rows[there])
    assert_array_equal(filled[:][there], rows[there])
    assert_allclose(np.concatenate([refill(model, row[None]) for row in rows]), found, rtol=1e-6)
    assert refill(model, found) is found


def test_filling_follows_shift_and_scale():
    rows = with_holes(noisy(sines(80, 1), 0.3, 1), 1)
    model, _ = filled_model("pca", rows)
    other, _ = filled_model("pca", 7.0 + 3.0 * rows)
    assert_allclose(refill(other, 7.0 + 3.0 * rows), 7.0 + 3.0 * refill(model, rows), rtol=1e-6)


def test_filled_rows_begin_with_means_and_are_read_alike_in_any_slices():
    rows = with_holes(noisy(sines(50, 1), 0.3, 1), 1)
    filled = FilledRows(rows)
    expected = np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)
    assert_allclose(filled[:], expected, rtol=1e-12)
    parts = [filled[start : start + 7] for start in range(0, 50, 7)]
    assert_array_equal(np.concatenate(parts), filled[:])
    assert filled[50:].shape == (0, 40)


def test_a_column_without_values_is_named():
    rows = sines(10, 1)
    rows[:, 3] = np.nan
    with pytest.raises(InputError, match="column 4 has no value at all"):
        FilledRows(rows)
