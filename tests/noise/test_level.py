"""The noise level: estimated from noisy rows alone, or said not to be known."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli.estimators.pca import PCA
from ikpca_cli.noise.eigenvalues import SHARES, Eigenvalues
from ikpca_cli.noise.estimate import NoiseLevel, Reading
from ikpca_cli.noise.evidence.two_readings import _together
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.local import thickness
from ikpca_cli.noise.row_lengths import RowLengths


def sines(n_samples, seed, noise=0.3):
    """Return noisy and clean sines of random phase, (n_samples, 60)."""
    rng = np.random.default_rng(np.random.SeedSequence([77, seed]))
    phase = rng.uniform(0, 2 * np.pi, (n_samples, 1))
    clean = np.sin(np.linspace(0, 2 * np.pi, 60) + phase)
    return clean + rng.normal(scale=noise, size=clean.shape), clean


@pytest.mark.parametrize("noise", [0.05, 0.3, 1.0])
def test_noise_level_from_the_spectrum(noise):
    assert estimate_noise(sines(200, 1, noise)[0]).std == pytest.approx(noise, rel=0.05)
    wide = sines(40, 1, noise)[0]
    assert estimate_noise(wide - wide.mean(axis=0)).std == pytest.approx(noise, rel=0.1)


@pytest.mark.parametrize("noise", [0.05, 0.15])
def test_noise_level_from_neighbourhoods(noise):
    rng = np.random.default_rng(4)
    angle, across = rng.uniform(0, np.pi, 1500), rng.uniform(0, 2, 1500)
    clean = np.stack([2 * np.cos(angle), 2 * np.sin(angle), across], axis=1)
    noisy = clean + rng.normal(scale=noise, size=clean.shape)
    found = estimate_noise(noisy - noisy.mean(axis=0))
    assert found.certain
    assert found.std == pytest.approx(noise, rel=0.15)


@pytest.mark.parametrize(("noise", "within"), [(0.02, 0.03), (0.05, 0.03), (0.1, 0.06)])
def test_the_bend_of_a_surface_is_not_noise(noise, within):
    rng = np.random.default_rng(np.random.SeedSequence([34]))
    clean = rng.normal(size=(2000, 3))
    clean /= np.linalg.norm(clean, axis=1, keepdims=True)
    noisy = clean + rng.normal(scale=noise, size=clean.shape)
    assert estimate_noise(noisy - noisy.mean(axis=0)).std == pytest.approx(noise, rel=within)


@pytest.mark.parametrize("rows", [(40, 3), (60, 2), (200, 5)])
def test_noise_on_a_lattice_is_within_its_spread(rows):
    rng = np.random.default_rng(np.random.SeedSequence([35]))
    level = estimate_noise(rng.integers(-1, 2, rows).astype(float))
    assert level.std is None or 0.1 < level.std < 1.0


GROUPS = [(1000, 4, (9, 10)), (2000, 5, (10, 14)), (2000, 6, (12,))]


@pytest.mark.parametrize(("n_samples", "n_features", "groups"), GROUPS)
def test_small_groups_far_from_a_plane_do_not_change_its_thickness(n_samples, n_features, groups):
    rng = np.random.default_rng(np.random.SeedSequence([38]))
    clean = rng.normal(size=(n_samples, 2)) @ rng.normal(size=(2, n_features)) * 3.0
    far = [np.full((size, n_features), 1000.0 * (k + 1)) for k, size in enumerate(groups)]
    found = []
    for rows in (clean, np.concatenate([clean, *far])):
        noisy = rows[rng.permutation(len(rows))] + rng.normal(scale=0.3, size=rows.shape)
        found.append(thickness(noisy - noisy.mean(axis=0)).std)
    assert found[1] == pytest.approx(found[0], rel=0.1)


def test_fewer_rows_than_a_parabola_has_terms_are_taken_to_lie_on_a_plane():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20, 6)) * [0.05, 1.0, 1.0, 1.0, 1.0, 1.0]
    found = thickness(rows - rows.mean(axis=0))
    assert found.is_bound
    assert found.std < 0.1


def test_marks_on_quiet_columns_are_not_noise():
    rng = np.random.default_rng(np.random.SeedSequence([36]))
    marked = rng.uniform(size=(1000, 200)) < np.linspace(0.05, 0.9, 200)
    clean = marked * rng.uniform(0.2, 2.0, (1000, 200))
    noisy = clean + rng.normal(scale=0.25, size=clean.shape)
    assert estimate_noise(noisy - noisy.mean(axis=0)).std == pytest.approx(0.25, rel=0.02)


def test_few_quiet_columns_do_not_overrule_the_spectrum():
    levels = []
    for seed in range(40):
        rng = np.random.default_rng(np.random.SeedSequence([32, seed]))
        X = np.outer(rng.normal(size=60), np.ones(24)) + rng.normal(size=(60, 24))
        levels.append(estimate_noise(X - X.mean(axis=0)).std)
    assert min(levels) > 0.85


def test_heavy_tails_of_noise_are_not_marks_on_quiet_columns():
    """They were read as noise of two thirds of the level beside a few numbers far off."""
    rng = np.random.default_rng(np.random.SeedSequence([80]))
    signal = rng.normal(size=(200, 3)) @ np.eye(3, 96)
    rows = 3.0 * signal + rng.laplace(scale=0.5**0.5, size=(200, 96))
    assert estimate_noise(rows - rows.mean(axis=0)).std == pytest.approx(1.0, rel=0.05)


@pytest.mark.parametrize("noise", [0.7, 3.0])
def test_noise_level_of_integers(noise):
    rng = np.random.default_rng(np.random.SeedSequence([33]))
    X = np.round(
        np.outer(5.0 * rng.normal(size=400), np.ones(30)) + noise * rng.normal(size=(400, 30))
    )
    expected = np.sqrt(noise**2 + 1.0 / 12.0)  # rounding is noise, too
    assert estimate_noise(X - X.mean(axis=0)).std == pytest.approx(expected, rel=0.05)


def test_noise_level_of_a_single_column_is_unknown():
    level = estimate_noise(np.arange(-4.0, 5.0)[:, None])
    assert (level.std, level.certain) == (None, False)


def curves(n_samples, n_features, rng):
    """Return points on a closed curve of several harmonics, (n_samples, n_features)."""
    turns = rng.uniform(0, 2 * np.pi, (n_samples, 1))
    k = np.arange(n_features)
    return np.cos((k // 2 + 1) * turns + k % 2 * np.pi / 2) / (k // 2 + 1)


@pytest.mark.parametrize("n_features", [4, 5, 8])
def test_noise_in_several_directions_across_a_curve(n_features):
    rng = np.random.default_rng(np.random.SeedSequence([41]))
    noisy = curves(1500, n_features, rng) + rng.normal(scale=0.1, size=(1500, n_features))
    level = estimate_noise(noisy - noisy.mean(axis=0))
    assert level.std == pytest.approx(0.1, rel=0.1)


@pytest.mark.parametrize("n_features", [2, 3, 4, 8])
@pytest.mark.parametrize("n_samples", [300, 1500])
def test_nothing_but_noise_in_few_columns(n_features, n_samples):
    rng = np.random.default_rng(np.random.SeedSequence([42]))
    noise = rng.normal(size=(n_samples, n_features))
    assert estimate_noise(noise - noise.mean(axis=0)).std == pytest.approx(1.0, rel=0.15)


def test_noise_on_a_line():
    rng = np.random.default_rng(np.random.SeedSequence([43]))
    noisy = np.outer(rng.normal(size=500), np.ones(3)) + rng.normal(scale=0.3, size=(500, 3))
    assert estimate_noise(noisy - noisy.mean(axis=0)).std == pytest.approx(0.3, rel=0.1)


def test_one_row_far_off_does_not_hide_the_noise():
    rng = np.random.default_rng(np.random.SeedSequence([44]))
    noisy = curves(300, 2, rng) + rng.normal(scale=0.1, size=(300, 2))
    noisy[7] = 1e8
    assert estimate_noise(noisy - noisy.mean(axis=0)).std == pytest.approx(0.1, rel=0.15)


def test_rows_that_come_ten_times_have_the_noise_of_one():
    rng = np.random.default_rng(np.random.SeedSequence([45]))
    noisy = curves(300, 2, rng) + rng.normal(scale=0.1, size=(300, 2))
    once = estimate_noise(noisy - noisy.mean(axis=0)).std
    assert estimate_noise(np.repeat(noisy, 10, axis=0) - noisy.mean(axis=0)).std == once


def test_few_rows_do_not_tell_the_noise():
    rows = np.random.default_rng(np.random.SeedSequence([46])).normal(size=(6, 20))
    assert estimate_noise(np.repeat(rows, 9, axis=0)).std is None


def level_of(clean, noise, rng):
    """Return the level that is estimated where noise is added to some rows."""
    noisy = clean + rng.normal(scale=noise, size=clean.shape)
    return estimate_noise(noisy - noisy.mean(axis=0))


def directions(n_samples, n_features, rng):
    """Return points on a sphere of radius 1, (n_samples, n_features)."""
    rows = rng.normal(size=(n_samples, n_features))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("n_features", [4, 5, 6, 8, 16, 32])
@pytest.mark.parametrize("n_samples", [100, 300, 1000])
def test_a_sphere_is_not_noise_without_a_word(n_features, n_samples):
    """Its covariance is that of white noise, and its bend as wide as any window."""
    rng = np.random.default_rng(np.random.SeedSequence([47]))
    level = level_of(directions(n_samples, n_features, rng), 0.1, rng)
    assert not level.certain or level.std == pytest.approx(0.1, rel=0.25)


@pytest.mark.parametrize("n_samples", [40, 200])
def test_rows_of_more_even_lengths_than_any_noise_tell_no_level(n_samples):
    """Rows of 1 and -1, say, have the spectrum of noise: they came back ten times worse."""
    rng = np.random.default_rng(np.random.SeedSequence([50]))
    assert level_of(rng.choice((-1.0, 1.0), (n_samples, 40)), 0.2, rng).is_bound
    assert level_of(directions(n_samples, 40, rng), 0.02, rng).is_bound
    plane = rng.normal(size=(n_samples, 2)) @ rng.normal(size=(2, 40))
    assert not level_of(plane + rng.uniform(-1.0, 1.0, (n_samples, 40)), 0.02, rng).is_bound


@pytest.mark.parametrize("stretched", [1, 4])
def test_nor_are_the_lesser_directions_of_an_ellipsoid(stretched):
    rng = np.random.default_rng(np.random.SeedSequence([48]))
    rows = directions(400, 16, rng)
    rows[:, :stretched] *= 5.0
    assert not level_of(rows, 0.1, rng).certain


@pytest.mark.parametrize("n_features", [6, 16, 60])
def test_nor_are_phases_that_fill_the_space(n_features):
    rng = np.random.default_rng(np.random.SeedSequence([49]))
    turns = rng.uniform(0, 2 * np.pi, (300, n_features // 2))
    assert not level_of(np.concatenate([np.cos(turns), np.sin(turns)], axis=1), 0.1, rng).certain


@pytest.mark.parametrize("rows", [(40, 4000), (200, 3000), (300, 30), (2000, 12), (400, 8)])
@pytest.mark.parametrize("signals", [0, 2, 4])
def test_noise_with_a_few_directions_of_signal_is_certain(rows, signals):
    n_samples, n_features = rows
    rng = np.random.default_rng(np.random.SeedSequence([50]))
    clean = rng.normal(size=(n_samples, signals)) @ rng.normal(size=(signals, n_features)) * 3.0
    level = level_of(clean, 0.3, rng)
    assert level.certain
    assert level.std == pytest.approx(0.3, rel=0.1)


@pytest.mark.parametrize(("n_samples", "n_features", "steady"), [(300, 5, False), (2000, 3, True)])
def test_wider_windows_tell_the_same_where_they_are_small_enough(n_samples, n_features, steady):
    rng = np.random.default_rng(np.random.SeedSequence([51]))
    rows = directions(n_samples, n_features, rng)
    noisy = rows + rng.normal(scale=0.1, size=rows.shape)
    assert thickness(noisy - noisy.mean(axis=0), white=True).is_steady == steady


@pytest.mark.parametrize(("decay", "off"), [(1.3, 0.03), (100.0, 0.01)])
def test_signal_that_goes_on_within_noise_is_not_read_with_it(decay, off):
    """The level was 6 % too high where signal fills a dozen directions."""
    rng = np.random.default_rng(np.random.SeedSequence([81]))
    found = []
    for _ in range(8):
        clean = rng.normal(size=(400, 12)) * decay ** -np.arange(12.0)
        level = level_of(clean, clean.std(axis=0).max() / 2.0, rng)
        assert level.certain
        found.append(2.0 * level.std / clean.std(axis=0).max())
    assert np.mean(found) == pytest.approx(1.0, abs=off)


@pytest.mark.parametrize("value", [1e60, 1e-60, 100.0])
def test_a_spread_of_many_orders_makes_no_trouble(value):
    rng = np.random.default_rng(np.random.SeedSequence([52]))
    for shape in ((9, 8), (60, 30), (30, 200)):
        rows = rng.normal(size=shape)
        rows[::3, 0] = value
        with np.errstate(all="raise", under="ignore"):
            level = estimate_noise(rows - rows.mean(axis=0))
        assert level.std is None or 0.0 < level.std < 2.0


@pytest.mark.parametrize("n_samples", [30, 50, 80])
def test_few_rows_of_few_columns_give_no_more_than_a_bound(n_samples):
    """So few rows on a bent surface lie as noise of the surface's own size would."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        turn = rng.uniform(-1.5 * np.pi, 1.5 * np.pi, n_samples)
        bend = np.sign(turn) * (np.cos(turn) - 1.0)
        curve = np.stack([np.sin(turn), rng.uniform(0.0, 2.0, n_samples), bend], axis=1)
        rows = curve + rng.normal(scale=0.25, size=curve.shape)
        found = estimate_noise(rows - rows.mean(axis=0))
        assert not found.certain
        assert found.is_bound or found.std < 0.5


