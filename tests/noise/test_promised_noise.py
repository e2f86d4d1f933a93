"""No error is promised where noise is not what it is taken for, however its rows look."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.noise.evidence.one_level import is_of_one_level
from tests.noise.rows import strokes


def stream(*numbers):
    return np.random.default_rng(np.random.SeedSequence([93, *numbers]))


def bursts(rng, n_samples):
    """Return short bursts of any frequency, place and phase."""
    x = np.linspace(0.0, 1.0, 150) - rng.uniform(0.2, 0.8, (n_samples, 1))
    turns = rng.uniform(15.0, 30.0, (n_samples, 1)) * x + rng.uniform(0.0, 1.0, (n_samples, 1))
    return np.exp(-((x / 0.08) ** 2)) * np.cos(2 * np.pi * turns)


def table(rng, n_samples, width=25):
    """Return rows of four heavy-tailed factors."""
    factors = stream(0).normal(size=(4, width))
    return rng.laplace(size=(n_samples, 4)) @ factors


def narrow(rng, n_samples):
    return table(rng, n_samples, 12)


def few(rng, n_samples):
    return table(rng, n_samples, 7)


def white(rng, shape):
    return rng.normal(size=shape)


def smoothed(rng, shape):
    noise = rng.normal(size=shape)
    for column in range(1, shape[1]):
        noise[:, column] = 0.7 * noise[:, column - 1] + 0.51**0.5 * noise[:, column]
    return noise


def hum(rng, shape):
    turns = np.arange(shape[1]) / 8.3 + rng.uniform(size=(shape[0], 1))
    return 0.6 * rng.normal(size=shape) + 0.8 * 2**0.5 * np.sin(2 * np.pi * turns)


def mixed(rng, shape):
    return np.exp(rng.normal(0.0, 0.5, (shape[0], 1)) - 0.25) * rng.normal(size=shape)


def some_loud(rng, shape):
    """Return noise that is five times as loud in one row of ten."""
    return np.where(rng.random((shape[0], 1)) < 0.1, 2.7, 0.5) * rng.normal(size=shape)


def fitted(make, noise, seed):
    rng = stream(1, seed)
    clean = make(rng, 150)
    level = (0.1 * np.mean((clean - clean.mean(axis=0)) ** 2)) ** 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load_method("pca")().fit(clean + level * noise(rng, clean.shape))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("make", "noise"),
    [
        (bursts, smoothed),
        (strokes, smoothed),
        (strokes, mixed),
        (table, smoothed),
        (table, hum),
        (narrow, smoothed),
    ],
)
def test_no_error_is_promised_where_noise_is_of_another_kind(make, noise, seed):
    assert fitted(make, noise, seed).estimated_mse_ is None


@pytest.mark.parametrize("make", [table, narrow, few])
def test_white_noise_keeps_its_promise(make):
    reason = fitted(make, white, 0).summary()["no_estimate_because"]
    assert reason in (None, "these rows tell it too roughly")


@pytest.mark.parametrize("width", [7, 12, 40])
def test_rows_that_are_louder_than_most_leave_no_level_for_all(width):
    rng = stream(4)
    rows = table(rng, 300, width)
    for noise, expected in ((white, True), (some_loud, False)):
        noisy = rows + 0.5 * noise(rng, rows.shape)
        assert is_of_one_level(noisy - noisy.mean(axis=0), noisy) == expected


def test_a_column_that_is_loud_alone_may_be_noise():
    rng = stream(5)
    noisy = table(rng, 200, 40) + 0.5 * rng.normal(size=(200, 40))
    assert is_of_one_level(noisy - noisy.mean(axis=0), noisy)
    noisy[:, [7, 30]] += 4.0 * rng.normal(size=(200, 2))
    assert not is_of_one_level(noisy - noisy.mean(axis=0), noisy)


def test_no_error_is_promised_of_numbers_that_are_rounded_coarsely():
    """What rounding takes off goes by the signal: the level was read three times too low."""
    for step, noise, is_told in ((0.5, 0.1, False), (0.1, 0.1, True)):
        rng = stream(3)
        rows = rng.normal(size=(60, 4)) @ stream(0).normal(size=(4, 40))
        rows = np.round((rows + noise * rng.normal(size=rows.shape)) / step) * step
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = load_method("pca")().fit(rows)
        assert ("rounded" not in str(model.summary()["no_estimate_because"])) is is_told


def test_noise_that_grows_with_the_signal_shows_in_few_columns():
    rng = stream(2)
    rows = np.exp(rng.normal(0.0, 0.8, (300, 1))) * stream(0).uniform(0.5, 2.0, (1, 12))
    for noise, expected in ((0.3, True), (0.2 * rows, False)):
        noisy = rows + noise * rng.normal(size=rows.shape)
        assert is_of_one_level(noisy - noisy.mean(axis=0), noisy) == expected
