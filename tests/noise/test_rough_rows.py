"""Rows that are one random process, which noise of any level may be read into."""

from __future__ import annotations

import warnings

import h5py
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.fft import idct

from ikpca_cli.errors import IkpcaWarning
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.noise.evidence.neighbours import are_alike, neighbour_correlation
from ikpca_cli.noise.evidence.nothing_else import are_noise_alone
from ikpca_cli.noise.evidence.one_process import is_one_process
from ikpca_cli.noise.evidence.power_law import WhiteShare
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.models.choose import noise_of


def stream(*numbers):
    return np.random.default_rng(np.random.SeedSequence([92, *numbers]))


def smoothed(noise, share):
    """Return noise (n, p) of variance 1 that goes on from one column to the next."""
    out = noise.copy()
    for column in range(1, noise.shape[1]):
        out[:, column] = share * out[:, column - 1] + (1 - share**2) ** 0.5 * noise[:, column]
    return out


def walks(rng, n_samples, width):
    return np.cumsum(rng.normal(size=(n_samples, width)), axis=1) / 5.0


def wanderers(rng, n_samples, width):
    return smoothed(rng.normal(size=(n_samples, width)), 0.9)


def cycles(rng, n_samples, width):
    turns = 4 * np.pi * np.arange(width) / width + rng.uniform(-0.4, 0.4, (n_samples, 1))
    return np.sum([rng.normal(1, 0.3, (n_samples, 1)) * np.cos(k * turns) for k in (1, 2, 3)], 0)


def bumps(rng, n_samples, width):
    x = np.linspace(0.0, 1.0, width) - rng.uniform(0.3, 0.7, (n_samples, 1))
    return rng.uniform(0.5, 2.0, (n_samples, 1)) * np.exp(-((x / 0.1) ** 2))


def beyond(clean, decibels, noise):
    """Return rows with noise so far below what they vary by."""
    power = np.mean((clean - clean.mean(axis=0)) ** 2)
    return clean + (power / 10 ** (decibels / 10)) ** 0.5 * noise


@pytest.mark.parametrize("shape", [(60, 40), (150, 90), (80, 200)])
@pytest.mark.parametrize(("make", "is_one"), [(walks, 1), (wanderers, 1), (cycles, 0), (bumps, 0)])
def test_rows_without_a_signal_of_any_shape_are_one_process(make, is_one, shape):
    for seed in range(3):
        rng = stream(1, seed)
        clean = make(rng, *shape)
        for share in (0.0, 0.7):
            noisy = beyond(clean, 20, smoothed(rng.normal(size=shape), share))
            assert is_one_process(noisy - noisy.mean(axis=0)) == bool(is_one)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
def test_noise_that_neighbours_share_is_told_from_white(share):
    rng = stream(2)
    for signals in (0, 3, 12):
        rows = 5.0 * rng.normal(size=(150, signals)) @ rng.normal(size=(signals, 60))
        rows += smoothed(rng.normal(size=rows.shape), share)
        found = neighbour_correlation(rows - rows.mean(axis=0))
        assert (found > 0.05) if share else (found < 0.01)


@pytest.mark.parametrize("method", ["pca", "ikpca"])
@pytest.mark.parametrize(("make", "decibels"), [(walks, 20), (walks, 30), (wanderers, 20)])
def test_rough_signal_is_not_taken_for_noise(make, decibels, method):
    """A level that signal alone may have is a bound, so that rows are left as they are."""
    rng = stream(3)
    noisy = beyond(make(rng, 150, 90), decibels, rng.normal(size=(150, 90)))
    model = load_method(method)().fit(noisy)
    assert "cannot be told apart" in model.summary()["noise_doubt"]
    assert np.array_equal(model.denoise(noisy), noisy)
    assert model.summary()["estimated_mse"] is None


def of_slope(rng, n_samples, width):
    """Return rows whose power falls as the frequency to the power of 1.6."""
    frequencies = np.maximum(np.fft.rfftfreq(width), 1.0 / width)
    waves = np.fft.rfft(rng.normal(size=(n_samples, width))) / frequencies**0.8
    return np.fft.irfft(waves, width)


@pytest.mark.parametrize("decibels", [20, 30])
@pytest.mark.parametrize(
    ("make", "shape"), [(wanderers, (150, 100)), (wanderers, (400, 100)), (of_slope, (60, 128))]
)
def test_nor_is_it_where_its_highest_frequencies_are_as_even_as_noise(make, shape, decibels):
    """Rows came back 3 to 500 times worse."""
    for seed in range(4):
        rng = stream(8, seed)
        noisy = beyond(make(rng, *shape), decibels, rng.normal(size=shape))
        assert estimate_noise(noisy - noisy.mean(axis=0)).is_bound


