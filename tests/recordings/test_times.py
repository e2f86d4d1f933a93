"""Leaps in the times of a recording, and files that a model was not fitted for."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.cli.given.window_options import stretch_of, times_as_labels
from ikpca_cli.data.row_source import as_rows
from ikpca_cli.errors import InputError
from ikpca_cli.estimators.mixture import Mixture
from ikpca_cli.formats.arrays import read_rows
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.recordings.dates import seconds_since_first
from ikpca_cli.recordings.fitting import fit_windows
from ikpca_cli.recordings.recording import recording_of
from ikpca_cli.recordings.times import time_columns, times_of
from tests.recordings.signals import signal

N = 1200


def _times(*leaps, length=N, step=0.01):
    steps = np.full(length, step)
    for place in leaps:
        steps[place] = 5.0
    return np.cumsum(steps)


@pytest.mark.parametrize("leaps", [(), (400,), (3, 700, 1190)])
@pytest.mark.parametrize("digits", [9, 2, 1])
def test_leaps_are_found_where_times_are_rounded_too(leaps, digits):
    times = np.round(_times(*leaps, step=0.07), digits)
    rows = np.column_stack([times, np.random.default_rng(0).normal(size=N)])
    assert time_columns(rows) == (0,)
    found = times_of(rows, (0,))
    assert found.leaps == leaps
    assert_allclose(found.step, 0.07, rtol=0.02)


def test_times_of_a_clock_that_was_set_back_are_no_channel():
    times = _times(300)
    times[700:] -= 3.0
    rows = np.column_stack([times, np.random.default_rng(0).normal(size=N)])
    assert time_columns(rows) == (0,)
    assert times_of(rows, (0,)).leaps == (300, 700)


@pytest.mark.parametrize(("n_swapped", "is_axis"), [(0, True), (1, False), (30, False)])
def test_an_axis_out_of_order_is_refused_by_its_place(n_swapped, is_axis, cli):
    rng = np.random.default_rng(1)
    axis = np.cumsum(rng.lognormal(sigma=1.5, size=90))
    for place in np.linspace(40, 80, n_swapped).astype(int):
        axis[[place, place + 1]] = axis[[place + 1, place]]
    rows = np.column_stack([axis, np.sin(np.arange(90) / 9.0) + rng.normal(scale=0.1, size=90)])
    np.savetxt("wave.csv", rows, "%.4f", ",", header="wavelength,value", comments="")
    np.savetxt("three.csv", np.c_[rows, rows[:, 1]], "%.4f", ",", header="wl,a,b", comments="")
    if n_swapped == 1:
        said = "column 1 'wavelength' rises from row to row, as times or an axis do, but falls at"
        for options in ("", "--window auto"):
            assert f"{said} row 42" in cli(f"fit wave.csv {options}", code=1).stderr
        assert "column 1 'wl' rises" in cli("fit three.csv --window auto", code=1).stderr
    assert (time_columns(rows) == (0,)) == is_axis


def test_frequencies_that_fall_are_an_axis_and_a_noisy_decay_is_none():
    """As of impedance, from the highest frequency to the lowest, evenly on a logarithmic scale."""
    rng = np.random.default_rng(1)
    falling = np.array([float(f"{10**power:.4e}") for power in np.linspace(5, -1, 61)])
    signal_beside = rng.normal(size=61)
    assert time_columns(np.column_stack([falling, signal_beside])) == (0,)
    assert time_columns(np.column_stack([falling + 3.0 * rng.normal(size=61), signal_beside])) == ()


@pytest.mark.parametrize("per_tick", [2, 50])
def test_samples_within_a_tick_of_the_clock_have_times(per_tick):
    ticks = np.floor(np.arange(N) / per_tick)
    marks = np.floor(np.arange(N) / 300)  # which are too few to be times
    bent = np.floor(np.linspace(0.0, 5.0, N) ** 2)
    rows = np.column_stack([ticks, np.random.default_rng(0).normal(size=N), marks, bent])
    assert time_columns(rows) == (0,)
    assert times_of(rows, (0,)).leaps == ()
    assert_allclose(times_of(rows, (0,)).step, 1.0 / per_tick, rtol=0.05)


@pytest.mark.parametrize(("period", "per_tick"), [(256, 1), (60, 1), (60, 4), (129, 1)])
def test_a_count_that_begins_again_is_no_channel_and_leaps_where_samples_are_lost(period, per_tick):
    """As those of samples in packets (OpenBCI's, Emotiv's), and the seconds of a clock."""
    rng = np.random.default_rng(0)
    whole = np.arange(N) // per_tick % period
    rows = np.column_stack([rng.normal(size=N), whole])
    assert time_columns(rows) == (1,)
    assert times_of(rows, (1,)).leaps == ()
    assert_allclose(times_of(rows, (1,)).step, 1.0 / per_tick, rtol=0.02)
    lost = np.delete(rows, np.arange(700, 700 + 9 * per_tick), axis=0)
    assert times_of(lost, time_columns(lost)).leaps == (700,)
    risen = np.column_stack([rows, np.arange(N)])
    assert time_columns(risen) == (2, 1)  # what rises all along tells more
    for other in (
        rng.integers(0, period, N),
        np.abs(np.arange(N) % period - period // 2),
        whole % 7,
    ):
        assert time_columns(np.column_stack([rows[:, 0], other])) == ()


def test_a_count_of_packets_is_no_signal(cli):
    rng = np.random.default_rng(0)
    wave = 20.0 * np.sin(np.arange(N) / 20.0)[:, None] + rng.normal(size=(N, 2))
    rows = np.column_stack([np.arange(N) % 256, wave])
    np.savetxt("packets.txt", rows, ("%d", "%.2f", "%.2f"), ", ")
    said = cli("fit packets.txt", code=1).stderr
    assert "recording of 1200 samples and 2 channels: column 1 holds times, or counts" in said
    cli("fit packets.txt --window 32")
    cli("denoise model.joblib packets.txt")
    found = np.loadtxt("packets.denoised.txt", delimiter=",")
    assert_array_equal(found[:, 0], rows[:, 0])
    assert np.mean((found[:, 1:] - wave) ** 2) > 0.1


def test_uneven_times_are_said_and_do_not_cut():
    times = np.random.default_rng(0).exponential(size=N).cumsum()
    found = times_of(np.column_stack([times, times]), (0,))
    assert found.uneven
    assert found.leaps == ()
    assert "uneven" in found.remark()


@pytest.mark.parametrize(
    ("form", "step"),
    [
        ("%m/%d/%y %I:%M:%S %p", 900.0),  # HOBO's
        ("%m/%d/%Y %I:%M %p", 3600.0),
        ("%d.%m.%y %H:%M:%S", 3600.0),
        ("%d/%m/%Y %H:%M", 7200.0),
        ("%m/%d/%Y %H:%M", 7200.0),
        ("%Y-%m-%dT%H:%M:%S+01:00", 1.0),  # PicoLog's
        ("%Y-%m-%dT%H:%M:%S.%fZ", 0.004),
        ("'%M:%S.%f'", 0.004),  # PhysioNet's elapsed time
        ("%Y/%m/%d", 86400.0),
        ("%Y.%m.%d %H:%M", 900.0),
        ("%d-%b-%Y %H:%M:%S", 60.0),  # MATLAB's
        ("%B %d, %Y", 86400.0),
    ],
)
def test_dates_of_any_form_tell_how_far_apart_samples_are(form, step, recwarn):
    start = datetime(2021, 6, 9)
    moments = [start + timedelta(seconds=step * (i + 50 * (i >= 300))) for i in range(400)]
    words = [(moment.strftime(form),) for moment in moments]
    found = seconds_since_first([(word[0].strip("'"),) for word in words])
    assert found is not None
    steps = np.diff(found)
    assert_allclose(np.delete(steps, 299), step, atol=1e-9)
    assert_allclose(steps[299], 51 * step, atol=1e-9)
    assert not recwarn


@pytest.mark.parametrize("words", ["a1", "12:50:13.5 -> 512", "13/13/2021", "7", "marker 1 20"])
def test_what_is_no_date_has_no_times(words):
    assert seconds_since_first([(words,), (words + "0",)] * 10) is None


def test_times_beside_others_keep_their_digits(cli):
    """As the time since 1970 in nanoseconds, which no number of double precision holds."""
    nanoseconds = [599616000038461538 + 7692307 * i for i in range(300)]
    noise = np.random.default_rng(0).normal(size=300)
    lines = [f"{0.5 * i:.4f};{at};{noise[i]:.3f}" for i, at in enumerate(nanoseconds)]
    Path("polar.txt").write_text("\n".join(["t [ms];sensor [ns];x [uV]", *lines, ""]))
    cli("fit polar.txt --window 32")
    cli("denoise model.joblib polar.txt")
    found = [line.split(";") for line in Path("polar.denoised.txt").read_text().splitlines()[1:]]
    assert [cells[:2] for cells in found] == [line.split(";")[:2] for line in lines]


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
def test_a_stretch_is_cleaned_as_if_it_were_alone():
    rng = np.random.default_rng(1)
    noisy = signal("bumps", N) + rng.normal(scale=0.3, size=N)
    rows = np.column_stack([_times(500, 505), noisy])
    model = fit_windows(Mixture(), [rows], window=(32,))
    found = model.denoise(rows)
    assert_array_equal(found[:, 0], rows[:, 0])
    assert_array_equal(found[500:505], rows[500:505])  # too short for a window
    for part in (slice(0, 500), slice(505, N)):
        alone = model.denoise(noisy[part, None])
        assert_allclose(found[part, 1], alone[:, 0], rtol=1e-12)


def test_leaps_and_other_rates_are_said(cli):
    rng = np.random.default_rng(1)
    for name, times in (("leaps", _times(700)), ("fast", _times(step=0.005))):
        rows = np.column_stack([times, signal("bumps", N) + rng.normal(scale=0.3, size=N)])
        np.savetxt(f"{name}.csv", rows, "%.5f", ",", header="time,x", comments="")
    said = cli("fit leaps.csv --window 32").stderr
    assert "its times leap at sample 701: no window spans a leap" in said
    said = cli("denoise model.joblib leaps.csv fast.csv").stderr
    assert "leap at sample 701" in said
    assert "0.005 apart, those of the fit 0.01" in said


@pytest.mark.parametrize("ratio", [0.3, 3.0])
def test_a_file_of_another_noise_level_is_cleaned_for_its_own(cli, ratio):
    rng = np.random.default_rng(1)
    clean = signal("bumps", 4000)[:, None]
    model = fit_windows(Mixture(), [clean + rng.normal(scale=0.3, size=clean.shape)], window=(32,))
    noisy = clean + rng.normal(scale=0.3 * ratio, size=clean.shape)
    own = fit_windows(Mixture(), [noisy], window=(32,))
    as_fitted = np.concatenate(
        [block for _, block in recording_of(noisy, "signal").cleaned(model.clean_canvas)]
    )
    errors = [np.mean((x - clean) ** 2) for x in (model.denoise(noisy), as_fitted)]
    assert errors[0] < errors[1]
    own.combination = None  # which does more for a fit of the file's own than for any other
    assert errors[0] < 2.0 * np.mean((own.denoise(noisy) - clean) ** 2)


def test_files_unlike_those_of_the_fit_are_said(cli):
    rng = np.random.default_rng(1)
    time = np.arange(4000)
    np.save("slow.npy", np.sin(time / 50.0) + rng.normal(scale=0.1, size=4000))
    np.save("quiet.npy", np.sin(time / 50.0) + rng.normal(scale=0.03, size=4000))
    np.save("fast.npy", np.sign(np.sin(time / 4.0)) + rng.normal(scale=0.1, size=4000))
    cli("fit slow.npy --window 32")
    assert "is not that of the fit, 0.1" in cli("denoise model.joblib quiet.npy").stderr
    assert "signal went, too" in cli("denoise model.joblib fast.npy").stderr
    assert cli("denoise model.joblib slow.npy").stderr == ""


def test_noise_is_told_by_channel_where_it_differs(cli):
    rng = np.random.default_rng(1)
    wave = np.sin(np.arange(3000) / 40.0)
    np.save(
        "two.npy", np.column_stack([wave, 100.0 * wave]) + rng.normal(size=(3000, 2)) * (0.1, 5)
    )
    said = cli("fit two.npy --window 32").stdout
    assert "standard deviation 0." in said
    assert "by channel" in said


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
@pytest.mark.parametrize("form", ["csv", "npy"])
def test_a_stretch_is_shown_along_its_times(form, tmp_path):
    rows = np.column_stack([_times(700), signal("bumps", N)])
    rows[:, 1] += np.random.default_rng(1).normal(scale=0.3, size=N)
    path = str(tmp_path / f"x.{form}")
    if form == "csv":
        np.savetxt(path, rows, "%.5f", ",", header="t (s),lead (mV)", comments="")
    else:
        np.save(path, rows)
    model = fit_windows(Mixture(), [rows], window=(32,))
    options = times_as_labels(path, ReadOptions())
    with read_rows(path, options) as file:
        found = stretch_of(model, file)
    first = found.start - 1
    assert_allclose(found.times, rows[first : first + len(found.noisy), 0])
    assert_allclose(found.noisy[:, 0], rows[first : first + len(found.noisy), 1], atol=1e-5)
    assert first + len(found.noisy) <= 700
    assert found.total == N
    named = ("t (s)", ("lead (mV)",)) if form == "csv" else ("time", None)
    assert (found.x_label, found.channels) == named


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
@pytest.mark.parametrize("as_row", [True, False])
def test_a_rate_beside_a_recording_tells_its_times(as_row, tmp_path):
    rows = signal("bumps", N)[:, None] + np.random.default_rng(1).normal(scale=0.3, size=(N, 1))
    path = str(tmp_path / "x.h5")
    with h5py.File(path, "w") as file:
        file.create_dataset("lead", data=rows.T if as_row else rows).attrs["fs"] = 250.0
    with read_rows(path, ReadOptions()) as file:
        model = fit_windows(Mixture(), [file], window=(32,))
        found = stretch_of(model, file)
        recording = model.recording(file)
    assert (recording.rate, recording.rate_or(None), model.cutting.step) == (250.0, 250.0, 0.004)
    assert_allclose(found.times, (found.start - 1 + np.arange(len(found.noisy))) / 250.0)
    assert found.x_label == "time (s)"
    assert "those of the fit" in recording.remarks(replace(model.cutting, step=0.01))[0]


@pytest.mark.parametrize("mark", [":", "."])
def test_milliseconds_behind_a_colon_are_no_zone(mark, tmp_path):
    words = [f"2013-07-01 15:27:{i // 100:02d}{mark}{i % 100 * 10:03d}" for i in range(300)]
    lines = [f"{word},{np.sin(i / 9):.4f},{i % 7}.5\n" for i, word in enumerate(words)]
    (tmp_path / "r.csv").write_text("".join(lines))
    with read_rows(str(tmp_path / "r.csv")) as rows:
        assert_allclose(times_of(rows, ()).step, 0.01)


def test_an_axis_with_misplaced_rows_is_refused_however_many_they_are():
    rng = np.random.default_rng(5)
    times, channel = np.round(np.arange(300) / 360.0, 3), rng.normal(size=300)
    for place in (20, 77, 150, 200, 260):
        times[[place, place + 3]] = times[[place + 3, place]]
    with pytest.raises(InputError, match="falls at row 22: put the rows in its order"):
        recording_of(as_rows(np.column_stack([times, channel])), "signal")
    for first in (np.sin(np.arange(300) / 40.0), np.linspace(0.0, 10.0, 300) + 0.05 * channel):
        assert recording_of(as_rows(np.column_stack([first, channel])), "signal").width == 2
