"""HDF5 files: read by slices, and never further than the file itself."""

from __future__ import annotations

from contextlib import suppress

import h5py
import numpy as np
import pytest

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import ReadOptions, read_rows, write_rows
from ikpca_cli.formats.rows import window as windows

VALUES = np.random.default_rng(0).normal(size=(40, 12))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.h5"


def read(path, **options):
    with read_rows(str(path), ReadOptions(**options)) as rows:
        return rows.read()


def refusal(path, **options):
    with pytest.raises(InputError) as caught:
        read(path, **options)
    line = str(caught.value)
    assert "\n" not in line
    assert "file.h5" in line
    return line


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("chunks", [None, (1, 12), (40, 1), (7, 5), (64, 64)])
@pytest.mark.parametrize("window", [1, 500, 1 << 20])
def test_any_slices_of_any_layout(path, monkeypatch, transpose, chunks, window):
    monkeypatch.setattr(windows, "_WINDOW", window)
    monkeypatch.setattr(windows, "_LARGEST_WINDOW", 4 * window)
    limits = None if chunks is None else (None, None)
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=VALUES, chunks=chunks, maxshape=limits)
    expected = VALUES.T if transpose else VALUES
    with read_rows(str(path), ReadOptions(transpose=transpose)) as rows:
        assert rows.shape == expected.shape
        for start, stop in [(0, 3), (3, 9), (2, 5), (0, len(expected)), (11, 12), (5, 5)]:
            got = rows[start:stop]
            np.testing.assert_array_equal(got, expected[start:stop])
            assert got.flags.c_contiguous


def test_a_chunk_is_read_once_however_small_the_slices(path):
    with h5py.File(path, "w") as file:
        dataset = file.create_dataset("x", data=VALUES, chunks=(10, 12), compression="gzip")
        window = windows.Window(dataset, reverse=False)
        reads = []
        read_once = window._read
        window._read = lambda start, stop: reads.append((start, stop)) or read_once(start, stop)
        for start in range(0, 40, 3):
            window[start : min(40, start + 3)]
    assert reads == [(0, 40)]


@pytest.mark.parametrize("dtype", ["f2", "<f4", ">f4", "<f8", ">f8", "i1", "u2", ">i8", "?"])
def test_every_type_is_computed_in_floats_and_mirrored(path, tmp_path, dtype):
    values = (VALUES * 50).astype(dtype)
    with h5py.File(path, "w") as file:
        file["deep/er"] = values
    with read_rows(str(path)) as rows:
        assert rows.read().dtype == (np.float32 if "f4" in dtype else np.float64)
        write_rows(str(tmp_path / "out.h5"), rows.read(), rows.layout)
        write_rows(str(tmp_path / "same.h5"), rows.read(), rows.layout, round_to_input=True)
    with h5py.File(tmp_path / "out.h5") as file, h5py.File(tmp_path / "same.h5") as same:
        assert file["deep/er"].dtype == (np.float32 if "f4" in dtype else np.float64)
        np.testing.assert_array_equal(file["deep/er"][()], values)
        np.testing.assert_array_equal(same["deep/er"][()], values)
        if "f" not in dtype or dtype == "f2":
            assert same["deep/er"].dtype == np.dtype(dtype).newbyteorder("=")


def test_compression_is_mirrored(path, tmp_path):
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=VALUES, compression="lzf")
    with read_rows(str(path)) as rows:
        write_rows(str(tmp_path / "out.h5"), rows.read(), rows.layout)
    with h5py.File(tmp_path / "out.h5") as file:
        assert file["x"].compression == "gzip"


def test_not_numbers_and_not_finite_name_the_dataset(path):
    values = VALUES.copy()
    values[4, 6] = np.inf
    with h5py.File(path, "w") as file:
        file["good"], file["bad"] = VALUES, values
        file["z"] = VALUES.astype(complex)
    assert "file.h5: bad: row 5, column 7 is infinite" in refusal(path, dataset="bad")
    line = refusal(path, dataset="bad", transpose=True)
    assert "file.h5: bad: row 5, column 7 is infinite" in line
    assert "z: holds complex numbers" in refusal(path, dataset="z")


def test_links_within_the_file_are_followed(path):
    with h5py.File(path, "w") as file:
        file["a/x"] = VALUES
        file["a/near"] = h5py.SoftLink("x")
        file["far"] = h5py.SoftLink("/a/near")
        file["group"] = h5py.SoftLink("a")
        file["again"] = file["a/x"]
        file["a/loop"] = file["a"]
        file["round"] = h5py.SoftLink("/round")
        file["dangling"] = h5py.SoftLink("/nothing")
    for name in [None, "far", "a/near", "group/x", "again", "/a/./x"]:
        np.testing.assert_array_equal(read(path, dataset=name), VALUES)
    assert "circle of links" in refusal(path, dataset="round")
    assert "no dataset 'dangling'" in refusal(path, dataset="dangling")
    assert "no dataset 'a/x/y'" in refusal(path, dataset="a/x/y")


