"""Beats of a synthetic ECG with known R peaks: found, cut, cleaned and put back."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import read_rows
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.recordings.beats.cut_file import noise_told
from ikpca_cli.recordings.beats.events import (
    LENGTH,
    PEAK,
    Beats,
    find_peaks,
    without_baseline,
)
from tests.recordings.ecg import RHYTHMS, STRONG, TALL_T, ecg, rhythm

FS = 360.0


def shares(found, true, near):
    """Return how many of the true peaks are found, and how many of those found are true."""
    gaps = np.abs(found[:, None] - true)
    return np.mean(gaps.min(axis=0) < near), np.mean(gaps.min(axis=1) < near)


def cut(rows, fs=FS):
    fast, baseline = without_baseline(rows[:, None], fs)
    return fast, baseline, Beats.at(find_peaks(fast, fs), len(rows), "the recording")


@pytest.mark.parametrize("fs", [125.0, 360.0, 1000.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(("db", "least"), [(None, 0.99), (10.0, 0.97)])
def test_peaks_of_an_ecg_with_ectopic_beats_are_found(db, least, sign, fs):
    rng = np.random.default_rng(int(fs))
    clean, peaks = ecg(120.0, fs, rng)
    wander = 0.4 * np.sin(2.0 * np.pi * 0.2 * np.arange(len(clean)) / fs)
    noise = 0.0 if db is None else rng.normal(0.0, clean.std() / 10 ** (db / 20), len(clean))
    fast, _ = without_baseline((sign * clean + wander + noise)[:, None], fs)
    sensitivity, precision = shares(find_peaks(fast, fs), peaks, 0.05 * fs)
    assert sensitivity > least
    assert precision > least


@pytest.mark.parametrize("waves", [TALL_T, STRONG], ids=["tall T", "weaker ectopic beats"])
@pytest.mark.parametrize("db", [None, 10.0])
def test_t_waves_are_no_beats_and_weaker_beats_are(waves, db):
    rng = np.random.default_rng(3)
    clean, peaks = ecg(120.0, 250.0, rng, 0.1, waves)
    noise = 0.0 if db is None else rng.normal(0.0, clean.std() / 10 ** (db / 20), len(clean))
    fast, _ = without_baseline((clean + noise)[:, None], 250.0)
    sensitivity, precision = shares(find_peaks(fast, 250.0), peaks, 0.1 * 250.0)
    assert sensitivity > 0.97
    assert precision > 0.97


@pytest.mark.parametrize(("seed", "ectopic"), [(0, 0.05), (907, 0.1)])
def test_weak_beats_among_strong_ones_are_found(seed, ectopic):
    """What is usual at an end is told by the beats that are there, not by its last one again."""
    rng = np.random.default_rng(seed)
    clean, peaks = ecg(40.0, 360.0, rng, ectopic, TALL_T)
    assert np.diff(peaks[:4]).min() < 0.6 * 360.0  # an early one, twice as high
    noisy = clean + rng.normal(0.0, clean.std() / 10**0.5, len(clean))
    fast, _ = without_baseline(noisy[:, None], 360.0)
    sensitivity, precision = shares(find_peaks(fast, 360.0), peaks, 0.05 * 360.0)
    assert (sensitivity, precision) == (1.0, 1.0)


@pytest.mark.parametrize("fs", [100.0, 250.0, 360.0])
@pytest.mark.parametrize("name", RHYTHMS)
def test_beats_of_other_rhythms_are_found(name, fs):
    for db, least in ((None, 0.99), (10.0, 0.97)):
        rng = np.random.default_rng(5)
        clean, peaks = rhythm(name, 90.0, fs, rng)
        noise = 0.0 if db is None else rng.normal(0.0, clean.std() / 10 ** (db / 20), len(clean))
        fast, _ = without_baseline((clean + noise)[:, None], fs)
        found = find_peaks(fast, fs)
        sensitivity, precision = shares(found, peaks, 0.075 * fs)
        assert min(sensitivity, precision) >= least
        assert abs(len(found) - len(peaks)) <= 0.03 * len(peaks)


def test_beats_that_become_smaller_are_found_and_a_lost_contact_has_none():
    rng = np.random.default_rng(3)
    clean, peaks = ecg(120.0, 250.0, rng)
    clean[15_000:] *= 0.4
    clean[20_000:24_000] = 0.0
    fast, _ = without_baseline((clean + rng.normal(0.0, 0.03, len(clean)))[:, None], 250.0)
    known = peaks[(peaks < 20_000) | (peaks > 24_000)]
    assert min(shares(find_peaks(fast, 250.0), known, 15.0)) > 0.97


def test_rows_have_their_peaks_at_one_place():
    clean, _ = ecg(60.0, FS, np.random.default_rng(0), ectopic=0.0)
    fast, _, beats = cut(clean)
    rows = beats.cut(fast)
    assert rows.shape == (len(beats.peaks), LENGTH)
    assert np.abs(rows.argmax(axis=1) - PEAK).max() <= 1


def test_beats_that_are_left_as_they_are_come_back():
    clean, _ = ecg(60.0, FS, np.random.default_rng(1))
    fast, baseline, beats = cut(clean)
    assert_allclose((beats.put_back(fast, beats.cut(fast)) + baseline)[:, 0], clean, atol=2e-3)
    assert_array_equal(beats.edges[1:] > beats.edges[:-1], True)


def test_other_events_are_found_by_what_comes_again():
    rng = np.random.default_rng(2)
    at = np.cumsum(rng.integers(450, 550, 40))
    wave = np.exp(-0.5 * ((np.arange(120) - 40.0) / 12.0) ** 2)
    rows = rng.normal(0.0, 0.05, at[-1] + 600)
    for start in at:
        rows[start : start + 120] += wave
    fast, _ = without_baseline(rows[:, None], 0.0)
    for apart in (0, 500):
        found = find_peaks(fast, 0.0, apart)
        assert shares(found, at + 40.0, 10.0) == (1.0, 1.0)


@pytest.mark.parametrize(
    "wave",
    [
        lambda t: (t > 0) * np.exp(-np.abs(t) / 5.0) * np.sin(2.0 * np.pi * t / 5.0),  # rings
        lambda t: sum(h * np.exp(-0.5 * ((t - at) / 2.0) ** 2) for h, at in ((1, 0), (0.6, 35))),
        lambda t: np.exp(-0.5 * (t / 1.5) ** 2) + 0.3 * np.exp(-0.5 * ((t - 12.0) / 2.0) ** 2),
        lambda t: np.exp(-0.5 * (t / 15.0) ** 2),
    ],
)
def test_events_are_as_many_as_there_are_where_their_distance_is_not_given(wave):
    rng = np.random.default_rng(6)
    at = np.cumsum(np.round(rng.normal(100.0, 4.0, 60)))
    t = np.arange(at[-1] + 150.0)
    rows = sum(rng.normal(1.0, 0.1) * wave(t - start) for start in at)
    for noise in (0.0, 0.3 * rows.std()):
        fast, _ = without_baseline((rows + rng.normal(0.0, noise, len(t)))[:, None], 0.0)
        found = find_peaks(fast, 0.0)
        assert abs(len(found) - len(at)) <= 2
        assert shares(found, at, 15.0)[0] > 0.97


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_a_swing_has_one_event_a_period(noise):
    rng = np.random.default_rng(8)
    rows = np.sin(2.0 * np.pi * np.arange(4000) / 57.0) + rng.normal(0.0, noise, 4000)
    fast, _ = without_baseline(rows[:, None], 0.0)
    assert abs(len(find_peaks(fast, 0.0)) - 4000 // 57) <= 1


def test_a_recording_without_beats_is_refused():
    with pytest.raises(InputError, match="too few to cut"):
        Beats.at(np.array([5.0, 90.0]), 200, "x.npy")


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        (np.ones(5000), "all samples are alike"),
        (np.ones(1), "all samples are alike"),
        (np.arange(10.0), "give more"),
        (np.random.default_rng(0).normal(size=5000), "nothing beside white noise"),
    ],
)
@pytest.mark.parametrize("words", ["beats {} -o b.npy", "fit {} --window beats"])
def test_a_recording_that_cannot_have_beats_is_refused(cli, tmp_path, samples, reason, words):
    np.save("still.npy", samples[:, None])
    said = cli(words.format("still.npy"), "--fs", FS, code=1).stderr
    assert said.startswith("error: still.npy: ")
    assert reason in said
    assert [path.name for path in tmp_path.iterdir()] == ["still.npy"]


@pytest.fixture
def recording(tmp_path):
    rng = np.random.default_rng(7)
    clean, _ = ecg(150.0, FS, rng)
    rows = clean + rng.normal(0.0, clean.std() / 10**0.5, len(clean))
    table = np.column_stack([np.arange(len(rows)) / FS, rows])
    np.savetxt(tmp_path / "ecg.csv", table, "%.5f", ",", header="time,lead", comments="")
    return rows, clean


def test_a_whole_recording_is_cleaned_by_its_beats(cli, recording, tmp_path):
    rows, clean = recording
    cli("fit", "ecg.csv", "--window", "beats", "--fs", FS)
    assert (
        "not told, for beats are brought to one length"
        in cli("evaluate", "model.joblib", "ecg.csv").stdout
    )
    cli("denoise", "model.joblib", "ecg.csv")
    found = np.loadtxt(tmp_path / "ecg.denoised.csv", delimiter=",", skiprows=1)
    assert_array_equal(found[:, 0], np.round(np.arange(len(rows)) / FS, 5))
    before, after = np.mean((rows - clean) ** 2), np.mean((found[:, 1] - clean) ** 2)
    assert after < before / 12.0
    np.save("one.npy", rows[:1, None])
    said = cli("denoise", "model.joblib", "one.npy", code=1).stderr
    assert said.startswith("error: one.npy: all samples are alike")


def test_beats_are_cut_and_put_back(cli, recording, tmp_path):
    rows, clean = recording
    cli("beats", "ecg.csv", "--fs", FS, "-o", "beats.h5")
    with h5py.File(tmp_path / "beats.h5") as file:
        cut_rows = file["beats"][:]
    assert cut_rows.shape[1] == LENGTH
    cli("beats", "ecg.csv", "--fs", FS, "--restore", "beats.h5", "-o", "same.csv")
    same = np.loadtxt(tmp_path / "same.csv", delimiter=",", skiprows=1)
    assert np.mean((same[:, 1] - rows) ** 2) < 0.01 * np.mean((rows - clean) ** 2)
    holes = np.where(np.arange(len(rows)) % 900 == 450, np.nan, rows)[:, None]
    np.save("holes.npy", holes)
    for missing in ("fill", "keep"):
        given = ("holes.npy", "--fs", FS, "--missing", missing)
        cli("beats", *given, "-o", f"{missing}.npy")
        cli("beats", *given, "--restore", f"{missing}.npy", "-o", f"{missing}.back.npy")
        back = np.load(tmp_path / f"{missing}.back.npy")[:, 0]
        assert_array_equal(np.isnan(back), np.isnan(holes[:, 0]) & (missing == "keep"))
        assert np.nanmean((back - rows) ** 2) < 0.02 * np.mean((rows - clean) ** 2)
    assert "a mean is no neighbour" in cli("beats", *given[:-1], "mean", "-o", "b", code=2).stderr
    drop = cli("beats", *given[:-1], "drop", "-o", "b", code=2).stderr
    assert "would shorten the recording" in drop
    np.save("other.npy", 3.0 * cut_rows[::-1])
    other = ("--restore", "other.npy", "-o", "no.csv")
    assert "is unlike the beats" in cli("beats", "ecg.csv", "--fs", FS, *other, code=1).stderr
    # At another rate the baseline that is put back would be another one.
    rate = str(0.9 * float(FS))
    restored = ("--restore", "beats.h5", "-o", "no.csv")
    line = cli("beats", "ecg.csv", "--fs", rate, *restored, code=1).stderr
    assert f"was cut as beats of {float(FS):g} samples a second, not of {float(rate):g}" in line
    np.save("half.npy", cut_rows[1:])
    restore = ("--restore", "half.npy", "-o", "no.csv")
    line = cli("beats", "ecg.csv", "--fs", FS, *restore, code=1).output
    assert "give those that were cut from it" in line
    assert not (tmp_path / "no.csv").exists()


def test_beats_of_several_channels_keep_them_apart_and_come_back(cli):
    clean, _ = ecg(20.0, FS, np.random.default_rng(3))
    rows = np.stack([clean, 0.5 * np.roll(clean, 3)], axis=1)
    np.save("two.npy", rows)
    cli("beats", "two.npy", "--fs", FS, "-o", "beats.npy")
    assert np.load("beats.npy").shape[1:] == (LENGTH, 2)
    cli("beats", "two.npy", "--fs", FS, "--restore", "beats.npy", "-o", "back.npy")
    assert_allclose(np.load("back.npy"), rows, atol=3e-3)
    cli("beats", "two.npy", "--fs", FS, "-o", "beats.csv")
    assert np.loadtxt("beats.csv", delimiter=",").shape[1] == 2 * LENGTH


def test_a_rate_that_is_too_low_for_beats_is_refused(cli):
    np.save("slow.npy", np.random.default_rng(0).normal(size=(3000, 1)))
    said = cli("fit", "slow.npy", "--window", "beats", "--fs", 10, code=1).stderr
    assert "slow.npy: 10 samples a second are too few to tell heart beats" in said
    said = cli("beats slow.npy --fs 1e9 -o never.h5", code=1).stderr
    assert "too short to find beats; give more, or check the rate (--fs)" in said
    said = cli("beats slow.npy --align peak --apart 999999999 -o never.h5", code=1).stderr
    assert "too short to find beats; give more, or check --apart" in said


@pytest.mark.parametrize(
    "options",
    [("--align", "peak", "--fs", "10"), ("--fs", "360", "--apart", "5")],
)
def test_beats_that_contradict_themselves(cli, recording, options):
    cli("beats", "ecg.csv", "-o", "b.npy", *options, code=2)


@pytest.mark.parametrize("words", [("beats", "-o", "b.npy"), ("fit", "--window", "beats")])
@pytest.mark.parametrize(("name", "per_second"), [("t (ms)", 1e3), ("Time [s]", 1.0), ("t", None)])
def test_times_that_name_their_unit_tell_the_rate(cli, tmp_path, words, name, per_second):
    clean, _ = ecg(30.0, FS, np.random.default_rng(3))
    table = np.column_stack([np.arange(len(clean)) / FS * (per_second or 1.0), clean])
    np.savetxt("named.csv", table, "%.6f", ",", header=f"{name},lead", comments="")
    command, *options = words
    if per_second is None:
        said = cli(command, "named.csv", *options, code=1).stderr
        assert "(--fs), --fs 360 if its times are seconds" in said
        return
    cli(command, "named.csv", *options)
    told, cut = tmp_path / "b.npy", tmp_path / "model.joblib"
    found = (told if command == "beats" else cut).read_bytes()
    said = cli(command, "named.csv", *options, "--fs", "360", "--force").stderr
    assert "samples a second" not in said
    assert (told if command == "beats" else cut).read_bytes() == found
    said = cli(command, "named.csv", *options, "--fs", "250", "--force").stderr
    assert "named.csv: its times say 360 samples a second, not 250 (--fs)" in said


def test_beats_are_cleaned_step_by_step_by_what_is_said_to_come_next(cli, recording):
    rows, clean = recording
    shown = cli("beats", "ecg.csv", "--fs", FS, "-o", "beats.h5").stdout
    assert "Next: ikpca fit beats.h5; or, better where the recording is" in shown
    assert shown.rstrip().endswith("to be cleaned, ikpca fit ecg.csv --window beats --fs 360")
    cli("fit beats.h5 --method pca")
    cli("denoise model.joblib beats.h5")
    cli("beats", "ecg.csv", "--fs", FS, "--restore", "beats.denoised.h5", "-o", "clean.csv")
    found = np.loadtxt("clean.csv", delimiter=",", skiprows=1)[:, 1]
    assert np.mean((found - clean) ** 2) < np.mean((rows - clean) ** 2) / 12.0


def test_a_file_of_beats_tells_their_noise_until_they_are_cleaned(cli):
    rng = np.random.default_rng(1)
    first = ecg(90.0, 360, rng)[0]
    clean = np.stack([first, 0.5 * np.roll(first, 3)], axis=1)
    noisy = clean + np.array([0.1, 0.05]) * rng.normal(size=clean.shape)
    np.save("two.npy", noisy)
    cli("beats two.npy --fs 360 -o beats.h5")
    with read_rows("beats.h5", ReadOptions()) as rows:
        told = noise_told(rows)
    # A sample is 1.8 numbers of a beat, so that noise is stronger in fewer frequencies.
    assert_allclose(told.stds, np.sqrt(1.8) * np.array([0.1, 0.05]), rtol=0.15)
    assert "(as given; correlated)" in cli("fit beats.h5 --method pca").stdout
    cli("denoise model.joblib beats.h5")
    with read_rows("beats.denoised.h5", ReadOptions()) as rows:
        assert noise_told(rows) is None
    cli("beats two.npy --fs 360 --restore beats.denoised.h5 -o clean.npy")
    error = np.mean((np.load("clean.npy") - clean) ** 2, axis=0)
    assert (error < np.mean((noisy - clean) ** 2, axis=0) / 12.0).all()


def test_beats_on_both_sides_of_a_leap_are_cut_and_put_back(cli):
    clean, _ = ecg(40.0, 360.0, np.random.default_rng(0))
    times = np.arange(len(clean)) / 360.0
    times[7000:] += 60.0
    times[7100:] += 60.0  # a stretch without a beat's both neighbours
    rows = np.column_stack([times, clean])
    np.save("leap.npy", rows)
    said = cli("beats", "leap.npy", "--fs", "360", "-o", "beats.npy").stderr
    assert "leap at sample 7001" in said
    cli("beats", "leap.npy", "--fs", "360", "--restore", "beats.npy", "-o", "back.npy")
    back = np.load("back.npy")
    assert_array_equal(back[:, 0], rows[:, 0])
    assert_array_equal(back[7000:7100], rows[7000:7100])
    assert np.sqrt(np.mean((back - rows) ** 2)) < 0.02 * clean.std()
