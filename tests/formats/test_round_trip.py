"""What goes in comes back in the same form, in every format; and npy, npz and mat by themselves."""

from __future__ import annotations

import itertools
import warnings
import zipfile

import h5py
import numpy as np
import pytest
import scipy.io
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ikpca_cli.errors import InputError, UsageError
from ikpca_cli.formats.arrays import Layout, ReadOptions, TableStyle, read_rows, write_rows
from ikpca_cli.formats.read_options import Standing

SUFFIXES = [".npy", ".npz", ".h5", ".hdf5", ".mat", ".csv", ".tsv", ".txt", ".csv.gz"]


def read(path, **options):
    with read_rows(str(path), ReadOptions(**options)) as rows:
        return rows.read()


def refusal(path, **options):
    with pytest.raises(InputError) as caught:
        read(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", ">f4", "f2", "i1", "<u8", ">i4", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("transpose", [False, True])
def test_from_npy_to_every_format_and_back(tmp_path, suffix, dtype, order, transpose):
    values = np.asarray(np.random.default_rng(0).normal(size=(5, 3)) * 20, dtype, order=order)
    np.save(tmp_path / "in.npy", values)
    options = ReadOptions(transpose=transpose)
    with read_rows(str(tmp_path / "in.npy"), options) as rows:
        expected = rows.read()
        assert expected.dtype == (np.float32 if "f4" in dtype else np.float64)
        assert expected.flags.c_contiguous
        write_rows(str(tmp_path / f"out{suffix}"), expected, rows.layout)
    with read_rows(str(tmp_path / f"out{suffix}"), options) as rows:
        got = rows.read()
        assert rows.layout.transposed == transpose
    np.testing.assert_array_equal(got.astype(expected.dtype), expected)
    np.testing.assert_array_equal(expected, (values.T if transpose else values).astype(float))
    if suffix in (".npy", ".npz", ".h5", ".hdf5", ".mat"):
        assert got.dtype == expected.dtype


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".h5", ".mat"])
def test_each_sample_keeps_its_shape(tmp_path, suffix):
    values = np.random.default_rng(0).normal(size=(6, 4, 3))
    np.save(tmp_path / "in.npy", values)
    with read_rows(str(tmp_path / "in.npy")) as rows:
        write_rows(str(tmp_path / f"out{suffix}"), rows.read(), rows.layout)
    with read_rows(str(tmp_path / f"out{suffix}")) as rows:
        assert rows.layout.sample_shape == (4, 3)
        np.testing.assert_array_equal(rows.read(), values.reshape(6, 12))
    assert "--transpose is for two axes" in refusal(tmp_path / f"out{suffix}", transpose=True)


def test_a_bad_number_in_an_image_is_found(tmp_path):
    values = np.zeros((6, 4, 3))
    values[2, 3, 1] = np.nan
    np.save(tmp_path / "in.npy", values)
    assert "row 3, column 11 (element 4, 2 of the sample)" in refusal(tmp_path / "in.npy")


@given(
    values=arrays.arrays(
        st.sampled_from([np.float64, np.float32]),
        st.tuples(st.integers(1, 4), st.integers(1, 4)),
        elements=st.floats(allow_nan=False, allow_infinity=False, width=32),
    )
    | arrays.arrays(np.float64, (2, 3), elements=st.floats(allow_nan=False, allow_infinity=False)),
    decimal=st.sampled_from([".", ","]),
)
def test_text_keeps_every_bit(tmp_path_factory, values, decimal):
    path = tmp_path_factory.mktemp("text") / "x.tsv"
    style = TableStyle(delimiter="\t", decimal=decimal, suffix=".tsv")
    layout = Layout(format="csv", dtype=values.dtype, sample_shape=values.shape[1:], table=style)
    write_rows(str(path), values, layout)
    got = read(path, decimal=decimal, delimiter="tab", header="no")
    np.testing.assert_array_equal(got.astype(values.dtype), values)


@pytest.mark.parametrize(
    ("dtype", "values", "expected"),
    [
        ("u1", [[-3.0, 0.4, 0.6, 254.5, 300.0]], [[0, 0, 1, 254, 255]]),
        ("i8", [[-1e30, 2.5, 1e30]], [[-(2**63), 2, 2**63 - 1]]),
        ("u8", [[-1.0, 1e30]], [[0, 2**64 - 1]]),
        ("?", [[-1.0, 0.4, 0.6]], [[False, False, True]]),
        ("f2", [[1e9, 1.0]], [[65504.0, 1.0]]),
        (">f4", [[1.5, 1.0]], [[1.5, 1.0]]),
    ],
)
def test_rounding_to_the_inputs_type_stays_in_its_range(tmp_path, dtype, values, expected):
    layout = Layout(format="npy", dtype=np.dtype(dtype), sample_shape=(len(values[0]),))
    write_rows(str(tmp_path / "out.npy"), np.array(values), layout, round_to_input=True)
    got = np.load(tmp_path / "out.npy")
    assert got.tolist() == expected
    if "f4" not in dtype:
        assert got.dtype == np.dtype(dtype)