@pytest.mark.parametrize(
    ("make", "decibels"), [(walks, 5), (walks, 10), (walks, 15), (wanderers, 5), (wanderers, 10)]
)
def test_white_noise_is_told_from_a_power_law(make, decibels):
    for seed in range(3):
        rng = stream(9, seed)
        clean, noise = make(rng, 400, 100), rng.normal(size=(400, 100))
        noisy = beyond(clean, decibels, noise)
        found, std = WhiteShare.of(noisy - noisy.mean(axis=0)), np.std(noisy - clean)
        assert found.std == pytest.approx(std, rel=0.1)
        assert found.std * (found.least / found.likely) ** 0.5 < 1.02 * std
        alone = WhiteShare.of(noise - noise.mean(axis=0))
        assert alone.least > 0.9
        assert alone.std == pytest.approx(1.0, rel=0.03)


def test_noise_of_pictures_is_told_where_it_is_a_third_of_their_high_frequencies():
    """Signal falls faster over a plane; faces were left as they came."""
    down, across = np.indices((32, 32)) - 16.0
    strengths = np.fft.ifftshift(np.maximum(np.hypot(down, across), 1.0) ** -1.5)
    for seed in (2, 3):
        rng = np.random.default_rng([seed, 3])
        waves = np.fft.fft2(rng.normal(size=(100, 32, 32))) * strengths
        clean = np.fft.ifft2(waves).real[:, :12, :12].reshape(100, -1)
        noisy = beyond(clean, 13, rng.normal(size=clean.shape))
        found, std = estimate_noise(noisy - noisy.mean(axis=0)), np.std(noisy - clean)
        assert found.std == pytest.approx(std, rel=0.05)


def test_noise_that_stands_out_of_rough_signal_is_removed():
    rng = stream(4)
    clean = walks(rng, 150, 90)
    noisy = beyond(clean, 10, rng.normal(size=clean.shape))
    assert estimate_noise(noisy - noisy.mean(axis=0)).certain
    cleaned = load_method("pca")().fit(noisy).denoise(noisy)
    assert np.mean((cleaned - clean) ** 2) < 0.4 * np.mean((noisy - clean) ** 2)


def test_who_asks_for_a_noise_model_knows_what_the_noise_is():
    rng = stream(5)
    noisy = beyond(walks(rng, 150, 90), 20, rng.normal(size=(150, 90)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", IkpcaWarning)
        model = load_method("pca")(noise_model="correlated").fit(noisy)
    assert model.summary()["noise_model"] == "correlated"


def textures(rng, n_samples, side, lowest=0.06, whole=1):
    """Return pictures whose power falls as the third power of frequency, (n_samples, side^2).

    They are cut from others, `whole` times as high and wide.
    """
    full = whole * side
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(full), np.fft.fftfreq(full)))
    waves = np.fft.fft2(rng.normal(size=(n_samples, full, full))) / (frequency + lowest) ** 1.5
    return np.real(np.fft.ifft2(waves))[:, :side, :side].reshape(n_samples, -1)


@pytest.mark.parametrize(("decibels", "n_samples"), [(10, 200), (20, 200)])
def test_texture_is_not_taken_for_noise(decibels, n_samples):
    """It fills all directions of a picture, the least of which are as even as noise."""
    rng = stream(6)
    clean = textures(rng, n_samples, 12)
    noisy = beyond(clean, decibels, rng.normal(size=clean.shape))
    level = estimate_noise(noisy - noisy.mean(axis=0))
    assert level.is_bound or (not level.certain and level.std < 1.1 * np.std(noisy - clean))


def test_noise_beside_texture_is_told_by_the_law_of_pictures():
    """Its level by directions is a quarter too high, and rows were left alone."""
    rng = stream(7)
    clean = textures(rng, 500, 12, lowest=0.02, whole=4)
    noisy = beyond(clean, 10, rng.normal(size=clean.shape))
    level = estimate_noise(noisy - noisy.mean(axis=0))
    assert not level.is_bound
    assert level.std == pytest.approx(np.std(noisy - clean), rel=0.15)
    cleaned = load_method("ikpca")().fit(noisy[:250]).denoise(noisy[250:])
    assert np.mean((cleaned - clean[250:]) ** 2) < 0.6 * np.mean((noisy - clean)[250:] ** 2)


