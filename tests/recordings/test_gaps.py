"""Recordings with missing values: bridged where gaps are short, cut where they are long."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.errors import InputError
from ikpca_cli.recordings.canvases import gaps
from ikpca_cli.recordings.canvases.gaps import LONG, Bridged, BridgedRows
from tests.recordings.ecg import ecg

RNG = np.random.default_rng(31)


def holed(shape, share, rng=RNG):
    rows = rng.normal(size=shape)
    rows[rng.random(shape) < share] = np.nan
    return rows


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("block", [1, 7, 1 << 18])
def test_lines_are_those_of_the_whole_column(monkeypatch, share, block):
    monkeypatch.setattr(gaps, "_BLOCK", block)
    rows = holed((60, 3), share)
    rows[[0, 58], 1] = np.nan
    bridged = Bridged(rows)
    places = np.arange(60)
    for column in range(3):
        known = ~np.isnan(rows[:, column])
        line = np.interp(places, places[known], rows[known, column])
        assert_allclose(bridged[0:60][:, column], line)
        assert_allclose(bridged[25:40][:, column], line[25:40])


def test_long_gaps_are_those_of_all_columns_at_once():
    rows = RNG.normal(size=(200, 3))
    rows[20:60, 0] = rows[30 : 30 + LONG + 1, 1] = rows[50:70, 1] = np.nan
    rows[100:150] = np.nan
    rows[160 : 160 + LONG] = np.nan
    found = Bridged(rows)
    assert found.gaps([0, 1]) == [slice(30, 31 + LONG), slice(50, 60), slice(100, 150)]
    assert found.gaps([0, 1, 2]) == [slice(100, 150)]
    assert found.gaps([2]) == [slice(100, 150)]


def test_what_has_no_value_is_refused():
    rows = holed((20, 2), 0.1)
    rows[:, 1] = np.nan
    with pytest.raises(InputError, match="column 2 has no value at all"):
        Bridged(rows)
    with pytest.raises(InputError, match="row 2 has no value at all"):
        BridgedRows(rows.T)[0:2]


@pytest.fixture
def logged(tmp_path):
    """A recording of two channels and its times, with gaps, and the clean one."""
    rng = np.random.default_rng(5)
    t = np.arange(3000) / 100.0
    clean = np.column_stack([t, np.sin(3.0 * t), np.cos(2.0 * t)])
    rows = clean + np.array([0.0, 0.3, 0.3]) * rng.normal(size=clean.shape)
    rows[500:700, 1:] = rows[2990:, 1:] = np.nan
    rows[rng.random(3000) < 0.02, 1] = np.nan
    rows[[499, 700, 2989], 1:] = clean[[499, 700, 2989], 1:]
    header = "time,a,b"
    np.savetxt(tmp_path / "clean.csv", clean, "%.6f", ",", header=header, comments="")
    cells = [
        ",".join("" if np.isnan(cell) else f"{cell:.4f}" for cell in row) for row in rows.tolist()
    ]
    (tmp_path / "log.csv").write_text("time,a,b\n" + "\n".join(cells) + "\n")
    return rows, clean


def test_a_recording_with_gaps_is_cleaned_around_them(cli, logged):
    rows, clean = logged
    said = cli("fit log.csv --missing keep --window 32").output
    assert "210 samples are missing in 2 long gaps" in said
    assert "ikpca denoise model.joblib log.csv --missing keep" in said
    cli("denoise model.joblib log.csv --missing keep")
    found = np.genfromtxt("log.denoised.csv", delimiter=",", skip_header=1)
    assert_array_equal(np.isnan(found), np.isnan(rows))
    assert_allclose(found[:, 0], clean[:, 0])
    known = ~np.isnan(rows)
    before = np.mean((rows - clean)[known] ** 2)
    assert np.mean((found - clean)[known] ** 2) < 0.15 * before
    near = np.r_[480:500, 700:720]
    assert np.nanmean((found - clean)[near, 1:] ** 2) < 0.5 * 0.3**2


def test_gaps_are_filled_with_lines_where_that_is_asked_for(cli, logged):
    rows, clean = logged
    cli("fit log.csv --missing fill --window 32")
    cli("denoise model.joblib log.csv --missing fill")
    found = np.genfromtxt("log.denoised.csv", delimiter=",", skip_header=1)
    assert np.isfinite(found).all()
    assert_allclose(np.diff(found[500:700, 1], 2), 0.0, atol=3e-4)
    single = np.isnan(rows[:, 1]) & ~np.isnan(rows[:, 2])
    assert np.mean((found - clean)[single, 1] ** 2) < 0.2 * 0.3**2
    shown = cli(
        "evaluate model.joblib log.csv --clean clean.csv --missing fill --format json"
    ).stdout
    assert '"mse"' in shown


def test_gaps_without_the_option_are_refused_by_place(cli, logged):
    said = cli("fit log.csv --window 32", code=1).stderr
    assert "column 2 'a' is missing" in said
    assert "--missing" in said


def test_recordings_in_rows_and_pictures_are_bridged_by_themselves(cli):
    clean = np.sin(np.arange(1200.0) / 15.0)
    rows = np.stack([clean, clean[::-1]]) + RNG.normal(0.0, 0.2, (2, 1200))
    rows[0, 300:303] = rows[1, -1] = np.nan
    np.save("rows.npy", rows)
    cli("fit rows.npy --window 32 --missing keep")
    cli("denoise model.joblib rows.npy --missing keep")
    found = np.load("rows.denoised.npy")
    assert_array_equal(np.isnan(found), np.isnan(rows))
    assert np.nanmean((found[0] - clean) ** 2) < 0.2 * 0.2**2
    picture = np.add.outer(np.sin(np.arange(64.0) / 9.0), np.cos(np.arange(64.0) / 7.0))
    noisy = picture + RNG.normal(0.0, 0.2, picture.shape)
    noisy[20, 30:33] = np.nan
    np.save("picture.npy", noisy)
    cli("fit picture.npy --window 6x6 --missing fill -o picture.joblib")
    cli("denoise picture.joblib picture.npy --missing fill")
    assert np.mean((np.load("picture.denoised.npy") - picture) ** 2) < 0.3 * 0.2**2


def test_beats_on_both_sides_of_a_gap_are_cleaned(cli):
    clean, _ = ecg(60.0, 100.0, np.random.default_rng(2))
    rows = clean + np.random.default_rng(3).normal(0.0, 0.06, len(clean))
    rows[2000:2600] = rows[4000] = np.nan
    np.save("ecg.npy", rows[:, None])
    cli("fit ecg.npy --window beats --fs 100 --missing keep")
    cli("denoise model.joblib ecg.npy --missing keep")
    found = np.load("ecg.denoised.npy")[:, 0]
    assert_array_equal(np.isnan(found), np.isnan(rows))
    assert np.nanmean((found - clean) ** 2) < 0.3 * np.nanmean((rows - clean) ** 2)
