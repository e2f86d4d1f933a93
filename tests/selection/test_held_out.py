"""Rows that are held out, and the directions in which what happens to them is differentiated."""

from __future__ import annotations

from threading import Barrier

import numpy as np
import pytest

from ikpca_cli.data.threads import jobs
from ikpca_cli.estimators.ikpca import IKPCA
from ikpca_cli.estimators.preimages.trial_fits import exact_fits
from ikpca_cli.models.kernels.kernel import Gaussian
from ikpca_cli.models.preimage import all_iterations
from ikpca_cli.models.smoothing.order import RowOrder
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


def compared(rows, order=None):
    """Return a comparison on rows of noise variance 0.5."""
    fit = exact_fits(rows, Gaussian().distance(rows, rows), 0.5, most=None, form=Gaussian())
    rng = np.random.default_rng(0)
    return CrossValidation(rows, fit, 0.5, all_iterations(), rng, 1, order=order)


def test_gammas_that_are_wanted_anyway_are_tried_at_once(monkeypatch):
    rows, _ = smooth_rows(16, 2)
    trial, try_ = compared(rows), CrossValidation._try
    trial.trials = trial.trials[:1]
    together = Barrier(2, timeout=10.0)

    def wait_and_try(self, gamma, *given):
        together.wait()
        return try_(self, gamma, *given)

    monkeypatch.setattr(CrossValidation, "_try", wait_and_try)
    with jobs(2):
        trial.see(1e-3, 1e-2, 1e-3)
    assert list(trial.seen) == [1e-3, 1e-2]
    assert trial.best(1e-3, 1e-2).gammas == (1e-3, 1e-2)


def test_what_is_done_to_rows_is_the_same_in_coefficients_of_their_order():
    rows, _ = smooth_rows(24, 3)
    order = RowOrder(400, 1)
    plain, ordered = compared(rows), compared(rows, order)
    for trial in (plain, ordered):
        trial.see(1e-3)
    steps = np.array([order.inverse(step) for step in ordered.seen[1e-3].steps])
    np.testing.assert_allclose(steps, plain.seen[1e-3].steps, atol=1e-10)
    np.testing.assert_array_equal(ordered.seen[1e-3].gains, plain.seen[1e-3].gains)
