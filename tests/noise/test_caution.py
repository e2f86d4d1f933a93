"""No row comes back worse than it came, whatever it is beside the rows that were learned from."""

from __future__ import annotations

import warnings
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.estimators.decisions.file_caution import caution_of_few_rows, caution_of_file
from ikpca_cli.estimators.decisions.other_noise import caution_of
from ikpca_cli.estimators.decisions.reasons import Reason
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.estimators.methods import METHODS
from ikpca_cli.estimators.pca import PCA
from ikpca_cli.linalg.shrinkage import kept_share, longest_square, weights_at_level
from ikpca_cli.noise.caution import Caution
from ikpca_cli.noise.estimate import NoiseLevel
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.treatment import Treatment

LEVEL_OF_FILE = "ikpca_cli.estimators.decisions.file_caution.estimate_noise"


def bumps(n_samples, seed, noise=0.1, n_features=80):
    """Return noisy and clean rows of one bump each, (n_samples, n_features)."""
    rng = np.random.default_rng(np.random.SeedSequence([61, seed]))
    place, height = rng.uniform(0.2, 0.8, (n_samples, 1)), rng.uniform(0.5, 2.0, (n_samples, 1))
    clean = height * np.exp(-((np.linspace(0, 1, n_features) - place) ** 2) / 0.01)
    return clean + noise * rng.normal(size=clean.shape), clean


def spectra(n_samples, seed, noise):
    """Return noisy and clean spectra of lognormal brightness, (n_samples, 400)."""
    rng = np.random.default_rng(np.random.SeedSequence([62, seed]))
    x = np.linspace(0, 1, 400)
    lines = np.stack([np.exp(-((x - at) ** 2) / 0.002) for at in (0.3, 0.5, 0.72)])
    shares = rng.dirichlet([1.0, 1.0, 1.0], n_samples)
    clean = rng.lognormal(0.0, 1.0, (n_samples, 1)) * (shares @ lines)
    return clean + noise * rng.normal(size=clean.shape), clean


@cache
def of_bumps(method):
    """Return a model of 250 bumps, which tests may only look at and clean with."""
    return load_method(method)().fit(bumps(250, 1)[0])


def errors(model, noisy, clean):
    return np.mean((model.denoise(noisy) - clean) ** 2, axis=1)


def test_a_displacement_is_no_longer_than_noise():
    rng = np.random.default_rng(np.random.SeedSequence([63]))
    noisy, far = rng.normal(size=(2, 5, 40))
    for length in (0.01, 1.0, 100.0):
        moved = Caution(0.5).apply(noisy, noisy + length * far) - noisy
        squares = length**2 * np.sum(far**2, axis=1)
        # As James and Stein have it, where it is far longer.
        expected = np.minimum(squares, (40 * 0.5**2) ** 2 / squares)
        assert_allclose(np.sum(moved**2, axis=1), expected, rtol=1e-9)
    longest, lengths = longest_square(40), np.linspace(1.0, 300.0, 5000)
    kept = kept_share(lengths, 1.0, 40) ** 2 * lengths
    assert kept.max() <= longest
    assert np.abs(np.diff(kept)).max() < 1.0  # no step


def test_no_displacement_that_undoes_noise_does_harm_whatever_signal_it_takes_along():
    rng = np.random.default_rng(np.random.SeedSequence([69]))
    noise, signal = rng.normal(size=(2, 400, 60))
    for strength in (0.3, 0.7, 1.0, 1.5, 3.0, 10.0):
        cleaned = Caution(1.0).apply(noise, strength * signal)
        assert np.mean(cleaned**2) < np.mean(noise**2)


def test_rows_with_spikes_that_were_not_found_may_be_moved_by_more():
    rng = np.random.default_rng(np.random.SeedSequence([70]))
    noise = rng.normal(size=(50, 60))
    noise[:, 7] += 12.0
    left = [Caution(1.0, has_spikes=has).apply(noise, 0.0 * noise) for has in (False, True)]
    assert np.mean(left[1] ** 2) < np.mean(left[0] ** 2)


