"""Times in several columns, or written as a number, are told from channels and left as they are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from ikpca_cli.formats.arrays import read_rows, write_rows
from ikpca_cli.formats.csv.form.clock import clock_columns
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.recordings.recording import recording_of

START = datetime(2024, 2, 27, 22, 58, 30, tzinfo=UTC)
VALUES = np.random.default_rng(0).normal(size=(400, 2))


@pytest.fixture
def table(tmp_path):
    """Return what writes a text to a file, and its path."""

    def write_text(text):
        path = tmp_path / "table.csv"
        path.write_text(text)
        return path

    return write_text


def write(form, step, header=None):
    stamps = [START + place * timedelta(seconds=step) for place in range(len(VALUES))]
    lines = [
        f"{t.strftime(form)},{a:.3f},{b:.3f}" for t, (a, b) in zip(stamps, VALUES, strict=True)
    ]
    return "\n".join(([header] if header else []) + lines) + "\n"


@pytest.mark.parametrize(
    ("form", "step"),
    [
        ("%H,%M,%S", 1.0),
        ("%M,%S", 7.0),
        ("%H,%M", 600.0),
        ("%Y,%m,%d", 86400.0),
        ("%d,%m,%Y,%H,%M,%S", 3600.0),
        ("%Y%m%d", 86400.0),
        ("%Y%m%d%H%M%S", 30.0),
        ("%d.%m", 86400.0),
    ],
)
def test_times_in_numbers_are_labels(table, tmp_path, form, step):
    text = write(form, step)
    with read_rows(str(table(text)), ReadOptions(recording=True)) as found:
        assert found.shape == VALUES.shape
        assert any("for times" in line for line in found.warnings)
        assert recording_of(found, "signal").times.step == pytest.approx(step, rel=0.01)
        write_rows(str(tmp_path / "out.csv"), VALUES, found.layout)
    before, after = (
        [line.split(",")[: form.count("%") if "," in form else 1] for line in lines.splitlines()]
        for lines in (text, (tmp_path / "out.csv").read_text())
    )
    assert before == after


def test_names_tell_times_that_never_carry(table):
    text = write("%H,%M,%S.%f", 0.01, "Hour,Min,Sec,a,b")
    with read_rows(str(table(text))) as found:
        assert found.shape == VALUES.shape


@pytest.mark.parametrize("form", ["%Y-%m-%d,%H:%M:%S", "%H:%M:%S", "%d.%m.%Y %H:%M:%S"])
def test_times_in_words_tell_the_rate(table, form):
    with read_rows(str(table(write(form, 20.0))), ReadOptions(recording=True)) as found:
        assert recording_of(found, "beats").rate == pytest.approx(0.05)


def test_what_is_no_time_is_none():
    count, noise = np.arange(400.0), VALUES[:, 0]
    places = [*np.divmod(count, 50.0)]
    for columns in (
        [count, np.abs(noise)],
        [count, count % 2],
        [count % 24, np.abs(noise) * 1e-3],
        places,
        [np.sort(noise), noise],
        [np.round(10.0 * noise), count],
        [count / 100.0, noise],
    ):
        assert clock_columns([*columns, noise], None) == ()
