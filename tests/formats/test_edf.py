"""EDF and BDF recordings: channels of one rate, and outputs that keep all else."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli.errors import InputError, OutputError
from ikpca_cli.formats.arrays import ReadOptions, open_output, read_rows, write_rows

STEP = 0.25


def edf(signals, *, seconds=1.0, width=2, kind="", records=None, limits=None):
    """Return the bytes of a recording of signals (label, samples in a record, values).

    Values are whole numbers in steps of the limits: physical and digital, low and high.
    """
    count = len(signals[0][2]) // signals[0][1]
    low, high, least, most = limits or (-32768, 32767, -32768, 32767)
    head = (b"\xffBIOSEMI" if width == 3 else b"0".ljust(8)) + b"X X X X".ljust(160)
    head += b"01.02.2010.00.00" + str(256 + 256 * len(signals)).ljust(8).encode()
    told = (kind.ljust(44), f"{count if records is None else records:<8}", f"{seconds:<8g}")
    head += "".join((*told, f"{len(signals):<4}")).encode()
    names = [label.ljust(16) for label, _, _ in signals]
    counts = [f"{samples:<8}" for _, samples, _ in signals]
    each = [f"{number:<8}" for number in (low, high, least, most)]
    blank = [80, 8]
    head += "".join(names + [" " * width * len(signals) for width in blank]).encode()
    head += "".join(text * len(signals) for text in each).encode()
    head += (" " * 80 * len(signals) + "".join(counts) + " " * 32 * len(signals)).encode()
    body = b""
    for place in range(count):
        for _, samples, values in signals:
            some = np.asarray(values[place * samples : (place + 1) * samples], "<i4")
            body += some.view(np.uint8).reshape(-1, 4)[:, :width].tobytes()
    return head + body


def read(path, **options):
    with read_rows(str(path), ReadOptions(**options)) as rows:
        return rows.read()


@pytest.fixture
def numbers():
    rng = np.random.default_rng(5)
    return [rng.integers(-2000, 2000, size=n) for n in (40, 40, 10, 40)]


def test_signals_of_a_rate_are_channels_and_outputs_keep_all_else(numbers, tmp_path):
    one, two, slow, marks = numbers
    signals = [("A", 8, one), ("slow", 2, slow), ("EDF Annotations", 8, marks), ("B", 8, two)]
    whole = edf(signals, seconds=0.5, limits=(-500.0, 500.0, -2000, 2000))
    (tmp_path / "r.edf").write_bytes(whole + b"tail")
    with pytest.raises(InputError, match=r"2 rates.*'16 Hz' \(A, B\), '4 Hz' \(slow\)"):
        read(tmp_path / "r.edf")
    assert_allclose(read(tmp_path / "r.edf", dataset="4 Hz")[:, 0], slow * STEP)
    with read_rows(str(tmp_path / "r.edf"), ReadOptions(dataset="16 Hz")) as rows:
        assert rows.layout.beside.rate("16 Hz") == 16.0
        values, layout = rows.read(), rows.layout
        assert_array_equal(rows[5:23], values[5:23])
    assert_allclose(values, np.stack([one, two], axis=1) * STEP)
    changed = values + 3.0 * STEP + 0.4 * STEP  # to the nearest step
    with open_output(str(tmp_path / "o.edf"), *values.shape[:1], values.dtype, layout) as write:
        for start in range(0, 40, 7):
            write(changed[start : start + 7])
    expected = edf(
        [("A", 8, np.minimum(one + 3, 2000)), *signals[1:3], ("B", 8, np.minimum(two + 3, 2000))],
        seconds=0.5,
        limits=(-500.0, 500.0, -2000, 2000),
    )
    assert (tmp_path / "o.edf").read_bytes() == expected + b"tail"
    write_rows(str(tmp_path / "o.npy"), values, layout)
    assert_array_equal(np.load(tmp_path / "o.npy"), values)
    with pytest.raises(OutputError, match="of all samples of another alone"):
        write_rows(str(tmp_path / "p.edf"), values[:8], layout)


def test_numbers_of_24_bits_and_records_that_were_not_counted(tmp_path):
    values = np.array([-(2**23), -1, 0, 1, 2**23 - 1, 70_000])
    limits = (-(2**23), 2**23 - 1, -(2**23), 2**23 - 1)
    whole = edf([("A", 3, values)], width=3, kind="24BIT", records=-1, limits=limits)
    (tmp_path / "r.bdf").write_bytes(whole)
    assert_array_equal(read(tmp_path / "r.bdf")[:, 0], values)
    with read_rows(str(tmp_path / "r.bdf")) as rows:
        write_rows(str(tmp_path / "o.bdf"), rows.read(), rows.layout)
    assert (tmp_path / "o.bdf").read_bytes() == whole


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda whole: whole[:-1], "of 5 records 4 are there"),
        (lambda whole: whole[:300], "damaged EDF header"),
        (lambda whole: whole[:192] + b"EDF+D" + whole[197:], "has pauses between its records"),
        (lambda whole: whole[:252] + b"9   " + whole[256:], "damaged EDF header"),
        (lambda whole: whole[:244] + b"nan     " + whole[252:], "damaged EDF header"),
        (lambda whole: whole.replace(b"32767   ", b"-32768  "), "one value for all its numbers"),
        (lambda whole: whole.replace(b"A     ", b"Status"), "holds marks alone"),
    ],
)
def test_damaged_recordings_are_refused(change, words, numbers, tmp_path):
    whole = change(edf([("A", 8, numbers[0])]))
    (tmp_path / "r.edf").write_bytes(whole)
    with pytest.raises(InputError, match=words):
        read(tmp_path / "r.edf")


def test_a_recording_goes_in_and_comes_out(cli, tmp_path):
    rng = np.random.default_rng(6)
    clean = 4000.0 * np.sin(np.arange(3000) / 9.0)[:, None] * [1.0, 0.5, 0.8]
    noisy = np.rint(clean + rng.normal(scale=400.0, size=clean.shape))
    signals = [(f"lead {place}", 100, column) for place, column in enumerate(noisy.T)]
    (tmp_path / "r.edf").write_bytes(edf(signals))
    line = cli("fit r.edf", code=1).stderr
    assert "r.edf: looks like a recording of 3000 samples and 3 channels: give --window" in line
    cli("fit r.edf --window 32")
    cli("denoise model.joblib r.edf")
    found = read(tmp_path / "r.denoised.edf")
    assert np.mean((found - clean) ** 2) < 0.2 * np.mean((noisy - clean) ** 2)