def doses(share, seed):
    """Return rows (300, 100) whose noise holds signal of a share of its variance, in doses."""
    rng = np.random.default_rng(np.random.SeedSequence([78, seed]))
    spread = rng.gamma(2.0, 0.5, (300, 1))
    return rng.normal(size=(300, 100)) * np.sqrt(1.0 - share + share * spread)


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5])
def test_signal_that_comes_in_doses_is_no_more_than_lengths_tell(share):
    lengths = RowLengths.of(rows := doses(share, 1), Eigenvalues.of(rows), 0)
    assert share < lengths.hidden_share() < 2.0 * share + 0.2


def test_lengths_that_vary_less_than_those_of_noise_tell_nothing_of_signal():
    rows = doses(0.0, 2)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert RowLengths.of(rows, Eigenvalues.of(rows), 0).hidden_share() == 1.0


@pytest.mark.parametrize(("hidden", "strength"), [(0.2, 1.0), (0.55, 0.9), (1.0, 0.8)])
def test_a_guess_of_the_level_is_used_as_far_as_it_is_safe(hidden, strength):
    level = NoiseLevel(1.0, certain=False, hidden=hidden)
    assert level.strength == pytest.approx(strength)
    assert (f"{1.0 - strength:.0%} less" in level.doubt_in_words()) is (strength < 1.0)
    assert NoiseLevel(1.0, certain=True, hidden=hidden).strength == 1.0


