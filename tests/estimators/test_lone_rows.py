"""Single rows far from all others do not decide what is learned from these."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli.data.first_pass import FirstPass
from ikpca_cli.errors import IkpcaNote
from ikpca_cli.estimators.decisions.lone_rows import leave_out_lone_rows, lone_rows
from ikpca_cli.estimators.ikpca import IKPCA
from ikpca_cli.estimators.pca import PCA

AXIS = np.linspace(0.0, 1.0, 24)


def rows_of(rng, n_rows=80):
    first, second = rng.normal(1.0, 0.5, (n_rows, 1)), rng.normal(0.0, 0.7, (n_rows, 1))
    clean = first * np.sin(6.0 * AXIS) + second * np.cos(9.0 * AXIS)
    return clean, clean + rng.normal(0.0, 0.2, clean.shape)


@pytest.mark.parametrize("method", [partial(IKPCA, n_rff="exact"), PCA])
@pytest.mark.parametrize("bad", ["constant", "rough"])
def test_one_bad_row_costs_the_others_nothing(bad, method):
    rng = np.random.default_rng(31)
    clean, noisy = rows_of(rng)
    others = np.arange(len(noisy)) != 7
    noisy[7] = 100.0 if bad == "constant" else rng.normal(0.0, 20.0, 24)
    with pytest.warns(IkpcaNote, match="row 8 is far from all others"):
        model = method().fit(noisy)
    cleaned = model.denoise(noisy)
    assert np.mean((cleaned - clean)[others] ** 2) < 0.2 * 0.2**2
    assert np.mean((cleaned - noisy)[7] ** 2) < 0.2**2
    assert model.n_samples_ == 79


@pytest.mark.parametrize("offset", [2.0, 4.0])
def test_a_row_a_little_off_leaves_the_others_their_gain(offset):
    rng = np.random.default_rng(38)
    clean, noisy = rows_of(rng)
    clean[7] += offset
    noisy[7] += offset
    model = IKPCA(n_rff="exact").fit(noisy)
    errors = np.mean((model.denoise(noisy) - clean) ** 2, axis=1)
    assert np.mean(errors) < 0.25 * 0.2**2
    assert errors[7] < 2.0 * 0.2**2
    assert 0.8 < model.estimated_mse_ / np.mean(errors) < 1.25


def test_of_many_rows_the_sample_is_without_it():
    rng = np.random.default_rng(32)
    rows = rows_of(rng, 2400)[1]
    rows[::300] = 1e3 * rng.normal(size=rows[::300].shape)
    read = FirstPass(rows, seed=0)
    read.read()
    leave_out_lone_rows(read)
    assert read.shape == rows.shape
    assert 1980 < len(read.sample(3000)) < 2000
    assert np.abs(read.sample(3000)).max() < 100.0


@pytest.mark.parametrize("spread", [0.5, 1.0, 1.5])
def test_brightness_of_any_spread_leaves_all_rows(spread):
    rng = np.random.default_rng(35)
    bright = np.exp(spread * rng.normal(size=(400, 1)))
    rows = bright * np.exp(-(((AXIS - 0.4) / 0.1) ** 2)) + rng.normal(0.0, 0.05, (400, 24))
    assert_array_equal(lone_rows(rows), [])


def test_rows_of_a_rare_kind_are_not_alone():
    rng = np.random.default_rng(36)
    rows = rows_of(rng, 400)[1]
    rows[[5, 90, 300]] += 50.0 * np.sin(3.0 * AXIS)
    assert_array_equal(lone_rows(rows), [])
    rows[90] -= 100.0 * np.cos(20.0 * AXIS)
    assert_array_equal(lone_rows(rows), [90])


def test_copies_of_a_bad_row_are_one():
    rows = rows_of(np.random.default_rng(37), 200)[1] + 50.0
    rows[::20] = 0.0
    assert_array_equal(lone_rows(rows), np.arange(0, 200, 20))
