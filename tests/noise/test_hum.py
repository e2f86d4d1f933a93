"""An oscillation that all rows hold as strongly, at any phase."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli import PCA
from ikpca_cli.noise.models.hum import shared_period
from tests.noise.rows import strokes


def bumps(strength=1.0):
    """Return rows of one bump each in noise, (100, 120), and a generator."""
    rng = np.random.default_rng(np.random.SeedSequence([61]))
    x = np.linspace(0.0, 1.0, 120)
    centre = rng.uniform(0.3, 0.7, (100, 1))
    clean = rng.lognormal(0.0, 0.4, (100, 1)) * np.exp(-(((x - centre) / 0.15) ** 2))
    return strength * clean + 0.1 * rng.normal(size=clean.shape), rng


@pytest.fixture
def rows():
    return bumps()


def hum(rng, size, period):
    return 0.2 * np.sin(2 * np.pi * np.arange(120) / period + rng.uniform(0, 2 * np.pi, (size, 1)))


@pytest.mark.parametrize("strength", [1.0, 30.0])
@pytest.mark.parametrize("period", [5.3, 8.0, 11.1])
def test_hum_is_found_with_its_period(period, strength):
    """However weak it is beside the signal, most of what is left of the noise is hum."""
    noisy, rng = bumps(strength)
    assert shared_period(noisy - noisy.mean(axis=0)) is None
    loud = noisy + hum(rng, len(noisy), period)
    assert shared_period(loud - loud.mean(axis=0)) == pytest.approx(period, rel=0.06)


def test_what_differs_from_row_to_row_is_no_hum(rows):
    noisy, rng = rows
    carried = noisy + rng.normal(size=(100, 1)) * hum(rng, len(noisy), 8.0)
    assert shared_period(carried - carried.mean(axis=0)) is None
    locked = noisy + hum(rng, 1, 8.0) * rng.uniform(0.9, 1.1, (100, 1))
    assert shared_period(locked - locked.mean(axis=0)) is None


def test_oscillations_that_are_all_there_is_are_signal():
    rng = np.random.default_rng(np.random.SeedSequence([62]))
    alone = hum(rng, 100, 8.0) + 0.05 * rng.normal(size=(100, 120))
    assert shared_period(alone - alone.mean(axis=0)) is None


def test_no_error_is_promised_with_hum(rows):
    noisy, rng = rows
    loud = noisy + hum(rng, len(noisy), 8.0)
    assert PCA().fit(loud).summary()["no_estimate_because"].endswith("which may be hum")


def test_hum_is_found_beside_rough_signal():
    """Where signal is as strong at its frequency, and stronger at others."""
    rng = np.random.default_rng(np.random.SeedSequence([63]))
    x = np.linspace(0.0, 1.0, 120)
    first, rate = rng.uniform(2, 6, (150, 1)), rng.uniform(3, 15, (150, 1))
    chirps = np.sin(2 * np.pi * (first * x + rate * x**2 / 2) + rng.uniform(0, 0.6, (150, 1)))
    noisy = chirps + 0.15 * rng.normal(size=chirps.shape)
    assert shared_period(noisy - noisy.mean(axis=0)) is None
    loud = noisy + 2.5 * hum(rng, 150, 8.3)
    assert shared_period(loud - loud.mean(axis=0)) == pytest.approx(8.3, rel=0.03)
    walks = np.cumsum(rng.normal(size=(150, 120)), axis=1) / 5.0
    loud = walks + 2.0 * hum(rng, 150, 8.3)
    assert shared_period(loud - loud.mean(axis=0)) == pytest.approx(8.3, rel=0.03)
    alike = walks - walks.mean(axis=0)
    assert shared_period(alike) is None


def chirps(rng, n_samples):
    """Return rows whose frequency rises, (n_samples, 120)."""
    x = np.linspace(0.0, 1.0, 120)
    first, rate = rng.uniform(2.0, 5.0, (n_samples, 1)), rng.uniform(1.0, 6.0, (n_samples, 1))
    return np.cos(2 * np.pi * (first * x + rate * x**2) + rng.uniform(-0.5, 0.5, (n_samples, 1)))


@pytest.mark.parametrize(("make", "n_samples"), [(strokes, 300), (chirps, 80)])
def test_hum_is_told_from_signal_that_has_its_frequency(make, n_samples):
    """It is more even than that: errors of a tenth and less of the truth were promised."""
    for seed in range(3):
        rng = np.random.default_rng(np.random.SeedSequence([64, seed]))
        clean = make(rng, n_samples)
        std = 0.3 * (clean - clean.mean(axis=0)).std()
        turns = np.arange(clean.shape[1]) / 8.3 + rng.uniform(size=(n_samples, 1))
        noisy = clean + 0.6 * std * rng.normal(size=clean.shape)
        loud = noisy + 0.8 * 2**0.5 * std * np.sin(2 * np.pi * turns)
        assert shared_period(noisy - noisy.mean(axis=0)) is None
        assert shared_period(loud - loud.mean(axis=0)) == pytest.approx(8.3, rel=0.05)
