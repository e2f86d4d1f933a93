"""Noise that is not white: found, made white, and undone in the units of the data."""

from __future__ import annotations

import warnings

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.data.row_source import as_rows
from ikpca_cli.errors import InputError
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.modelfile.storage import load_model, save_model
from ikpca_cli.noise.caution import Caution
from ikpca_cli.noise.evidence.loud_columns import has_loud_columns
from ikpca_cli.noise.models.choose import noise_of
from ikpca_cli.noise.models.correlated import propose as propose_correlated
from ikpca_cli.noise.models.given import covariance_of
from ikpca_cli.noise.models.spikes import Spikes
from ikpca_cli.noise.models.spikes import propose as propose_spikes
from ikpca_cli.noise.risk import stein_risks
from ikpca_cli.noise.treatment import Treatment
from ikpca_cli.transforms.column_scale import ColumnScale
from ikpca_cli.transforms.logarithm import Logarithm
from ikpca_cli.transforms.square_root import SquareRoot
from ikpca_cli.transforms.whiten import Whitening
from tests.conftest import ROOT

COLUMNS = 60


def bumps(n_samples, seed):
    """Return clean rows of one bump each, (n_samples, 60), and a generator."""
    rng = np.random.default_rng(np.random.SeedSequence([71, seed]))
    place, height = rng.uniform(0.2, 0.8, (n_samples, 1)), rng.uniform(0.5, 2.0, (n_samples, 1))
    x = np.linspace(0, 1, COLUMNS)
    return height * np.exp(-((x - place) ** 2) / 0.01), rng


def cycles(n_samples, seed):
    """Return clean rows of two harmonics of any phase and strength, and a generator."""
    rng = np.random.default_rng(np.random.SeedSequence([72, seed]))
    turns = 2.0 * np.pi * (np.arange(COLUMNS) / COLUMNS + rng.uniform(size=(n_samples, 1)))
    strengths = rng.normal(1.0, 0.3, (2, n_samples, 1))
    return strengths[0] * np.cos(turns) + strengths[1] * np.cos(2.0 * turns), rng


def rough(rng, size):
    """Return noise of standard deviation 0.15 with a correlation of 0.8 from one to the next."""
    covariance = 0.15**2 * 0.8 ** np.abs(np.subtract.outer(np.arange(COLUMNS), np.arange(COLUMNS)))
    return rng.normal(size=size) @ np.linalg.cholesky(covariance).T


def noisy_rows(kind, n_samples, seed):
    """Return noisy and clean rows with one kind of noise."""
    clean, rng = bumps(n_samples, seed)
    if kind == "columns":
        levels = np.geomspace(0.05, 0.5, COLUMNS)[np.arange(COLUMNS) * 7 % COLUMNS]
        return clean + levels * rng.normal(size=clean.shape), clean
    if kind == "counts":
        clean = 30.0 * clean + 3.0
        return rng.poisson(clean).astype(float), clean
    if kind == "correlated":
        return clean + rough(rng, clean.shape), clean
    return clean + 0.15 * rng.normal(size=clean.shape), clean


def test_what_only_one_pixel_shows_is_no_noise_by_column():
    """Digits: their nearest neighbours have it, too, however uneven the columns are."""
    with h5py.File(ROOT / "sample_data/digits.h5") as file:
        clean = file["clean"][:].reshape(500, -1)
    rng = np.random.default_rng(np.random.SeedSequence([76]))
    levels = 0.1 * np.exp(rng.uniform(np.log(0.3), np.log(2.5), clean.shape[1]))
    assert noise_of(clean + levels * rng.normal(size=clean.shape)).name == "white"


def test_what_unlike_columns_hold_of_their_own_is_no_noise_by_column():
    """Heavy tails, in columns without an order: rows came back 1.8 times as far from the truth."""
    for seed in range(3):
        rng = np.random.default_rng(np.random.SeedSequence([77, seed]))
        own = rng.standard_t(5, (200, 30)) * np.geomspace(0.1, 1.0, 30)
        clean = rng.normal(size=(200, 4)) @ rng.normal(size=(4, 30)) + own
        assert noise_of(clean + 0.1 * rng.normal(size=clean.shape)).name == "white"


