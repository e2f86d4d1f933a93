"""Third moments: how much of the quietest directions is signal."""

import numpy as np
import pytest

from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.evidence.third_moments import ThirdMoments
from ikpca_cli.noise.level import estimate_noise

WIDTH = 12


def skewed(n_samples, rng, fall=1.35):
    """Return rows (n, 12) of skewed signal in all directions, each weaker than that before."""
    turned = np.linalg.qr(rng.normal(size=(WIDTH, WIDTH)))[0]
    signal = (rng.gamma(1.0, size=(n_samples, WIDTH)) - 1.0) * fall ** -np.arange(WIDTH)
    return signal @ turned


def normal(n_samples, rng, fall=1.35):
    turned = np.linalg.qr(rng.normal(size=(WIDTH, WIDTH)))[0]
    return rng.normal(size=(n_samples, WIDTH)) * fall ** -np.arange(WIDTH) @ turned


def with_noise(rows, times, rng):
    """Return centred rows with noise of so many times their variance in the quietest direction."""
    level = (times * np.linalg.eigvalsh(np.cov(rows.T))[0]) ** 0.5
    noisy = rows + rng.normal(scale=level, size=rows.shape)
    return noisy - noisy.mean(axis=0), level


@pytest.mark.parametrize("seed", range(3))
def test_they_fall_with_the_share_of_signal(seed):
    rng = np.random.default_rng([51, seed])
    for times, low, high in ((0.0, 0.6, 1.4), (10.0, -0.1, 0.1)):
        rows, _ = with_noise(skewed(3000, rng), times, rng)
        found = ThirdMoments.of(rows, Eigenvalues.of(rows), 1)
        assert found.are_seen
        assert low - 2.0 * found.error < found.ratio < high + 2.0 * found.error


def test_their_error_is_as_large_as_they_vary():
    rng = np.random.default_rng(52)
    ratios, errors = [], []
    for _ in range(40):
        rows, _ = with_noise(skewed(800, rng), 1.0, rng)
        found = ThirdMoments.of(rows, Eigenvalues.of(rows), 1)
        ratios.append(found.ratio)
        errors.append(found.error)
    assert 0.5 < np.mean(errors) / np.std(ratios) < 2.0


@pytest.mark.parametrize("n_samples", [200, 3000])
def test_rows_of_a_normal_law_have_none(n_samples):
    rng = np.random.default_rng([53, n_samples])
    seen = 0
    for _ in range(20):
        rows, _ = with_noise(normal(n_samples, rng), 1.0, rng)
        seen += ThirdMoments.of(rows, Eigenvalues.of(rows), 1).are_seen
    assert seen <= 1


@pytest.mark.parametrize("seed", range(3))
def test_many_rows_with_signal_in_all_directions_are_cleaned_where_most_of_the_least_is_noise(seed):
    rng = np.random.default_rng([54, seed])
    rows, level = with_noise(skewed(4000, rng), 3.0, rng)
    found = estimate_noise(rows)
    assert not found.is_bound
    assert not found.certain
    assert level**2 < found.std**2 < 2.5 * level**2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_samples", [400, 4000])
def test_and_left_alone_where_it_is_signal(n_samples, seed):
    rng = np.random.default_rng([55, n_samples, seed])
    rows, _ = with_noise(skewed(n_samples, rng), 0.1, rng)
    assert estimate_noise(rows).is_bound


@pytest.mark.parametrize("seed", range(6))
def test_two_directions_of_normal_signal_that_are_equal_by_chance_are_no_guess(seed):
    rng = np.random.default_rng([56, seed])
    rows, _ = with_noise(normal(300, rng, fall=1.2), 0.01, rng)
    found = estimate_noise(rows)
    assert found.certain or found.is_bound
