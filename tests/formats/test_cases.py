"""Files as people really have them, each with its right answer."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import ReadOptions, read_rows, write_rows


def read(path, **options):
    with read_rows(str(path), ReadOptions(**options)) as rows:
        return rows.read()


def refusal(path, **options):
    """Return the one line with which a file is refused, here or when its numbers are read."""
    with pytest.raises(InputError) as caught, read_rows(str(path), ReadOptions(**options)) as rows:
        rows.read()
    line = str(caught.value)
    assert "\n" not in line
    assert path.name in line
    return line


@pytest.fixture
def table(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def array(tmp_path):
    def write(values, name="array.npy", **how):
        np.save(tmp_path / name, values, **how)
        return tmp_path / name

    return write


def test_byte_order_mark(table):
    values = read(table("\ufeff1.0,2.0,3.0\n4.0,5.0,6.5\n7.0,8.0,9.0\n"))
    assert values.shape == (3, 3)
    assert values[0, 0] == 1.0


def test_decimal_commas(table):
    values = read(table("Pressure;Value;Flow\n1,5;2,25;0,5\n3,0;4,75;1,5\n2,5;1,25;3,5\n"))
    np.testing.assert_array_equal(values[1], [3.0, 4.75, 1.5])


def test_quoted_names_one_like_a_comment(table):
    with read_rows(str(table('"a";"#N"\n1;2\n3;4\n'))) as rows:
        np.testing.assert_array_equal(rows.read(), [[1, 2], [3, 4]])
        assert rows.layout.table.names == ("a", "#N")


def test_comments_before_the_header(table):
    text = "# exported 2024-03-01\n# units: mV\nt0,t1,t2\n0.1,0.2,0.3\n0.4,0.5,0.6\n"
    np.testing.assert_array_equal(read(table(text)), [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])


def test_tabs_and_signed_exponents(table):
    values = read(table("t0\tt1\n1e-3\t2E+2\n-.5\t+4\n", "table.tsv"))
    np.testing.assert_array_equal(values, [[1e-3, 200], [-0.5, 4]])


def test_windows_line_ends(table):
    values = read(table("1,2,3\r\n4,5,6\r\n7,8,10\r\n"))
    np.testing.assert_array_equal(values, [[1, 2, 3], [4, 5, 6], [7, 8, 10]])


def test_a_blank_cell(table):
    path = table("a,b,c\n1,2,3\n4,,6\n7,8,9\n")
    assert "row 2 (line 3), column 2 'b' is missing" in refusal(path)
    assert "--missing drop, mean or fill" in refusal(path)
    np.testing.assert_array_equal(read(path, missing="drop"), [[1, 2, 3], [7, 8, 9]])
    np.testing.assert_array_equal(read(path, missing="mean"), [[1, 2, 3], [4, 5, 6], [7, 8, 9]])


def test_nan_in_an_array(array):
    values = np.arange(20.0).reshape(4, 5)
    values[2, 3] = np.nan
    assert "row 3, column 4 is missing (NaN)" in refusal(array(values))
    np.testing.assert_array_equal(read(array(values), missing="drop"), values[[0, 1, 3]])


def test_a_word_in_a_number_column(table):
    assert "row 2, column 2 is 'abc', not a number" in refusal(table("1,2,3\n4,abc,6\n"))


def test_the_unnamed_index_of_pandas(table, tmp_path):
    path = table(",t0,t1,t2,kind\n17,0.5,0.25,0.125,a\n3,1.5,1.25,1.125,b\n8,2.5,2.25,2.125,a\n")
    with read_rows(str(path)) as rows:
        assert "column 1, which has no name and numbers the rows" in rows.warnings[0]
        np.testing.assert_array_equal(rows.read()[:, 0], [0.5, 1.5, 2.5])
        write_rows(str(tmp_path / "out.csv"), rows.read(), rows.layout)
    assert (tmp_path / "out.csv").read_text() == path.read_text()
    for options in (ReadOptions(width=4), ReadOptions(labels="kind")):
        with read_rows(str(path), options) as rows:
            assert rows.shape == (3, 4)
            assert "--labels 1,5" in rows.warnings[-1]
    with read_rows(str(path), ReadOptions(columns="1-4")) as rows:
        assert rows.warnings == ()
        assert rows.shape == (3, 4)
    assert read(table(",t0\n1,0.5\n1,1.5\n2,2.5\n")).shape == (3, 2)
    assert read(table("t0 t1\n1 0.5 2\n2 1.5 4\n")).shape == (2, 2)
    assert read(table("t0 t1\n5 0.5 2\n2 1.5 4\n")).shape == (2, 3)


def test_objects_are_never_unpickled(array, tmp_path):
    class Trap:
        def __reduce__(self):
            return open, (str(tmp_path / "was_here"), "w")

    values = np.array([Trap(), [1, 2]], dtype=object)
    assert "never loaded" in refusal(array(values, allow_pickle=True))
    np.savez(tmp_path / "objects.npz", values)
    assert "never loaded" in refusal(tmp_path / "objects.npz")
    assert not (tmp_path / "was_here").exists()


def test_the_same_numbers_three_ways(array):
    values = np.random.default_rng(0).normal(size=(12, 5))
    same = [
        read(array(values, "native.npy")),
        read(array(values.astype(">f8"), "big_endian.npy")),
        read(array(np.asfortranarray(values), "fortran.npy")),
    ]
    for got in same:
        np.testing.assert_array_equal(got, values)
        assert got.dtype == np.float64
        assert got.dtype.isnative
        assert got.flags.c_contiguous


def test_complex_and_structured_arrays(array):
    assert "imaginary part would be lost" in refusal(array(np.ones((3, 4), complex)))
    record = np.zeros(4, [("t", "f8"), ("mV", "f8")])
    assert "fields 't', 'mV'" in refusal(array(record))


def test_a_scalar_and_a_vector(array):
    assert "shape ()" in refusal(array(np.float64(3)))
    assert "shape (400,)" in (line := refusal(array(np.zeros(400))))
    assert "(1, 400) for one sample" in line


def test_images_stay_images(array, tmp_path):
    values = np.random.default_rng(0).normal(size=(20, 16, 16))
    with read_rows(str(array(values))) as rows:
        assert rows.shape == (20, 256)
        write_rows(str(tmp_path / "out.npy"), rows.read() * 2, rows.layout)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), values * 2)


def test_several_datasets(tmp_path):
    path = tmp_path / "several.h5"
    with h5py.File(path, "w") as file:
        file["a/b/X"] = np.ones((12, 5))
        file["Y"] = np.ones((3, 5))
        file["empty"] = np.ones((0, 5))
        file["names"] = np.array([b"x", b"y"])
        file["nothing"] = h5py.Empty("f8")
    line = refusal(path)
    assert "name one with --dataset" in line
    for listed in ["Y (3, 5)", "a/b/X (12, 5)", "empty (0, 5)", "names (2,) text", "nothing"]:
        assert listed in line
    assert read(path, dataset="a/b/X").shape == (12, 5)
    assert read(path, dataset="/Y").shape == (3, 5)
    assert "several.h5: empty: is empty" in refusal(path, dataset="empty")
    assert "names: holds text" in refusal(path, dataset="names")
    assert "nothing is a null dataset" in refusal(path, dataset="nothing")
    assert "'a/b' is a group" in refusal(path, dataset="a/b")
    assert "no dataset 'Z'; it holds Y (3, 5)" in refusal(path, dataset="Z")


def test_one_nested_compressed_dataset(tmp_path):
    values = np.random.default_rng(0).normal(size=(12, 5))
    path = tmp_path / "single_nested.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("run1/beats", data=values, chunks=(4, 5), compression="gzip")
        file["labels"] = np.arange(12)
    np.testing.assert_array_equal(read(path), values)


def test_files_that_hold_no_array(table, tmp_path):
    assert "is a pickle, which is never loaded" in refusal(table(b"\x80\x04.", "model.joblib"))
    assert "is empty" in refusal(table(""))
    assert "there is no such file; check its path" in refusal(tmp_path / "none.npy")
    assert "is a folder" in refusal(tmp_path)
    assert "not an array file" in refusal(table(b"GI\0F89a", "picture.dat"))


def test_a_target_without_a_known_suffix_keeps_format_and_name(array, tmp_path):
    with read_rows(str(array(np.ones((3, 2))))) as rows:
        write_rows(str(tmp_path / "out.dat"), rows.read(), rows.layout)
    assert np.load(tmp_path / "out.dat").shape == (3, 2)
    assert not (tmp_path / "out.dat.npy").exists()


@pytest.mark.parametrize("name", ["[id].npy", "données.npy", "with space.npy"])
def test_names_appear_as_they_are(array, name):
    assert name in refusal(array(np.zeros(3), name))