def table(n_samples, seed):
    """Return clean rows of three factors in columns without order, and a generator."""
    rng = np.random.default_rng(np.random.SeedSequence([73, seed]))
    return rng.laplace(size=(n_samples, 3)) @ rng.normal(size=(3, COLUMNS)), rng


TRANSFORMS = [
    ColumnScale(np.linspace(0.5, 2.0, COLUMNS)),
    Whitening(np.eye(COLUMNS) + 0.5 * np.eye(COLUMNS, k=1) + 0.5 * np.eye(COLUMNS, k=-1)),
]


@pytest.mark.parametrize("transform", TRANSFORMS, ids=["scale", "whiten"])
def test_an_inverse_undoes_its_transform(transform):
    rows = np.random.default_rng(np.random.SeedSequence([72])).normal(size=(7, COLUMNS))
    assert_allclose(transform.inverse(transform.forward(rows)), rows, rtol=1e-9, atol=1e-9)
    assert_allclose(transform.noise(rows, rows), transform.inverse(rows))
    again = type(transform).from_state(transform.state())
    assert_array_equal(again.forward(rows), transform.forward(rows))


def test_noise_that_was_whitened_is_white():
    rng = np.random.default_rng(np.random.SeedSequence([73]))
    noise = rough(rng, (20_000, COLUMNS))
    covariance = np.cov(noise.T)
    white = Whitening(covariance).forward(noise)
    assert_allclose(np.cov(white.T), np.eye(COLUMNS), atol=1e-8)


@pytest.mark.parametrize("mean", [1.0, 3.0, 20.0, 200.0])
@pytest.mark.parametrize(("gain", "floor"), [(1.0, 0.0), (2.5, 4.0), (0.01, 0.0)])
def test_the_way_back_from_counts_is_unbiased(mean, gain, floor):
    rng = np.random.default_rng(np.random.SeedSequence([74]))
    counts = rng.poisson(mean, 400_000)
    values = gain * counts + floor**0.5 * rng.normal(size=counts.shape)
    transform = SquareRoot(gain, floor)
    forward = transform.forward(values)
    assert_allclose(transform.inverse(forward.mean()), gain * mean, rtol=0.04)
    if mean >= 20.0:
        assert_allclose(forward.std(), 1.0, rtol=0.02)


def test_the_way_back_from_logarithms_is_unbiased():
    rng = np.random.default_rng(np.random.SeedSequence([75]))
    values = 5.0 * (1.0 + 0.1 * rng.normal(size=400_000))
    transform = Logarithm(0.1, 1e-3)
    forward = transform.forward(values)
    assert_allclose(transform.inverse(forward.mean()), 5.0, rtol=0.002)
    assert_allclose(forward.std(), 1.0, rtol=0.03)


@pytest.mark.parametrize("kind", ["columns", "counts", "correlated", "white"])
def test_the_kind_of_noise_is_told_from_the_rows(kind):
    assert noise_of(noisy_rows(kind, 250, 1)[0]).name == kind


@pytest.mark.filterwarnings("ignore:the noise level")
@pytest.mark.parametrize("n_samples", [60, 200])
def test_a_few_loud_channels_of_smooth_rows_are_noise(n_samples):
    """One in ten was taken for directions of signal, and none of its noise removed."""
    clean, rng = cycles(n_samples, 1)
    levels = np.where(np.arange(COLUMNS) % 10 == 3, 0.6, 0.1)
    noisy = clean + levels * rng.normal(size=clean.shape)
    assert noise_of(noisy).name == "columns"
    assert noise_of(clean + 0.1 * rng.normal(size=clean.shape)).name == "white"
    order = rng.permutation(COLUMNS)  # as columns of a table, each of which may be like no other
    assert not has_loud_columns(noisy[:, order] - noisy[:, order].mean(axis=0), smooth=True)


