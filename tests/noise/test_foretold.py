"""What quiet directions share with loud ones is signal, and noise shares nothing."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.evidence.foretold import foretold_share
from ikpca_cli.noise.level import estimate_noise

SEED = np.random.SeedSequence([88])


def kinks(rng, n_samples):
    """Return rows of 12 numbers in four unknowns, each of which is cut off at zero."""
    slopes = np.random.default_rng(3).normal(size=(4, 12))
    return np.maximum(rng.normal(size=(n_samples, 4)) @ slopes, 0.0)


def share_of(rows, std):
    centred = rows - rows.mean(axis=0)
    return foretold_share(centred, Eigenvalues.of(centred), std)


@pytest.mark.parametrize("n_samples", [40, 150])
def test_noise_is_not_foretold(n_samples):
    rng = np.random.default_rng(SEED)
    for _ in range(8):
        signal = 3.0 * rng.laplace(size=(n_samples, 3)) @ rng.normal(size=(3, 8))
        assert share_of(signal + rng.normal(size=signal.shape), 1.0) == 0.0


def test_what_is_foretold_is_signal_and_no_more_than_there_is():
    rng = np.random.default_rng(SEED)
    clean = kinks(rng, 300)
    for noise in (0.04, 0.02):
        rows = clean + noise * rng.normal(size=clean.shape)
        variances = Eigenvalues.of(rows - rows.mean(axis=0)).variances
        share = share_of(rows, float(variances[0]) ** 0.5)
        assert 0.05 < share < 1.0 - noise**2 / variances[0]


def test_a_level_of_signal_that_is_foretold_is_a_bound():
    rng = np.random.default_rng(SEED)
    clean = kinks(rng, 300)
    for noise in (0.04, 0.02):
        rows = clean + noise * rng.normal(size=clean.shape)
        level = estimate_noise(rows - rows.mean(axis=0))
        assert level.is_bound
        assert not level.certain
