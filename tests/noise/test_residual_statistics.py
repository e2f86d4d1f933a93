"""What is like noise of one level, and what is rough signal or noise of another kind."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from ikpca_cli.noise.models.choose import noise_of
from ikpca_cli.noise.residual_statistics import ResidualStatistics, shared_with_neighbours

SHAPE = (150, 90)


def stream(*numbers):
    return np.random.default_rng(np.random.SeedSequence([91, *numbers]))


def statistics_of(noise, rng):
    """Return that of noise on a signal in three directions."""
    signal = 5.0 * rng.normal(size=(len(noise), 3)) @ rng.normal(size=(3, noise.shape[1]))
    rows = signal + noise
    return ResidualStatistics.of(rows - rows.mean(axis=0))


@pytest.mark.parametrize("seed", range(5))
def test_white_noise_is_like_noise(seed):
    rng = stream(1, seed)
    found = statistics_of(rng.normal(size=SHAPE), rng)
    assert found.is_noise()
    assert found.may_be_noise()


def test_noise_of_other_kinds_is_not_of_one_level():
    rng = stream(2)
    normal = rng.normal(size=SHAPE)
    kinds = {
        "rows": np.exp(rng.normal(0.0, 0.6, (SHAPE[0], 1))) * normal,
        "columns": np.geomspace(0.3, 3.0, SHAPE[1]) * normal,
        "heavy tails": rng.standard_t(3, SHAPE),
        "spikes": normal + np.where(rng.uniform(size=SHAPE) < 0.02, 12.0, 0.0),
    }
    for kind, noise in kinds.items():
        assert not statistics_of(noise, rng).may_be_noise(), kind


def test_a_few_odd_rows_do_not_make_noise_doubtful():
    rng = stream(3)
    noise = rng.normal(size=SHAPE)
    noise[:2] += np.where(rng.uniform(size=(2, SHAPE[1])) < 0.05, 8.0, 0.0)
    found = statistics_of(noise, rng)
    assert found.kurtosis > 3.0 + 3.0 * (24.0 / noise.size) ** 0.5
    assert found.may_be_noise()


def chirps(rng, n_samples, width):
    x = np.linspace(0.0, 1.0, width)
    first, rate, phase = rng.uniform([2, 0, 0], [10, 15, 2 * np.pi], (n_samples, 3)).T[:, :, None]
    return np.sin(2 * np.pi * (first * x + rate * x**2 / 2) + phase)


def peaks(rng, n_samples, width):
    x = np.linspace(0.0, 1.0, width)
    places, widths = rng.uniform(0.05, 0.95, (4, n_samples, 1)), rng.uniform(0.004, 0.02, (4, 1, 1))
    heights = rng.lognormal(0.0, 0.6, (4, n_samples, 1))
    return np.sum(heights * np.exp(-((x - places) ** 2) / (2.0 * widths**2)), axis=0)


def resonances(rng, n_samples, width):
    """Return stationary rows, which have no directions but those of all noise like them."""
    rows = np.zeros((n_samples, width + 50))
    shocks = rng.normal(size=rows.shape)
    for t in range(2, rows.shape[1]):
        rows[:, t] = 1.6 * rows[:, t - 1] - 0.68 * rows[:, t - 2] + shocks[:, t]
    return rows[:, 50:]


@pytest.mark.parametrize("signal", [chirps, peaks, resonances])
@pytest.mark.parametrize("share", [0.1, 0.3])
@pytest.mark.parametrize("n_samples", [30, 200])
def test_rough_signal_is_not_taken_for_correlated_noise(signal, share, n_samples):
    rng = stream(4)
    clean = signal(rng, n_samples, 120)
    rows = clean + share * clean.std() * rng.normal(size=clean.shape)
    assert noise_of(rows).name == "white"


def test_sparse_rows_are_not_taken_for_spikes():
    rng = stream(5)
    rows = np.where(rng.uniform(size=SHAPE) < 0.03, rng.exponential(3.0, SHAPE), 0.0)
    assert noise_of(rows + 0.1 * rng.normal(size=SHAPE)).spikes is None
    rare = np.where(rng.uniform(size=SHAPE) < 0.01, rng.poisson(3.0, SHAPE), 0.0)
    assert noise_of(rare + 0.003 * rng.normal(size=SHAPE)).spikes is None


@pytest.mark.parametrize(("signal", "are_found"), [(1.0, True), (0.05, False)])
def test_rare_spikes_may_have_any_power_beside_signal(signal, are_found):
    """As cosmic rays on spectra; where there is hardly more than events, these are the signal."""
    rng = stream(9)
    shapes = np.sin(np.linspace(1.0, 9.0, SHAPE[1]) * np.arange(1.0, 4.0)[:, None])
    rows = signal * rng.normal(size=(SHAPE[0], 3)) @ shapes + 0.1 * rng.normal(size=SHAPE)
    hit = rng.uniform(size=SHAPE) < 0.003
    found = noise_of(np.where(hit, rows + rng.uniform(20.0, 200.0, SHAPE), rows)).spikes
    assert (found is not None) == are_found
    if found is not None:
        np.testing.assert_array_equal(found.find(np.where(hit, rows + 50.0, rows))[0], hit)


@pytest.mark.parametrize("size", [20.0, 1e3, 1e12])
def test_a_single_outlier_is_left_out(size):
    rng = stream(7)
    x = np.linspace(0.0, 6.0, 144)
    clean = np.sin(x + rng.uniform(0.0, 6.0, (200, 1)))
    noisy = clean + rng.normal(0.0, 0.2, clean.shape)
    plain = noise_of(noisy)
    assert plain.spikes is None
    noisy[17, 40] = size
    found = noise_of(noisy)
    assert found.name == plain.name
    assert found.spikes is not None
    assert np.argwhere(found.spikes.find(noisy)[0]).tolist() == [[17, 40]]


@pytest.mark.parametrize("constant", [0.0, 3.0, 100.0])
def test_a_constant_column_is_no_spike(constant):
    rng = stream(8)
    clean = np.sin(np.linspace(0.0, 6.0, 144) + rng.uniform(0.0, 6.0, (200, 1)))
    noisy = clean + rng.normal(0.0, 0.2, clean.shape)
    noisy[:, 5] = constant
    assert noise_of(noisy).spikes is None


def test_spikes_are_found_where_the_spectrum_does_not_show_them():
    rng = stream(6)
    x, start = np.linspace(0.0, 1.0, 200), rng.uniform(0.02, 0.3, (150, 1))
    t = np.maximum(x - start, 0.0)
    clean = np.exp(-6.0 * t) * np.sin(2.0 * np.pi * rng.uniform(6.0, 12.0, (150, 1)) * t)
    noisy = clean + 0.1 * rng.normal(size=clean.shape)
    hit = rng.uniform(size=clean.shape) < 0.02
    assert noise_of(noisy).spikes is None
    found = noise_of(np.where(hit, noisy + rng.choice((-2.0, 2.0), clean.shape), noisy)).spikes
    assert found is not None


def discs(n_samples, rng):
    """Pictures of 8 x 8 with an edge that moves and turns: no few directions hold them."""
    y, x = np.mgrid[-1:1:8j, -1:1:8j].reshape(2, -1)
    at = rng.uniform(-0.5, 0.5, size=(n_samples, 2))
    size = rng.uniform(0.3, 0.8, size=(n_samples, 1))
    away = np.hypot((x - at[:, :1]), (y - at[:, 1:]) * rng.uniform(1.0, 1.6, (n_samples, 1)))
    return 1.0 / (1.0 + np.exp((away - size) / 0.05))


@pytest.mark.parametrize(("n_samples", "rank"), [(40, 4), (60, 14), (200, 30)])
def test_noise_that_an_approximation_leaves_is_shared_with_no_neighbour(n_samples, rank):
    """It takes the more of two rows in common the nearer they are, most of all of few rows."""
    rng = stream(8, n_samples)
    signal = 9.0 * rng.normal(size=(n_samples, rank)) @ rng.normal(size=(rank, 200))
    rows = signal + rng.normal(size=signal.shape)
    assert abs(shared_with_neighbours(rows - rows.mean(axis=0))) < 0.05


def test_noise_of_real_spectra_is_found(shared):
    """Some of few counts are quieter than the others, which no transform mends."""
    with h5py.File(shared / "data/real_rows.h5") as file:
        rows = stream(9).permutation(file["coffee"][:])[:40]
    rng = stream(10)
    least, variance = rows.min(), np.mean((rows - rows.mean(axis=0)) ** 2) / 10.0
    gain = variance / np.mean(rows - least)
    assert noise_of(gain * rng.poisson((rows - least) / gain) + least).name == "counts"
    stds = np.exp(rng.uniform(np.log(0.25), np.log(2.0), rows.shape[1]))
    stds *= (variance / np.mean(stds**2)) ** 0.5
    assert noise_of(rows + stds * rng.normal(size=rows.shape)).name == "columns"


@pytest.mark.parametrize("n_samples", [300, 800])
def test_signal_that_few_directions_leave_is_no_noise_of_its_own(n_samples):
    """It is louder in columns and where values are high, but neighbours have it, too."""
    rng = np.random.default_rng(2)
    clean = discs(n_samples, rng)
    noisy = clean + 0.12 * rng.normal(size=clean.shape)
    rest = noisy - noisy.mean(axis=0)
    assert shared_with_neighbours(rest) > 0.06
    assert abs(shared_with_neighbours(rng.normal(size=clean.shape))) < 0.03
    assert noise_of(noisy).name == "white"
    loud = rng.uniform(0.2, 3.0, size=64)
    smooth = np.sin(rng.uniform(0.0, 6.0, (n_samples, 1)) + np.linspace(0.0, 3.0, 64))
    assert noise_of(smooth + 0.1 * loud * rng.normal(size=clean.shape)).name == "columns"