@pytest.mark.parametrize("seed", range(3))
def test_edges_are_not_taken_for_noise_by_column(seed):
    """They are in some columns more than in others, but not in every row."""
    rng = np.random.default_rng(np.random.SeedSequence([79, seed]))
    x, start = np.arange(80), rng.uniform(5.0, 40.0, (150, 1))
    clean = (x > start) & (x < start + rng.uniform(8.0, 35.0, (150, 1)))
    clean = clean * rng.uniform(0.6, 1.4, (150, 1))
    level = 0.1 * (clean - clean.mean(axis=0)).std()
    noisy = clean + level * rng.normal(size=clean.shape)
    assert noise_of(noisy).name == "white"
    model = load_method("pca")().fit(noisy)
    assert np.mean((model.denoise(noisy) - clean) ** 2) < 1.05 * level**2


@pytest.mark.parametrize("seed", [7, 29])
def test_skewed_columns_are_loud_by_their_signal(seed):
    """Levels 6 and 18 times those of the noise made equal directions of them."""
    rng = np.random.default_rng(np.random.SeedSequence([93, seed]))
    base, which = rng.normal(0, 1, 40), 0.6 * rng.normal(size=(4, 40))
    clean = np.exp(base + rng.normal(size=(150, 4)) @ (which * (rng.random((4, 40)) < 0.3)))
    stds = 0.1 * clean.std() * np.exp(rng.uniform(-1, 1, 40))
    assert noise_of(clean + stds * rng.normal(size=clean.shape)).name == "white"


@pytest.mark.parametrize(("n_samples", "n_features"), [(40, 200), (100, 100), (500, 20)])
def test_white_noise_on_a_few_directions_stays_white(n_samples, n_features):
    for seed in range(5):
        rng = np.random.default_rng(np.random.SeedSequence([76, seed]))
        rows = rng.normal(size=(n_samples, 3)) @ rng.normal(size=(3, n_features))
        found = noise_of(rows + 0.3 * rng.normal(size=rows.shape))
        assert (found.name, found.spikes) == ("white", None)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["counts", "multiplied"])
def test_noise_that_grows_is_told_where_the_rows_brightness_varies(kind, seed):
    """Roots and logarithms bend the plane that such rows lie in, which a quick look dislikes."""
    rng = np.random.default_rng(seed)
    at = np.arange(160)
    centres, widths = rng.uniform(0, 160, (2, 4, 1)) * [[[1.0]], [[0.06]]] + [[[0.0]], [[2.0]]]
    lines = 1.0 / (1.0 + ((at - centres) / widths) ** 2)
    clean = rng.gamma(1.5, 1.0, (120, 4)) @ lines
    clean += rng.uniform(0.3, 2.0, (120, 1)) * np.exp(-at / 100)
    if kind == "counts":
        noisy = rng.poisson(200 * clean).astype(float)
    else:
        noisy = clean * np.exp(rng.normal(0, 0.05, clean.shape))
    assert noise_of(noisy).name == "counts"
    assert noise_of(clean + rng.normal(0, 0.05, clean.shape)).name == "white"


@pytest.mark.parametrize("seed", range(3))
def test_counts_are_told_where_few_columns_are_bright(seed):
    """A model of few components takes the noise of the bright ones for signal at first."""
    rng = np.random.default_rng(np.random.SeedSequence([78, seed]))
    at = np.arange(80.0)
    peaks = np.exp([-((at - 25) ** 2) / 60, -((at - 55) ** 2) / 100])
    clean = 5.0 + rng.uniform(20, 200, (200, 2)) @ peaks
    found = noise_of(rng.poisson(clean).astype(float))
    assert found.name == "counts"
    assert_allclose(found.transform.gain, 1.0, atol=0.05)
    white = np.rint(clean + 40.0 + rng.normal(0.0, 7.0, clean.shape))
    assert noise_of(white).name == "white"