def test_an_external_link_is_never_followed(path, tmp_path):
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["x"] = VALUES
    with h5py.File(path, "w") as file:
        file["out"] = h5py.ExternalLink("secret.h5", "/x")
        file["all"] = h5py.ExternalLink("secret.h5", "/")
        file["soft"] = h5py.SoftLink("/all/x")
    assert "holds no dataset (links to other files" in refusal(path)
    for name in ["out", "all/x", "soft"]:
        assert "link to another file, secret.h5" in refusal(path, dataset=name)


def test_external_storage_is_never_read(path, tmp_path):
    VALUES.tofile(tmp_path / "secret.bin")
    with h5py.File(path, "w") as file:
        where = [(str(tmp_path / "secret.bin"), 0, VALUES.nbytes)]
        file.create_dataset("x", VALUES.shape, "f8", external=where)
    assert "keeps its numbers in another file" in refusal(path)


def virtual(path, filename, source="x", rows=40, kind="f8"):
    layout = h5py.VirtualLayout((rows, 12), kind)
    layout[:40] = h5py.VirtualSource(filename, source, (40, 12))
    with h5py.File(path, "a") as file:
        file.create_virtual_dataset("v", layout)


def test_virtual_datasets_stay_inside_the_file(path, tmp_path):
    with h5py.File(path, "w") as file:
        file["x"] = VALUES
    virtual(path, ".")
    np.testing.assert_array_equal(read(path, dataset="v"), VALUES)


def test_virtual_datasets_that_leave_the_file_are_refused(path, tmp_path):
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["x"] = VALUES
    virtual(path, "secret.h5")
    assert "virtual dataset over another file, secret.h5" in refusal(path)


@pytest.mark.parametrize("way", ["external link", "external storage", "missing", "itself"])
def test_virtual_datasets_that_leave_the_file_by_a_detour_are_refused(path, tmp_path, way):
    VALUES.tofile(tmp_path / "secret.bin")
    with h5py.File(path, "w") as file:
        if way == "external link":
            file["x"] = h5py.ExternalLink("secret.h5", "/x")
        elif way == "external storage":
            where = [(str(tmp_path / "secret.bin"), 0, VALUES.nbytes)]
            file.create_dataset("x", VALUES.shape, "f8", external=where)
    virtual(path, ".", "v" if way == "itself" else "x")
    reason = {
        "external link": "link to another file",
        "external storage": "numbers in another file",
        "missing": "not there",
        "itself": "without end",
    }
    assert reason[way] in refusal(path, dataset="v")


def test_virtual_datasets_with_holes_are_refused(path):
    with h5py.File(path, "w") as file:
        file["x"] = VALUES
    virtual(path, ".", rows=10**9)
    assert "with holes" in refusal(path, dataset="v")


@pytest.mark.parametrize("chunks", [None, (1000, 1000)])
def test_declared_sizes_beyond_the_file_are_refused(path, chunks):
    with h5py.File(path, "w") as file:
        dataset = file.create_dataset("x", (10**7, 10**4), "f8", chunks=chunks)
        if chunks:
            dataset[:10, :10] = 1
    assert path.stat().st_size < 10**7
    line = refusal(path)
    assert "declares shape (10000000, 10000)" in line
    assert "incomplete" in line


def test_a_well_compressed_dataset_is_read(path):
    with h5py.File(path, "w") as file:
        file.create_dataset(
            "x", data=np.zeros((5000, 1000)), compression="gzip", chunks=(500, 1000)
        )
    assert path.stat().st_size < 5000 * 1000 * 8 / 500
    assert read(path).shape == (5000, 1000)


def test_damage_anywhere_is_read_or_refused(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=VALUES, compression="gzip", chunks=(4, 12))
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    for trial in range(300):
        damaged = bytearray(whole[: len(whole) - trial % 3 * 1000])
        for place in rng.integers(8, len(damaged), 4):
            damaged[place] = rng.integers(256)
        path.write_bytes(damaged)
        with suppress(InputError):
            read(path)


def test_a_filter_that_is_not_installed_is_named(path):
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_chunk((4, 12))
    creation.set_filter(32015, h5py.h5z.FLAG_OPTIONAL)
    with h5py.File(path, "w") as file:
        space = h5py.h5s.create_simple(VALUES.shape)
        low = h5py.h5d.create(file.id, b"x", h5py.h5t.NATIVE_DOUBLE, space, creation)
        h5py.Dataset(low)[...] = VALUES
    assert "compressed by the filter" in refusal(path)


def test_files_of_matlab_have_their_axes_reversed(path, tmp_path):
    images = np.random.default_rng(0).normal(size=(20, 4, 3))
    for name, values in [("X", VALUES), ("images", images)]:
        with h5py.File(path, "w", userblock_size=512) as file:
            file[name] = values.T
            file[name].attrs["MATLAB_class"] = np.bytes_(b"double")
        with read_rows(str(path)) as rows:
            np.testing.assert_array_equal(rows.read(), values.reshape(len(values), -1))
            np.testing.assert_array_equal(rows[3:7], values.reshape(len(values), -1)[3:7])
            write_rows(str(tmp_path / f"{name}.mat"), rows.read(), rows.layout)
        with h5py.File(tmp_path / f"{name}.mat") as file:
            np.testing.assert_array_equal(file[name][()], values.T)
            assert file[name].attrs["MATLAB_class"] == b"double"
        assert (tmp_path / f"{name}.mat").read_bytes().startswith(b"MATLAB 7.3 MAT-file")
        assert read(tmp_path / f"{name}.mat").shape[0] == len(values)


