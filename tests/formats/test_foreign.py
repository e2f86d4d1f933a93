"""Files of other kinds: refused by what they are, with what to do, and never read as tables."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import read_rows, write_rows
from ikpca_cli.formats.format_names import TITLES, read_formats
from ikpca_cli.formats.format_registry import FORMATS, format_named

PAIRS = "".join(f"{400 + i}.5, {i * i}.25\n" for i in range(6))
JCAMP = "##TITLE=a\n##JCAMP-DX=4.24\n##XUNITS=1/CM\n"
VALUES = np.array([[1.5, -2.0, 3.25], [4.0, 0.5, 6.0]])


def refusal(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        read_rows(str(path))
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def archive(*members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for member in members:
            file.writestr(member, "<x/>")
    return stream.getvalue()


@pytest.mark.parametrize("name", ["npy", "npz", "h5", "mat", "tif", "png"])
def test_a_text_that_is_called_as_another_format_is_said_to_be_none(tmp_path, name):
    words = f"is no {TITLES[{'h5': 'hdf5', 'tif': 'tiff'}.get(name, name)]} file, though"
    told = refusal(tmp_path / f"x.{name}", "not an array")
    assert words in told
    assert "copy or export it again" in told
    (tmp_path / f"y.{name}").write_text("1,2,4\n4,5,5\n")
    assert read_rows(str(tmp_path / f"y.{name}")).shape == (2, 3)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"%PDF-1.4\n1 0 obj\n<< >>\nendobj\n", "PDF"),
        (b"{\\rtf1\\ansi 1,2,3\\par 4,5,6\\par}\n", "word processor"),
        (b"SIMPLE  =                    T".ljust(80) + b"BITPIX  = 16".ljust(80), "FITS"),
        (b"RIFF\x24\0\0\0WAVEfmt ", "WAV"),
        (b"CDF\x01" + bytes(60), "netCDF 3"),
        (b"PAR1" + bytes(60), "Parquet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(60), "save the sheet as CSV"),
        (b"BZh91AY&SY", "unpack it first"),
        (b"GDF 2.20".ljust(300) + bytes(9), "GDF recording"),
        (bytes(128) + b"DICM" + bytes(60), "DICOM"),
        ("\ufeff1,2\n3,4\n".encode("utf-32-le"), "save it as UTF-8"),
        (archive("[Content_Types].xml", "xl/workbook.xml"), "save the sheet as CSV"),
        (archive("mimetype", "content.xml"), "OpenDocument"),
        (archive("a.csv", "b.csv"), "unpack it first"),
        (archive(), "empty zip"),
        ("version https://git-lfs.github.com/spec/v1\nsize 12345\n", "git lfs pull"),
    ],
)
def test_other_kinds_of_files(tmp_path, content, words):
    assert words in refusal(tmp_path / "x.dat", content)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 1:0.5 2:1.5 3:2.5\n-1 1:0.25 2:1.0 3:2.0\n", "LIBSVM"),
        ("1 1:0.5 3:2.5\n-1 2:1.0 4:2.0 5:1\n2,3 1:1e-3 2:1 # note\n", "LIBSVM"),
        ("%%MatrixMarket matrix array real general\n3 2\n1.0\n2.0\n3.0\n4.0\n5.0\n6.0\n", "npy"),
        ('<?xml version="1.0"?>\n<a>\n<r>1 2 3</r>\n</a>\n', "XML"),
        ("<!--of a spectrometer-->\n<a>\n<r>1 2 3</r>\n<r>1 2 4</r>\n</a>\n", "XML"),
        ("<Spectrum id='1'>\n<r>1 2 3</r>\n<r>1 2 4</r>\n</Spectrum>\n", "XML"),
        ("<html>\n<table>\n<tr><td>1</td><td>2</td></tr>\n</table>\n</html>\n", "HTML"),
        (json.dumps(VALUES.tolist()), "JSON"),
        (json.dumps({"a": [1, 2], "b": [3, 4]}, indent=1), "JSON"),
        (str(VALUES), "printed array"),
        (
            JCAMP + "##XYDATA=(X++(Y..Y))\n400 1 2 3\n403 4 5 6\n##END=\n",
            "several values to a line",
        ),
        ("$$ by hand\n" + JCAMP + "##XYDATA=(X++(Y..Y))\n400 1 2\n402 4 5\n", "several values"),
        (JCAMP + "##NTUPLES=MS\n##DATA TABLE=(XY..XY), PEAKS\n" + PAIRS, "several tables"),
        (2 * (JCAMP + "##XYPOINTS=(XY..XY)\n" + PAIRS + "##END=\n"), "several tables"),
        (JCAMP + "##YFACTOR=0.01\n##XYPOINTS=(XY..XY)\n" + PAIRS, "its YFACTOR, 0.01"),
        (JCAMP + "##PEAK TABLE=(XY..XY)\n14,4 15,5\n16,9 18,3\n19,2 21,7\n", "several pairs"),
        (JCAMP + "##DATA TABLE= (F2++(Y..Y)), PROFILE\n4 2 3\n4 5 7\n", "several values"),
        ("BEGIN IONS\nPEPMASS=4.5\n100.5 3.5\n101.5 4.5\nEND IONS\n", "peaks of mass spectra"),
        ("Name: a\nNum Peaks: 3\n41 2\n43 999\n55 100\n", "peaks of mass spectra"),
    ],
)
def test_text_that_is_no_table(tmp_path, text, words):
    assert words in refusal(tmp_path / "x.txt", text)


def test_one_spectrum_of_jcamp_in_pairs_is_read(tmp_path):
    text = JCAMP + "##YFACTOR=1.0\n##XYPOINTS=(XY..XY)\n" + PAIRS + "##END=\n"
    (tmp_path / "x.dx").write_text(text)
    with read_rows(str(tmp_path / "x.dx")) as rows:
        assert rows.read()[:, 1].tolist() == [i * i + 0.25 for i in range(6)]


def test_pairs_of_jcamp_are_axis_and_value(tmp_path):
    pairs = "".join(f"{400 + 2 * i}.0, {i % 7}.25\n" for i in range(20))
    (tmp_path / "x.dx").write_text(JCAMP + "##XYPOINTS=(XY..XY)\n" + pairs + "##END=\n")
    with read_rows(str(tmp_path / "x.dx")) as rows:
        assert rows.read().tolist() == [[i % 7 + 0.25 for i in range(20)]]


def test_times_of_day_are_labels_and_no_indices(tmp_path):
    (tmp_path / "x.txt").write_text("".join(f"10:{i:02d} {i}.5 {i}.25 1.75\n" for i in range(6)))
    with read_rows(str(tmp_path / "x.txt")) as rows:
        assert rows.shape == (6, 3)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_read_and_written(tmp_path, encoding):
    text = "µV,b,c\r\n1.5,-2.0,3.25\r\n4.0,0.5,6.0\r\n"
    for content in (text[text.index("\n") + 1 :], text.replace("µV", "uV")):
        (tmp_path / "x.csv").write_bytes(content.encode(encoding))
        with read_rows(str(tmp_path / "x.csv")) as rows:
            np.testing.assert_array_equal(rows.read(), VALUES)
            write_rows(str(tmp_path / "y.csv"), rows.read(), rows.layout, force=True)
        assert (tmp_path / "y.csv").read_bytes() == content.encode(encoding)


def test_the_names_of_formats_are_those_of_the_registry():
    assert {name: format_named(name).title for name in FORMATS} == TITLES
    assert list(FORMATS) == list(TITLES)
    assert all(suffix[1:] in read_formats() for suffix in format_named("csv").suffixes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Brain Vision Data Exchange Header File Version 1.0\nCh1=Fp1,,0.1\n", "BrainVision"),
    ],
)
def test_headers_whose_numbers_are_elsewhere(tmp_path, text, words):
    said = refusal(tmp_path / "x.hea", text)
    assert words in said
    assert "whose numbers are in another file" in said


def test_blocks_of_settings_and_numbers_are_no_table(tmp_path):
    text = "VAMAS Surface Chemical Analysis Standard Data Transfer Format 1988 May 4\n1\n2\n"
    assert "is a VAMAS file" in refusal(tmp_path / "x.txt", text)


def test_a_zero_before_blanks_is_no_recording(tmp_path):
    (tmp_path / "x.txt").write_text("0       1.5 2.5\n1       3.5 4.5\n" * 20)
    with read_rows(str(tmp_path / "x.txt")) as rows:
        assert rows.shape == (40, 3)