@pytest.mark.filterwarnings("ignore:noise that is correlated along the row")
@pytest.mark.parametrize("method", ["ikpca", "pca"])
@pytest.mark.parametrize(("kind", "most"), [("columns", 0.5), ("counts", 0.7), ("correlated", 0.9)])
def test_rows_are_cleaner_than_if_their_noise_were_white(method, kind, most, tmp_path):
    train, _ = noisy_rows(kind, 250, 1)
    noisy, clean = noisy_rows(kind, 200, 2)
    model = load_method(method)().fit(train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        white = load_method(method)(noise_model="white").fit(train)
    cleaned = model.denoise(noisy)
    after = np.mean((cleaned - clean) ** 2)
    assert model.summary()["noise_model"] == kind
    assert after < most * np.mean((white.denoise(noisy) - clean) ** 2)
    assert after < 0.7 * np.mean((noisy - clean) ** 2)
    if kind != "correlated":  # whose smooth part is taken for signal
        assert_allclose(model.noise_rms_**2, np.mean((noisy - clean) ** 2), rtol=0.25)
    path = str(tmp_path / "model.joblib")
    save_model(path, model)
    assert_array_equal(load_model(path).denoise(noisy), cleaned)
    assert load_model(path).summary()["noise_model"] == kind


@pytest.mark.parametrize("height", [1.2, 4.0])
def test_spikes_are_left_out_and_signal_is_not(height):
    clean, rng = bumps(250, 3)
    noisy = clean + 0.1 * rng.normal(size=clean.shape)
    assert propose_spikes(noisy) is None
    hit = rng.uniform(size=clean.shape) < 0.02
    struck = noisy + np.where(hit, rng.choice((-height, height), clean.shape), 0.0)
    model = load_method("ikpca")().fit(struck)
    assert model.spike_directions_ is not None
    assert np.mean((model.denoise(struck) - clean) ** 2) < 0.5 * 0.1**2
    counted = model.treatment(as_rows(struck)).prepared(struck)[1]
    assert_allclose(counted, hit.sum(), rtol=0.1)
    assert_allclose(model.spike_share_ * struck.size, counted, rtol=1e-9)
    kept = load_method("pca")(noise_model="white").fit(struck).treatment(as_rows(struck))
    assert kept.prepared(struck)[1] == 0


def test_sharp_lines_are_not_left_out_with_spikes():
    """Spikes are anywhere; what stands out in the same columns of many rows is signal.

    And so it is in a file of less noise, which has no value beyond the limit but the lines.
    """
    rng = np.random.default_rng(np.random.SeedSequence([80]))
    x = np.linspace(0.0, 1.0, 256)
    places = (0.1, 0.15, 0.33, 0.4, 0.62, 0.8, 0.9)
    heights = rng.lognormal(0.0, 0.7, (80, len(places)))
    clean = heights @ np.array([1.0 / (1.0 + ((x - place) / 0.008) ** 2) for place in places])
    noisy = clean + 0.08 * rng.normal(size=clean.shape)
    struck = rng.uniform(size=clean.shape) < 0.01
    noisy[struck] += 3.0 * rng.choice((-1.0, 1.0), int(struck.sum()))
    found = propose_spikes(noisy)
    assert found is not None
    is_left_out, _ = found.find(noisy)
    assert is_left_out[struck].mean() > 0.9
    assert is_left_out[~struck].mean() < 0.01
    assert found.of_file(noisy) is not None
    quiet = clean + 0.02 * rng.normal(size=clean.shape)
    of_quiet = found.of_file(quiet)
    assert of_quiet is None or of_quiet.find(quiet)[0].mean() < 1e-3


def test_the_narrow_peaks_of_bright_rows_are_no_spikes():
    """Their other columns tell how bright they are, however far that is from the middle."""
    rng = np.random.default_rng(np.random.SeedSequence([84]))
    x = np.linspace(0.0, 1.0, 96)
    peaks = np.array([1.0 / (1.0 + ((x - place) / 0.01) ** 2) for place in (0.1, 0.4, 0.55, 0.9)])
    clean = rng.lognormal(0.0, 0.5, (120, 4)) @ peaks
    noisy = clean + 0.04 * rng.normal(size=clean.shape)
    noisy[rng.uniform(size=clean.shape) < 0.01] += 1.0
    found = propose_spikes(noisy)
    assert found is not None
    bright = np.array([[0.5, 12.0, 1.0, 2.0]]) @ peaks + 0.04 * rng.normal(size=96)
    assert not found.find(bright)[0].any()
    assert_allclose(found.find(bright)[1], bright, atol=0.2)


def test_a_file_of_peaks_keeps_them():
    """What a fit takes for spikes is left out of files in which it is anywhere."""
    clean, rng = bumps(90, 5)
    struck = clean + 0.15 * rng.normal(size=clean.shape)
    struck[rng.uniform(size=clean.shape) < 0.02] += 4.0
    model = load_method("pca")().fit(struck)
    clean = clean[:40]
    peaks = 0.15 * rng.normal(size=clean.shape)
    peaks[:, ::12] += 4.0
    assert model.treatment(peaks).spikes is None
    peaks[:, ::12] -= 4.0
    tails = clean + 0.1 * rng.standard_t(3, size=clean.shape)
    assert model.treatment(tails).prepared(tails)[1] < 6
    peaks[rng.uniform(size=clean.shape) < 0.02] += 4.0
    assert model.treatment(peaks).prepared(peaks)[1] > 40


SPIKY = {
    "cycles": lambda n: cycles(n, 4),
    "table": lambda n: table(n, 4),
    "bumps": lambda n: bumps(n, 4),
}


@pytest.mark.parametrize("times", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("family", SPIKY)
def test_spikes_are_found_beside_signal_of_any_kind(family, times):
    """A running median knows them in slow rows alone; other rows tell what a value should be."""
    clean, rng = SPIKY[family](160)
    std = 0.3 * clean.std()
    hit = rng.uniform(size=clean.shape) < 0.01
    noise = rng.normal(size=clean.shape)
    noise[hit] += rng.choice((-1.0, 1.0), int(hit.sum())) * rng.uniform(12.0, 24.0, int(hit.sum()))
    train, new = clean[:100] + std * noise[:100], clean[100:] + times * std * noise[100:]
    found = propose_spikes(train)
    assert found is not None
    is_left_out, expected = found.find(train)
    assert is_left_out[hit[:100]].mean() > 0.9
    assert is_left_out[~hit[:100]].mean() < 0.002
    assert np.mean((expected - clean[:100])[is_left_out] ** 2) < std**2
    of_new = found.of_file(new)
    assert of_new is not None
    assert of_new.find(new)[0][hit[100:]].mean() > 0.7
    for factor in (1.0, 10.0):  # whatever the unit, and wherever zero is
        other = propose_spikes(factor * train + 7.0)
        assert_array_equal(other.find(factor * train + 7.0)[0], is_left_out)
    again = Spikes.from_state(found.state(), found.share)
    assert_array_equal(again.find(train)[0], is_left_out)
    assert_array_equal(np.concatenate([again.find(row)[0] for row in train[:, None]]), is_left_out)
    assert propose_spikes(clean + std * rng.normal(size=clean.shape)) is None
    tails = std * rng.standard_t(3, clean.shape)
    assert propose_spikes(clean + tails) is None


@pytest.mark.parametrize("seed", range(3))
def test_what_stands_out_where_the_signal_is_strong_is_signal(seed):
    """Skewed columns of few factors, such as concentrations, have no spikes: these are anywhere."""
    rng = np.random.default_rng(np.random.SeedSequence([90, seed]))
    loadings = 0.6 * rng.normal(size=(3, 40))
    clean = np.exp(rng.normal(size=(150, 3)) @ loadings + 0.2 * rng.normal(size=(150, 40)))
    noisy = clean + 0.1 * clean.std() * rng.normal(size=clean.shape)
    assert propose_spikes(noisy) is None
    struck = rng.uniform(size=clean.shape) < 0.01
    noisy[struck] += 3.0 * clean.std() * rng.choice((-1.0, 1.0), int(struck.sum()))
    found = propose_spikes(noisy)
    assert found is not None
    assert found.find(noisy)[0][struck].mean() > 0.7


@pytest.mark.parametrize("times", [0.25, 0.1])
def test_heavy_tails_of_a_quieter_file_are_no_spikes(times):
    """Returns of shares, say: what their noise hid in the fit stands out in a file with less."""
    rng = np.random.default_rng([3, 71])
    clean = rng.standard_t(4, (240, 1)) * rng.normal(1.0, 0.3, (1, 60))
    clean += 0.8 * rng.standard_t(4, (240, 60))
    noise = rng.normal(size=clean.shape)
    struck = rng.uniform(size=clean.shape) < 0.01
    noise += struck * rng.choice((-1.0, 1.0), clean.shape) * rng.uniform(8.0, 25.0, clean.shape)
    std = 0.3 * clean.std()
    found = propose_spikes(clean[:120] + std * noise[:120])
    assert found is not None
    quiet, truth = clean[120:] + times * std * noise[120:], clean[120:]
    of_quiet = found.of_file(quiet)
    repaired = quiet if of_quiet is None else of_quiet.repair(quiet)[0]
    assert np.mean((repaired - truth) ** 2) <= 1.05 * np.mean((quiet - truth) ** 2)


@pytest.mark.parametrize("share", [0.002, 0.01])
def test_rare_values_in_columns_of_a_table_are_kept(share):
    """A yes among many a no stands out as a spike does, and so does one town among villages."""
    rng = np.random.default_rng(np.random.SeedSequence([96]))
    factors = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 11))
    clean = factors + 0.2 * rng.normal(size=factors.shape)
    rare = rng.permutation(300)[: max(int(300 * 3 * share), 1)]
    clean[rare, rng.choice([2, 5, 9], len(rare))] += 14.0
    model = load_method("ikpca")().fit(clean + 0.1 * rng.normal(size=clean.shape))
    assert 0.5 * len(rare) < model.spike_share_ * clean.size <= len(rare) + 0.5
    noisy = clean + 0.1 * rng.normal(size=clean.shape)
    for rows in (noisy, noisy[rare]):
        change = np.abs(model.denoise(rows) - rows)
        assert change.max() < 1.0
    assert model.treatment(as_rows(noisy)).prepared(noisy).left_out == 0


