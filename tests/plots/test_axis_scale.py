"""Axes of pictures have the numbers and units that a file says."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli.formats.arrays import read_rows
from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.plots.axis_scale import Scale

TABLE = Layout(format="csv", dtype=np.dtype(float), sample_shape=(3,))


@pytest.mark.parametrize("names", [("400", "400.5", "402"), ("9e1", "8", "-1")])
def test_a_header_of_numbers_is_where_they_lie(names):
    scale = Scale.of(TABLE, names)
    assert_array_equal(scale.places(3), [float(name) for name in names])


@pytest.mark.parametrize("names", [("a", "b"), ("1", "1"), ("1", "3", "2"), ("1", "nan"), ("5",)])
def test_other_headers_are_none(names):
    assert_array_equal(Scale.of(TABLE, names).places(len(names)), 1.0 + np.arange(len(names)))


def test_a_scale_of_another_width_is_not_drawn_along():
    assert_array_equal(Scale(np.array([5.0, 6.0])).places(3), [1.0, 2.0, 3.0])


@pytest.mark.parametrize("transpose", [False, True])
def test_attributes_of_hdf5_name_the_axes(tmp_path, transpose):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        rows = np.random.default_rng(0).normal(size=(9, 4))
        data = file.create_dataset("spectra", data=rows.T if transpose else rows)
        data.attrs.update({"units": "counts", "long_name": "intensity"})
        shift = file.create_dataset("shift", data=[400.0, 500.0, 600.0, 800.0])
        shift.attrs["units"] = np.bytes_("cm\x1b-1")
        shift.make_scale("Raman shift")
        data.dims[0 if transpose else 1].attach_scale(shift)
    options = ReadOptions(dataset="spectra", transpose=transpose)
    with read_rows(str(tmp_path / "x.h5"), options) as found:
        scale = Scale.of(found.layout)
    assert (scale.x_label, scale.y_label) == ("Raman shift [cm-1]", "intensity [counts]")
    assert_array_equal(scale.places(4), [400.0, 500.0, 600.0, 800.0])
    assert scale.named("shift", None).x_label == "shift"
    assert scale.named(None, "y").y_label == "y"


@pytest.mark.parametrize(
    ("header", "called"),
    [
        ("#Wave\t\t#Intensity\n", ("Wave", "Intensity")),
        ("Raman shift [1/cm]\tcounts\n", ("Raman shift [1/cm]", "counts")),
        ("", (None, None)),
    ],
)
def test_a_signal_lies_along_the_first_of_two_columns(tmp_path, header, called):
    shift = np.linspace(900.0, 100.0, 33)
    lines = [f"{x:.2f}\t{y:.3f}\n" for x, y in zip(shift, np.cos(shift), strict=True)]
    for text in (header + "".join(lines), header + "".join(lines).replace(".", ",")):
        (tmp_path / "x.txt").write_text(text)
        with read_rows(str(tmp_path / "x.txt"), ReadOptions(width=33)) as found:
            scale = Scale.of(found.layout, found.feature_names)
        assert (scale.x_label, scale.y_label) == called
        assert_array_equal(scale.places(33), shift)


def test_hdf5_without_attributes_has_no_scale(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["a"] = np.ones((3, 4))
    with read_rows(str(tmp_path / "x.h5"), ReadOptions()) as found:
        assert Scale.of(found.layout) == Scale()


@pytest.mark.parametrize("place", ["a/rows", "a", "/"])
@pytest.mark.parametrize("name", ["fs", "Sampling_Rate", "sfreq", "sample frequency (Hz)"])
def test_samples_a_second_are_where_they_lie(tmp_path, place, name):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["a/rows"] = np.ones((3, 4))
        file[place].attrs[name] = 250
        file.attrs["sampling rate"] = "unknown"
    with read_rows(str(tmp_path / "x.h5"), ReadOptions()) as found:
        scale = Scale.of(found.layout)
    known = "(" not in name
    assert scale.x_label == ("time [s]" if known else None)
    assert_array_equal(scale.places(4), np.arange(4.0) / 250 if known else np.arange(1.0, 5.0))
