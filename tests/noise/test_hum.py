"""An oscillation that all rows hold as strongly, at any phase."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli import PCA
from ikpca_cli.noise.models.hum import shared_period


@pytest.fixture
def rows():
    rng = np.random.default_rng(np.random.SeedSequence([61]))
    x = np.linspace(0.0, 1.0, 120)
    centre = rng.uniform(0.3, 0.7, (100, 1))
    clean = rng.lognormal(0.0, 0.4, (100, 1)) * np.exp(-(((x - centre) / 0.15) ** 2))
    return clean + 0.1 * rng.normal(size=clean.shape), rng


def hum(rng, size, period):
    return 0.2 * np.sin(2 * np.pi * np.arange(120) / period + rng.uniform(0, 2 * np.pi, (size, 1)))


@pytest.mark.parametrize("period", [5.3, 8.0, 11.1])
def test_hum_is_found_with_its_period(rows, period):
    noisy, rng = rows
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
