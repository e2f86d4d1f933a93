"""Numbers that stand for a missing value, in files that have no word for it."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
import scipy.io

from ikpca_cli.formats.arrays import ReadOptions, read_rows

VALUES = np.random.default_rng(4).normal(size=(60, 8))


def _hdf5(path, values):
    with h5py.File(path, "w") as file:
        file["x"] = values


WRITERS = {
    "a.npy": np.save,
    "a.npz": lambda path, values: np.savez(path, x=values),
    "a.h5": _hdf5,
    "a.mat": lambda path, values: scipy.io.savemat(path, {"x": values}),
    "a.csv": lambda path, values: np.savetxt(path, values, delimiter=","),
}


def said(path, **options):
    with read_rows(str(path), ReadOptions(**options)) as rows:
        return " ".join(rows.warnings)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    "value",
    [-9999.0, -9999.9, -7999.0, -9.99e-29, -999.25, 1e20, np.float32(1e20), 9.969209968386869e36],
)
def test_a_filler_is_told_by_its_place(tmp_path, name, value):
    values = VALUES.copy()
    values[7, 3] = values[50, 1] = value
    WRITERS[name](tmp_path / name, values)
    assert "row 8" in said(tmp_path / name)
    assert "far from all others" in said(tmp_path / name)


@pytest.mark.parametrize("name", WRITERS)
def test_a_filler_is_far_from_its_column_alone(tmp_path, name):
    values = VALUES * np.where(np.arange(8) == 5, 80_000.0, 1.0)
    values[7:40, 3] = -99999.0
    WRITERS[name](tmp_path / name, values)
    assert "row 8" in said(tmp_path / name)
    assert "holds -99999, far from all others" in said(tmp_path / name)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("values", [VALUES, VALUES * 9999, np.full((9, 3), 1.0), VALUES * 1e20])
def test_ordinary_rows_have_none(tmp_path, name, values):
    WRITERS[name](tmp_path / name, values)
    assert "far from" not in said(tmp_path / name)


def test_a_filler_below_zero_stands_out_where_nothing_else_is(tmp_path):
    """As in pressures of 10,000 and more, in tenths of what they are."""
    values = VALUES + 10_130.0
    values[::9, 3] = -9999.0
    np.save(tmp_path / "a.npy", values)
    assert "row 1, column 4 holds -9999" in said(tmp_path / "a.npy")
    np.save(tmp_path / "b.npy", values * np.where(np.arange(8) == 5, -1.0, 1.0))
    assert "holds" in said(tmp_path / "b.npy")
    np.save(tmp_path / "c.npy", np.where(values < 0.0, -1234.0, values))
    assert said(tmp_path / "c.npy") == ""


def test_what_the_file_itself_marks_is_no_news(tmp_path):
    values = np.where(np.arange(8) == 3, -9999.0, VALUES)
    _hdf5(tmp_path / "a.h5", values)
    with h5py.File(tmp_path / "a.h5", "a") as file:
        file["x"].attrs["_FillValue"] = -9999.0
    assert "far from" not in said(tmp_path / "a.h5", missing="keep")


def test_places_are_those_of_the_file(tmp_path):
    values = VALUES.copy()
    values[2, 2], values[7, 3] = np.nan, -9999
    np.save(tmp_path / "a.npy", values)
    assert "row 8, column 4 holds -9999" in said(tmp_path / "a.npy", missing="drop")
    np.save(tmp_path / "a.npy", values.T)
    assert "row 4, column 8 holds" in said(tmp_path / "a.npy", missing="drop", transpose=True)


def test_a_long_file_is_looked_at_from_end_to_end(tmp_path):
    values = np.zeros((60_000, 50), np.float32)
    values[:-1:2] = 1
    values[-1, 7] = -9999
    np.save(tmp_path / "a.npy", values)
    assert "row 60000, column 8 holds" in said(tmp_path / "a.npy")


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "a.csv"])
@pytest.mark.parametrize(("number", "rounded"), [(2**53 - 1, False), (2**53 + 1, True)])
def test_whole_numbers_that_double_precision_rounds_are_told(tmp_path, name, number, rounded):
    values = np.full((9, 3), number - 100, np.int64)
    values[4, 1] = number
    WRITERS[name](tmp_path / name, values)
    assert ("row 5, column 2 holds 9.007e+15" in said(tmp_path / name)) == rounded
    WRITERS[name](tmp_path / name, values.astype(float))
    assert "rounded" not in said(tmp_path / name)


def test_long_whole_numbers_of_a_table_are_told(tmp_path):
    np.savetxt(tmp_path / "a.csv", np.full((9, 3), 2**60 + 1), "%d", ",")
    assert "row 1 holds 1.153e+18" in said(tmp_path / "a.csv")


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "a.csv"])
@pytest.mark.parametrize("place", [0, 8])
def test_a_column_that_may_be_the_class_of_each_row_is_asked_about(tmp_path, name, place):
    classes = np.random.default_rng(2).integers(0, 4, 60).astype(float)
    WRITERS[name](tmp_path / name, np.insert(VALUES, place, classes, axis=1))
    assert f"column {place + 1} holds 4 whole numbers" in said(tmp_path / name)
    WRITERS[name](tmp_path / name, np.insert(VALUES, place, 1.0, axis=1))  # all scaled to 1 there
    assert "whole numbers" not in said(tmp_path / name)
    WRITERS[name](tmp_path / name, np.insert(np.rint(VALUES), place, classes, axis=1))
    assert "whole numbers" not in said(tmp_path / name)
