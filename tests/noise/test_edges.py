"""The noise level beside edges that are anywhere: told by most differences along rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.ndimage import gaussian_filter1d

from ikpca_cli import IKPCA, PCA
from ikpca_cli.noise.evidence.edges import level_beside_edges, most_normal_noise
from ikpca_cli.noise.level import estimate_noise


@pytest.fixture
def rng():
    return np.random.default_rng(94)


def teeth(rng, n_samples=100, width=120):
    """Return saws of any phase, period and height."""
    x = np.linspace(0.0, 1.0, width)
    rate, phase, height = rng.uniform([3, 0, 0.5], [5, 1, 1.5], (n_samples, 3)).T[:, :, None]
    return height * ((rate * x + phase) % 1.0)


def doses(rng, n_samples=100, width=96):
    """Return a usual course beside three steps up and down at any time."""
    x = np.linspace(0.0, 24.0, width)
    rows = rng.uniform(0.5, 2.0, (n_samples, 1)) * np.exp(-(((x - 19.0) / 2.0) ** 2))
    for _ in range(3):
        height, start, length = rng.uniform([0.5, 0, 0.5], [2, 23, 2], (n_samples, 3)).T[:, :, None]
        rows += height * ((x > start) & (x < start + length))
    return rows


def with_noise(rows, decibels, rng):
    std = (np.mean((rows - rows.mean(axis=0)) ** 2) * 10 ** (-decibels / 10)) ** 0.5
    return rows + std * rng.normal(size=rows.shape), std


@pytest.mark.parametrize("signal", [teeth, doses])
@pytest.mark.parametrize(("decibels", "most"), [(20, 1.12), (10, 1.15)])
def test_edges_anywhere_are_no_noise(rng, signal, decibels, most):
    rows, std = with_noise(signal(rng), decibels, rng)
    level = estimate_noise(rows - rows.mean(axis=0))
    assert not level.is_bound
    assert not level.certain
    assert 0.97 * std < level.std < most * std


def test_rows_with_edges_are_cleaned(rng):
    clean = teeth(rng, 130)
    rows, std = with_noise(clean, 10, rng)
    cleaned = IKPCA().fit(rows[:100]).denoise(rows[100:])
    assert np.mean((cleaned - clean[100:]) ** 2) < 0.2 * std**2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_rows_with_edges_are_never_worse_than_they_came(share):
    rng = np.random.default_rng(1)
    clean = doses(rng, 150)
    rows, std = with_noise(clean, 10, rng)
    new = clean[100:] + share * (rows[100:] - clean[100:])
    cleaned = PCA().fit(rows[:100]).denoise(new)
    assert np.mean((cleaned - clean[100:]) ** 2) < 1.05 * (share * std) ** 2


def test_noise_of_other_levels_in_other_rows_is_bounded_beside_edges(rng):
    clean = doses(rng)
    noise = 0.1 * np.exp(rng.normal(0.0, 0.6, (len(clean), 1))) * rng.normal(size=clean.shape)
    assert level_beside_edges(clean + noise).is_bound


@pytest.mark.parametrize("kind", ["heavy tails", "smooth", "walks", "spikes", "short"])
def test_rows_without_edges_tell_nothing(rng, kind):
    noise = rng.normal(size=(100, 120))
    spikes = 20.0 * (rng.uniform(size=noise.shape) < 0.02)
    rows = {
        "heavy tails": rng.standard_t(3, noise.shape),
        "smooth": noise + 30.0 * gaussian_filter1d(rng.normal(size=noise.shape), 8, axis=1),
        "walks": noise.cumsum(axis=1),
        "spikes": noise + spikes,
        "short": with_noise(teeth(rng), 10, rng)[0][:, :19],
    }[kind]
    assert level_beside_edges(rows - rows.mean(axis=0)) is None


def test_nothing_that_is_added_hides_normal_noise(rng):
    noise = rng.normal(size=(300, 120))
    alone = most_normal_noise(noise)
    assert_allclose(alone, 1.0, rtol=0.02)
    for signal in (teeth(rng, 300), rng.standard_t(2, noise.shape), np.sign(noise[::-1])):
        assert most_normal_noise(noise + signal) > 0.99 * alone


def test_a_level_beside_edges_has_the_unit_of_the_rows(rng):
    rows, _ = with_noise(teeth(rng), 10, rng)
    one, other = (level_beside_edges(times * rows).std for times in (1.0, -1000.0))
    assert_allclose(other, 1000.0 * one, rtol=1e-12)


def test_edges_at_one_place_are_signal_of_a_shape(rng):
    channels = np.repeat([0.0, 5.0, 2.0, -4.0], 30) * rng.uniform(0.5, 1.0, (100, 1))
    assert level_beside_edges(channels + 0.2 * rng.normal(size=channels.shape)) is None