def test_a_strength_of_nothing_leaves_every_bit():
    noisy, _ = bumps(5, 0)
    assert_array_equal(Caution(0.1, 0.0).apply(noisy, noisy + 1.0), noisy)
    assert_allclose(Caution(None, 0.5).apply(noisy, noisy + 1.0), noisy + 0.5)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("times", [0.1, 0.25, 3.0])
def test_a_file_of_other_noise_is_not_made_worse(method, times):
    model = of_bumps(method)
    noisy, clean = bumps(200, 2, 0.1 * times)
    after = errors(model, noisy, clean)
    assert after.mean() <= 1.05 * (0.1 * times) ** 2
    assert after.max() <= 3.0 * (0.1 * times) ** 2
    assert_allclose(model.treatment(noisy).caution.level_ratio, times, rtol=0.15)
    assert model.treatment(noisy).caution.remark()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_samples", [1, 8])
def test_nor_are_a_few_quiet_rows(method, n_samples):
    model = of_bumps(method)
    found = []
    for seed in range(8):
        noisy, clean = bumps(n_samples, 100 + seed, 0.02)
        found.append(errors(model, noisy, clean).mean())
        assert model.treatment(noisy).caution.level_ratio < 0.5
        assert "quieter" in model.treatment(noisy).caution.remark()
    assert np.mean(found) <= 1.05 * 0.02**2
    usual = model.treatment(bumps(n_samples, 99)[0]).caution
    assert usual == Caution(model.noise_std_, 1.0)


@pytest.mark.parametrize("method", METHODS)
def test_a_few_rows_without_noise_stay_as_they_are(method):
    _, clean = bumps(3, 7)
    for rows in (clean, np.zeros((1, 80)), clean + np.full((3, 80), 5.0)):
        found = of_bumps(method).denoise(rows)
        assert_allclose(found, rows, atol=0.05)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("scale", "offset"), [(0.1, 0.0), (5.0, 0.0), (1.0, 3.0)])
def test_nor_is_a_file_in_another_unit_or_offset(method, scale, offset):
    model = of_bumps(method)
    noisy, clean = (scale * rows + offset for rows in bumps(200, 2))
    after = errors(model, noisy, clean)
    assert after.mean() <= 1.05 * (0.1 * scale) ** 2


@pytest.mark.parametrize(
    ("method", "given"),
    [("ikpca", {"n_rff": "exact"}), ("ikpca", {"n_rff": 400}), ("kpca", {}), ("pca", {})],
)
def test_smoothers_and_shrinkage_go_by_the_level_of_a_louder_file(method, given):
    """A model that was fitted on rows as loud does little better."""
    times = 3.0
    model = load_method(method)(**given).fit(bumps(150, 1)[0])
    noisy, clean = bumps(100, 2, 0.1 * times)
    usual, found = model.denoise_as_fitted(noisy), model.treatment(noisy).caution
    assert_allclose(found.level_ratio, times, rtol=0.1)
    assert 1.0 < found.goes_by < times**1.5
    after = errors(model, noisy, clean).mean()
    assert after < 0.9 * np.mean((found.apply(noisy, usual) - clean) ** 2)
    # The level of the file itself is one of those that were compared.
    at_its_own = found.apply(noisy, model._at_level(found.level_ratio)._raw(noisy))
    assert after < 1.02 * np.mean((at_its_own - clean) ** 2)
    own = load_method(method)(**given).fit(bumps(150, 1, 0.1 * times)[0])
    assert after < 2.0 * errors(own, noisy, clean).mean()


def test_weights_at_another_level_are_those_of_a_fit_on_rows_of_it():
    """Of directions that are known exactly: ``s / (s + ratio^2)``."""
    signal, ratio = np.array([0.0, 0.3, 20.0]), 3.0
    assert_allclose(weights_at_level(signal / (signal + 1.0), ratio), signal / (signal + ratio**2))
    assert_allclose(weights_at_level(np.ones(2), ratio), 1.0)


def test_the_same_noise_changes_nothing():
    model = of_bumps("ikpca")
    noisy, _ = bumps(200, 3)
    usual = model.treatment(noisy[:2])
    assert model.treatment(noisy) == usual
    assert usual.caution == Caution(model.noise_std_, 1.0)
    assert_allclose(model.denoise(noisy)[:3], model.denoise(noisy[:3]), rtol=1e-9)


