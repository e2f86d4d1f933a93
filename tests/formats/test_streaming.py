"""Outputs written block by block: the same bytes as at once, and nothing where it cannot be."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli.errors import OutputError
from ikpca_cli.formats.arrays import ReadOptions, open_output, read_rows, write_rows

SHAPE = (700, 60)


def stored(path, values, *, compressed=False):
    """Write an array with no help from us."""
    if path.suffix == ".npy":
        np.save(path, values)
    elif path.suffix == ".npz":
        np.savez(path, x=values)
    elif path.suffix == ".csv":
        np.savetxt(path, values, delimiter=",")
    elif path.suffix == ".h5":
        with h5py.File(path, "w") as file:
            kind = {"compression": "gzip", "chunks": (50, 7)} if compressed else {}
            file.create_dataset("x", data=values, **kind)
    else:
        with h5py.File(path, "w") as file:
            file.create_dataset("x", data=values.T).attrs["MATLAB_class"] = np.bytes_("double")


def numbers():
    return np.random.default_rng(2).normal(size=SHAPE)


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("kind", [".npy", ".npz", ".csv", ".h5", ".h5 compressed", ".mat"])
def test_blocks_make_the_same_file(tmp_path, kind, transpose):
    suffix, _, compressed = kind.partition(" ")
    values = numbers()
    stored(tmp_path / f"in{suffix}", values, compressed=bool(compressed))
    with read_rows(str(tmp_path / f"in{suffix}"), ReadOptions(transpose=transpose)) as rows:
        once, blocks = (str(tmp_path / f"{name}{suffix}") for name in ("once", "blocks"))
        write_rows(once, rows.read(), rows.layout)
        with open_output(blocks, len(rows), rows.dtype, rows.layout) as write:
            for start in range(0, len(rows), 37):
                write(rows[start : start + 37])
        layout = rows.layout
    for name in (once, blocks):
        with read_rows(name, ReadOptions(transpose=transpose)) as back:
            assert_array_equal(back.read(), values.T if transpose else values)
            assert back.layout.compressed == layout.compressed
    if suffix not in (".h5", ".mat"):  # HDF5 puts the time into its files
        assert Path(once).read_bytes() == Path(blocks).read_bytes()


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("kind", [".npy", ".npz", ".csv", ".h5", ".h5 compressed", ".mat"])
def test_a_disk_that_fills_up_half_way(small_disk, tmp_path, kind, transpose):
    suffix, _, compressed = kind.partition(" ")
    stored(tmp_path / f"in{suffix}", numbers(), compressed=bool(compressed))
    target = str(small_disk / f"out{suffix}")
    with read_rows(str(tmp_path / f"in{suffix}"), ReadOptions(transpose=transpose)) as rows:

        def run():
            with open_output(target, len(rows), rows.dtype, rows.layout) as write:
                for start in range(0, len(rows), 10):
                    write(rows[start : start + 10])

        with pytest.raises(OutputError) as caught:
            run()
    assert str(caught.value) == f"{target}: cannot be written: no space left on device"
    assert list(small_disk.iterdir()) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("suffix", [".npy", ".npz", ".csv", ".h5", ".mat"])
def test_a_stop_half_way_leaves_nothing(tmp_path, suffix, error):
    stored(tmp_path / f"in{suffix}", numbers())
    with read_rows(str(tmp_path / f"in{suffix}")) as rows:

        def run():
            target = str(tmp_path / f"out{suffix}")
            with open_output(target, len(rows), rows.dtype, rows.layout) as write:
                write(rows[:100])
                raise error

        with pytest.raises(error):
            run()
    assert [path.name for path in tmp_path.iterdir()] == [f"in{suffix}"]


def test_integers_are_rounded_in_blocks_too(tmp_path):
    np.save(tmp_path / "in.npy", np.arange(12, dtype=np.int16).reshape(4, 3))
    with read_rows(str(tmp_path / "in.npy")) as rows:
        target = str(tmp_path / "out.npy")
        with open_output(target, 4, float, rows.layout, round_to_input=True) as write:
            write(rows[:2] + 0.4)
            write(rows[2:] + 1e6)
    back = np.load(target)
    assert back.dtype == np.int16
    assert_array_equal(back, [[0, 1, 2], [3, 4, 5], [32767] * 3, [32767] * 3])