def test_rows_of_uneven_roughness_are_cleaned_in_full_where_little_of_it_can_be_signal():
    rng = np.random.default_rng(0)
    spread = 0.65 + 0.35 * rng.gamma(4.0, 0.25, (120, 1))
    rows = rng.normal(size=(120, 100)) * np.sqrt(spread)
    rows += 3.0 * rng.normal(size=(120, 2)) @ rng.normal(size=(2, 100))
    level = estimate_noise(rows - rows.mean(axis=0))
    assert not level.certain
    assert 0.2 < level.hidden < 0.5
    assert level.strength == 1.0


@pytest.mark.parametrize(("n_samples", "n_features"), [(100, 100), (101, 80), (90, 200), (300, 60)])
def test_the_lowest_eigenvalues_of_noise_are_not_taken_for_less_noise(n_samples, n_features):
    """Of nearly as many rows as columns they scatter by more than their number tells.

    The level of white noise was read 3 to 6 % too low in one draw of four.
    """
    apart, levels = [], []
    for seed in range(20):
        rng = np.random.default_rng(np.random.SeedSequence([78, seed]))
        rows = 10.0 * rng.normal(size=(n_samples, 6)) @ rng.normal(size=(6, n_features))
        rows += rng.normal(size=rows.shape)
        spectrum = Eigenvalues.of(rows - rows.mean(axis=0))
        for share in (0.5, 0.25):
            reading, _ = spectrum.reading(share)
            apart.append((reading.std - 1.0) / (reading.doubt / 2.0))
        levels.append(estimate_noise(rows - rows.mean(axis=0)).std)
    assert 0.6 < np.std(apart) < 1.4
    assert abs(np.mean(apart)) < 0.5
    assert np.mean(np.abs(np.array(levels) - 1.0) > 0.03) < 0.1