def test_transposed_files_of_matlab(path):
    with h5py.File(path, "w") as file:
        file["X"] = VALUES
        file["X"].attrs["MATLAB_class"] = np.bytes_(b"double")
    np.testing.assert_array_equal(read(path, transpose=True), VALUES)


def test_many_datasets_are_listed_in_part(path):
    with h5py.File(path, "w") as file:
        for number in range(30):
            file[f"x{number:02}"] = VALUES
    assert "x19 (40, 12) and 10 more" in refusal(path)


def test_names_that_cannot_be_printed_are_told_in_one_line(path):
    with h5py.File(path, "w") as file:
        file["a\nb\x1b[2J"] = VALUES
        file["c"] = VALUES
    assert "a\\nb\\x1b[2J (40, 12), c" in refusal(path)


@pytest.mark.parametrize(
    ("attributes", "missing"),
    [
        ({"valid_min": np.int16(-900)}, lambda q, _: q < -900),
        ({"valid_max": np.int16(50)}, lambda q, _: q > 50),
        ({"valid_range": np.array([-900, 50], np.int16)}, lambda q, _: (q < -900) | (q > 50)),
        (
            {"valid_range": np.array([-90, 50], np.int16), "scale_factor": 0.1},
            lambda q, _: (q < -90) | (q > 50),
        ),
        (
            {"valid_range": np.array([-9.0, 5.0]), "scale_factor": 0.1, "add_offset": 1.0},
            lambda _, x: (x < -9.0) | (x > 5.0),
        ),
        ({"valid_max": np.int16(-2), "_Unsigned": "true"}, lambda q, _: q == -1),
    ],
)
def test_values_outside_the_valid_range_are_missing(path, attributes, missing):
    packed = np.round(VALUES * 100).astype(np.int16)
    packed[3, 4], packed[5, 6] = -999, -1
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=packed).attrs.update(attributes)
    scale, offset = attributes.get("scale_factor", 1.0), attributes.get("add_offset", 0.0)
    meant = packed.view(np.uint16) if "_Unsigned" in attributes else packed
    unpacked = scale * meant.astype(float) + offset
    gone = missing(packed, unpacked)
    assert gone.any()
    with read_rows(str(path), ReadOptions(missing="fill")) as rows:
        expected = np.where(gone, np.nan, unpacked)
        np.testing.assert_allclose(rows[0:40], expected, rtol=1e-15, equal_nan=True)
    assert "missing" in refusal(path)


def test_a_valid_range_that_is_none_is_refused(path):
    for value in ("0 to 5", np.arange(3)):
        with h5py.File(path, "w") as file:
            file.create_dataset("x", data=VALUES).attrs["valid_range"] = value
        assert "valid_range" in refusal(path)


def test_single_numbers_of_matlab_are_no_rows(path):
    with h5py.File(path, "w") as file:
        for name, values in (("x", VALUES), ("fs", [[250.0]]), ("t", VALUES[:, :1])):
            file.create_dataset(name, data=values).attrs["MATLAB_class"] = np.bytes_("double")
    np.testing.assert_array_equal(read(path), VALUES.T)


@pytest.mark.parametrize(
    ("names", "pattern"),
    [
        (["run1/signal", "run2/signal", "run10/signal"], "run*/signal"),
        (["a/run1", "a/x"], "a/*"),
        (["s_1_x", "s_2_x"], "s_*_x"),
    ],
)
def test_a_record_a_group_is_refused_with_the_pattern_that_reads_all(path, names, pattern):
    with h5py.File(path, "w") as file:
        for place, name in enumerate(names):
            file[name] = VALUES[place]
    assert f"--dataset '{pattern}'" in refusal(path)
    order = sorted(range(len(names)), key=names.__getitem__)
    np.testing.assert_array_equal(read(path, dataset=pattern), VALUES[order])


def test_text_of_matlab_and_enumerations_are_no_numbers(path):
    with h5py.File(path, "w") as file:
        file["x"] = VALUES
        file["c"] = np.full((12, 5), 65, np.uint16)
        file["c"].attrs["MATLAB_class"] = np.bytes_("char")
        kind = h5py.enum_dtype({"rest": 0, "walk": 1}, "i1")
        file.create_dataset("e", data=np.zeros((40, 3), np.int8), dtype=kind)
    np.testing.assert_array_equal(read(path), VALUES)
    assert "c: holds text, not numbers" in refusal(path, dataset="c")
    assert "e: holds names, not numbers (rest, walk)" in refusal(path, dataset="e")
