"""Signal that fills all of few columns is not taken for noise."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli import IKPCA
from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.evidence.normal_part import most_normal
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.local import thickness


def falling_rows(n_samples, n_features, fall, rng):
    """Return Gaussian rows whose principal variances fall by a factor from each to the next."""
    turned = np.linalg.qr(rng.normal(size=(n_features, n_features)))[0]
    return rng.normal(size=(n_samples, n_features)) * fall ** (np.arange(n_features) / 2) @ turned


def sphere(n_samples, n_features, rng):
    rows = rng.normal(size=(n_samples, n_features))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("n_features", [9, 13, 17])
@pytest.mark.parametrize("n_samples", [60, 124])
def test_a_slope_that_few_rows_hide_is_a_bound_of_the_level(n_samples, n_features):
    """The lowest two or three variances are equal by chance in one table of three."""
    rng = np.random.default_rng(np.random.SeedSequence([91, n_samples, n_features]))
    taken = 0
    for _ in range(20):
        rows = falling_rows(n_samples, n_features, 0.75, rng)
        level = estimate_noise(rows - rows.mean(axis=0))
        taken += not level.is_bound
    assert taken <= 2


def test_a_plateau_below_a_slope_is_still_the_level():
    rng = np.random.default_rng(np.random.SeedSequence([92]))
    for _ in range(10):
        rows = falling_rows(300, 13, 0.3, rng)
        noisy = rows + rng.normal(scale=0.1, size=rows.shape)
        level = estimate_noise(noisy - noisy.mean(axis=0))
        assert level.certain
        assert level.std == pytest.approx(0.1, rel=0.1)


def test_what_would_show_a_slope():
    equal, basis = np.ones(3), np.eye(12)
    steep = np.concatenate([equal, 1.5 ** np.arange(1, 10)])
    gentle = np.concatenate([equal, 1.15 ** np.arange(1, 10)])
    assert Eigenvalues(steep, basis, 300, of_columns=True).would_show_a_slope(3)
    assert not Eigenvalues(gentle, basis, 300, of_columns=True).would_show_a_slope(3)
    assert not Eigenvalues(steep, basis, 40, of_columns=True).would_show_a_slope(3)
    assert Eigenvalues(gentle, basis, 30000, of_columns=True).would_show_a_slope(3)
    assert Eigenvalues(np.ones(12), basis, 300, of_columns=True).would_show_a_slope(12)
    exact = np.concatenate([[0.0], np.ones(11)])
    assert Eigenvalues(exact, basis, 300, of_columns=True).would_show_a_slope(1)


@pytest.mark.parametrize("n_features", [6, 8])
def test_windows_too_few_rows_to_see_a_bend_tell_a_bound(n_features):
    rng = np.random.default_rng(np.random.SeedSequence([93, n_features]))
    rows = sphere(400, n_features, rng)
    noisy = rows + rng.normal(scale=0.01, size=rows.shape)
    assert thickness(noisy - noisy.mean(axis=0), white=True).is_bound


def test_windows_that_see_twice_as_much_with_twice_the_rows_tell_a_bound():
    rng = np.random.default_rng(np.random.SeedSequence([94]))
    angles = rng.uniform(0, 3 * np.pi, (100, 1))
    rows = np.hstack([np.sin(angles), rng.uniform(0, 2, (100, 1)), np.cos(2.0 * angles)])
    noisy = rows + rng.normal(scale=0.02, size=rows.shape)
    assert thickness(noisy - noisy.mean(axis=0)).is_bound
    circle = np.concatenate([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1)
    noisy = circle + rng.normal(scale=0.05, size=circle.shape)
    assert not thickness(noisy - noisy.mean(axis=0)).is_bound


@pytest.mark.parametrize("kind", ["sphere", "table"])
def test_rows_that_fill_the_space_come_back_no_worse(kind):
    """They came back up to 40, and 100, times worse."""
    for seed in range(2):
        rng = np.random.default_rng(np.random.SeedSequence([95, seed]))
        clean = sphere(420, 6, rng) if kind == "sphere" else falling_rows(124, 13, 0.75, rng)
        noise = 0.03 * clean.std() * rng.normal(size=clean.shape)
        cleaned = IKPCA().fit(clean + noise).denoise(clean + noise)
        assert np.mean((cleaned - clean) ** 2) <= 1.05 * np.mean(noise**2)


def test_a_thickness_that_grows_where_rows_are_few_is_signal():
    """Factors that are cut off at nothing lie dense about the corner, at any scale."""
    taken = 0
    for seed in range(8):
        rng = np.random.default_rng(np.random.SeedSequence([64, seed]))
        clean = np.maximum(rng.normal(size=(600, 4)) @ rng.normal(size=(4, 4)), 0.0)
        noisy = clean + rng.normal(scale=0.05, size=clean.shape)
        taken += not estimate_noise(noisy - noisy.mean(axis=0)).is_bound
    assert taken <= 3  # where rows have no such corner; of all eight it was five


def test_rows_at_a_limit_that_fill_few_columns_tell_a_bound():
    """They came back twice as far from the truth: what varied least was taken for noise."""
    rng = np.random.default_rng(np.random.SeedSequence([96]))
    clean = falling_rows(120, 13, 0.75, rng)
    std = 0.3 * clean.std()
    noisy = clean + std * rng.normal(size=clean.shape)
    limit = np.quantile(noisy, 0.15)
    level = estimate_noise(np.maximum(noisy, limit) - np.maximum(noisy, limit).mean(axis=0))
    assert level.is_bound
    low = rng.normal(size=(120, 3)) @ rng.normal(size=(3, 13))
    low += 0.3 * low.std() * rng.normal(size=low.shape)
    low = np.maximum(low, np.quantile(low, 0.15))
    assert not estimate_noise(low - low.mean(axis=0)).is_bound
    assert estimate_noise(low[:40] - low[:40].mean(axis=0)).is_bound  # so few show too little


def test_a_guess_where_a_surface_may_bend_anyhow_is_a_bound():
    """Training rows came back 2.2, and 1.3, times as far from the truth."""
    taken = 0
    for seed in range(4):
        rng = np.random.default_rng(np.random.SeedSequence([97, seed]))
        angle = rng.uniform(-1.5, 1.5, 150) * np.pi
        curve = np.stack([np.sin(angle), rng.uniform(0.0, 2.0, 150), 1.0 - np.cos(angle)], axis=1)
        curve[angle < 0.0, 2] *= -1.0
        for clean in (curve, sphere(400, 5, rng)):
            std = 0.316 * float(np.sqrt(clean.var(axis=0).mean()))
            noisy = clean + std * rng.normal(size=clean.shape)
            level = estimate_noise(noisy - noisy.mean(axis=0))
            too_high = level.std is not None and level.std > 1.58 * std
            taken += too_high and not level.is_bound
    assert taken == 0


def test_unlike_columns_that_are_spread_evenly_are_no_noise():
    """Three columns are equal in variance, as directions of noise are, but of even lengths."""
    rng = np.random.default_rng(np.random.SeedSequence([95]))
    even, noise = rng.uniform(-1.0, 1.0, (400, 3)), 0.577 * rng.normal(size=(400, 3))
    loud = rng.laplace(size=(400, 3))
    for quiet, is_bound in ((even, True), (noise, False)):
        rows = np.hstack([quiet, loud]) + 0.05 * rng.normal(size=(400, 6))
        assert estimate_noise(rows - rows.mean(axis=0)).is_bound is is_bound


@pytest.mark.parametrize("std", [0.1, 0.2])
def test_whole_numbers_tell_how_much_normal_noise_they_have(std):
    """Their own law has a modulus of 1 where it comes again: what is less is of the noise."""
    rng = np.random.default_rng(np.random.SeedSequence([98]))
    rows = rng.poisson(9.0, (200, 6)) + std * rng.normal(size=(200, 6))
    assert std <= most_normal(rows - rows.mean(axis=0), 1.0) < 1.5 * std


@pytest.mark.parametrize("step", [0.0, 1.5])
def test_noise_may_be_all_that_normal_columns_hold_also_if_they_were_rounded(step):
    rng = np.random.default_rng(np.random.SeedSequence([99]))
    for n_samples in (60, 400):
        rows = rng.normal(size=(n_samples, 6))
        rows = np.round(rows / step) * step if step else rows
        assert most_normal(rows - rows.mean(axis=0), rows.std()) > 0.93 * rows.std()


def unlike_noise(kind, n_samples, rng):
    """Return rows of equal variance in many directions, but of no normal law."""
    if kind == "skewed":
        return np.exp(0.7 * rng.normal(size=(n_samples, 8)))
    if kind == "often zero":
        return (rng.random((n_samples, 9)) < 0.35) * rng.gamma(2.0, 1.0, (n_samples, 9))
    return np.round(rng.normal(size=(n_samples, 3)) @ rng.normal(size=(3, 10)))


@pytest.mark.parametrize("kind", ["skewed", "often zero", "rounded"])
def test_columns_of_another_law_than_that_of_noise_are_a_bound_of_the_level(kind):
    """It was certain at 3 to 25 times the noise."""
    for seed in range(3):
        rng = np.random.default_rng(np.random.SeedSequence([100, seed]))
        clean = unlike_noise(kind, 400, rng)
        noisy = clean + 0.1 * clean.std() * rng.normal(size=clean.shape)
        assert estimate_noise(noisy - noisy.mean(axis=0)).is_bound


def test_kinks_of_few_unknowns_are_a_bound_of_the_level():
    """Twelve numbers in four unknowns, each of which is cut off at zero."""
    rng = np.random.default_rng(np.random.SeedSequence([88]))
    clean = np.maximum(rng.normal(size=(300, 4)) @ rng.normal(size=(4, 12)), 0.0)
    for noise in (0.04, 0.02):
        rows = clean + noise * rng.normal(size=clean.shape)
        level = estimate_noise(rows - rows.mean(axis=0))
        assert level.is_bound
        assert not level.certain


@pytest.mark.parametrize("kind", ["answers", "counts"])
def test_many_columns_of_steps_are_a_bound_of_the_level(kind):
    """Rows came back 24, and 40, times as far from the truth."""
    rng = np.random.default_rng(np.random.SeedSequence([104]))
    codes = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 50))
    if kind == "answers":
        clean = np.clip(np.round(3.0 + codes + 0.7 * rng.normal(size=codes.shape)), 1.0, 5.0)
    else:
        clean = rng.poisson(np.exp(0.3 * codes + 1.0)).astype(float)
    noisy = clean + 0.1 * clean.std() * rng.normal(size=clean.shape)
    assert estimate_noise(noisy - noisy.mean(axis=0)).is_bound


def test_noise_of_another_law_in_many_columns_is_noise():
    """A part of these has nothing else, which shows its law."""
    rng = np.random.default_rng(np.random.SeedSequence([105]))
    rows = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 64))
    rows[:, :20] = 0.0
    uneven = rng.normal(size=rows.shape) * np.exp(0.5 * rng.normal(size=(200, 1)))
    for noise in (rng.laplace(size=rows.shape), rng.standard_t(4, rows.shape), uneven):
        noisy = 3.0 * rows + noise
        assert not estimate_noise(noisy - noisy.mean(axis=0)).is_bound


@pytest.mark.parametrize("level", [0.05, 0.2])
def test_heavy_tails_of_unlike_columns_are_signal(level):
    """What a share returns beside the market has no normal law; along smooth rows it is noise."""
    rng = np.random.default_rng(np.random.SeedSequence([106]))
    own, market = rng.standard_t(4, (150, 60)), rng.standard_t(4, (150, 1))
    along = np.sin(np.linspace(0.0, 6.0, 60))
    for loads, is_bound in ((rng.normal(1.0, 0.3, 60), True), (2.0 * along, False)):
        noisy = 2.0 * market * loads + own + level * rng.normal(size=own.shape)
        assert estimate_noise(noisy - noisy.mean(axis=0)).is_bound is is_bound


def test_heavy_tails_in_rows_of_any_strength_are_signal():
    """Days of shares are quiet or not, as rows of noise may be: 12 and 190 times the error."""
    rng = np.random.default_rng(np.random.SeedSequence([118]))
    strengths = np.exp(0.4 * rng.normal(size=(200, 1)))
    market = 2.0 * rng.standard_t(4, (200, 1)) * rng.normal(1.0, 0.3, 30)
    returns = rng.uniform(0.7, 1.8, 30) * rng.standard_t(4, (200, 30))
    for own, is_bound in ((returns, True), (rng.normal(size=(200, 30)), False)):
        rows = strengths * (market + own) + 0.2 * rng.normal(size=own.shape)
        assert estimate_noise(rows - rows.mean(axis=0)).is_bound is is_bound


def test_a_few_columns_that_are_equal_by_chance_are_signal():
    """Age, height, weight and two blood pressures: half of such tables had a noise level."""
    taken = 0
    for seed in range(20):
        rng = np.random.default_rng(np.random.SeedSequence([107, seed]))
        age, height = rng.uniform(20.0, 70.0, 90), rng.normal(170.0, 9.0, 90)
        weight = 0.9 * (height - 100.0) + 0.15 * (age - 45.0) + rng.normal(0.0, 8.0, 90)
        high = 100.0 + 0.4 * age + 0.2 * weight + rng.normal(0.0, 8.0, 90)
        low = 60.0 + 0.2 * weight + rng.normal(0.0, 6.0, 90)
        rows = np.stack([age, height, weight, high, low], axis=1) + rng.normal(size=(90, 5))
        taken += not estimate_noise(rows - rows.mean(axis=0)).is_bound
    assert taken <= 4


def test_noise_of_heavy_tails_beside_few_directions_of_signal_is_no_signal():
    rng = np.random.default_rng(np.random.SeedSequence([101]))
    for noise in (rng.laplace(size=(400, 12)), rng.standard_t(4, (400, 12))):
        rows = 3.0 * rng.normal(size=(400, 3)) @ rng.normal(size=(3, 12)) + noise
        assert not estimate_noise(rows - rows.mean(axis=0)).is_bound


def test_few_columns_of_one_process_tell_a_bound():
    """Random walks level off at their highest frequencies; white noise is level at all of them."""
    for seed in range(3):
        rng = np.random.default_rng(np.random.SeedSequence([102, seed]))
        clean = rng.normal(size=(400, 16)).cumsum(axis=1)
        noisy = clean + 0.1 * clean.std() * rng.normal(size=clean.shape)
        assert estimate_noise(noisy - noisy.mean(axis=0)).is_bound
        shapes = rng.laplace(size=(400, 2)) @ rng.normal(size=(2, 16)).cumsum(axis=1)
        noisy = shapes + 0.1 * shapes.std() * rng.normal(size=shapes.shape)
        assert not estimate_noise(noisy - noisy.mean(axis=0)).is_bound


@pytest.mark.parametrize("n_samples", [8, 12, 20, 28])
def test_few_rows_tell_noise_only_far_below_the_signal(n_samples):
    """Rows fewer than columns ended in an error, too."""
    taken, known = 0, 0
    for seed in range(10):
        rng = np.random.default_rng(np.random.SeedSequence([103, seed, n_samples]))
        full = falling_rows(n_samples, 13, 0.75, rng)
        level = estimate_noise(full - full.mean(axis=0))
        taken += not level.is_bound
        low = rng.normal(size=(n_samples, 2)) @ rng.normal(size=(2, 13))
        noisy = low + 0.05 * rng.normal(size=low.shape)
        level = estimate_noise(noisy - noisy.mean(axis=0))
        known += not level.is_bound
    assert taken <= 1
    assert known >= 7


@pytest.mark.parametrize(("n_samples", "n_features"), [(40, 6), (45, 15), (300, 5)])
def test_columns_that_hang_together_loosely_are_a_bound(n_samples, n_features):
    """Such are tables of people, towns or cars, brought to one spread: any direction is signal."""
    taken = 0
    for seed in range(8):
        rng = np.random.default_rng(np.random.SeedSequence([104, seed, n_features]))
        shared = rng.normal(size=(n_samples, 2)) @ rng.normal(size=(2, n_features))
        rows = rng.gamma(2.0, size=(n_samples, n_features)) + 0.5 * shared
        rows = rows / rows.std(axis=0) + 0.1 * rng.normal(size=rows.shape)
        taken += not estimate_noise(rows - rows.mean(axis=0)).is_bound
    assert taken == 0


def test_loose_relations_of_few_columns_are_no_surface_with_noise():
    """Age, schooling and income bend together, but each has a spread of its own."""
    rng = np.random.default_rng(np.random.SeedSequence([105]))
    taken, known = 0, 0
    for _ in range(6):
        turn = rng.uniform(-1.0, 1.0, (300, 1))
        powers = np.hstack([turn, turn**2, np.abs(turn), turn**3])
        own = rng.exponential(0.2, (300, 4))
        rows = (powers + own) / (powers + own).std(axis=0) + 0.05 * rng.normal(size=(300, 4))
        taken += not estimate_noise(rows - rows.mean(axis=0)).is_bound
        k = np.arange(4)
        curve = np.cos((k // 2 + 1) * np.pi * turn + k % 2 * np.pi / 2) / (k // 2 + 1)
        thin = curve + 0.05 * rng.normal(size=(300, 4))
        known += estimate_noise(thin - thin.mean(axis=0)).certain
    assert taken == 0
    assert known >= 4
