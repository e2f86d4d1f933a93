"""Windows put back by overlap-add: nothing lost, nothing moved, whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.cli.given.window_options import stretch_of
from ikpca_cli.data.row_source import as_rows
from ikpca_cli.errors import InputError
from ikpca_cli.estimators.mixture import Mixture
from ikpca_cli.formats.arrays import read_rows
from ikpca_cli.recordings import windows
from ikpca_cli.recordings.cutting import Cutting
from ikpca_cli.recordings.evaluation import evaluate_windows
from ikpca_cli.recordings.fitting import SURE_ENOUGH, fit_windows
from ikpca_cli.recordings.recording import recording_of
from ikpca_cli.recordings.roughness import changes, channel_noise, texture
from ikpca_cli.recordings.sniffing import looks_like, may_be_columns, may_follow
from ikpca_cli.recordings.window_risk import _parts
from tests.recordings.signals import noisy, signal

RNG = np.random.default_rng(5)


def put_back(canvas, cutting, clean):
    parts = list(windows.cleaned_blocks(canvas, cutting, clean))
    assert [part.start for part, _ in parts] == [0, *(part.stop for part, _ in parts[:-1])]
    assert parts[-1][0].stop == len(canvas)
    return np.concatenate([block for _, block in parts])


def unchanged(rows):
    return rows, np.random.default_rng(0).uniform(0.1, 1.0, rows.shape)


@pytest.mark.parametrize("in_block", [1 << 21, 150])
@pytest.mark.parametrize("hop", [1, 2, 5])
@pytest.mark.parametrize(("length", "channels"), [(7, 1), (50, 1), (333, 3)])
def test_a_signal_that_is_left_as_it_is_comes_back(length, channels, hop, in_block, monkeypatch):
    monkeypatch.setattr(windows, "BAND_NUMBERS", in_block)
    canvas = RNG.normal(size=(length, channels))
    cutting = Cutting("signal", 7, channels, hop, tuple(RNG.uniform(0.5, 2.0, channels)))
    assert_allclose(put_back(canvas, cutting, unchanged), canvas, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("in_block", [1 << 21, 700])
@pytest.mark.parametrize("hop", [1, 3])
def test_a_picture_that_is_left_as_it_is_comes_back(hop, in_block, monkeypatch):
    monkeypatch.setattr(windows, "BAND_NUMBERS", in_block)
    canvas = RNG.normal(size=(23, 31))
    back = put_back(canvas, Cutting("image", 4, 5, hop), unchanged)
    assert_allclose(back, canvas, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("kind", ["signal", "image"])
def test_one_block_is_as_many(kind, monkeypatch):
    canvas = RNG.normal(size=(60, 40 if kind == "image" else 1)).cumsum(axis=0)
    cutting = Cutting("image", 6, 6) if kind == "image" else Cutting("signal", 16, 1, 1, (1.0,))

    def clean(rows):
        return 0.5 * rows, 1.0 + rows**2

    whole = put_back(canvas, cutting, clean)
    monkeypatch.setattr(windows, "BAND_NUMBERS", 1000)
    assert_allclose(put_back(canvas, cutting, clean), whole, rtol=0.0, atol=1e-12)
    assert np.abs(whole - canvas).max() > 0.1


@pytest.mark.parametrize(("most", "method"), [(20_000, "mixture"), (37, "pca"), (29, "kpca")])
def test_training_windows_are_those_of_the_recordings(most, method, monkeypatch):
    name = "KERNEL_WINDOWS" if method == "kpca" else "TRAINING_WINDOWS"
    monkeypatch.setattr(windows, name, most)
    canvases = [RNG.normal(size=(40, 2)), RNG.normal(size=(25, 2))]
    cutting = Cutting("signal", 5, 2, 1, (1.0, 2.0))
    found = windows.training_windows(canvases, cutting, 0, method)
    every = []
    for canvas in canvases:
        for start in range(len(canvas) - 4):
            window = canvas[start : start + 5] / (1.0, 2.0)
            every.append((window - window.mean(axis=0)).ravel())
    assert len(found) == min(most, len(every))
    if len(found) == len(every):
        assert_allclose(found, every, atol=1e-14)
    else:
        gaps = np.abs(found[:, None] - np.array(every)).max(axis=2).min(axis=1)
        assert gaps.max() < 1e-14


@pytest.mark.parametrize("name", ["blocks", "bumps", "heavisine", "doppler"])
def test_a_noisy_signal_comes_closer_to_the_clean_one(name):
    clean = signal(name, 2048)
    rows, std = noisy(clean, 7.0, np.random.default_rng(11))
    found = fit_windows(Mixture(), [rows[:, None]], window=(64,))
    mse = float(np.mean((found.denoise(rows[:, None])[:, 0] - clean) ** 2))
    assert mse < 0.08 * std**2
    assert found.noise_std_ == pytest.approx(std, rel=0.06)
    risk = found.estimate([rows[:, None]], trained=True)
    assert risk.error < 0.05 * std**2
    assert abs(risk.mse - mse) < 4.0 * risk.error
    assert found.risk is None or found.risk.error * SURE_ENOUGH <= found.risk.mse


def test_the_window_is_chosen_by_the_estimated_risk():
    clean = signal("blocks", 2048)
    rows, std = noisy(clean, 7.0, np.random.default_rng(12))
    chosen = fit_windows(Mixture(), [rows[:, None]])

    def error(windowed):
        return np.mean((windowed.denoise(rows[:, None])[:, 0] - clean) ** 2)

    others = [fit_windows(Mixture(), [rows[:, None]], window=(size,)) for size in (16, 256)]
    assert error(chosen) <= min(map(error, others)) + 0.02 * std**2


@pytest.fixture(scope="module")
def two_channels():
    rng = np.random.default_rng(3)
    clean = np.column_stack([signal("doppler", 1500), 10.0 * signal("heavisine", 1500)])
    rows = clean + rng.normal(0.0, [0.1, 9.0], clean.shape)
    return rows, clean, fit_windows(Mixture(), [rows], window=(32,))


def test_channels_of_other_noise_levels_are_cleaned_together(two_channels):
    rows, clean, found = two_channels
    before = np.mean((rows - clean) ** 2, axis=0)
    after = np.mean((found.denoise(rows) - clean) ** 2, axis=0)
    assert (after < 0.15 * before).all()


def test_units_of_a_channel_do_not_matter(two_channels):
    rows, _, found = two_channels
    scaled = fit_windows(Mixture(), [rows * (1000.0, 0.01)], window=(32,))
    assert_allclose(
        scaled.denoise(rows * (1000.0, 0.01)) / (1000.0, 0.01), found.denoise(rows), rtol=1e-6
    )


def test_an_offset_stays_what_it_is(two_channels):
    rows, _, found = two_channels
    offset = np.array([5.0, -300.0])
    shifted = found.denoise(rows + offset) - offset
    assert_allclose(shifted, found.denoise(rows), atol=1e-9)


def test_times_are_not_touched(two_channels):
    rows, _, found = two_channels
    time = np.round(np.arange(len(rows)) / 360.0, 3)
    cleaned = found.denoise(np.column_stack([rows[:, 0], time, rows[:, 1]]))
    assert_array_equal(cleaned[:, 1], time)
    assert_allclose(cleaned[:, [0, 2]], found.denoise(rows), atol=1e-12)


def test_a_row_is_a_recording_as_a_column_is():
    rows, _ = noisy(signal("bumps", 800), 7.0, np.random.default_rng(1))
    found = fit_windows(Mixture(), [rows[:, None]], window=(16,))
    pair = found.denoise(np.stack([rows, rows[::-1]]))
    assert_allclose(pair[0], found.denoise(rows[:, None])[:, 0], atol=1e-12)
    assert pair.shape == (2, 800)


def test_pictures():
    y, x = np.mgrid[:96, :96] / 96.0
    clean = 100.0 * (x + y > 0.9) + 50.0 * np.sin(20.0 * x * y)
    rng = np.random.default_rng(4)
    picture = clean + rng.normal(0.0, 20.0, clean.shape)
    found = fit_windows(Mixture(), [picture], kind="image", window=(8, 8))
    cleaned = found.denoise(picture)
    assert np.mean((cleaned - clean) ** 2) < 0.12 * 400.0
    stack = np.stack([picture, picture.T]).reshape(2, -1)
    both = found.denoise(stack, (96, 96)).reshape(2, 96, 96)
    assert_allclose(both[0], cleaned, atol=1e-9)
    assert np.mean((both[1] - clean.T) ** 2) < 0.15 * 400.0


def test_nothing_but_noise_is_all_but_removed():
    rows = np.random.default_rng(2).normal(0.0, 1.0, (3000, 1))
    cleaned = fit_windows(Mixture(), [rows], window=(32,)).denoise(rows)
    assert np.mean(cleaned**2) < 0.06


def test_an_error_that_cannot_be_promised_has_a_bound():
    clean = np.sin(np.arange(3000) / 15.0)[:, None]
    noisy = clean + np.random.default_rng(3).normal(0.0, 0.2, clean.shape)
    found = fit_windows(Mixture(), [noisy], window=(32,))
    assert found.risk is None
    most = found.summary()["estimated_mse_at_most"]
    assert np.mean((found.denoise(noisy) - clean) ** 2) < most < 0.2 * 0.2**2


def photograph(rng, noise):
    """A picture of which one half is rough: the level of noise looks higher than it is."""
    y, x = np.mgrid[:128, :128] / 128.0
    clean = 80.0 * (x + y > 0.9) + 40.0 * np.sin(9.0 * x)
    clean[:, 50:] += 9.0 * rng.normal(size=(128, 78))
    return clean, clean + rng.normal(0.0, noise, clean.shape)


def test_noise_is_read_from_all_of_a_recording():
    rows = np.zeros((8000, 1))
    rows[4096:] = np.random.default_rng(3).normal(size=(len(rows) - 4096, 1))
    rows[:4096] = 3.0 * np.random.default_rng(4).normal(size=(4096, 1))
    assert 1.0 < channel_noise([rows], "signal")[0] < 2.5


def test_texture_is_told_from_noise_by_quiet_places():
    rng = np.random.default_rng(9)
    assert texture([rng.normal(size=(256, 256))]) < 0.04
    _, noisy = photograph(rng, 10.0)
    assert changes([noisy], "image", 1)[0] > 11.0
    usual = float(channel_noise([noisy], "image")[0])
    assert usual * np.exp(-texture([noisy])) == pytest.approx(10.0, rel=0.12)


def test_the_noise_of_a_picture_is_that_of_most_of_its_places():
    rng = np.random.default_rng(12)
    strengths = np.concatenate([np.linspace(4.0, 30.0, 160), np.zeros(96)])
    picture = np.linspace(0.0, 90.0, 128)[:, None] + strengths * rng.normal(size=(128, 256))
    picture += rng.normal(0.0, 10.0, picture.shape)
    assert changes([picture], "image", 1)[0] > 13.0
    assert channel_noise([picture], "image")[0] == pytest.approx(10.0, rel=0.05)
    dark = np.maximum(0.0, rng.normal(5.0, 10.0, (64, 256))) + picture.min()  # noise at a limit
    assert channel_noise([np.vstack([dark, picture])], "image")[0] > 9.5


def test_the_noise_of_an_even_picture_is_read_from_all_of_it():
    levels = [
        float(channel_noise([np.random.default_rng(seed).normal(size=(160, 160))], "image")[0])
        for seed in range(20)
    ]
    assert np.mean(levels) == pytest.approx(1.0, abs=0.01)
    assert np.std(levels) < 0.02


def test_the_bound_of_a_picture_holds_where_texture_looks_like_noise():
    clean, noisy = photograph(np.random.default_rng(10), 10.0)
    found = fit_windows(Mixture(), [noisy], kind="image", window=(8, 8))
    true = np.mean((found.denoise(noisy) - clean) ** 2)
    assert found.risk is None
    assert found.most is None or true < found.most


def test_bands_lie_evenly_over_a_picture():
    cutting = Cutting("image", 8, 8)
    picture = np.arange(4096.0)[:, None] * np.ones(256)
    bands = _parts(picture, cutting, 4)
    assert [len(band) for band in bands] == [64] * 4
    assert [band[32, 0] for band in bands] == [512.0, 1536.0, 2560.0, 3584.0]
    assert [len(band) for band in _parts(picture[:100], cutting, 4)] == [100]


@pytest.mark.parametrize("kind", ["image", "signal"])
def test_no_error_is_promised_of_what_was_clipped(kind):
    _, noisy = photograph(np.random.default_rng(11), 20.0)
    noisy = noisy.reshape(-1, 1)[:4000] if kind == "signal" else noisy[:48, 20:68]
    clipped = np.maximum(noisy, np.quantile(noisy, 0.1))
    found = fit_windows(
        Mixture(), [clipped], kind=kind, window=(8, 8) if kind == "image" else (16,)
    )
    assert found.risk is None
    assert found.most is None
    assert "10% of the numbers are at a limit" in found.withheld
    score = evaluate_windows(found, clipped, None, ())
    assert score["estimated_mse"] is None
    assert score["no_estimate_because"] == found.withheld


def test_progress_of_several_windows_is_one_that_rises():
    rows = np.random.default_rng(12).normal(size=(600, 1))
    seen = []
    fit_windows(Mixture(), [rows], progress=lambda *words: seen.append(words))
    stages, done, totals = zip(*seen, strict=True)
    assert set(stages) == {"fitting"}
    assert set(totals) == {1000}
    assert list(done) == sorted(done)
    assert done[-1] == 1000


@pytest.mark.parametrize("window", ["auto", "8"])
@pytest.mark.parametrize("shape", [(300, 1), (1, 300), (40, 40)])
def test_what_does_not_vary_is_refused_by_name(cli, shape, window):
    np.save("still.npy", np.full(shape, 0.1))
    said = cli("fit", "still.npy", "--window", window, code=1).stderr
    assert said.startswith("error: still.npy: all windows are alike")


@pytest.mark.parametrize(("shape", "place"), [((300, 1), (7, 0)), ((2, 300), (1, 6))])
def test_a_number_that_is_missing_is_refused_by_its_place(shape, place):
    values = RNG.normal(size=shape)
    values[place] = np.nan
    row, column = np.add(place, 1)
    with pytest.raises(InputError, match=f"row {row}, column {column} is NaN"):
        fit_windows(Mixture(), [values], window=(8,))


def test_pictures_of_other_sizes_are_learned_from_together():
    stripes = np.sin(np.arange(40.0))[:, None] + RNG.normal(0.0, 0.3, (40, 30))
    pictures = [stripes, stripes[:25], stripes[:, :20]]
    model = fit_windows(Mixture(), pictures, kind="image", window=(6, 6))
    assert [model.denoise(one).shape for one in pictures] == [one.shape for one in pictures]


def test_a_coloured_picture_is_cleaned_by_its_planes():
    """Brightness and opponent colours, which hold less, are cleaned better than each colour."""
    bright = np.add.outer(np.sin(np.arange(56.0) / 5.0), np.cos(np.arange(48.0) / 4.0))
    bright[20:34, 10:30] += 1.0
    clean = 40.0 * bright[:, :, None] * [1.0, 0.9, 0.7] + [9.0, 0.0, 50.0]
    noisy = clean + RNG.normal(0.0, 20.0, clean.shape)
    rows = noisy.reshape(1, -1)
    model = fit_windows(Mixture(), [rows], kind="image", window=(6, 6), shapes=[clean.shape])
    error = np.mean((model.denoise(rows, clean.shape).reshape(clean.shape) - clean) ** 2)
    colours = np.moveaxis(noisy, -1, 0)
    others = [fit_windows(Mixture(), [one], kind="image", window=(6, 6)) for one in colours]
    apart = [other.denoise(one) for other, one in zip(others, colours, strict=True)]
    assert error < 0.8 * np.mean((np.stack(apart, axis=-1) - clean) ** 2)
    assert model.noise_std_ == pytest.approx(20.0, rel=0.05)
    recording = model.recording(as_rows(rows), clean.shape)
    assert recording.counted == (1, "picture")
    risk = model.estimate(recording.canvases, trained=True)
    assert risk.mse == pytest.approx(error, abs=3.0 * risk.error)
    grey = np.repeat(noisy[..., :1], 3, axis=2)  # as pictures in grey are often saved
    found = fit_windows(
        Mixture(), [grey.reshape(1, -1)], kind="image", window=(6, 6), shapes=[grey.shape]
    )
    cleaned = found.denoise(grey.reshape(1, -1), grey.shape).reshape(grey.shape)
    np.testing.assert_allclose(cleaned, np.repeat(apart[0][..., None], 3, axis=2), rtol=1e-9)


def test_the_picture_of_a_coloured_one_is_its_mean_colour(tmp_path):
    colours = RNG.normal(100.0, 20.0, (24, 20, 3))
    np.save(tmp_path / "colours.npy", colours[None])
    model = fit_windows(
        Mixture(), [colours.reshape(1, -1)], kind="image", window=(6, 6), shapes=[colours.shape]
    )
    with read_rows(str(tmp_path / "colours.npy")) as file:
        found = stretch_of(model, file, file)
    cleaned = model.denoise(colours.reshape(1, -1), colours.shape).reshape(colours.shape)
    assert_allclose(found.noisy, colours.mean(axis=2))
    assert_allclose(found.clean, colours.mean(axis=2))
    assert_allclose(found.cleaned, cleaned.mean(axis=2))


def test_pictures_of_other_axes_are_refused_with_what_to_do():
    rows = np.zeros((1, 16 * 16 * 4))
    with pytest.raises(InputError, match=r"pictures of shape \(16, 16, 4\).*grey picture"):
        recording_of(as_rows(rows), "image", (16, 16, 4))


@pytest.mark.parametrize("shape", [(128, 6), (16, 16, 3)])
def test_samples_of_several_axes_are_no_recordings(shape):
    rows = np.zeros((5, np.prod(shape)))
    with pytest.raises(InputError, match="leave --window out"):
        recording_of(as_rows(rows), "signal", shape)


def test_a_coloured_picture_is_no_recording():
    rows = np.zeros((1, 16 * 16 * 3))
    guess = looks_like(as_rows(rows), (16, 16, 3))
    assert guess.kind == "image"
    assert "coloured picture of 16 x 16" in guess.what
    assert looks_like(as_rows(rows), (4, 16, 12)) is None
    assert looks_like(as_rows(rows)).kind == "signal"


def test_a_few_pictures_of_other_things_are_no_rows():
    rng = np.random.default_rng(6)
    scenes = rng.normal(size=(50, 40, 48)).cumsum(axis=1).cumsum(axis=2)
    scenes /= scenes.std()

    def guess(pictures):
        noisy = pictures + rng.normal(scale=0.5, size=pictures.shape)
        return looks_like(as_rows(noisy.reshape(len(noisy), -1)), pictures.shape[1:])

    assert guess(scenes[:12]).kind == "image"
    assert "12 pictures of 40 x 48 pixels" in guess(scenes[:12]).what
    coloured = guess(np.repeat(scenes[:12, :, :, None], 3, axis=3))
    assert coloured.kind == "image"
    assert "12 coloured pictures" in coloured.what
    assert guess(np.repeat(scenes[:1], 12, axis=0)) is None  # frames of one scene
    assert guess(scenes) is None  # many
    assert guess(scenes[:12, :20, :20]) is None  # patches


def test_samples_in_columns_are_told_by_their_order():
    rng = np.random.default_rng(7)
    places = rng.uniform(10.0, 30.0, (200, 1))
    bumps = np.exp(-0.5 * ((np.arange(48) - places) / 4.0) ** 2)
    bumps += rng.normal(scale=0.1, size=bumps.shape)
    assert may_be_columns(as_rows(bumps.T))
    assert not may_be_columns(as_rows(bumps))
    assert not may_be_columns(as_rows(bumps[:30]))  # few samples, which are the rows
    film = np.sin(np.arange(30) / 5.0)[:, None] * np.sin(np.arange(60) / 9.0)
    assert not may_be_columns(as_rows(film))


def test_rows_that_follow_each_other_are_told_from_those_sorted_by_kind():
    rng = np.random.default_rng(5)
    time = np.arange(1000.0)[:, None]
    eeg = 3.0 * np.sin(time / 4.0 + np.arange(6.0)) + rng.normal(size=(1000, 6))
    kinds = np.repeat(rng.normal(scale=5.0, size=(4, 6)), 250, axis=0) + rng.normal(size=(1000, 6))
    found = [may_follow(as_rows(rows)) for rows in (eeg, rng.permutation(eeg), kinds, eeg[:400])]
    assert found == [True, False, False, False]


def test_a_recording_without_times_is_noted(cli):
    time = np.arange(600.0)[:, None]
    noise = np.random.default_rng(6).normal(scale=0.2, size=(600, 3))
    np.save("three.npy", np.sin(time / 9.0 + np.arange(3.0)) + noise)
    said = cli("fit", "three.npy", "--method", "pca").stderr
    assert "three.npy: each row is like the next, as in a recording of 3 channels" in said
    assert "warning" not in said
    said = cli("fit", "three.npy", "--method", "pca", "--window", "none", "--force").stderr
    assert "each row is like the next" not in said