def test_rows_that_were_learned_from_are_cleaned_as_well_as_others():
    noisy, clean = spectra(300, 1, 0.05)
    model = load_method("ikpca")().fit(noisy)
    own, others = errors(model, noisy, clean), errors(model, *spectra(300, 2, 0.05))
    assert own.max() <= 3.0 * 0.05**2
    assert_allclose(own.mean(), others.mean(), rtol=0.3)  # few rows are bright


def test_one_row_unlike_all_others_is_not_destroyed():
    noisy, clean = bumps(200, 1)
    extra = 20.0 * np.linspace(-1.0, 1.0, 80)
    noisy[17] += extra
    clean[17] += extra
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = load_method("ikpca")().fit(noisy)
    after = errors(model, noisy, clean)
    assert after[17] <= 3.0 * 0.1**2
    assert np.delete(after, 17).mean() <= 0.5 * 0.1**2


@pytest.mark.parametrize("method", METHODS)
def test_rows_whose_noise_cannot_be_told_are_left_as_they_are(method):
    """Directions of ever less variance, and no two of them alike."""
    rng = np.random.default_rng(np.random.SeedSequence([64]))
    rows = rng.normal(size=(400, 12)) * 2.0 ** -np.arange(12.0)
    level = estimate_noise(rows - rows.mean(axis=0))
    assert level.is_bound
    assert not level.certain
    model = load_method(method)().fit(rows)
    assert "left as they are" in model.summary()["noise_doubt"]
    assert model.noise_std_ is None
    assert model.estimated_mse_ is None
    assert model.summary()["no_estimate_because"] == "the noise level is not known"
    assert_array_equal(model.denoise(rows), rows)


@pytest.mark.parametrize("method", METHODS)
def test_a_column_without_variance_keeps_its_bits(method):
    noisy, _ = bumps(120, 1)
    noisy[:, 7] = 1.0 / 3.0
    model = load_method(method)().fit(noisy)
    for rows in (noisy, noisy[:3]):
        assert_array_equal(model.denoise(rows)[:, 7], rows[:, 7])


def test_rows_of_many_kinds_show_their_noise_in_the_smooth_ones():
    rng = np.random.default_rng(np.random.SeedSequence([65]))
    rough = rng.normal(size=(500, 60)) * rng.exponential(1.0, (500, 1)) ** 2
    noisy = np.where(rng.uniform(size=(500, 1)) < 0.4, 0.2 * rough, 0.0)
    noisy += 0.1 * rng.normal(size=noisy.shape)
    assert_allclose(estimate_noise(noisy - noisy.mean(axis=0)).std, 0.1, rtol=0.05)


def test_clipped_rows_do_not_tell_their_noise_by_quiet_columns():
    noisy, _ = bumps(240, 1)
    level = estimate_noise(np.maximum(noisy, 0.0) - np.maximum(noisy, 0.0).mean(axis=0))
    assert not level.certain
    assert "less is removed" in level.doubt_in_words()
    assert "limit" in level.doubt_in_words(may_leave=False)
    assert "is removed" not in level.doubt_in_words(may_leave=False)
    assert 0.05 < level.std < 0.11


@pytest.mark.parametrize("relative", [0.0, 0.2])
def test_rows_with_nothing_near_their_zeros_are_no_clipped_ones(relative):
    """Amounts of rain, or weights of words: where there is nothing there is no noise either."""
    rng = np.random.default_rng(np.random.SeedSequence([67]))
    wet = rng.normal(size=(150, 4)) @ rng.normal(size=(4, 60)) + 0.7 * rng.normal(size=(150, 60))
    beyond = wet - np.quantile(wet, 0.7, axis=0)
    clean = np.where(beyond > 0.0, 0.3 + np.exp(0.6 * np.maximum(beyond, 0.0)), 0.0)
    noisy = clean * (1.0 + relative * rng.normal(size=clean.shape))
    level = estimate_noise(noisy - noisy.mean(axis=0))
    assert level.is_bound
    assert "hardly any are near" in level.doubt_in_words(may_leave=False)
    with_noise = np.maximum(clean + 0.3 * rng.normal(size=clean.shape), 0.0)
    level = estimate_noise(with_noise - with_noise.mean(axis=0))
    assert "as if they were clipped" in level.doubt_in_words(may_leave=False)
    assert level.is_bound  # what unlike columns hold beside that is no normal noise of this level