@pytest.mark.parametrize("at_one_place", [True, False])
def test_what_a_few_rows_have_at_one_place_is_no_spike(at_one_place):
    """As a jerk of the hand in some movements: lone samples far below all else, near each other."""
    clean, rng = cycles(120, 9)
    rows = clean + 0.05 * rng.normal(size=clean.shape)
    for row in range(4):
        place = 40 + rng.integers(5) if at_one_place else rng.integers(COLUMNS - 2)
        rows[row, place] -= 2.2
        rows[row, place + 2] -= 2.0
    found = propose_spikes(rows)
    assert found is None if at_one_place else found.find(rows)[0].sum() == 8


@pytest.mark.parametrize(("is_skewed", "most"), [(True, 1.0), (False, 0.3)])
def test_spikes_beside_what_skewed_columns_of_a_table_have_are_kept(is_skewed, most):
    """What stands out where signal is strongest may be signal, whatever spikes are anywhere."""
    rng = np.random.default_rng(np.random.SeedSequence([97]))
    clean = rng.normal(size=(200, 5)) @ (0.6 * rng.normal(size=(5, 150)))
    clean += rng.normal(3.0, 1.5, 150)
    clean = np.exp(clean) if is_skewed else clean
    noise = rng.normal(size=clean.shape)
    struck = rng.uniform(size=clean.shape) < 0.01
    noise += struck * rng.choice((-1.0, 1.0), clean.shape) * rng.uniform(8.0, 25.0, clean.shape)
    std = 0.3 * (clean - clean.mean(axis=0)).std()
    found = propose_spikes(clean[:100] + std * noise[:100])
    assert found is not None
    for times in (0.25, 1.0):
        rows, truth = clean[100:] + times * std * noise[100:], clean[100:]
        back = Treatment(Caution(None), spikes=found.of_file(rows)).clean(rows, np.copy)
        assert np.mean((back - truth) ** 2) <= most * np.mean((rows - truth) ** 2)