def test_values_given_are_not_changed_by_writing(tmp_path):
    values = np.array([[0.4, 300.0]])
    layout = Layout(format="npy", dtype=np.dtype("u1"), sample_shape=(2,))
    write_rows(str(tmp_path / "out.npy"), values, layout, round_to_input=True)
    assert values.tolist() == [[0.4, 300.0]]


def test_an_npy_file_is_not_loaded_to_be_opened(tmp_path):
    path = tmp_path / "sparse.npy"
    shape = (10**7, 600)  # 48 GB, nearly all of it a hole in the file
    np.lib.format.open_memmap(path, "w+", np.float64, shape).flush()
    with read_rows(str(path)) as rows:
        assert rows.shape == shape
        assert rows[123456:123458].tolist() == np.zeros((2, 600)).tolist()


def test_damaged_npy_files_are_one_line(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.ones((6, 7)))
    whole = path.read_bytes()
    for length in itertools.chain(range(1, 130), [len(whole) - 1]):
        path.write_bytes(whole[:length])
        refusal(path)
    path.write_bytes(whole.replace(b"(6, 7)", b"(6,-7)"))
    refusal(path)
    path.write_bytes(b"\x93NUMPY\x03\x00" + whole[8:])
    assert "damaged npy header" in refusal(path)
    path.write_bytes(b"\x93NUMPY\x04\x00" + whole[8:])
    assert "npy format (4, 0)" in refusal(path)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_npy_is_read(tmp_path, version):
    values = np.arange(12.0).reshape(3, 4)
    with (tmp_path / "x.npy").open("wb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # numpy advises against the later ones
        np.lib.format.write_array(file, values, version)
    np.testing.assert_array_equal(read(tmp_path / "x.npy"), values)


@pytest.mark.filterwarnings("ignore:Stored array in format 3.0")
def test_fields_that_latin_1_cannot_name_are_refused_as_fields(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros(3, [("時間", "f8"), ("größe", "f8")]))
    assert "structured array with the fields" in refusal(tmp_path / "x.npy")


@pytest.mark.parametrize("order", ["C", "F"])
def test_what_stands_behind_an_array_is_not_left_out_in_silence(tmp_path, order):
    path = tmp_path / "x.npy"
    with path.open("wb") as file:
        np.save(file, np.ones((3, 4), order=order))
        np.save(file, np.zeros((3, 4)))
    assert "several arrays one behind the other" in refusal(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] + bytes(8))
    assert "more numbers than its header says" in refusal(path)
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("a.npy", whole)
    assert "several arrays one behind the other" in refusal(tmp_path / "x.npz")


@pytest.mark.parametrize(("dtype", "word"), [("U3", "text"), ("S3", "text"), ("M8[s]", "dates")])
def test_types_that_are_no_numbers(tmp_path, dtype, word):
    np.save(tmp_path / "x.npy", np.zeros((3, 4), dtype))
    assert f"holds {word}, not numbers" in refusal(tmp_path / "x.npy")


def test_extended_precision_is_read(tmp_path):
    np.save(tmp_path / "x.npy", np.ones((3, 4), np.longdouble))
    assert read(tmp_path / "x.npy").dtype == np.float64
    np.save(tmp_path / "x.npy", np.full((3, 4), np.finfo(np.longdouble).max))
    if np.dtype(np.longdouble).itemsize > 8:
        assert "row 1, column 1 is infinite" in refusal(tmp_path / "x.npy")


def test_an_empty_array_is_refused_with_its_shape(tmp_path):
    for shape in [(0,), (0, 5), (5, 0), (3, 0, 2)]:
        np.save(tmp_path / "x.npy", np.zeros(shape))
        assert f"is empty, of shape {shape}" in refusal(tmp_path / "x.npy")


def test_arrays_of_an_npz_file(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, only=np.ones((3, 4)))
    assert read(path).shape == (3, 4)
    np.savez_compressed(path, x=np.ones((3, 4)), y=np.ones((2, 4), order="F"), z=np.ones(3))
    assert "name one with --dataset: x (3, 4), y (2, 4), z (3,)" in refusal(path)
    assert "no array 'w'; it holds x (3, 4)" in refusal(path, dataset="w")
    with read_rows(str(path), ReadOptions(dataset="y")) as rows:
        assert rows.name.endswith("x.npz: y")
        write_rows(str(tmp_path / "out.npz"), rows.read(), rows.layout)
    with np.load(tmp_path / "out.npz") as out:
        assert out.files == ["y", "x", "z"]
        np.testing.assert_array_equal(out["x"], np.ones((3, 4)))
    with zipfile.ZipFile(tmp_path / "out.npz") as archive:
        assert archive.infolist()[0].compress_type == zipfile.ZIP_DEFLATED