def test_edges_of_clipped_rows_are_not_noise():
    """They are in all directions, but in few neighbours along the row."""
    rng = np.random.default_rng(np.random.SeedSequence([66]))
    ramps = np.linspace(0.0, 1.0, 110) * rng.uniform(2.0, 5.0, (150, 1))
    clean = (ramps + rng.uniform(size=(150, 1))) % 1.0
    noisy = clean + 0.09 * rng.normal(size=clean.shape)
    clipped = np.maximum(noisy, np.quantile(clean, 0.1))
    level = estimate_noise(clipped - clipped.mean(axis=0))
    assert not level.certain
    assert_allclose(level.std, 0.09, rtol=0.1)


@pytest.mark.parametrize("method", METHODS)
def test_rows_quieter_than_the_noise_are_not_moved_by_it(method):
    """Of rows in two units the small ones came back a hundred times as far from the truth."""
    rng = np.random.default_rng(np.random.SeedSequence([67]))
    clean = np.sin(rng.uniform(0.0, 6.0, (150, 1)) + np.linspace(0.0, 6.0, 60))
    noisy = clean + 0.3 * rng.normal(size=clean.shape)
    noisy[:60] *= 1000.0
    cleaned = load_method(method)().fit(noisy).denoise(noisy)
    assert np.mean((cleaned - clean)[60:] ** 2) < 1.1 * 0.3**2


def test_a_row_is_moved_no_farther_than_its_own_noise():
    rng = np.random.default_rng(np.random.SeedSequence([68]))
    rows = rng.normal(size=(2, 200)) * [[1.0], [0.1]]
    moved = Caution(1.0).apply(rows, rows + 1.0) - rows
    assert_allclose(moved[0], 1.0)
    assert np.sum(moved[1] ** 2) < 1.2 * np.sum(rows[1] ** 2)


def at_any(denoise):
    """Return what goes by no level of noise."""
    return lambda _ratio: denoise


def mean_of_columns(rows):
    """Clean rows that are all noise, of mean 0."""
    return np.zeros_like(rows)


@pytest.mark.parametrize(("n_samples", "adapts"), [(19, False), (20, True)])
def test_so_few_rows_do_not_tell_their_own_noise(n_samples, adapts):
    rng = np.random.default_rng(4)
    louder = 3.0 * rng.normal(size=(n_samples, 60))
    found = caution_of_file(at_any(mean_of_columns), louder, Caution(1.0), rng)
    assert (found.level_ratio > 2.0) is adapts
    assert (found == Caution(1.0)) is not adapts


def growth(n_samples, noise, seed):
    """Return curves of growth, too short for frequencies to tell their noise, and clean ones."""
    rng = np.random.default_rng(np.random.SeedSequence([98, seed]))
    size, rate, lag = rng.uniform((0.5, 0.1, 1.0), (1.5, 0.3, 8.0), (n_samples, 3)).T[..., None]
    clean = size * np.exp(-np.exp(rate / size * np.e * (lag - np.arange(25.0)) + 1.0))
    return clean + noise * rng.normal(size=clean.shape), clean


@pytest.mark.parametrize("n_samples", [1, 10])
def test_a_few_rows_that_change_less_than_their_noise_would_are_left(n_samples):
    model = PCA().fit(growth(150, 0.1, 0)[0])
    for seed in range(1, 6):
        quiet, _ = growth(n_samples, 0.01, seed)
        assert_array_equal(model.denoise(quiet), quiet)
        noisy, clean = growth(n_samples, 0.1, seed)
        assert errors(model, noisy, clean).mean() < 0.5 * 0.1**2