@pytest.mark.parametrize("fall", [0.7, 0.5])
def test_a_level_is_as_sure_as_it_says(fall):
    """Signal falls from one direction to the next, on and on below the edge of noise."""
    off = []
    for seed in range(20):
        rng = np.random.default_rng(np.random.SeedSequence([79, seed]))
        rows = 30.0 * rng.normal(size=(100, 60)) * fall ** np.arange(60)
        rows += rng.normal(size=rows.shape)
        X = rows - rows.mean(axis=0)
        level = estimate_noise(X)
        first, *lower = (Eigenvalues.of(X).reading(share)[0] for share in SHARES)
        for reading in lower:
            if reading.std == level.std:
                apart = (first.std / reading.std - 1.0) / 2.0
                assert level.error > 0.99 * min(apart, reading.doubt)
        off.append((level.std - 1.0) / level.error)
    assert np.sqrt(np.mean(np.square(off))) < 1.6


def test_two_readings_are_weighed_by_their_precision():
    level = NoiseLevel(1.0, certain=True, error=0.01)
    both = _together(level, Reading(1.01, 0.02))
    assert both.std == pytest.approx(1.01**0.5)
    assert both.error == pytest.approx(0.01)
    apart = _together(level, Reading(np.exp(0.025), 0.02))
    assert apart.error == pytest.approx(0.01 * 0.025 / 0.01 / 2**0.5)
    assert _together(level, Reading(1.06, 0.02)) is None
    assert _together(level, Reading(0.96, 0.02)) is None