def test_npz_files_that_promise_more_than_they_hold(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, x=np.ones((3, 4)))
    whole = path.read_bytes()
    for length in range(4, len(whole), 7):
        path.write_bytes(whole[:length])
        refusal(path)
    np.save(tmp_path / "x.npy", np.ones((3, 4)))
    promise = (tmp_path / "x.npy").read_bytes().replace(b"(3, 4), }   ", b"(3, 4000), }")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", promise)
    assert "is incomplete" in refusal(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(tmp_path / "x.npy", "x.npy")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.write(tmp_path / "x.npy", "x.npy")
    assert "holds x twice" in refusal(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "no arrays")
    assert "without arrays" in refusal(path)


def test_variables_of_a_matlab_file(tmp_path):
    path = tmp_path / "x.mat"
    values = np.random.default_rng(0).normal(size=(5, 3))
    scipy.io.savemat(path, {"X": values, "fs": 360.0, "name": "ecg", "labels": np.ones((5, 1))})
    with read_rows(str(path)) as rows:
        np.testing.assert_array_equal(rows.read(), values)
        assert rows.layout.dataset == "X"
        write_rows(str(tmp_path / "out.mat"), rows.read(), rows.layout)
    np.testing.assert_array_equal(scipy.io.loadmat(tmp_path / "out.mat")["X"], values)
    np.testing.assert_array_equal(read(path, transpose=True), values.T)
    assert "class char, and no matrix" in refusal(path, dataset="name")
    assert "no variable 'Y'; it holds X (5, 3) double" in refusal(path, dataset="Y")
    scipy.io.savemat(path, {"X": values, "Y": values}, do_compression=True)
    assert "name one with --dataset: X (5, 3) double, Y (5, 3) double" in refusal(path)
    scipy.io.savemat(path, {"X": values}, format="4")
    np.testing.assert_array_equal(read(path), values)
    scipy.io.savemat(path, {"X": values + 1j})
    assert "imaginary part" in refusal(path)


def test_damaged_matlab_files_are_one_line(tmp_path):
    path = tmp_path / "x.mat"
    scipy.io.savemat(path, {"X": np.ones((5, 3))}, do_compression=True)
    whole = path.read_bytes()
    for length in range(130, len(whole) - 1, 5):
        path.write_bytes(whole[:length])
        refusal(path)


def test_options_that_a_format_has_no_use_for(tmp_path):
    np.save(tmp_path / "x.npy", np.ones((3, 4)))
    standing = {"delimiter": Standing(";"), "decimal": Standing(",")}  # in settings, for all files
    assert read(tmp_path / "x.npy", **standing).shape == (3, 4)
    with pytest.raises(UsageError, match=r"--delimiter: .* is no text table"):
        read(tmp_path / "x.npy", delimiter=";")
    with pytest.raises(UsageError, match=r"of npy files have no names: leave --dataset out"):
        read(tmp_path / "x.npy", dataset="x")
    with pytest.raises(UsageError, match=r"--columns: .* is no text table"):
        read(tmp_path / "x.npy", columns="2-")
    with pytest.raises(UsageError, match="--missing skip: give one of error, drop, mean"):
        read(tmp_path / "x.npy", missing="skip")


def test_missing_values_of_an_array(tmp_path):
    values = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    values[[3, 3, 17], [0, 2, 1]] = np.nan
    np.save(tmp_path / "x.npy", values)
    whole = ~np.isnan(values).any(axis=1)
    with read_rows(str(tmp_path / "x.npy"), ReadOptions(missing="drop")) as rows:
        assert rows.shape == (48, 4)
        np.testing.assert_array_equal(rows.read(), values[whole])
        np.testing.assert_array_equal(rows[2:20], values[whole][2:20])
        assert "rows" not in rows.warnings[0]
        assert rows.warnings[0].endswith("row 4, 18")
    with read_rows(str(tmp_path / "x.npy"), ReadOptions(missing="mean")) as rows:
        assert rows.read().dtype == np.float32
        np.testing.assert_allclose(rows.read()[3, 2], np.nanmean(values[:, 2]), rtol=1e-6)
        assert "3 missing values replaced" in rows.warnings[0]
    values[5, 3] = np.inf
    np.save(tmp_path / "x.npy", values)
    assert "row 6, column 4 is infinite" in refusal(tmp_path / "x.npy", missing="drop")


def test_slices_must_go_forward_by_one(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(12.0).reshape(6, 2))
    with read_rows(str(tmp_path / "x.npy")) as rows:
        assert len(rows) == 6
        assert rows[-2:].tolist() == [[8, 9], [10, 11]]
        assert rows[4:2].shape == (0, 2)
        with pytest.raises(ValueError, match="step"):
            rows[::2]


@pytest.mark.parametrize("suffix", [".npz", ".mat", ".h5"])
def test_a_rate_beside_a_recording_is_no_other_array(tmp_path, suffix):
    path, values = tmp_path / f"x{suffix}", np.arange(70.0)
    if suffix == ".npz":
        np.savez(path, fs=250, lead=values)
    elif suffix == ".mat":
        scipy.io.savemat(path, {"Fs": 250.0, "lead": values[None], "unit": "mV"})
    else:
        with h5py.File(path, "w") as file:
            file["fs"], file["lead"] = 250, values
    with read_rows(str(path), ReadOptions(recording=True)) as rows:
        np.testing.assert_array_equal(rows.read().ravel(), values)
        assert rows.layout.beside.rate(rows.layout.dataset) == 250.0