def test_whole_numbers_whose_noise_was_rounded_off_are_left():
    """A file of the training rows' integers, but a fifth of their noise: it has none left."""
    rng = np.random.default_rng(np.random.SeedSequence([99]))
    clean = np.round(8.0 * rng.gamma(2.0, 1.0, (300, 6)) @ np.eye(6, 90).repeat(3, axis=1)[:, :90])
    noisy, quiet = (np.round(clean + level * rng.normal(size=clean.shape)) for level in (0.9, 0.2))
    model = PCA().fit(noisy[:150])
    assert errors(model, noisy[150:], clean[150:]).mean() < 0.5 * 0.9**2
    rows = quiet[150:]
    assert_array_equal(model.denoise(rows), rows)


def test_a_few_rows_are_cleaned_where_they_lie():
    """Their highest frequencies tell their noise, whatever mean the training rows have."""
    rng = np.random.default_rng(7)
    seen = []

    def watched(rows):
        seen.append(rows.mean())
        return np.full_like(rows, 50.0)

    rows = 50.0 + 0.3 * rng.normal(size=(5, 60))
    found = caution_of_few_rows(at_any(watched), rows, np.full(60, 50.0), Caution(1.0), rng)
    assert 0.1 < found.level_ratio < 0.35
    assert_allclose(seen, 50.0, atol=1.0)


def test_a_few_rows_that_a_model_takes_signal_of_do_not_tell_their_noise():
    signal = np.random.default_rng(8).normal(size=(200, 30))
    model = PCA(noise_std=0.8).fit(signal)
    told = model.treatment(signal[:5]).caution.remark()
    assert "do not tell their own noise" in told


def test_a_file_of_more_rows_than_the_fit_does_not_look_quieter_for_it():
    """Where noise is strong in some columns, many rows show it as directions of signal."""
    rng = np.random.default_rng(np.random.SeedSequence([65]))
    levels = np.linspace(0.3, 1.0, 50)
    fitted, rows = levels * rng.normal(size=(60, 50)), levels * rng.normal(size=(250, 50))
    usual = Caution(estimate_noise(fitted - fitted.mean(axis=0)).std)
    assert caution_of_file(at_any(mean_of_columns), rows, usual, rng).seen_ratio < 0.8
    assert (
        caution_of_file(at_any(mean_of_columns), rows, usual, rng, len(fitted)).level_ratio == 1.0
    )


@pytest.mark.parametrize(("kept", "is_usual"), [(1.0, True), (0.5, False)])
def test_displacements_beyond_those_of_noise_are_looked_at(kept, is_usual):
    """Rows of signal that a model moves farther than their noise reaches are moved less far."""
    rng = np.random.default_rng(5)
    signal = 1.2 * np.sign(rng.normal(size=(200, 1))) * np.ones(60)
    noisy = signal + rng.normal(size=signal.shape)

    def denoise(rows):
        return kept * rows.mean(axis=1, keepdims=True) * np.ones(60)

    found = caution_of_file(at_any(denoise), noisy, Caution(1.0), rng)
    assert (found == Caution(1.0)) is is_usual
    if not is_usual:
        assert found.strength < 0.9


def s_curve(n_samples, seed, noise):
    """Return noisy and clean points of a surface that fills all three columns."""
    rng = np.random.default_rng(np.random.SeedSequence([64, seed]))
    turn = 3.0 * np.pi * (rng.uniform(size=n_samples) - 0.5)
    width = 2.0 * rng.uniform(size=n_samples)
    clean = np.stack([np.sin(turn), width, np.sign(turn) * (np.cos(turn) - 1.0)], axis=1)
    return clean + noise * rng.normal(size=clean.shape), clean


