"""What files of recordings look like, and clean versions of another form than the noisy file."""

from __future__ import annotations

import gzip
import io
import json

import numpy as np
import pytest

from ikpca_cli.estimators.decisions.reasons import Reason
from tests.recordings.signals import noisy, signal

N = 1000


@pytest.fixture
def channels():
    """Two noisy channels of 1,000 samples and the clean ones, (n, 2) both."""
    clean = np.column_stack([signal("bumps", N), signal("heavisine", N)])
    rng = np.random.default_rng(0)
    return clean + rng.normal(0.0, 0.3, clean.shape), clean


def _table(name, values, header):
    np.savetxt(name, values, "%.8g", ",", header=header, comments="")


def test_a_clean_version_may_be_of_another_form(cli, channels):
    rows, clean = channels
    times = np.arange(N) / 50.0
    _table("noisy.csv", np.column_stack([times, rows]), "time,a,b")
    _table("clean.csv", np.column_stack([times, clean]), "time,a,b")
    np.save("noisy.npy", rows)
    np.save("timed.npy", np.column_stack([times, clean]))
    np.save("plain.npy", clean)
    np.save("turned.npy", clean.T)
    cli("fit", "noisy.csv", "--window", 16, "--method", "pca")
    found = {
        json.loads(
            cli("evaluate", "model.joblib", name, "--clean", other, "--format", "json").stdout
        )["mse"]
        for name in ("noisy.csv", "noisy.npy")
        for other in ("clean.csv", "timed.npy", "plain.npy", "turned.npy")
    }
    assert max(found) == pytest.approx(min(found), rel=1e-5)
    np.save("short.npy", clean[1:])
    said = cli("evaluate", "model.joblib", "noisy.csv", "--clean", "short.npy", code=1).stderr
    assert said.startswith("error: short.npy has shape (999, 2) but noisy.csv has (1000, 2)")


def test_a_window_of_a_picture_is_not_for_a_recording(cli, channels):
    np.savetxt("recording.csv", channels[0][:, 0])
    said = cli("fit", "recording.csv", "--window", "8x8", code=1).stderr
    assert "looks like one recording of 1000 samples, and --window 8x8 is for pictures" in said
    assert "--window auto" in said


@pytest.mark.filterwarnings("always::ikpca_cli.errors.IkpcaWarning")
def test_a_few_long_rows_may_be_channels(cli, channels):
    np.save("two.npy", channels[0].T)
    said = cli("fit", "two.npy", "--method", "pca").stderr
    assert "two.npy: 2 long rows are few to learn from" in said
    assert "--transpose --window auto" in said
    cli("fit", "two.npy", "--transpose", "--window", 16, "--method", "pca", "--force")
    cli("denoise", "model.joblib", "two.npy", "--transpose")
    found = np.load("two.denoised.npy")
    assert np.mean((found - channels[1].T) ** 2) < 0.5 * 0.3**2


def test_columns_are_named_by_their_places_in_the_file(cli, channels):
    table = np.column_stack([channels[0], np.arange(N) / 50.0, channels[0]])
    _table("named.csv", table, "a,b,seconds,c,d")
    np.savetxt("bare.csv", table, "%.4f", ",")
    for name, told in (("named", "column 3 'seconds'"), ("bare", "column 3")):
        said = cli("fit", f"{name}.csv", "--columns", "3-5", code=1).stderr
        assert f"{told} holds times" in said


@pytest.mark.parametrize("kind", ["table twice", "npy"])
def test_what_gzip_holds_is_told(cli, kind):
    inner = io.BytesIO()
    np.save(inner, np.eye(9))
    content = gzip.compress(b"1,2\n3,4\n") if kind == "table twice" else inner.getvalue()
    with open("x.csv.gz", "wb") as file:
        file.write(gzip.compress(content))
    said = cli("fit", "x.csv.gz", code=1).stderr
    assert ("is packed by gzip twice" if kind == "table twice" else "an npy file packed") in said


def test_a_recording_of_the_fit_is_known_again(cli):
    rows, _ = noisy(signal("bumps", N), 7.0, np.random.default_rng(0))
    np.save("a.npy", rows[:, None])
    np.save("b.npy", rows[::-1, None])
    cli("fit", "a.npy", "--window", 16)
    shown = [cli("evaluate", "model.joblib", f"{name}.npy", "--format", "json") for name in "ab"]
    own, other = (json.loads(one.stdout) for one in shown)
    # A fit follows the noise of what it is of: that it is fitted again is part of the estimate.
    assert own["rough_mse"] > other["rough_mse"]
    assert own["no_estimate_because"] == Reason.UNSURE.words


def test_a_mean_does_not_stand_for_what_is_missing_of_a_recording(cli, channels):
    rows = channels[0].copy()
    rows[5, 0] = np.nan
    np.save("gap.npy", rows)
    assert "for a recording, keep or fill" in cli("fit", "gap.npy", "--window", 16, code=1).stderr
    said = cli("fit", "gap.npy", "--window", 16, "--missing", "mean", code=2).stderr
    assert "give --missing fill" in said


def test_an_error_that_is_not_known_of_one_file_is_not_known_of_all(cli):
    rows, std = noisy(signal("bumps", N), 7.0, np.random.default_rng(0))
    np.save("a.npy", rows[:, None])
    np.save("b.npy", np.clip(rows, 0.0, None)[:, None])
    cli("fit", "a.npy", "--window", 16, "--noise-std", std)
    shown = cli("evaluate", "model.joblib", "a.npy", "b.npy", "--format", "json").stdout
    record = json.loads(shown)
    assert record["files"][1]["no_estimate_because"].endswith("clipped")
    assert record["estimated_mse"] is None
    assert ", in " in record["no_estimate_because"]
