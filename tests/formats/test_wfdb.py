"""WFDB records: a header beside binary files of several forms."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import ReadOptions, read_rows


def stored(values, form):
    """Return the bytes of whole numbers in a form."""
    if form == "212":
        low, high = (values & 0xFFF).reshape(-1, 2).T
        parts = [low & 0xFF, (low >> 8) | ((high >> 8) << 4), high & 0xFF]
        return np.stack(parts, axis=1).astype(np.uint8).tobytes()
    if form == "80":
        return (values + 128).astype(np.uint8).tobytes()
    width, order = {"16": (2, "<"), "61": (2, ">"), "24": (3, "<"), "32": (4, "<")}[form]
    whole = values.astype("<i4").view(np.uint8).reshape(-1, 4)[:, :width]
    return (whole if order == "<" else whole[:, ::-1]).tobytes()


@pytest.mark.parametrize("form", ["16", "24", "32", "61", "80", "212"])
def test_forms_of_numbers(form, tmp_path):
    values = np.random.default_rng(1).integers(-100, 100, size=(31, 2))
    values[4:6] = [[-1, 99], [-100, 0]]
    (tmp_path / "a.dat").write_bytes(b"head" + stored(np.append(values.ravel(), [0, 0]), form))
    line = f"a.dat {form}+4 50(7)/mV 16 3 0 0 0 I\n"
    (tmp_path / "a.hea").write_text(f"a 2 250 31\n{line}{line.replace('(7)', '')}# 60 F\n")
    with read_rows(str(tmp_path / "a.hea")) as rows:
        assert rows.layout.beside.rate(None) == 250.0
        assert_allclose(rows.read(), (values - [7, 3]) / 50.0)
        assert_allclose(rows[3:10], (values[3:10] - [7, 3]) / 50.0)


def test_missing_numbers_and_files_that_are_too_short(tmp_path):
    values = np.array([1, 2, -2048, 4, 5, 6])
    (tmp_path / "a.dat").write_bytes(stored(values, "212"))
    (tmp_path / "a.hea").write_text("a 1 100\na.dat 212\n")
    with (
        pytest.raises(InputError, match="row 3, column 1"),
        read_rows(str(tmp_path / "a.hea")) as rows,
    ):
        rows.read()
    with read_rows(str(tmp_path / "a.hea"), ReadOptions(missing="drop")) as rows:
        assert_allclose(rows.read()[:, 0], values[values > -2048] / 200.0)
    (tmp_path / "a.hea").write_text("a 1 100 7\na.dat 212\n")
    with pytest.raises(InputError, match="of 7 samples 6 are there"):
        read_rows(str(tmp_path / "a.hea"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A1 1 500 7500 12-May-2020 12:33:59\nA1.mat 16+24 1000/mV 16 0 28\n", "are in A1.mat"),
        ("a 1 500 7500\na.dat 508 1000/mV 16 0 28 -1716 0 I\n", "of format 508"),
        ("a 1 500 7500\na.dat 16x2 1000/mV 16 0 28 -1716 0 I\n", "of format 16x2"),
        ("a/3 1 500 7500\na_1 2500\na_2 5000\n", "several segments"),
        ("a 1 500 0\n~ 0 1000/mV 16 0 0 0 0 I\n", "of format 0"),
        ("a 2 500 7500\na.dat 16 1000/mV\n", "fewer signals than it has"),
    ],
)
def test_records_that_are_not_read(text, words, tmp_path):
    (tmp_path / "a.hea").write_text(text)
    with pytest.raises(InputError, match=words):
        read_rows(str(tmp_path / "a.hea"))


def test_a_folder_of_records_is_cleaned(cli, tmp_path):
    rng = np.random.default_rng(6)
    clean = 400.0 * np.sin(np.arange(3000) / 9.0)
    (tmp_path / "in").mkdir()
    for name in "ab":
        noisy = np.rint(clean + rng.normal(scale=40.0, size=3000)).astype(int)
        (tmp_path / f"in/{name}.dat").write_bytes(stored(noisy, "16"))
        head = f"{name} 1 100 3000\n{name}.dat 16 100/mV 16 0 0 0 0 I\n"
        (tmp_path / f"in/{name}.hea").write_text(head)
    assert "a recording of 3000 samples and 1 channel" in cli("fit in/a.hea", code=1).stderr
    cli("fit in --window 32")
    cli("denoise model.joblib in --output-dir out")
    found = np.load(tmp_path / "out/b.denoised.npy")[:, 0]
    assert np.mean((found - clean / 100.0) ** 2) < 0.2 * 0.4**2
    said = cli("denoise model.joblib in/a.hea -o out/c.hea", code=1).stderr
    assert "WFDB records are not written" in said
