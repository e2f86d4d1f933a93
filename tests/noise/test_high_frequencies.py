"""The noise level by high frequencies: right on smooth rows, silent on others."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.ndimage import gaussian_filter1d

from ikpca_cli.noise.estimate import NoiseLevel, Reading
from ikpca_cli.noise.evidence.power_law import WhiteShare
from ikpca_cli.noise.evidence.two_readings import checked_by
from ikpca_cli.noise.high_frequencies import high_reading, most_white
from ikpca_cli.noise.level import estimate_noise


def stream(*numbers):
    return np.random.default_rng(np.random.SeedSequence([92, *numbers]))


def ringing(rng, n_samples, width=200):
    """Return damped oscillations that start anywhere."""
    x = np.linspace(0.0, 1.0, width)
    start, rate, decay = rng.uniform([0.02, 5, 3], [0.3, 12, 9], (n_samples, 3)).T[:, :, None]
    t = np.maximum(x - start, 0.0)
    return np.exp(-decay * t) * np.sin(2 * np.pi * rate * t)


def centred(rows):
    return rows - rows.mean(axis=0)


@pytest.mark.parametrize("n_samples", [10, 40, 300])
@pytest.mark.parametrize("noise", [0.03, 0.3, 3.0])
def test_few_smooth_rows_tell_their_noise(n_samples, noise):
    rng = stream(1)
    rows = ringing(rng, n_samples)
    level = estimate_noise(centred(rows + noise * rng.normal(size=rows.shape)))
    assert level.certain
    assert level.std == pytest.approx(noise, rel=0.06)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_reading_in_doubt_says_nothing_against_a_level_that_is_certain(seed):
    """Bursts have signal up to high frequencies; what is taken off for it there is a guess."""
    rng = stream(4, seed)
    x = np.linspace(0.0, 1.0, 150) - rng.uniform(0.2, 0.8, (150, 1))
    turns = rng.uniform(15.0, 30.0, (150, 1)) * x + rng.uniform(0.0, 1.0, (150, 1))
    rows = np.exp(-((x / 0.08) ** 2)) * np.cos(2 * np.pi * turns)
    noisy = centred(rows + 0.08 * rng.normal(size=rows.shape))
    reading, level = high_reading(noisy), estimate_noise(noisy)
    assert reading is None or reading.std * (1.0 + reading.doubt) > 0.08
    assert level.certain
    assert level.std == pytest.approx(0.08, rel=0.06)


@pytest.mark.parametrize(("doubt", "certain"), [(0.1, True), (3.0, False)])
def test_a_reading_that_is_all_doubt_makes_no_level_certain(doubt, certain, monkeypatch):
    guess, reading = NoiseLevel(1.0, certain=False), Reading(0.5, doubt)
    monkeypatch.setattr("ikpca_cli.noise.level._of_directions", lambda *_: guess)
    monkeypatch.setattr("ikpca_cli.noise.level.high_reading", lambda _rows: reading)
    no_law = WhiteShare(1.0, 0.1, likely=0.5, expected=0.5, least=0.4, fits=False)
    monkeypatch.setattr("ikpca_cli.noise.level.WhiteShare.of", lambda _rows: no_law)
    level = estimate_noise(stream(5).normal(size=(40, 30)))
    assert level == (NoiseLevel(0.5, certain=True, error=0.05) if certain else guess)


def test_its_doubt_is_that_of_the_reading():
    errors = []
    for seed in range(40):
        rng = stream(2, seed)
        rows = ringing(rng, 12)
        reading = high_reading(centred(rows + 0.2 * rng.normal(size=rows.shape)))
        if reading is not None:  # chance makes a few bands uneven
            errors.append((reading.std / 0.2 - 1.0) / (reading.doubt / 2.0))
    assert len(errors) > 30
    assert 0.7 < float(np.std(errors)) < 1.4


def jumps(rng, n_samples):
    return np.cumsum(rng.uniform(size=(n_samples, 120)) < 0.05, axis=1) % 2.0


def sparse(rng, n_samples):
    return np.where(rng.uniform(size=(n_samples, 120)) < 0.03, 3.0, 0.0)


def table(rng, n_samples):
    return rng.normal(size=(n_samples, 4)) @ rng.normal(size=(4, 120))


def phases(rng, n_samples):
    return np.cos(rng.uniform(0.0, 2.0 * np.pi, (n_samples, 120)))


@pytest.mark.parametrize("signal", [jumps, sparse, table, phases])
@pytest.mark.parametrize("n_samples", [100, 300])
def test_rough_rows_do_not(signal, n_samples):
    rng = stream(3)
    rows = signal(rng, n_samples)
    assert high_reading(centred(rows + 0.1 * rng.normal(size=rows.shape))) is None


def test_uneven_noise_is_not_read():
    rng = stream(4)
    rows, noise = ringing(rng, 100), rng.normal(size=(100, 200))
    levels = np.exp(rng.normal(0.0, 0.5, (100, 1)))
    for uneven in (
        levels * noise,
        np.linspace(0.1, 2.0, 200) * noise,
        rng.standard_t(3, (100, 200)),
    ):
        assert high_reading(centred(rows + 0.2 * uneven)) is None


@pytest.mark.parametrize("n_samples", [12, 100])
def test_no_white_noise_is_louder_than_the_highest_frequencies(n_samples):
    rng = stream(6)
    noise = rng.normal(size=(200, n_samples, 60))
    most = np.array([most_white(centred(rows)) for rows in noise])
    assert np.mean(most > 1.0) > 0.98  # three standard errors
    assert np.median(most) < 1.0 + 4.0 / (n_samples * 24) ** 0.5
    assert most_white(noise[0][:, :40]) == np.inf  # few columns tell nothing


@pytest.mark.parametrize("seed", range(3))
def test_few_rows_of_one_smooth_process_tell_their_noise_by_frequencies(seed):
    """All their directions hold signal, so that those tell a third more."""
    rng = np.random.default_rng(np.random.SeedSequence([97, seed]))
    smooth = gaussian_filter1d(rng.normal(size=(21, 700)), 5.0, axis=1)[:, 94:606]
    rows = smooth / smooth.std() + rng.normal(size=(21, 512))
    assert_allclose(estimate_noise(centred(rows)).std, 1.0, rtol=0.03)


def test_short_rows_are_not_read():
    rng = stream(5)
    assert high_reading(centred(rng.normal(size=(1000, 30)))) is None


def textures(rng, n_samples, side=12):
    """Return pieces of pictures whose power falls as the third power of the frequency."""
    frequencies = np.hypot(*np.meshgrid(*2 * [np.fft.fftfreq(32)]))
    frequencies[0, 0] = 1 / 32
    noise = np.fft.fft2(rng.normal(size=(n_samples, 32, 32)))
    pieces = np.real(np.fft.ifft2(noise * frequencies**-1.5))[:, :side, :side]
    return pieces.reshape(n_samples, -1) / pieces.std()


@pytest.mark.parametrize("seed", range(3))
def test_texture_is_not_left_alone_where_it_has_frequencies_without_signal(seed):
    """Those that are high along both sides of a picture; its level is a guess."""
    rng = stream(12, seed)
    clean = textures(rng, 200)
    level = estimate_noise(centred(clean + 0.5 * rng.normal(size=clean.shape)))
    assert level.std == pytest.approx(0.5, rel=0.15)
    assert not level.is_bound
    assert estimate_noise(centred(clean)).is_bound


def test_clipped_texture_is_texture():
    clean = textures(stream(13), 250)
    noisy = clean + 0.3 * stream(14).normal(size=clean.shape)
    found, bound = (
        estimate_noise(centred(np.maximum(rows, np.quantile(clean, 0.15))))
        for rows in (noisy, clean)
    )
    assert found.std == pytest.approx(0.3, rel=0.15)
    assert not found.is_bound
    assert bound.is_bound


def test_a_higher_reading_by_frequencies_does_not_replace_a_level_that_is_certain():
    level = NoiseLevel(1.0, certain=True, error=0.005)
    both = checked_by(level, Reading(1.019, 0.0128))
    assert 1.0 < both.std < 1.01
    assert both.error > level.error
    assert checked_by(level, Reading(1.2, 0.0128)) == level
