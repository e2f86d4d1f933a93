"""Rows that a model was fitted on are cleaned as well as others: none explains its own noise."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli.data.duplicates import are_among, marks_of
from ikpca_cli.estimators.denoiser import load_method

AXIS = np.linspace(0.0, 1.0, 400)


def wide_rows(n_samples, seed):
    """Return clean and noisy rows of a few bands each, with noise of standard deviation 0.3."""
    rng = np.random.default_rng(np.random.SeedSequence([81, seed]))
    bands = np.exp(-((AXIS - np.linspace(0.1, 0.9, 5)[:, None]) ** 2) / 0.005)
    clean = rng.normal(1.0, 0.5, (n_samples, 5)) @ bands
    return clean, clean + 0.3 * rng.normal(size=clean.shape)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("method", ["ikpca", "kpca", "pca"])
def test_training_rows_and_others_have_one_error(method, dtype):
    (clean, noisy), (others, noisy_others) = wide_rows(40, 1), wide_rows(300, 2)
    model = load_method(method)(noise_std=0.3, dtype=dtype).fit(noisy)
    error = np.mean((model.denoise(noisy) - clean) ** 2)
    expected = np.mean((model.denoise(noisy_others) - others) ** 2)
    assert expected < 0.3 * 0.3**2
    assert 0.8 < error / expected < 1.2
    assert model.share_known(np.vstack([noisy, noisy_others[:40]])) == 0.5


def test_some_of_many_rows_tell_those_of_the_fit():
    noisy = wide_rows(2500, 3)[1][:, ::50]
    model = load_method("ikpca")(noise_std=0.3, gamma=0.1, n_components=4, n_rff=16).fit(noisy)
    assert_allclose(model.share_known(noisy), 1.0)
    assert model.share_known(noisy + 0.01) == 0.0


def test_components_that_were_given_are_a_projection():
    noisy = wide_rows(40, 1)[1]
    model = load_method("pca")(5, noise_std=0.3).fit(noisy)
    codes = (noisy - noisy.mean(axis=0)) @ model.components_.T
    assert_allclose(model.denoise(noisy), noisy.mean(axis=0) + codes @ model.components_)


@pytest.mark.parametrize("unit", [1.0, 1e-25, 1e25])
def test_a_row_is_known_by_its_marks_and_no_other_is(unit):
    rng = np.random.default_rng(np.random.SeedSequence([82]))
    rows = unit * rng.normal(size=(500, 7))
    rows[100:200] = rows[:100]
    marks = marks_of(rows)
    assert are_among(rows[::-1] * (1.0 + 1e-6), marks).all()
    assert not are_among(rows * (1.0 + 1e-4), marks).any()
    assert not are_among(-rows, marks).any()


def test_one_row_of_the_fit_is_cleaned_as_in_its_file():
    noisy = wide_rows(60, 5)[1][:, ::5]
    model = load_method("ikpca")().fit(noisy)
    whole = model.denoise(noisy)
    for row, cleaned in zip(noisy[:6], whole, strict=False):
        assert_allclose(model.denoise(row[None])[0], cleaned)