@pytest.mark.parametrize("method", ["ikpca", "pca"])
def test_a_quieter_file_is_left_alone_where_no_level_can_be_told(method):
    """The level of such rows is a guess, the same with noise and without: what changes is less."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = load_method(method)().fit(s_curve(300, 1, 0.25)[0])
    assert model.summary()["no_estimate_because"] == "the noise level is a guess"
    noisy, clean = s_curve(150, 2, 0.05)
    assert errors(model, noisy, clean).mean() <= 1.05 * 0.05**2
    assert "quieter" in model.treatment(noisy).caution.remark()
    noisy, clean = s_curve(150, 3, 0.25)
    assert errors(model, noisy, clean).mean() < 0.95 * 0.25**2
    assert model.treatment(noisy).caution.remark() == ""


def turned(n_samples, seed, noise=0.1):
    """Return noisy bumps at any place of a circle: rows that may be one random process."""
    _, clean = bumps(n_samples, seed)
    rng = np.random.default_rng(np.random.SeedSequence([65, seed]))
    places = rng.integers(0, clean.shape[1], n_samples)
    clean = np.stack([np.roll(row, place) for row, place in zip(clean, places, strict=True)])
    return clean + noise * rng.normal(size=clean.shape)


def test_nor_is_one_worse_where_what_was_taken_for_noise_may_be_signal():
    model = load_method("pca")().fit(turned(120, 1))
    quieter = turned(60, 2, 0.05)
    assert model.treatment(quieter).caution.strength > 0.0
    model.withheld_ = Reason.ALIKE
    assert model.treatment(quieter).caution.strength == 0.0
    assert model.treatment(turned(60, 3)).caution.strength == 1.0


def answers(rng, n_samples, noise):
    """Return answers from 1 to 5 to 30 questions of three factors, noisy and clean."""
    factors = 0.8 * np.random.default_rng(5).normal(size=(3, 30))
    own = 3.0 + 0.7 * rng.normal(size=(n_samples, 30))
    clean = np.clip(np.rint(own + rng.normal(size=(n_samples, 3)) @ factors), 1.0, 5.0)
    return clean + noise * rng.normal(size=clean.shape), clean


def shaken_bumps(rng, n_samples, noise):
    """Return two bumps of any height on a weak random walk, noisy and clean, (n_samples, 48)."""
    x, heights = np.linspace(0.0, 1.0, 48), rng.normal(1.0, 0.3, (2, n_samples, 1))
    clean = heights[0] * np.exp(-(((x - 0.35) / 0.1) ** 2))
    clean += heights[1] * np.exp(-(((x - 0.7) / 0.15) ** 2))
    clean += 0.006 * np.cumsum(rng.normal(size=clean.shape), axis=1)
    return clean + noise * rng.normal(size=clean.shape), clean


@pytest.mark.parametrize(("make", "noise"), [(answers, 0.4), (shaken_bumps, 0.007)])
def test_a_quieter_file_shows_what_was_taken_for_noise_to_be_signal(make, noise):
    """By steps that more noise hides, or by neighbours that are more alike than noise is."""
    rng = np.random.default_rng(np.random.SeedSequence([92]))
    model = load_method("pca")().fit(make(rng, 200, noise)[0])
    assert model.strength_ == 1.0
    for times in (0.5, 0.25):
        noisy, clean = make(rng, 150, times * noise)
        assert errors(model, noisy, clean).mean() < 1.05 * (times * noise) ** 2
        assert "left as they are" in model.treatment(noisy).caution.remark()


def test_a_quieter_file_of_a_known_level_is_cleaned_where_the_other_may_be_of_signal():
    """A level that is lower for sure is not that of the signal in the training rows."""
    rng = np.random.default_rng(np.random.SeedSequence([65]))
    shapes = rng.normal(size=(3, 40))

    def of_shapes(n_samples, noise):
        clean = rng.normal(size=(n_samples, 3)) @ shapes
        return clean + noise * rng.normal(size=clean.shape), clean

    model = load_method("pca")().fit(of_shapes(120, 1.0)[0])
    model.withheld_ = Reason.ALIKE
    quieter, clean = of_shapes(100, 0.25)
    assert errors(model, quieter, clean).mean() < 0.8 * 0.25**2
    assert model.treatment(of_shapes(100, 1.0)[0]).caution.strength == 1.0


@pytest.mark.parametrize("is_process", [True, False])
def test_but_not_where_all_of_the_rows_may_be_signal(monkeypatch, is_process):
    """The steps of random walks have a level for sure, and are as signal as all else."""
    seen = NoiseLevel(0.6, certain=True)
    monkeypatch.setattr(
        "ikpca_cli.estimators.decisions.file_caution.estimate_noise", lambda _rows: seen
    )
    rng = np.random.default_rng(np.random.SeedSequence([66]))
    noise = rng.normal(size=(60, 40))
    rows = noise.cumsum(axis=1) if is_process else rng.normal(size=(60, 2)) @ noise[:2] + noise
    model = SimpleNamespace(
        withheld_=Reason.ALIKE, removed_mse_=0.04, n_samples_=200, seed_=0, distance_limit_=None
    )
    usual = Treatment(Caution(1.0))
    found = caution_of(model, at_any(lambda rows: 0.9 * rows), len, rows, usual)
    assert found.level_ratio == 0.6
    assert (found.strength == 0.0) is is_process


@pytest.mark.parametrize(("withheld", "strength"), [(Reason.ALIKE, 1.0), (Reason.GUESS, 0.0)])
def test_a_file_that_looks_louder_is_not_taken_for_a_quieter_one(monkeypatch, withheld, strength):
    """It may be too far from the training rows to change as much; a guess may be of anything."""
    seen = NoiseLevel(0.6, certain=False)
    monkeypatch.setattr(
        "ikpca_cli.estimators.decisions.file_caution.estimate_noise", lambda _rows: seen
    )
    model = SimpleNamespace(
        withheld_=withheld, removed_mse_=0.03, n_samples_=200, seed_=0, distance_limit_=None
    )
    rng = np.random.default_rng(np.random.SeedSequence([67]))
    rows = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 40)) + 0.6 * rng.normal(size=(60, 40))
    usual = Treatment(Caution(0.2))
    found = caution_of(model, at_any(lambda rows: 0.95 * rows), len, rows, usual)
    assert found.strength == strength


def test_a_louder_file_is_cleaned_where_what_was_taken_for_noise_may_be_signal():
    """It is too far from the training rows to change as much, but does not hold less noise."""
    model = SimpleNamespace(
        withheld_=Reason.ALIKE, removed_mse_=0.03, n_samples_=200, seed_=0, distance_limit_=None
    )

    def denoise(rows):
        return 0.95 * rows

    rng = np.random.default_rng(np.random.SeedSequence([69]))
    usual, noise = Treatment(Caution(0.2)), rng.normal(size=(60, 40))
    assert caution_of(model, at_any(denoise), len, 0.2 * noise, usual).strength == 0.0
    louder = caution_of(model, at_any(denoise), len, 0.6 * noise, usual)
    assert louder.level_ratio == pytest.approx(3.0, rel=0.1)
    assert louder.strength > 0.0


@pytest.mark.parametrize(("n_features", "strength"), [(4, 0.0), (40, 1.0)])
def test_a_file_that_changes_less_is_left_alone_if_it_does_not_tell_its_level(n_features, strength):
    """In few columns the bends of a curve are beside the noise, if rows are few."""
    rng = np.random.default_rng(np.random.SeedSequence([68]))
    turn = rng.uniform(0.0, 2.0 * np.pi, (60, 1))
    rows = np.hstack([np.cos(turn), np.sin(turn), 0.5 * np.cos(2 * turn), 0.5 * np.sin(3 * turn)])
    rows = np.hstack([rows, np.zeros((60, n_features - 4))]) + 0.2 * rng.normal(
        size=(60, n_features)
    )
    model = SimpleNamespace(
        withheld_=0, removed_mse_=0.03, n_samples_=200, seed_=0, distance_limit_=None
    )

    def denoise(rows):
        return rows + 0.02

    found = caution_of(model, at_any(denoise), len, rows, Treatment(Caution(0.2)))
    assert found.strength == strength


def test_a_file_that_looks_quieter_by_an_unknown_amount_is_left_alone(monkeypatch):
    found = NoiseLevel(0.6, certain=False)
    monkeypatch.setattr(
        "ikpca_cli.estimators.decisions.file_caution.estimate_noise", lambda _rows: found
    )
    rng, guess = np.random.default_rng(6), Caution(1.0, strength=0.8)
    rows = rng.normal(size=(40, 30))
    assert caution_of_file(at_any(mean_of_columns), rows, guess, rng, 40).strength == 0.0
    assert caution_of_file(at_any(mean_of_columns), rows, Caution(1.0), rng, 40).strength > 0.0
    found = NoiseLevel(0.6, certain=True)
    assert caution_of_file(at_any(mean_of_columns), rows, guess, rng, 40).strength > 0.0


@pytest.mark.parametrize(
    ("n_samples", "level", "is_left"), [(250, 0.75, True), (250, 0.85, False), (40, 0.75, False)]
)
def test_levels_in_doubt_by_the_same_signal_differ_by_chance_alone(
    n_samples, level, is_left, monkeypatch
):
    """Signal in all of few columns makes both read too high: a lower one is one of less noise."""
    found = NoiseLevel(level, certain=False, is_bound=True, error=0.18)
    monkeypatch.setattr(
        "ikpca_cli.estimators.decisions.file_caution.estimate_noise", lambda _rows: found
    )
    rng, guess = np.random.default_rng(6), Caution(1.0, strength=0.8)
    rows = rng.normal(size=(n_samples, 12))
    caution = caution_of_file(at_any(mean_of_columns), rows, guess, rng, 400)
    assert (caution.strength == 0.0) is is_left


def test_rows_are_compared_with_what_was_read_where_a_lower_level_was_taken():
    """Edges that count as noise are in other rows as well: these would be called louder."""
    rng = np.random.default_rng(np.random.SeedSequence([61, 99]))
    signal = 0.5 * np.sign(rng.normal(size=(80, 1)) + np.linspace(-2.0, 2.0, 30))
    read = estimate_noise(signal + rng.normal(size=signal.shape)).std
    guess = Caution(read / 1.5, 0.8, read=read)
    for level in (1.0, 0.25):
        rows = signal + level * rng.normal(size=signal.shape)
        found = caution_of_file(at_any(mean_of_columns), rows, guess, rng, 80)
        # Edges are beside the quieter noise, too.
        assert_allclose(found.level_ratio, level, rtol=0.2)
        assert found.std == pytest.approx(found.level_ratio * read / 1.5)


@pytest.mark.parametrize("method", METHODS)
def test_signal_that_is_rough_is_not_noise_of_a_file_where_the_level_was_given(method):
    rng = np.random.default_rng(np.random.SeedSequence([71]))
    rough = np.cumsum(rng.normal(size=(120, 40)), axis=1) % 3.0
    noisy = rough + 0.05 * rng.normal(size=rough.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some find nothing in common
        model = load_method(method)(noise_std=0.05).fit(noisy)
    assert model.read_std_ > 5.0 * 0.05  # of the signal
    assert model.treatment(noisy).caution.level_ratio == 1.0
    assert np.mean((model.denoise(noisy) - rough) ** 2) < 1.05 * 0.05**2
    quiet = load_method(method)(noise_std=0.1).fit(bumps(150, 1)[0])
    assert quiet.read_std_ is None


def test_rows_that_do_not_tell_their_noise_are_said_to_be_taken_for_those_of_the_fit():
    """Signal in all of few columns hides how much less noise a file has; one in a few does not."""
    rng = np.random.default_rng(np.random.SeedSequence([66]))
    for falls, is_untold in ((0.75 ** np.arange(9), True), (np.arange(9) < 2, False)):
        turned = np.sqrt(falls)[:, None] * np.linalg.qr(rng.normal(size=(9, 9)))[0]
        rows = rng.normal(size=(300, 9)) @ turned + 0.2 * rng.normal(size=(300, 9))
        caution = load_method("pca")(noise_std=0.2).fit(rows[:200]).treatment(rows[200:]).caution
        assert ("do not tell their own noise" in caution.remark()) is is_untold
        assert caution.strength == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_rows_too_few_to_tell_any_noise_stay_as_they_are(method):
    """As three quantities along an axis: with nothing known, they came back as each other."""
    t = np.linspace(0.0, 1.0, 60)
    rows = np.stack([np.exp(-3.0 * t), -(t**2), np.cos(4.0 * t), t - t**3])
    rows *= np.array([[1.0], [1.0], [20.0], [20.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = load_method(method)().fit(rows)
    assert model.noise_std_ is None
    assert "so that rows are left as they are" in model.noise_doubt_
    assert_array_equal(model.denoise(rows), rows)