def test_noise_on_photographs_is_not_taken_for_texture(shared):
    """What is left of their signal makes it a little alike; four of ten draws were left alone."""
    with h5py.File(shared / "data/real_rows.h5") as file:
        patches = file["patches"][:]
    for seed in range(6):
        rng = np.random.default_rng(np.random.SeedSequence([82, seed]))
        clean = patches[rng.permutation(len(patches))[:500]]
        noisy = beyond(clean, 10, rng.normal(size=clean.shape))
        level = estimate_noise(noisy - noisy.mean(axis=0))
        assert level.certain
        assert level.std == pytest.approx(np.std(noisy - clean), rel=0.06)


def steps(rng, n_samples, n_features):
    """Return rows of two steps, (n_samples, n_features)."""
    t = np.linspace(0.0, 1.0, n_features)
    first, second = rng.uniform(0.2, 0.5, (n_samples, 1)), rng.uniform(0.5, 0.8, (n_samples, 1))
    return (t > first) + (t > second) * rng.normal(size=(n_samples, 1))


def test_signal_that_has_its_places_is_not_taken_for_texture():
    """What is left of it makes noise as alike in neighbours as texture is."""
    rng = stream(9)
    clean = steps(rng, 300, 128)
    noisy = beyond(clean, 20, rng.normal(size=clean.shape))
    centred = noisy - noisy.mean(axis=0)
    assert are_alike(centred, 1.2)
    level = estimate_noise(centred)
    assert not level.is_bound
    assert level.std == pytest.approx(np.std(noisy - clean), rel=0.06)


def test_few_digits_in_strong_noise_are_not_taken_for_texture(shared):
    with h5py.File(shared / "data/usps.h5") as file:
        clean = file["train/data"][::70]
    rng = stream(10)
    noisy = beyond(clean, 0, rng.normal(size=clean.shape))
    level = estimate_noise(noisy - noisy.mean(axis=0))
    assert not level.is_bound
    assert level.std == pytest.approx(np.std(noisy - clean), rel=0.08)


def test_few_columns_with_signal_in_all_directions_are_cleaned_where_noise_is_as_strong():
    """What is left of their signal joins neighbours, as texture does; it is little beside noise."""
    rng = stream(8)
    clean = idct(rng.normal(size=(400, 12)) * 1.4 ** -np.arange(12.0), norm="ortho", axis=1)
    noisy = beyond(clean, 10, rng.normal(size=clean.shape))
    assert are_alike(noisy - noisy.mean(axis=0))
    assert not estimate_noise(noisy - noisy.mean(axis=0)).is_bound
    cleaned = load_method("pca")().fit(noisy).denoise(noisy)
    assert np.mean((cleaned - clean) ** 2) < 0.85 * np.mean((noisy - clean) ** 2)