@pytest.mark.parametrize(("fall", "is_hidden"), [(0.5, True), (0.0, False)])
def test_signal_below_the_edge_of_noise_is_foreseen_where_it_falls_on(fall, is_hidden):
    """Directions of signal that halve from one to the next, or of which there are four."""
    rng = np.random.default_rng(np.random.SeedSequence([61]))
    count = 20 if fall else 4
    strengths = 16.0 * (fall or 0.7) ** np.arange(count)
    basis = np.linalg.qr(rng.normal(size=(80, count)))[0]
    rows = rng.normal(size=(200, count)) * np.sqrt(strengths) @ basis.T + rng.normal(size=(200, 80))
    spectrum = Eigenvalues.of(rows - rows.mean(axis=0))
    reading, signal = spectrum.reading(1.0)
    beyond, error = spectrum.signal_beyond(signal, reading.std)
    hidden = strengths[signal:].sum() / (80 - signal)
    assert (beyond > 1e-4) is is_hidden
    assert beyond == pytest.approx(hidden, rel=0.8, abs=1e-4)
    assert (error > 0.01) is is_hidden


@pytest.mark.parametrize("power", [1.75, 2.0, 2.5])
def test_signal_that_falls_by_a_power_law_is_not_hidden_without_an_error(power):
    """What no direction shows is within three errors of what is foreseen."""
    rng = np.random.default_rng(np.random.SeedSequence([62]))
    strengths = 20.0 * np.arange(1.0, 25.0) ** -power
    rows = rng.normal(size=(400, 24)) * np.sqrt(strengths) + rng.normal(size=(400, 24))
    spectrum = Eigenvalues.of(rows - rows.mean(axis=0))
    reading, signal = spectrum.reading(1.0)
    beyond, error = spectrum.signal_beyond(signal, reading.std)
    assert abs(strengths[signal:].sum() / (24 - signal) - beyond) < 3.0 * error


