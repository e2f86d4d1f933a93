"""Rows that are held out, and the directions in which what happens to them is differentiated."""

from __future__ import annotations

import numpy as np
import pytest

from ikpca_cli.estimators.ikpca import IKPCA
from ikpca_cli.selection import expansion
from ikpca_cli.selection.cross_validation import CrossValidation
from ikpca_cli.selection.held_out import MANY_PROBES, PROBES, directions_of, trials_of


def smooth_rows(count, seed):
    """Return noisy and clean waves of random length and phase, (count, 400)."""
    rng = np.random.default_rng(np.random.SeedSequence([91, seed]))
    turns, phase = rng.uniform((1.0, 0.0), (2.0, 2.0 * np.pi), (count, 2)).T[:, :, None]
    clean = np.sin(turns * np.linspace(0.0, 2.0 * np.pi, 400) + phase)
    return clean + 0.7 * rng.normal(size=clean.shape), clean


@pytest.mark.parametrize(
    ("n_held", "n_features", "few", "many"),
    [(40, 600, 1, 5), (120, 150, 1, 6), (400, 12, 3, 3), (1000, 256, 1, 1), (30, 12, 34, 34)],
)
def test_wide_rows_that_are_few_are_given_more_directions(n_held, n_features, few, many):
    assert directions_of(n_held, n_features, PROBES) == few
    assert directions_of(n_held, n_features, MANY_PROBES) == many


def test_directions_have_unit_variance_and_leave_constant_columns_alone():
    rows, _ = smooth_rows(40, 0)
    rows[:, 3] = 0.0
    given = {"replicates": False, "oracle": None, "probes": MANY_PROBES}
    for trial in trials_of(rows, None, 10**6, 0.5, np.random.default_rng(0), **given):
        assert len(trial.tangents) == directions_of(40, 400, MANY_PROBES)
        for tangent in trial.tangents:
            np.testing.assert_array_equal(tangent[:, 3], 0.0)
            np.testing.assert_array_equal(np.abs(np.delete(tangent, 3, axis=1)), 1.0)


def test_more_directions_tell_a_divergence_better():
    """Of a projection on 8 directions the divergence is that number."""
    rows, _ = smooth_rows(40, 0)
    basis, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(400, 8)))
    off = {}
    for probes in (PROBES, MANY_PROBES):
        told = []
        for seed in range(20):
            given = {"replicates": False, "oracle": None, "probes": probes}
            trials = trials_of(rows, None, 10**6, 0.5, np.random.default_rng(seed), **given)
            squares = [((e @ basis) ** 2).sum(axis=1) for t in trials for e in t.tangents]
            told.append(float(np.mean(squares)))
        off[probes] = float(np.std(np.array(told) - 8.0))
    assert off[MANY_PROBES] < 0.6 * off[PROBES]


def test_the_weights_of_a_fit_are_told_by_many_directions(monkeypatch):
    """Gammas are compared by few of them, which takes less time."""
    made = []

    class Noted(CrossValidation):
        def best(self, *gammas):
            made.append(len(self.trials[0].tangents))
            return super().best(*gammas)

    monkeypatch.setattr(expansion, "CrossValidation", Noted)
    IKPCA(noise_std=0.7).fit(smooth_rows(40, 0)[0])
    assert made[-1] == directions_of(40, 400, MANY_PROBES)
    assert set(made[:-1]) == {directions_of(40, 400, PROBES)}
