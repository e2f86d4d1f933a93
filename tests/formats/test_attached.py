"""What a file says about its numbers, and what else it holds, beside the array that is cleaned."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
import scipy.io

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import (
    ReadOptions,
    open_output,
    output_notes,
    read_rows,
    write_rows,
)
from ikpca_cli.formats.hdf5.packing import Packing

VALUES = np.random.default_rng(0).normal(size=(12, 5))


def read(path, **options):
    with read_rows(str(path), ReadOptions(**options)) as rows:
        return rows.read()


def copied(source, target, **options):
    """Read and write, as a model that changes nothing would; return the notes."""
    with read_rows(str(source), ReadOptions(**options)) as rows:
        write_rows(str(target), rows.read(), rows.layout)
        return output_notes(str(target), rows.layout)


def test_packed_numbers_are_unpacked(tmp_path):
    packed = np.arange(60, dtype=np.int16).reshape(12, 5) * 100 - 3000
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = packed
        file["x"].attrs["scale_factor"] = np.float32(0.5)
        file["x"].attrs["add_offset"] = np.array([10.0])
        file["x"].attrs["valid_range"] = np.array([-4000, 4000], np.int16)
        file["x"].attrs["units"] = "mV"
    np.testing.assert_array_equal(read(tmp_path / "x.h5"), packed * 0.5 + 10)
    np.testing.assert_array_equal(read(tmp_path / "x.h5", transpose=True), packed.T * 0.5 + 10)
    copied(tmp_path / "x.h5", tmp_path / "out.h5")
    with h5py.File(tmp_path / "out.h5") as out:
        assert out["x"].dtype == np.float64
        assert dict(out["x"].attrs) == {"units": "mV"}
    np.testing.assert_array_equal(read(tmp_path / "out.h5"), packed * 0.5 + 10)


@pytest.mark.parametrize("key", ["_FillValue", "missing_value"])
@pytest.mark.parametrize(("dtype", "fill"), [("i2", -999), ("f4", 1e20), (">f8", -999.9)])
def test_a_fill_value_is_missing(tmp_path, key, dtype, fill):
    values = np.arange(60).reshape(12, 5).astype(dtype)
    values[3, 2] = values[7, 0] = fill
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = values
        file["x"].attrs[key] = np.array(fill, dtype)
        file["x"].attrs["scale_factor"] = 2.0
    with pytest.raises(InputError, match="row 4, column 3 is missing"):
        read(tmp_path / "x.h5")
    whole = np.delete(values, [3, 7], axis=0).astype(float) * 2
    np.testing.assert_array_equal(read(tmp_path / "x.h5", missing="drop"), whole)


def test_unsigned_numbers_in_signed_ones(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = np.full((4, 3), -1, "<i1")
        file["x"].attrs["_Unsigned"] = "true"
    np.testing.assert_array_equal(read(tmp_path / "x.h5"), np.full((4, 3), 255.0))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("scale_factor", 0.0),
        ("scale_factor", [1.0, 2.0]),
        ("add_offset", np.nan),
        ("add_offset", "ten"),
        ("_FillValue", "none"),
    ],
)
def test_attributes_that_cannot_be_obeyed_are_named(tmp_path, key, value):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = VALUES
        file["x"].attrs[key] = value
    with pytest.raises(InputError, match=f"x.h5: x: its attribute {key} is not"):
        read(tmp_path / "x.h5")


def test_chunks_that_were_never_written_are_the_fill_value(tmp_path):
    for fill, expected in [(None, 0.0), (7.0, 7.0)]:
        with h5py.File(tmp_path / "x.h5", "w") as file:
            data = file.create_dataset("x", (12, 5), "f8", chunks=(4, 5), fillvalue=fill)
            data[4:8] = VALUES[4:8]
        with read_rows(str(tmp_path / "x.h5")) as rows:
            assert "2 of its 3 chunks were never written" in rows.warnings[0]
            assert f"fill value {expected}" in rows.warnings[0]
            np.testing.assert_array_equal(rows.read()[:4], np.full((4, 5), expected))
    with h5py.File(tmp_path / "x.h5", "a") as file:
        file["x"].attrs["_FillValue"] = np.float32(7.0)
    with pytest.raises(InputError, match="row 1, column 1 is missing"):
        read(tmp_path / "x.h5")
    assert read(tmp_path / "x.h5", missing="drop").shape == (4, 5)


def test_attributes_labels_and_scales_are_in_the_output(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.attrs["title"] = "recorded"
        file.attrs["numbers"] = np.arange(3, dtype=">i2")
        file.attrs["nothing"] = h5py.Empty("f4")
        file["a/fs"] = 360.0
        file["a/x"] = VALUES
        file["a"].attrs["subject"] = ["n1", "n2"]
        file["a/x"].attrs["units"] = np.bytes_(b"mV")
        file["a/x"].attrs["points_at"] = file["a"].ref
        file["a/t"] = np.arange(5.0)
        file["a/t"].attrs["units"] = "s"
        file["a/t"].make_scale("time")
        file["a/x"].dims[0].label = "beat"
        file["a/x"].dims[1].attach_scale(file["a/t"])
    notes = copied(tmp_path / "x.h5", tmp_path / "out.h5")
    assert notes == (
        "not copied to the output: a/x@points_at",
        "outputs hold the cleaned array alone, not what else is in the input: a/fs",
    )
    with h5py.File(tmp_path / "out.h5") as out:
        assert out.attrs["title"] == "recorded"
        assert out.attrs["numbers"].dtype == ">i2"
        assert isinstance(out.attrs["nothing"], h5py.Empty)
        assert list(out["a"].attrs["subject"]) == ["n1", "n2"]
        assert out["a/x"].attrs["units"] == b"mV"
        assert out["a/x"].dims[0].label == "beat"
        assert list(out["a/x"].dims[1].keys()) == ["time"]
        np.testing.assert_array_equal(out["a/x"].dims[1]["time"][()], np.arange(5.0))
        assert out["a/t"].attrs["units"] == "s"
        np.testing.assert_array_equal(out["a/x"][()], VALUES)
    assert read(tmp_path / "out.h5").shape == (12, 5)


def test_hostile_attributes_are_left_out_and_named(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w", libver="latest") as file:
        file["x"] = VALUES
        file["x"].attrs["large"] = np.zeros(1 << 18)
    assert copied(tmp_path / "x.h5", tmp_path / "out.h5") == ("not copied to the output: x@large",)
    with h5py.File(tmp_path / "out.h5") as out:
        assert dict(out["x"].attrs) == {}


def records(path, **data):
    with h5py.File(path, "w") as file:
        for name, values in data.items():
            file[f"{name}/signal"] = values
            file[f"{name}/signal"].attrs["from"] = name
            file[f"{name}/other"] = np.zeros((2, 2))


def test_a_record_per_group_is_read_and_written_in_one_call(tmp_path, cli):
    parts = {"rec1": VALUES[:4], "rec2": VALUES[4:5], "rec3": VALUES[5:]}
    records(tmp_path / "x.h5", **parts)
    with read_rows(str(tmp_path / "x.h5"), ReadOptions(dataset="*/signal")) as rows:
        assert rows.shape == (12, 5)
        np.testing.assert_array_equal(rows[3:7], VALUES[3:7])
        write_rows(str(tmp_path / "same.h5"), rows.read() + 1, rows.layout)
    with h5py.File(tmp_path / "same.h5") as out:
        for name, values in parts.items():
            np.testing.assert_array_equal(out[name]["signal"][()], values + 1)
            assert out[name]["signal"].attrs["from"] == name
            assert list(out[name]) == ["signal"]
    cli("fit", "x.h5", "--dataset", "rec*/signal", "--method", "pca", "--components", "2")
    cli("denoise", "model.joblib", "x.h5", "--dataset", "rec*/signal", "-o", "out.h5")
    with h5py.File(tmp_path / "out.h5") as out:
        assert [out[name]["signal"].shape[0] for name in parts] == [4, 1, 7]


def test_records_that_are_vectors_are_samples(tmp_path):
    records(tmp_path / "x.h5", a=VALUES[0], b=VALUES[1], c=VALUES[2])
    with pytest.raises(InputError, match="one vector"):
        read(tmp_path / "x.h5", dataset="a/signal")
    with read_rows(str(tmp_path / "x.h5"), ReadOptions(dataset="?/signal")) as rows:
        np.testing.assert_array_equal(rows.read(), VALUES[:3])
        write_rows(str(tmp_path / "out.h5"), rows.read(), rows.layout)
    with h5py.File(tmp_path / "out.h5") as out:
        np.testing.assert_array_equal(out["b/signal"][()], VALUES[1])


def test_missing_rows_of_records_and_their_places(tmp_path):
    bad = VALUES[4:8].copy()
    bad[2, 1] = np.nan
    records(tmp_path / "x.h5", a=VALUES[:4], b=bad)
    with pytest.raises(InputError, match="row 3, column 2 of b/signal is missing"):
        read(tmp_path / "x.h5", dataset="*/signal")
    copied(tmp_path / "x.h5", tmp_path / "out.h5", dataset="*/signal", missing="drop")
    with h5py.File(tmp_path / "out.h5") as out:
        assert out["b/signal"].shape == (3, 5)
        assert out["a/signal"].shape == (4, 5)


def test_records_of_other_widths_and_patterns_that_fit_nothing(tmp_path):
    records(tmp_path / "x.h5", a=VALUES, b=VALUES[:, :3])
    with pytest.raises(InputError, match=r"b/signal: has samples of shape \(3,\), and a/signal of"):
        read(tmp_path / "x.h5", dataset="*/signal")
    with pytest.raises(InputError, match=r"no dataset is like \*/nope; it holds a/other"):
        read(tmp_path / "x.h5", dataset="*/nope")


@pytest.mark.parametrize("levels", [12, 30])
def test_nested_virtual_datasets_are_looked_at_once_each(tmp_path, levels):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["v0"] = VALUES
        for level in range(1, levels + 1):
            layout = h5py.VirtualLayout((12, 5), "f8")
            source = h5py.VirtualSource(".", f"v{level - 1}", (12, 5))
            layout[:6] = source[:6]
            layout[6:] = source[6:]
            file.create_virtual_dataset(f"v{level}", layout)
    np.testing.assert_array_equal(read(tmp_path / "x.h5", dataset="v12"), VALUES)
    if levels == 30:
        with pytest.raises(InputError, match="in more than 10000 pieces"):
            read(tmp_path / "x.h5", dataset="v30")


def test_other_arrays_of_an_npz_file_are_kept(tmp_path):
    labels = np.array(["a", "b"], object)
    np.savez_compressed(tmp_path / "x.npz", x=VALUES, names=labels, rate=np.float32(360))
    assert copied(tmp_path / "x.npz", tmp_path / "out.npz") == ()
    with np.load(tmp_path / "out.npz", allow_pickle=True) as out:
        assert set(out.files) == {"x", "names", "rate"}
        assert out["names"].tolist() == ["a", "b"]
        assert out["rate"] == 360
        np.testing.assert_array_equal(out["x"], VALUES)
    assert copied(tmp_path / "x.npz", tmp_path / "out.npy") == (
        "outputs hold the cleaned array alone, not what else is in the input: names, rate",
    )


def test_other_variables_of_a_matlab_file_are_kept(tmp_path):
    others = {
        "fs": 360.0,
        "name": "ecg",
        "s": {"deep": {"x": np.arange(3.0)}, "text": "yes"},
        "c": np.array([np.ones((2, 2)), "word"], object),
        "flags": np.array([[True, False]]),
    }
    scipy.io.savemat(tmp_path / "x.mat", {"X": VALUES, **others}, do_compression=True)
    assert copied(tmp_path / "x.mat", tmp_path / "out.mat") == ()
    out, before = (scipy.io.loadmat(tmp_path / f"{name}.mat") for name in ("out", "x"))
    np.testing.assert_array_equal(out["X"], VALUES)
    assert out["fs"] == 360
    assert out["name"] == ["ecg"]
    np.testing.assert_array_equal(out["s"]["deep"][0, 0]["x"][0, 0], [[0.0, 1.0, 2.0]])
    assert out["c"][0, 1] == ["word"]
    assert out["flags"].dtype == before["flags"].dtype
    assert "fs" in copied(tmp_path / "x.mat", tmp_path / "out.npy")[0]


@pytest.mark.parametrize("name", ["_x", "my-data", "a/b", "2nd", "end", "é"])
@pytest.mark.parametrize("source", ["x.npz", "x.h5"])
def test_names_that_matlab_cannot_have_are_changed_and_said(tmp_path, name, source):
    if source == "x.npz":
        np.savez(tmp_path / source, **{name: VALUES})
    else:
        with h5py.File(tmp_path / source, "w") as file:
            file[name] = VALUES
    (note,) = copied(tmp_path / source, tmp_path / "out.mat")
    (key,) = (key for key in scipy.io.loadmat(tmp_path / "out.mat") if not key.startswith("__"))
    assert note == f"{name!r} cannot be a name in MATLAB: the output calls it {key}"
    assert key.isidentifier()
    assert key.isascii()
    np.testing.assert_array_equal(scipy.io.loadmat(tmp_path / "out.mat")[key], VALUES)


@pytest.mark.parametrize("transpose", [False, True])
def test_scales_of_samples_that_were_dropped_are_as_short(tmp_path, transpose):
    values = np.random.default_rng(5).normal(size=(9, 4))
    values[3, 2] = np.nan
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["x"] = values.T if transpose else values
        for axis, name in enumerate(("lag", "time") if transpose else ("time", "lag")):
            file[name] = np.arange({"time": 9.0, "lag": 4.0}[name])
            file[name].make_scale(name)
            file["x"].dims[axis].attach_scale(file[name])
    options = ReadOptions(missing="drop", transpose=transpose)
    with read_rows(str(tmp_path / "in.h5"), options) as rows:
        write_rows(str(tmp_path / "out.h5"), rows.read(), rows.layout)
    with h5py.File(tmp_path / "out.h5") as file:
        assert file["x"].shape == ((4, 8) if transpose else (8, 4))
        np.testing.assert_array_equal(file["time"], np.delete(np.arange(9.0), 3))
        np.testing.assert_array_equal(file["lag"], np.arange(4.0))
        assert file["x"].dims[1 if transpose else 0]["time"] == file["time"]


def test_a_scale_of_two_axes_is_not_cut_for_one(tmp_path):
    values = np.eye(6)
    values[3, 2] = np.nan
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["x"], file["place"] = values, np.arange(6.0)
        file["place"].make_scale("place")
        for dim in file["x"].dims:
            dim.attach_scale(file["place"])
    with read_rows(str(tmp_path / "in.h5"), ReadOptions(missing="drop")) as rows:
        write_rows(str(tmp_path / "out.h5"), rows.read(), rows.layout)
        assert "place" in " ".join(output_notes(str(tmp_path / "out.h5"), rows.layout))
    with h5py.File(tmp_path / "out.h5") as file:
        assert [len(dim) for dim in file["x"].dims] == [0, 1]


def test_arrays_beside_dropped_samples_are_told_to_be_whole(tmp_path):
    values = np.random.default_rng(5).normal(size=(9, 4))
    values[3, 2] = np.nan
    np.savez(tmp_path / "in.npz", x=values, t=np.arange(9))
    with read_rows(str(tmp_path / "in.npz"), ReadOptions(missing="drop")) as rows:
        assert "its other arrays are left as they are" in " ".join(rows.warnings)


def test_logical_variables_of_matlab_stay_logical(tmp_path):
    scipy.io.savemat(tmp_path / "in.mat", {"x": VALUES, "mask": VALUES > 0, "count": np.uint8(3)})
    copied(tmp_path / "in.mat", tmp_path / "out.mat", dataset="x")
    kinds = {name: kind for name, _, kind in scipy.io.whosmat(tmp_path / "out.mat")}
    assert kinds == {"x": "double", "mask": "logical", "count": "uint8"}
    np.testing.assert_array_equal(scipy.io.loadmat(tmp_path / "out.mat")["mask"], VALUES > 0)


@pytest.mark.parametrize("unsigned", [False, True])
def test_packed_numbers_are_packed_again_where_whole_ones_are_asked_for(tmp_path, unsigned):
    stored = np.array([[-7, 100, 3], [250, -32768, 40]], np.int16)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        data = file.create_dataset("a/x", data=stored)
        data.attrs.update({"scale_factor": 0.5, "add_offset": 10.0, "units": "K"})
        data.attrs["_FillValue"] = np.int16(-32768)
        data.attrs["valid_max"] = 65536.0 if unsigned else 135.0
        if unsigned:
            data.attrs["_Unsigned"] = "true"
    with read_rows(str(tmp_path / "x.h5"), ReadOptions(missing="keep")) as rows:
        rows.fill_by(lambda block: np.nan_to_num(block, nan=4.0))
        values = rows.read()
        assert values[0, 1] == 60.0
        values[1, 1] = np.nan
        for name, rounds in (("same", True), ("plain", None)):
            with open_output(
                str(tmp_path / f"{name}.h5"),
                *(2, rows.dtype, rows.layout),
                round_to_input=rounds,
                with_missing=True,
            ) as write:
                write(values + 0.1)
    with h5py.File(tmp_path / "same.h5") as file, h5py.File(tmp_path / "x.h5") as old:
        assert file["a/x"].dtype == np.int16
        np.testing.assert_array_equal(file["a/x"][:], stored)
        assert dict(file["a/x"].attrs) == dict(old["a/x"].attrs)
    with h5py.File(tmp_path / "plain.h5") as file:
        assert dict(file["a/x"].attrs) == {"units": "K"}
    with read_rows(str(tmp_path / "same.h5"), ReadOptions(missing="drop")) as rows:
        np.testing.assert_array_equal(rows.read(), values[:1])


def test_no_number_is_packed_into_what_means_a_missing_one():
    kind, fills = np.dtype("i2"), np.array([-5, 9], "i2")
    packing = Packing(kind, kind, 1.0, 0.0, (-50.0, 300.0), fills, {})
    found = packing.pack(np.array([[-5.0, 9.2, 1e9, -99.0, np.nan]]))
    assert found.tolist() == [[-4, 8, 300, -50, -5]]
