"""What a choice is worth for a fit on all rows, told by a fit on fewer."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli.models.preimage import all_iterations
from ikpca_cli.selection.cross_validation import CrossValidation
from ikpca_cli.selection.outcome import Expansion

WAY = all_iterations((1.0,), (1,))[0]


def to_the_mean(rows):
    """Return a fit that moves all to the mean of the rows it knows: risk one over their number."""

    def fit(places, gamma):
        mean = rows[places].mean(axis=0)

        def displacements(noise_variance, held, ways, tangents):
            return [(way, mean - held, np.full(len(held), -held.shape[1])) for way in ways]

        return SimpleNamespace(component_variances=[np.ones(1)], displacements=displacements)

    return fit


@pytest.mark.parametrize("n_samples", [40, 400])
def test_a_risk_that_falls_as_one_over_rows_is_that_of_a_fit_on_all(n_samples):
    rng = np.random.default_rng(np.random.SeedSequence([95]))
    rows = rng.normal(size=(40, 3000))
    trial = CrossValidation(rows, to_the_mean(rows), 1.0, [WAY], rng)
    trial.see(0.5)
    found = trial.full_risk(Expansion((0.5,), ({WAY: 1.0},), 1.0 / 30.0, 0.001), n_samples)
    assert_allclose(found.risk, 1.0 / n_samples, atol=0.004)
    assert found.error > 0.001


def test_a_risk_falls_by_no_more_than_all_of_it_can():
    """One row beyond all others moves the mean, and every held-out row with it."""
    rng = np.random.default_rng(np.random.SeedSequence([96]))
    rows = rng.normal(size=(40, 6))
    rows[25] = 60.0
    trial = CrossValidation(rows, to_the_mean(rows), 1.0, [WAY], rng)
    trial.see(0.5)
    found = trial.full_risk(Expansion((0.5,), ({WAY: 1.0},), 1.0, 0.1), 40)
    assert_allclose(found.risk, 30.0 / 40.0)
