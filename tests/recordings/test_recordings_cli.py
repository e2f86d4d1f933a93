"""Recordings and pictures from file to file."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli import load_model
from ikpca_cli.recordings.wavelets.combination import Combination
from tests.recordings.signals import noisy, signal


@pytest.fixture
def recording(tmp_path):
    """A table of times and two channels, and its clean version."""
    rng = np.random.default_rng(9)
    time = np.arange(1200) / 360.0
    clean = np.column_stack([time, signal("bumps", 1200), signal("doppler", 1200)])
    rows = clean + rng.normal(0.0, 1.0, clean.shape) * (0.0, 0.3, 0.1)
    for name, values in (("noisy.csv", rows), ("clean.csv", clean)):
        np.savetxt(tmp_path / name, values, "%.6g", ",", header="time,left,right", comments="")
    return rows, clean


def test_a_recording_goes_in_and_comes_out(cli, recording, tmp_path):
    cli("fit", "noisy.csv", "--window", "32")
    cli("denoise", "model.joblib", "noisy.csv")
    lines = (tmp_path / "noisy.denoised.csv").read_text().splitlines()
    assert lines[0] == "time,left,right"
    found = np.loadtxt(lines[1:], delimiter=",")
    source = np.loadtxt(tmp_path / "noisy.csv", delimiter=",", skiprows=1)
    before = (tmp_path / "noisy.csv").read_text().splitlines()
    times = [[line.split(",")[0] for line in some] for some in (before, lines)]
    assert times[0] == times[1]  # letter by letter
    errors = [np.mean((rows - recording[1])[:, 1:] ** 2, axis=0) for rows in (source, found)]
    assert (errors[1] < 0.2 * errors[0]).all()
    out = cli("evaluate", "model.joblib", "noisy.csv", "--clean", "clean.csv", "--format", "json")
    score = json.loads(out.stdout)
    assert score["mse"] == pytest.approx(errors[1].mean(), rel=1e-4)
    assert score["mse_noisy"] == pytest.approx(errors[0].mean(), rel=1e-4)


def test_the_model_remembers_its_windows(cli, recording):
    out = cli("fit", "noisy.csv", "--window", "auto", "--hop", "3", "--format", "json")
    record = json.loads(out.stdout)
    assert record["hop"] == 3
    model = load_model("model.joblib")
    assert model.cutting.text == record["window"]
    assert (model.risk is None) is (record["estimated_mse"] is None)
    assert (model.risk is None) is (record["no_estimate_because"] is not None)
    shown = json.loads(cli("info", "model.joblib", "--format", "json").stdout)
    assert (shown["window"], shown["hop"], shown["channels"]) == (record["window"], 3, 2)


def test_a_known_level_lets_an_error_be_promised(cli):
    rng = np.random.default_rng(2)
    clean = np.tile(signal("bumps", 1000), 100)
    np.save("x.npy", clean + rng.normal(0.0, 0.3, len(clean)))
    words = ["fit", "x.npy", "--window", "16", "--noise-std", "0.3", "--format", "json"]
    record = json.loads(cli(*words).stdout)
    assert load_model("model.joblib").risk.mse == record["estimated_mse"]
    cli("denoise", "model.joblib", "x.npy")
    mse = np.mean((np.load("x.denoised.npy") - clean) ** 2)
    assert abs(record["estimated_mse"] - mse) < 4.0 * record["estimated_mse_error"]


def test_a_residual_is_what_was_removed(cli, recording):
    np.save("rows.npy", recording[0])
    cli("fit", "rows.npy", "--window", "16")
    cli("denoise", "model.joblib", "rows.npy", "--residual", "removed.npy")
    whole = np.load("rows.denoised.npy") + np.load("removed.npy")
    assert_allclose(whole, recording[0], atol=1e-12)


@pytest.mark.parametrize("form", ["row.npy", "column.npy", "signal.h5"])
def test_forms_of_one_signal(cli, form):
    rows, std = noisy(signal("heavisine", 900), 7.0, np.random.default_rng(0))
    array = rows[None] if form == "row.npy" else rows[:, None]
    if form == "signal.h5":
        with h5py.File(form, "w") as file:
            file["lead"] = array
    else:
        np.save(form, array)
    cli("fit", form, "--window", "32")
    cli("denoise", "model.joblib", form, "-o", f"clean.{form}")
    if form == "signal.h5":
        with h5py.File(f"clean.{form}") as file:
            found = file["lead"][:]
    else:
        found = np.load(f"clean.{form}")
    assert found.shape == array.shape
    assert np.mean((found.ravel() - signal("heavisine", 900)) ** 2) < 0.1 * std**2


def test_pictures_keep_their_form(cli):
    y, x = np.mgrid[:64, :64] / 64.0
    clean = 100.0 * np.sin(9.0 * x) * (y > 0.4)
    stack = clean + np.random.default_rng(0).normal(0.0, 10.0, (2, 64, 64))
    np.save("stack.npy", stack)
    np.save("one.npy", stack[0])
    cli("fit", "one.npy", "--window", "6x6", "--plot", "picture.png")
    cli("denoise", "model.joblib", "one.npy", "stack.npy", "--preview", "--output-dir", ".")
    found = np.load("stack.denoised.npy")
    assert found.shape == (2, 64, 64)
    assert np.mean((found - clean) ** 2) < 25.0
    assert_allclose(np.load("one.denoised.npy"), found[0], atol=1e-9)


def _points(n):
    return np.random.default_rng(0).normal(size=(n, 2)) ** 2


LOOKS = {
    "times": np.column_stack(
        [np.arange(200) / 50.0, *np.random.default_rng(0).normal(size=(2, 200))]
    ),
    "row": np.random.default_rng(0).normal(size=(1, 300)),
    "column": np.random.default_rng(0).normal(size=(300, 1)),
    "walk": np.random.default_rng(0).normal(size=(900, 2)).cumsum(axis=0),
    "page": np.random.default_rng(0).normal(size=(1, 20, 30)),
    "picture": np.random.default_rng(0).normal(size=(40, 40)).cumsum(axis=0).cumsum(axis=1),
}


@pytest.mark.parametrize("look", LOOKS)
def test_what_is_no_stack_of_samples_is_noticed(cli, look, tmp_path):
    np.save("file.npy", LOOKS[look])
    line = cli("fit", "file.npy", code=1).output.strip()
    assert line.startswith("error: file.npy: looks like ")
    assert "--window" in line
    assert "--window none" in line
    assert len(line.splitlines()) == 1
    assert not (tmp_path / "model.joblib").exists()


@pytest.mark.parametrize("smooth", [True, False])
def test_rows_in_order_that_are_labelled_by_their_times_are_a_recording(cli, smooth):
    values = np.random.default_rng(0).normal(size=(300, 3))
    values = values.cumsum(axis=0) if smooth else values
    with open("file.csv", "w") as file:
        for i, row in enumerate(values):
            stamp = f"2020-01-01T10:{i // 60:02d}:{i % 60:02d}"
            file.write(",".join([stamp, *map(str, row)]) + "\n")
    if not smooth:
        cli("fit", "file.csv", "--method", "pca", "--noise-std", 0.1)
        return
    (line,) = cli("fit", "file.csv", code=1).stderr.splitlines()
    assert "looks like a recording of 300 samples and 3 channels: each row is like the next" in line
    assert "labels hold times" in line
    cli("fit", "file.csv", "--window", "none", "--method", "pca", "--noise-std", 0.1)


def _by_month(path, values):
    """Write rows of values (120, p), each with its month before it."""
    months = (f"{2010 + k // 12}-{k % 12 + 1:02d}-01" for k in range(len(values)))
    lines = [",".join([month, *map(str, row)]) for month, row in zip(months, values, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_many_series_by_date_are_a_recording_but_not_what_is_along_an_axis(cli, tmp_path):
    rng = np.random.default_rng(0)
    series = 50.0 * rng.normal(size=23) + rng.normal(size=(120, 23)).cumsum(axis=0)
    _by_month(tmp_path / "file.csv", series.round(2))
    (line,) = cli("fit", "file.csv", code=1).stderr.splitlines()
    assert (
        "looks like a recording of 120 samples and 23 channels: each row is like the next" in line
    )
    place = np.linspace(0.0, 3.0, 23) + rng.normal(size=(120, 1)).cumsum(axis=0) / 10.0
    _by_month(tmp_path / "file.csv", np.sin(place).round(3))
    cli("fit", "file.csv", "--method", "pca", "--noise-std", 0.1)


ROWS = {
    "points": _points(2000),
    "three": np.random.default_rng(1).normal(size=(600, 3)).cumsum(axis=1),
    "square": np.random.default_rng(1).normal(size=(50, 50)).cumsum(axis=1),
    "images": np.random.default_rng(1).normal(size=(30, 6, 6)),
    "rising rows": np.random.default_rng(1).uniform(size=(40, 12)).cumsum(axis=1),
}


@pytest.mark.parametrize("name", ROWS)
def test_samples_stay_samples(cli, name):
    np.save("file.npy", ROWS[name])
    cli("fit", "file.npy", "--method", "pca", "--components", "1")


def test_how_to_insist(cli):
    np.save("file.npy", LOOKS["times"])
    cli("fit", "file.npy", "--window", "none", "--method", "pca", "--components", "1")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--window", "8y8"], "give samples, as in 128"),
        (["--window", "20000"], "(2 to 16384)"),
        (["--window", "16", "--clean", "mean"], "not for --window"),
        (["--window", "16", "--method", "pca", "--keep-sums"], "--keep-sums is for rows"),
        (["--window", "16", "--resample"], "--resample is for signals of one axis"),
        (["--window", "1"], "give samples"),
        (["--window", "0x8"], "give samples"),
        (["--hop", "4"], "give --window too"),
        (["--window", "8", "--hop", "9"], "longer than the window"),
    ],
)
def test_windows_that_cannot_be(cli, options, reason):
    np.save("file.npy", LOOKS["times"])
    assert reason in cli("fit", "file.npy", *options, code=2).output


def test_recordings_that_do_not_fit_the_model(cli, recording):
    np.save("short.npy", recording[0][:20])
    np.save("one.npy", recording[0][:, 1:2])
    assert "fewer than the window 32" in cli("fit", "short.npy", "--window", "32", code=1).output
    cli("fit", "noisy.csv", "--window", "32")
    assert "has 1 channel, but" in cli("denoise", "model.joblib", "one.npy", code=1).output
    for option, words in (("--keep-unlike", []), ("--image", ["4x8", "--preview"])):
        line = cli("denoise model.joblib noisy.csv", option, *words, code=2).stderr
        assert f"{option} is for rows, model.joblib for windows: leave it out" in line


def test_numbers_that_are_missing_are_named(cli, recording):
    rows = recording[0].copy()
    rows[700, 2] = np.nan
    np.save("rows.npy", rows)
    line = cli("fit", "rows.npy", "--window", "16", code=1).output
    assert "row 701, column 3 is missing" in line


def test_a_damaged_description_of_windows_is_refused(cli, recording):
    import joblib

    cli("fit", "noisy.csv", "--window", "16", "--method", "pca")
    of_wavelets = Combination(3.0, 8, 4, 4, 0.25, 0.25, 0.25, 0.25).to_plain()
    for change in (
        *({"height": 17}, {"hop": -1}, {"kind": "sound"}, {"scale0": 0.0}, {"fs": "x"}),
        *({"wavelet_haar": 0.5}, of_wavelets | {"wavelet_haar": 1.0}),
        *(of_wavelets | {"wavelet_haar": -0.5}, of_wavelets | {"wavelet_threshold": -1.0}),
        *(of_wavelets | {"wavelet_sym8_depth": 40}, of_wavelets | {"wavelet_sym8_depth": 4.0}),
        of_wavelets | {"wavelet_db9": 0.0},
    ):
        content = joblib.load("model.joblib")
        del content["checksum"]
        without = {
            name: value for name, value in content["windows"].items() if "wavelet" not in name
        }
        content["windows"] = without | change
        joblib.dump(content, "changed.joblib", protocol=4)
        assert "is damaged" in cli("info", "changed.joblib", code=1).output


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".h5"])
def test_an_array_of_one_axis_is_a_recording_where_windows_are_asked_for(cli, suffix):
    rng = np.random.default_rng(4)
    clean = np.sign(np.sin(np.arange(2000) / 40.0))
    noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    if suffix == ".npy":
        np.save("one.npy", noisy)
    elif suffix == ".npz":
        np.savez("one.npz", signal=noisy)
    else:
        with h5py.File("one.h5", "w") as file:
            file["signal"] = noisy
    assert "--window auto" in cli("fit", f"one{suffix}", code=1).stderr
    cli("fit", f"one{suffix}", "--window", 16)
    cli("denoise", "model.joblib", f"one{suffix}")
    if suffix == ".npy":
        cleaned = np.load("one.denoised.npy")
    elif suffix == ".npz":
        cleaned = np.load("one.denoised.npz")["signal"]
    else:
        with h5py.File("one.denoised.h5") as file:
            cleaned = file["signal"][()]
    assert cleaned.shape == noisy.shape
    assert np.mean((cleaned - clean) ** 2) < 0.3 * np.mean((noisy - clean) ** 2)


def test_what_windows_cannot_know_of_noise_is_refused(cli):
    np.save("one.npy", np.random.default_rng(4).normal(size=500))
    for option in (("--noise-model", "counts"), ("--noise-rows", "one.npy")):
        result = cli("fit", "one.npy", "--window", 16, *option, code=2)
        assert "taken to be white" in result.stderr


@pytest.mark.filterwarnings("always::ikpca_cli.errors.IkpcaWarning")
def test_a_level_that_cannot_be_promises_nothing(cli):
    clean = np.sign(np.sin(np.arange(2000) / 40.0))
    np.save("one.npy", clean + np.random.default_rng(4).normal(scale=0.1, size=clean.shape))
    result = cli("fit", "one.npy", "--window", 16, "--noise-std", 0.5, "--format", "json")
    assert "cannot be right" in result.stderr
    assert '"estimated_mse": null' in result.stdout


@pytest.mark.parametrize("form", ["npy", "csv"])
def test_marks_beside_a_signal_stay_as_they_are(cli, form):
    rng = np.random.default_rng(4)
    rows = np.column_stack(
        [
            np.arange(900)[::-1] / 50.0,  # the times, the last first
            np.arange(900) // 300,
            signal("bumps", 900) + rng.normal(0.0, 0.3, 900),
            np.arange(900) % 90 == 0,
        ]
    )
    if form == "npy":
        np.save("x.npy", rows)
    else:
        np.savetxt("x.csv", rows, "%.6g", ",", header="time,block,lead,mark", comments="")
    said = cli("fit", f"x.{form}", "--window", 16, "--noise-model", "white").stderr
    named = "columns 2, 4: " if form == "npy" else "columns 2 'block', 4 'mark': "
    assert f"{named}most numbers go on as those before" in said
    model = load_model("model.joblib")
    assert (model.cutting.width, model.cutting.still) == (1, (0, 2))
    removed = json.loads(cli("denoise", "model.joblib", f"x.{form}", "--format", "json").stdout)
    found = (
        np.load("x.denoised.npy")
        if form == "npy"
        else np.loadtxt("x.denoised.csv", delimiter=",", skiprows=1)
    )
    assert_allclose(found[:, [0, 1, 3]], rows[:, [0, 1, 3]], atol=1e-4)
    if form == "csv":
        with open("x.denoised.csv", encoding="utf-8") as lines:
            cells = [line.rstrip().split(",") for line in lines]
        assert [(row[1], row[3]) for row in cells[1:92:45]] == [("0", "1"), ("0", "0"), ("0", "1")]
        assert all("." in row[2] for row in cells[1:])
    gone = np.sqrt(np.mean((found - rows)[:, 2] ** 2))
    assert removed[0]["removed_rms"] == pytest.approx(gone, rel=1e-3)
    np.save("two.npy", rows[:, :3])
    line = cli("denoise", "model.joblib", "two.npy", code=1).stderr
    assert "has 2 channels, but the model was fitted on 1 beside 2 without noise" in line


def test_batches_of_recordings_count_samples(cli, tmp_path):
    rng = np.random.default_rng(8)
    (tmp_path / "recs").mkdir()
    for k in range(3):
        clean = np.sin(np.arange(600 + k) / 9.0 + k)
        np.savetxt(tmp_path / f"recs/{k}.csv", clean + 0.2 * rng.normal(size=clean.shape))
    cli("fit recs --window 16")
    assert "3 files cleaned, 1,803 samples." in cli("denoise model.joblib recs").stdout
    cli("fit recs/0.csv --window 16 --force")
    assert "2 files, 1,203 samples" in cli("evaluate model.joblib recs/1.csv recs/2.csv").stdout
