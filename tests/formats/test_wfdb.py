"""WFDB records: a header beside binary files of several forms."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli.errors import IkpcaNote, InputError, OutputError
from ikpca_cli.formats.arrays import ReadOptions, read_rows, write_rows


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
    with read_rows(str(tmp_path / "out/b_denoised.hea")) as rows:
        assert np.mean((rows.read()[:, 0] - clean / 100.0) ** 2) < 0.2 * 0.4**2
    cli("denoise model.joblib in/a.hea")
    assert "skipped" in cli("denoise model.joblib in --output-dir out --skip-existing").stderr
    assert sorted(path.name for path in (tmp_path / "in").iterdir()) == [
        *("a.dat", "a.hea", "a_denoised.dat", "a_denoised.hea", "b.dat", "b.hea")
    ]
    # Outputs are no inputs of the next batch.
    cli("denoise model.joblib in --output-dir again")
    assert len(list((tmp_path / "again").iterdir())) == 4


HEAD = """# before
a 3 250/1.5(3) 31 12:33:59 01/02/2020
{lines}# <age>: 60
# behind
"""
LINES = """a.dat {0}+4 50(7)/mV 11 3 5 5 0 lead I
a.dat {0}+4 -20.5/mV 11 3
b.mat 16 0.5(-3)/a_b 16 0 1 1 0
"""


def record(tmp_path, form, values):
    """Make a record of three signals in two files."""
    (tmp_path / "a.dat").write_bytes(b"head" + stored(np.append(values[:, :2], [0, 0]), form))
    (tmp_path / "b.mat").write_bytes(stored(values[:, 2], "16"))
    (tmp_path / "a.hea").write_text(HEAD.format(lines=LINES.format(form)))
    return str(tmp_path / "a.hea")


def numbers(count=31):
    return np.random.default_rng(1).integers(-100, 100, size=(count, 3))


@pytest.mark.parametrize("form", ["16", "24", "32", "61", "80", "212"])
def test_records_come_back_as_records(form, tmp_path):
    values = numbers()
    values[4] = [-100, 99, 0]
    with read_rows(record(tmp_path, form, values)) as rows:
        noisy = rows.read()
        noisy[7, 1] = np.nan
        write_rows(str(tmp_path / "out-1.hea"), noisy, rows.layout, with_missing=True)
    with read_rows(str(tmp_path / "out-1.hea"), ReadOptions(missing="keep")) as rows:
        assert_allclose(rows.read(), noisy, atol=1e-12)
        assert rows.layout.beside.rate(None) == 250.0
    wide = form if form in ("24", "32") else "61" if form == "61" else "16"
    least = {"24": -(2**23), "32": -(2**31)}.get(wide, -(2**15))
    values[7, 1] = least
    sums = [(total + 2**15) % 2**16 - 2**15 for total in values.sum(axis=0).tolist()]
    lines = (
        f"out-1.dat {wide} 50(7)/mV 11 3 {values[0, 0]} {sums[0]} 0 lead I\n"
        f"out-1.dat {wide} -20.5/mV 11 3\n"
        f"out-1.dat {wide} 0.5(-3)/a_b 16 0 {values[0, 2]} {sums[2]} 0\n"
    )
    wanted = HEAD.format(lines=lines).replace("a 3", "out-1 3")
    assert (tmp_path / "out-1.hea").read_text() == wanted
    assert (tmp_path / "out-1.dat").read_bytes()[: len(stored(values, wide))] == stored(
        values, wide
    )


@pytest.mark.parametrize(
    ("form", "wide"), [("212", "16"), ("80", "212"), ("16", "24"), ("61", "24")]
)
def test_numbers_beyond_a_form_take_a_wider_one(form, wide, tmp_path):
    values = numbers(32)[:, :1]
    (tmp_path / "a.dat").write_bytes(stored(values, form))
    (tmp_path / "a.hea").write_text(f"a 1 250\na.dat {form}\n")
    with read_rows(str(tmp_path / "a.hea")) as rows:
        cleaned, layout = rows.read(), rows.layout
    least = {"212": 2**11, "80": 2**7}.get(form, 2**15)
    cleaned[3] = -least / 200.0  # that this form has for a missing one
    with pytest.warns(IkpcaNote, match=f"leaves the range of form {form}.* in form {wide}"):
        write_rows(str(tmp_path / "b.hea"), cleaned, layout)
    assert (tmp_path / "b.hea").read_text() == f"b 1 250\nb.dat {wide}\n"
    with read_rows(str(tmp_path / "b.hea")) as rows:
        assert_allclose(rows.read(), cleaned, atol=1e-12)
    cleaned[3] = 2.0**31
    with pytest.raises(OutputError, match="beyond the whole numbers"):
        write_rows(str(tmp_path / "c.hea"), cleaned, layout)
    assert not list(tmp_path.glob("c.*"))


@pytest.mark.parametrize("target", ["b.c.hea", "b.dat", "b c.hea", "-", "b.HEA"])
def test_names_that_no_record_may_have(target, tmp_path):
    with read_rows(record(tmp_path, "16", numbers())) as rows:
        target = target if target == "-" else str(tmp_path / target)
        with pytest.raises(OutputError, match="named by its header"):
            write_rows(target, rows.read(), rows.layout)
    assert len(list(tmp_path.iterdir())) == 3


def test_no_file_of_numbers_is_overwritten_by_chance(tmp_path):
    source = record(tmp_path, "16", numbers())
    (tmp_path / "c.dat").write_text("another's")
    before = (tmp_path / "b.mat").read_bytes()
    (tmp_path / "b.mat").rename(tmp_path / "b.dat")
    (tmp_path / "a.hea").write_text((tmp_path / "a.hea").read_text().replace("b.mat", "b.dat"))
    with read_rows(source) as rows:
        with pytest.raises(OutputError, match=r"c\.dat: exists already"):
            write_rows(str(tmp_path / "c.hea"), rows.read(), rows.layout)
        with pytest.raises(OutputError, match=r"b\.dat: is the input .*b\.dat itself"):
            write_rows(str(tmp_path / "b.hea"), rows.read(), rows.layout, force=True)
        write_rows(str(tmp_path / "c.hea"), rows.read(), rows.layout, force=True)
    assert (tmp_path / "b.dat").read_bytes() == before
    assert not (tmp_path / "b.hea").exists()


def test_the_package_wfdb_reads_what_is_written(tmp_path):
    wfdb = pytest.importorskip("wfdb")
    for form in ("16", "24", "32", "61", "80", "212"):
        (tmp_path / form).mkdir()
        with read_rows(record(tmp_path / form, form, numbers())) as rows:
            write_rows(str(tmp_path / form / "o.hea"), rows.read(), rows.layout)
            found = wfdb.rdrecord(str(tmp_path / form / "o"), physical=False)
            assert found.d_signal.tolist() == numbers().tolist()
            sums = [found.checksum[0], found.checksum[2]]
            assert [total % 2**16 for total in sums] == found.calc_checksum()[::2]
            assert_allclose(wfdb.rdrecord(str(tmp_path / form / "o")).p_signal, rows.read())