def test_the_top_of_a_peak_is_no_outlier():
    x = np.arange(COLUMNS)
    rng = np.random.default_rng(np.random.SeedSequence([82]))
    rows = 0.02 * rng.normal(size=(40, COLUMNS))
    rows[7] += 1.2 * np.exp(-(((x - 30.3) / 1.5) ** 2))
    assert propose_spikes(rows) is None
    rows[7] = rows[6]
    rows[7, 30] += 1.2
    found = propose_spikes(rows)
    assert found is not None
    assert found.are_sure


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_covariance_of_noise_is_read_off_beside_signal(seed):
    """Its second pass knows how many directions are signal, which correlated noise hides."""
    rng = np.random.default_rng(np.random.SeedSequence([83, seed]))
    t, strength = np.linspace(0.0, 5.0, COLUMNS), rng.lognormal(0.0, 0.5, (2, 120, 1))
    rates = 1.0 / rng.uniform(0.3, 0.7, (120, 1)), 1.0 / rng.uniform(1.5, 3.0, (120, 1))
    clean = strength[0] * np.exp(-t * rates[0]) + strength[1] * np.exp(-t * rates[1])
    found = propose_correlated(clean + rough(rng, clean.shape))
    assert found is not None
    white = found.forward(rough(rng, (500, COLUMNS)))
    assert white.std() == pytest.approx(1.0, abs=0.06)
    assert np.mean(white[:, 1:] * white[:, :-1]) / np.mean(white**2) < 0.15


