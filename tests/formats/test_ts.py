"""Series with their classes, as archives of time series classification have them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli.errors import InputError, OutputError
from ikpca_cli.formats.arrays import ReadOptions, output_notes, read_rows, write_rows
from ikpca_cli.formats.layout import Layout

HEAD = "# About\n@problemName Walks\n@timeStamps false\n@univariate true\n@classLabel true a b\n"
TEXT = HEAD + "@data\n1.25,2.5,-3.0:a\n4.0,5.75,6.5:b\n"
WALKS = np.array([[1.25, 2.5, -3.0], [4.0, 5.75, 6.5]])


@pytest.fixture
def path(tmp_path):
    def write(text, name="x.ts"):
        (tmp_path / name).write_bytes(text.encode())
        return str(tmp_path / name)

    return write


@pytest.mark.parametrize("name", ["x.ts", "x.txt"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_series_come_back_with_what_stands_about_them(path, tmp_path, name, newline):
    with read_rows(path(TEXT.replace("\n", newline), name)) as rows:
        assert_array_equal(rows.read(), WALKS)
        write_rows(str(tmp_path / "y.ts"), rows.read(), rows.layout)
        assert output_notes("y.ts", rows.layout) == ()
        assert "not what else is in the input: classes" in output_notes("y.npy", rows.layout)[0]
    series = "1.250,2.500,-3.000:a\n4.000,5.750,6.500:b\n"
    assert (tmp_path / "y.ts").read_text() == f"{HEAD}@data\n{series}"


def test_remarks_longer_than_what_is_sniffed(path):
    with read_rows(path("# a remark of some length\n" * 400 + TEXT)) as rows:
        assert rows.layout.format == "ts"
        assert_array_equal(rows.read(), WALKS)


def test_series_of_several_dimensions_and_missing_numbers(path, tmp_path):
    text = TEXT.replace("-3.0:a", "-3.0:0,?,1:a").replace("6.5:b", "6.5:7,8,9:b")
    with pytest.raises(InputError, match="row 1, column 5"):
        read_rows(path(text)).read()
    with read_rows(path(text), ReadOptions(missing="drop")) as rows:
        assert rows.layout.sample_shape == (2, 3)
        assert_array_equal(rows.read(), [[4.0, 5.75, 6.5, 7.0, 8.0, 9.0]])
        write_rows(str(tmp_path / "y.ts"), rows.read(), rows.layout)
    last = (tmp_path / "y.ts").read_text().splitlines()[-1]
    assert last == "4.000,5.750,6.500:7.000,8.000,9.000:b"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("timeStamps false", "timeStamps true", "has times in its series"),
        ("@data\n", "", "has no line @data"),
        ("@data\n", "@data\n1,2:a\n", "line 8 is not of 1 x 2 numbers"),
        ("6.5:b", "6.5", "line 8 is not of 1 x 3 numbers"),
        ("5.75", "five", "line 8: could not convert string to float: 'five'; mend it"),
        (TEXT[len(HEAD) + 6 :], "", "holds no series below @data"),
    ],
)
def test_what_is_no_such_file_is_refused(path, old, new, reason):
    assert old in TEXT
    with pytest.raises(InputError, match=reason):
        read_rows(path(TEXT.replace(old, new)))


def test_other_rows_are_written_as_series(tmp_path):
    layout = Layout(format="npy", dtype=np.dtype(float), sample_shape=(3,))
    write_rows(str(tmp_path / "y.ts"), WALKS, layout)
    with read_rows(str(tmp_path / "y.ts")) as rows:
        assert_array_equal(rows.read(), WALKS)
    layout = Layout(format="npy", dtype=np.dtype(float), sample_shape=(1, 1, 3))
    with pytest.raises(OutputError, match="not samples of shape"):
        write_rows(str(tmp_path / "z.ts"), WALKS, layout)