@pytest.mark.parametrize("n_features", [6, 40])
def test_rows_of_which_nothing_is_signal_are_told(n_features):
    """Unlike columns of a table are as good as noise, and all of them would be removed."""
    rng = stream(7)
    rows = rng.normal(size=(80, n_features))
    with pytest.warns(IkpcaWarning, match="nothing that the rows of the array differ by"):
        model = load_method("pca")().fit(rows)
    assert "taken for noise" in model.summary()["no_estimate_because"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", IkpcaWarning)
        load_method("pca")().fit(rows + 2.0 * rng.normal(size=(80, 1)))


def test_a_surface_that_fills_its_columns_is_no_noise():
    rng = stream(8)
    turn, width = 3.0 * np.pi * (rng.uniform(size=300) - 0.5), 2.0 * rng.uniform(size=300)
    clean = np.stack([np.sin(turn), width, np.sign(turn) * (np.cos(turn) - 1.0)], axis=1)
    X = clean + 0.25 * rng.normal(size=clean.shape)
    X -= X.mean(axis=0)
    assert not are_noise_alone(X, 0.25)
    assert are_noise_alone(X, float(X.std()))


def test_all_that_rows_differ_by_is_told_where_the_level_is_a_guess():
    rng = stream(9)
    rows = rng.laplace(size=(100, 60)) * rng.uniform(0.6, 1.4, (100, 1))
    level = estimate_noise(rows - rows.mean(axis=0))
    assert not level.certain
    assert not level.is_bound
    with pytest.warns(IkpcaWarning, match="nothing that the rows of the array differ by"):
        load_method("pca")(noise_model="white").fit(rows)


def test_all_that_rows_differ_by_is_told_where_columns_are_uneven():
    rng = stream(10)
    shares = stream(11).random(50)
    rows = (rng.random((30, 50)) < shares) + 0.3 * rng.normal(size=(30, 50))
    with pytest.warns(IkpcaWarning, match="nothing that the rows of the array differ by"):
        load_method("pca")().fit(rows)


@pytest.mark.parametrize("kind", ["phases", "codes"])
def test_rows_that_differ_by_what_noise_cannot_be_are_left_as_they_are(kind):
    """They were brought to what they share."""
    rng = stream(10)
    if kind == "phases":
        clean = np.cos(rng.uniform(0.0, 2.0 * np.pi, (100, 40)))
    else:
        clean = (rng.random((30, 50)) < stream(11).random(50)).astype(float)
    rows = clean + 0.05 * rng.normal(size=clean.shape)
    assert_array_equal(load_method("pca")().fit(rows).denoise(rows), rows)


def beats(rng, n_samples, width):
    """Return rows of sharp waves, whose power falls by no one power of frequency."""
    x = np.linspace(0.0, 1.0, width)
    at, wide = np.array([0.25, 0.47, 0.5, 0.53, 0.75]), np.array([0.03, 0.006, 0.008, 0.006, 0.05])
    waves = np.exp(-((x - at[:, None]) ** 2) / (2.0 * wide[:, None] ** 2))
    high = np.array([0.15, -0.2, 1.0, -0.25, 0.3])
    return (high * rng.normal(1.0, 0.25, (n_samples, 5))) @ waves


def test_a_spectrum_that_is_no_power_law_tells_no_level_by_one():
    """Heart beats were left as they are, or their level was read at a third of the truth."""
    rng = stream(11)
    clean = beats(rng, 400, 256)
    noisy = beyond(clean, 20, rng.normal(size=clean.shape))
    assert not WhiteShare.of(noisy - noisy.mean(axis=0)).fits
    level = estimate_noise(noisy - noisy.mean(axis=0))
    assert level.certain
    assert level.std == pytest.approx(np.std(noisy - clean), rel=0.03)
    for make in (walks, wanderers):
        rough = beyond(make(rng, 400, 100), 20, rng.normal(size=(400, 100)))
        assert WhiteShare.of(rough - rough.mean(axis=0)).fits


def test_heart_beats_in_strong_noise_are_cleaned(shared):
    with h5py.File(shared / "data/cpsc_normal_beats.h5") as file:
        rows = file["ecg4_lead0"][:].T
    usable = 0
    for seed in range(4):
        rng = stream(12, seed)
        clean = rows[rng.permutation(len(rows))[:49]]
        for decibels in (10, 0):
            noisy = beyond(clean, decibels, rng.normal(size=clean.shape))
            level = estimate_noise(noisy - noisy.mean(axis=0))
            usable += not level.is_bound and 0.95 < level.std / np.std(noisy - clean) < 1.25
    assert usable >= 7


@pytest.mark.parametrize("seed", range(4))
def test_columns_that_grow_louder_are_no_noise_where_neighbours_share_it(seed):
    """Processes that all start at nothing came back 4 to 50 times worse."""
    rng = np.random.default_rng(np.random.SeedSequence([88, seed]))
    rows = np.zeros((150, 80))
    for column in range(1, 80):
        rows[:, column] = 0.9 * rows[:, column - 1] + rng.normal(size=150)
    noisy = rows + 0.05 * rng.normal(size=rows.shape)
    assert noise_of(noisy).name == "white"


def test_noise_that_rough_signal_looks_like_is_warned_of():
    """Where the rough part is the signal, the rows come back many times worse."""
    rng = stream(17)
    rough = np.empty((150, 80))
    rough[:, 0] = rng.normal(size=150)
    for column in range(1, 80):
        rough[:, column] = 0.9 * rough[:, column - 1] + 0.19**0.5 * rng.normal(size=150)
    shape = np.cumsum(rng.normal(size=(2, 80)), axis=1)
    rows = 2.0 * rng.normal(size=(150, 2)) @ shape / shape.std() + 0.5 * rough
    noisy = rows + 0.03 * rng.normal(size=rows.shape)
    with pytest.warns(IkpcaWarning, match="as rough in all rows looks the same"):
        model = load_method("pca")().fit(noisy)
    assert model.summary()["noise_model"] == "correlated"
    told = load_method("pca")(noise_std=0.03).fit(noisy)
    assert np.mean((told.denoise(noisy) - rows) ** 2) < 1.01 * 0.03**2


@pytest.mark.parametrize(
    ("likely", "expected", "least", "may_be"),
    [
        (0.5, 0.4, 0.0, True),
        (0.3, 0.5, 0.25, True),
        (0.3, 0.5, 0.1, False),
        (0.3, 0.35, 0.3, False),
    ],
)
def test_the_likeliest_share_is_not_all_that_tells_of_noise(likely, expected, least, may_be):
    assert WhiteShare(1.0, 0.1, likely, expected, least, fits=True).may_be(0.4) is may_be
