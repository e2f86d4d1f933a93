"""What is promised of a choice is its risk on all rows, for a fit on all of them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli import PCA
from ikpca_cli.selection.all_rows import on_all_rows
from ikpca_cli.selection.choice import Choice


@pytest.mark.parametrize("n_samples", [80, 240])
def test_a_risk_that_falls_as_one_over_rows_is_that_of_all_rows(n_samples):
    places = []

    def risk_of(train, held):
        assert not set(train) & set(held)
        places.extend(held)
        return 1.0 + 6.0 / len(train), 0.1

    found = on_all_rows(Choice(risk=1.3, error=0.5), risk_of, 80, n_samples)
    assert_allclose(found.risk, 1.0 + 6.0 / n_samples)
    assert_allclose(found.error, 0.1 / 2.0)
    assert sorted(places) == sorted([*range(80), *range(80)])


def test_a_risk_that_is_known_well_costs_no_more_fits():
    choice = Choice(risk=1.0, error=0.01)
    assert on_all_rows(choice, lambda *_: pytest.fail("fitted"), 80, 80) is choice


def test_promises_of_pca_hold():
    ratios = []
    for seed in range(12):
        rng = np.random.default_rng(np.random.SeedSequence([93, seed]))
        x, phase = np.linspace(0.0, 1.0, 120), rng.uniform(0.0, 2.0 * np.pi, (300, 9, 1))
        clean = np.sum(np.sin(2.0 * np.pi * np.arange(1, 10)[:, None] * x + phase), axis=1)
        noisy = clean + rng.normal(size=clean.shape)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = PCA().fit(noisy[:150])
        if model.estimated_mse_ is not None:
            truth = np.mean((model.denoise(noisy[150:]) - clean[150:]) ** 2)
            ratios.append(model.estimated_mse_ / truth)
    assert len(ratios) > 6
    assert np.mean(np.abs(np.array(ratios) - 1.0) < 0.2) >= 0.9
