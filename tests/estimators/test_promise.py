"""What a fit promises, where its noise is not white, and where nothing is promised."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli import IKPCA, PCA
from ikpca_cli.errors import IkpcaWarning
from ikpca_cli.estimators.decisions.promise import MOST_ERROR, Promise, simulated
from ikpca_cli.estimators.decisions.reasons import Reason
from ikpca_cli.noise.caution import Caution
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.treatment import Treatment
from ikpca_cli.transforms.column_scale import ColumnScale

RNG = np.random.SeedSequence([71])


def halved(X):
    """Return rows half as far from nothing: of noise of level s, s/2 is left."""
    return 0.5 * X


def test_a_promise_is_raised_to_a_simulation_within_its_error():
    rows = np.random.default_rng(RNG).normal(size=(200, 30))
    usual = Treatment(Caution(1.0))
    low, rms = simulated(Promise(0.1, 9.0, 0, 1.0), halved, usual, rows, halved(rows), 1.0, 0)
    truth = halved(rows)
    assert_allclose(low.mse, 0.25 + 0.25 * np.mean(truth**2), rtol=0.1)
    assert_allclose(rms, 1.0, rtol=0.05)
    sure, _ = simulated(Promise(0.1, 0.01, 0, 1.0), halved, usual, rows, halved(rows), 1.0, 0)
    assert_allclose(sure.mse, 0.11)
    high, _ = simulated(Promise(0.9, 0.01, 0, 1.0), halved, usual, rows, halved(rows), 1.0, 0)
    assert high.mse == 0.9


@pytest.mark.parametrize("level", [1.0, 7.0])
def test_a_promise_is_in_the_units_of_the_data(level):
    rows = level * np.random.default_rng(RNG).normal(size=(200, 30))
    usual = Treatment(Caution(1.0), ColumnScale(np.full(30, level)))
    found, rms = simulated(Promise(0.9, 0.01, 0, 1.0), halved, usual, rows, halved(rows), 1.0, 0)
    assert_allclose([found.mse, rms], [0.9 * level**2, level], rtol=0.05)


def test_a_promise_is_withheld_where_it_rests_on_the_simulation_alone():
    rng = np.random.default_rng(RNG)
    stds = np.repeat([1.0, 20.0], 15)
    rows = stds * rng.normal(size=(200, 30))
    usual = Treatment(Caution(1.0), ColumnScale(stds))

    def loud_ones_gone(X):
        return np.where(stds > 1.0, 0.0, X)

    found, _ = simulated(
        Promise(0.5, 0.01, 0, 1.0), loud_ones_gone, usual, rows, loud_ones_gone(rows), 1.0, 0
    )
    assert found.checked().withheld
    assert Promise(0.5, 0.13 * 0.5, 0, 1.0).checked().withheld
    assert not Promise(0.5, 0.9 * MOST_ERROR * 0.5, 0, 1.0).checked().withheld


def test_what_is_not_promised_is_told_as_a_rough_number():
    rng = np.random.default_rng(RNG)
    signal = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 24))
    model = PCA(noise_std=0.3).fit(signal + 0.3 * rng.normal(size=signal.shape))
    told = model.summary()
    withheld = told["no_estimate_because"] is not None
    assert (told["estimated_mse"] is None) == withheld
    assert (told["rough_mse"] is not None) == withheld


def test_a_level_by_which_the_error_would_be_below_zero_is_lowered():
    rng = np.random.default_rng(1)
    x = np.arange(60)
    clean = np.zeros((230, 60))
    for _ in range(2):
        start = rng.uniform(0.0, 55.0, (230, 1))
        one = (x > start) & (x <= start + rng.uniform(1.0, 1.01, (230, 1)))
        clean += one * rng.uniform(0.6, 1.4, (230, 1))
    noisy = clean + rng.normal(scale=0.2, size=clean.shape)
    rows = noisy[:150]
    read = estimate_noise(rows - rows.mean(axis=0)).std
    assert read > 1.15 * 0.2  # what is anywhere counts as noise
    model = IKPCA().fit(rows)
    assert model.noise_std_ == pytest.approx(0.2, rel=0.02)
    assert model.withheld_ == Reason.GUESS
    assert np.mean((model.denoise(noisy[150:]) - clean[150:]) ** 2) < 0.5 * 0.2**2


def test_a_level_is_lowered_by_what_is_impossible():
    level = NoiseLevel(2.0, certain=True, error=0.01)
    lower = level.lowered(-0.5)
    assert lower.std == pytest.approx(3.5**0.5)
    assert not lower.certain
    assert level.lowered(-2.5) is None  # all of it may be signal
    assert NoiseLevel(None, certain=False).lowered(-0.1) is None
    assert level.safely_low().std == pytest.approx(2.0 / 2.5**0.5)
    assert not level.safely_low().certain


def test_noise_of_many_levels_is_removed_where_means_of_surroundings_find_some_without():
    """No level was believed, and rows were left nearly as they were."""
    rng = np.random.default_rng(6)
    x = np.linspace(0.0, 1.0, 100)
    centres, widths = rng.uniform(0.1, 0.9, (2, 280, 1)), rng.uniform(0.02, 0.08, (2, 280, 1))
    clean = np.sum(np.abs(x - centres) < widths, axis=0) * rng.uniform(0.5, 1.0, (280, 1))
    noise = 0.5 * clean * rng.normal(size=clean.shape)
    noisy = clean + noise
    with pytest.warns(IkpcaWarning, match="cannot be right"):
        model = IKPCA().fit(noisy[:200])
    assert model.withheld_ == Reason.GUESS
    assert np.mean((model.denoise(noisy[200:]) - clean[200:]) ** 2) < 0.75 * np.mean(noise**2)


def test_values_at_a_limit_are_not_averaged_by_their_surroundings(shared):
    with np.load(shared / "cases/clipped_at_zero.npz") as file:
        train, noisy, clean = (file[name] for name in ("train", "noisy", "clean"))
    model = IKPCA().fit(train)
    assert np.mean((model.denoise(noisy) - clean) ** 2) < 0.0019


def test_the_error_promised_of_few_rows_is_no_lower_than_it_is():
    """A mean with held-out rows in it had a part of their noise, by which they looked nearer."""
    ratios = []
    for draw in range(6):
        rng = np.random.default_rng(np.random.SeedSequence([73, draw]))
        clean = rng.normal(size=(240, 3)) @ rng.normal(size=(3, 120))
        noisy = clean + 0.5 * rng.normal(size=clean.shape)
        model = PCA(noise_std=0.5).fit(noisy[:40])
        promised = model.estimated_mse_ or model.rough_mse_
        ratios.append(promised / np.mean((model.denoise(noisy[40:]) - clean[40:]) ** 2))
    assert 0.85 < np.mean(ratios) < 1.15


def test_the_error_of_rows_that_are_left_alone_is_in_the_unit_of_the_data():
    usual = Treatment(Caution(1.0, 0.0), ColumnScale(np.full(4, 3.0)))
    promise = Promise(1.0, 0.1, 0, 0.0)
    rows = np.random.default_rng(np.random.SeedSequence([7])).normal(size=(50, 4))
    found, noise_rms = simulated(promise, lambda X: X, usual, rows, rows, 1.0, 0)
    assert_allclose((found.mse, found.error, noise_rms), (9.0, 0.9, 3.0))


@pytest.mark.parametrize(("told", "is_made"), [(0.28, True), (0.34, True), (0.5, False)])
def test_a_rough_promise_is_made_where_a_simulation_agrees(told, is_made):
    """The simulation finds .31 of the noise: a quarter, and what is taken off the rows."""
    rows = np.random.default_rng(RNG).normal(size=(200, 30))
    rough = Promise(told, 0.2 * told, Reason.NONE, 1.0)
    usual = Treatment(Caution(1.0))
    found = simulated(rough, halved, usual, rows, halved(rows), 1.0, 0)[0].checked()
    assert (found.withheld is Reason.NONE) is is_made


@pytest.mark.parametrize("draw", range(5))
def test_an_error_is_promised_where_learning_again_from_simulated_rows_agrees(draw):
    """Sixty rows tell the error to a sixth or so, by which four of these promised none."""
    rng = np.random.default_rng(np.random.SeedSequence([74, draw]))
    clean = rng.normal(size=(260, 3)) @ rng.normal(size=(3, 100))
    noisy = clean + rng.normal(size=clean.shape)
    model = PCA().fit(noisy[:60])
    error = np.mean((model.denoise(noisy[60:]) - clean[60:]) ** 2)
    assert model.estimated_mse_ == pytest.approx(error, rel=0.2)


@pytest.mark.parametrize("seed", [0, 6])
def test_nothing_is_promised_by_a_level_that_few_directions_tell(seed):
    """Correlated noise has directions of less, alike by chance: .2 of the error was promised."""
    rng = np.random.default_rng(np.random.SeedSequence([83, seed]))
    angles = rng.uniform(0.0, 2.0 * np.pi, (266, 2))
    ways = [np.cos(angles), np.sin(angles), np.cos(angles.sum(axis=1)), np.sin(2.0 * angles[:, 0])]
    rows = np.column_stack(ways) @ rng.normal(size=(6, 20))
    noise = rng.normal(scale=0.5, size=rows.shape)
    white = PCA().fit(rows + noise)
    assert white.withheld_ == Reason.NONE
    for place in range(1, 20):
        noise[:, place] = 0.7 * noise[:, place - 1] + 0.714 * noise[:, place]
    assert PCA().fit(rows + noise).withheld_ != Reason.NONE