@pytest.mark.parametrize("size", [(400, 24), (2000, 12), (100, 100)])
def test_directions_of_noise_are_no_signal_and_those_above_its_edge_are(size):
    rng = np.random.default_rng(np.random.SeedSequence([63, *size]))
    mean = np.zeros(2)
    for _ in range(50):
        rows = rng.normal(size=size)
        mean[0] += Eigenvalues.of(rows - rows.mean(axis=0)).reading(1.0)[1] / 50
        rows[:, 0] *= (1.0 + 10.0 * (size[1] / size[0]) ** 0.5) ** 0.5
        mean[1] += Eigenvalues.of(rows - rows.mean(axis=0)).reading(1.0)[1] / 50
    assert mean[0] <= 0.04
    assert mean[1] >= 0.9


def edges(n_samples, seed):
    """Return noisy edges of any direction and softened waves (n_samples, 64), and the level."""
    rng = np.random.default_rng(np.random.SeedSequence([79, seed]))
    y, x = np.mgrid[:8, :8] - 3.5
    angle, phase = rng.uniform(0.0, 2.0 * np.pi, (2, n_samples, 1, 1))
    height, pace = rng.lognormal(0.0, 0.6, (n_samples, 1, 1)), rng.uniform(0.1, 1.2, phase.shape)
    across = x * np.cos(angle) + y * np.sin(angle)
    edge = np.tanh(2.0 * (across - rng.normal(0.0, 2.0, phase.shape)))
    is_edge = rng.uniform(size=phase.shape) < 0.5
    clean = height * np.where(is_edge, edge, np.sin(pace * across + phase))
    rows = (clean + rng.normal(size=phase.shape)).reshape(n_samples, -1)
    level = float(rows.var(axis=0).mean() / 10.0) ** 0.5
    rows += rng.normal(scale=level, size=rows.shape)
    return rows - rows.mean(axis=0), level


@pytest.mark.parametrize("seed", [6, 7, 8])
def test_signal_above_the_directions_that_tell_the_level_has_no_part_in_it(seed):
    """Else which rows were drawn would tell how much is removed."""
    rows, level = edges(2000, seed)
    found = estimate_noise(rows)
    assert not found.is_bound
    assert found.strength == 1.0
    assert found.std == pytest.approx(level, rel=0.05)


@pytest.mark.parametrize("degree", [0, 2])
@pytest.mark.parametrize("n_constant", [0, 20])
def test_rows_whose_mean_or_trend_was_taken_off_have_their_noise_still(degree, n_constant):
    rng = np.random.default_rng(np.random.SeedSequence([61, degree]))
    n_features = 60
    clean = rng.lognormal(size=(300, 4)) @ np.sin(np.outer(np.arange(1, 5), np.arange(n_features)))
    rows = clean + 0.3 * rng.normal(size=clean.shape)
    trends = np.linalg.qr(np.vander(np.linspace(-1.0, 1.0, n_features), degree + 1))[0]
    rows -= rows @ trends @ trends.T
    rows = np.hstack([rows, np.ones((300, n_constant))])
    level = estimate_noise(rows - rows.mean(axis=0))
    assert level.std == pytest.approx(0.3, rel=0.03)
    model = PCA().fit(rows)
    assert model.strength_ > 0.0
    assert model.estimated_mse_ is None  # some directions have no noise


def test_rows_of_few_directions_have_no_noise():
    rng = np.random.default_rng(np.random.SeedSequence([62]))
    rows = rng.normal(size=(300, 5)) @ rng.normal(size=(5, 40))
    assert estimate_noise(rows - rows.mean(axis=0)).std is None