def test_columns_are_scaled_with_their_units():
    """What is made of columns in other units is the same in these units."""
    train, _ = noisy_rows("columns", 200, 1)
    units = np.geomspace(0.1, 10.0, COLUMNS)
    transform = ColumnScale(np.geomspace(0.05, 0.5, COLUMNS))
    one = load_method("pca")().set_noise(transform).fit(train)
    other = load_method("pca")().set_noise(ColumnScale(transform.stds * units)).fit(train * units)
    assert_allclose(other.denoise(train * units) / units, one.denoise(train), rtol=1e-7, atol=1e-9)


def test_noise_that_was_given_for_other_columns_is_refused():
    model = load_method("pca")().set_noise(ColumnScale(np.ones(7)))
    with pytest.raises(InputError, match="7"):
        model.fit(noisy_rows("white", 50, 1)[0])


def test_a_covariance_of_few_rows_leans_on_a_stationary_one():
    rng = np.random.default_rng(np.random.SeedSequence([77]))
    truth = np.cov(rough(rng, (100_000, COLUMNS)).T)
    few = rough(rng, (40, COLUMNS))
    few -= few.mean(axis=0)
    error = np.linalg.norm(covariance_of(few) - truth)
    assert error < 0.6 * np.linalg.norm(np.cov(few.T) - truth)


@pytest.mark.parametrize("n_samples", [2, 3, 5, 12])
def test_a_covariance_of_very_few_rows_is_the_stationary_one(n_samples):
    noise = np.random.default_rng(78).normal(size=(n_samples, 200))
    noise -= noise.mean(axis=0)
    error = np.linalg.norm(covariance_of(noise) - np.eye(200))
    assert error < 0.4 * np.linalg.norm(np.eye(200))


@pytest.mark.parametrize("kind", ["columns", "correlated", "white"])
def test_the_estimated_risk_is_the_error(kind):
    """Of a denoiser that knows the noise, on rows whose clean versions are known."""
    noisy, clean = noisy_rows(kind, 4000, 5)
    rng = np.random.default_rng(np.random.SeedSequence([78]))
    noise = noisy - clean
    transform = Whitening(np.cov(noise.T))
    mean = np.full(COLUMNS, clean.mean())

    def shrink(rows):
        return transform.inverse(0.6 * transform.forward(rows - mean)) + mean

    risks, before = stein_risks(shrink, noisy, 1.0, transform, rng)
    assert_allclose(risks.mean(), np.mean((shrink(noisy) - clean) ** 2), rtol=0.03)
    assert_allclose(before.mean(), np.mean(noise**2), rtol=0.01)


def test_rows_that_are_one_number_have_no_noise_of_a_kind():
    rows = np.zeros((60, 30))
    rows[30, 0] = 9.0
    assert noise_of(rows).name == "white"
