"""Files as users have them, from the shared folder, each with its right answer."""

from __future__ import annotations

import shutil

import h5py
import numpy as np
import pytest

from tests.conftest import SHARED

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data folder is not here")


@pytest.fixture
def case(tmp_path, shared):
    def copy(name):
        shutil.copy(shared / "cases" / name, tmp_path / name)
        return tmp_path / name

    return copy


def test_packed_numbers(case, cli):
    with h5py.File(case("packed.h5")) as file:
        (name,) = (key for key in file if "scale_factor" in file[key].attrs)
        data, attrs = file[name][()], dict(file[name].attrs)
    result = cli("fit", "packed.h5", "--method", "pca", "--components", "2", code=1)
    assert "is missing" in result.stderr
    options = ("--missing", "drop")
    cli("fit", "packed.h5", "--method", "pca", "--components", str(data.shape[1]), *options)
    cli("denoise", "model.joblib", "packed.h5", "-o", "out.h5", *options)
    whole = data[(data != attrs["_FillValue"]).all(axis=1)]
    expected = whole * float(attrs["scale_factor"]) + float(attrs["add_offset"])
    with h5py.File("out.h5") as out:
        assert len(whole) < len(data)
        assert "scale_factor" not in out[name].attrs
        # as many components as columns: every row comes back as it was
        np.testing.assert_allclose(out[name][()], expected, rtol=1e-9, atol=1e-12)


def test_attributes(case, cli):
    source = case("attributes.h5")
    cli("fit", "attributes.h5", "--method", "pca", "--components", "2")
    cli("denoise", "model.joblib", "attributes.h5", "-o", "out.h5")
    seen = []
    with h5py.File(source) as file, h5py.File("out.h5") as out:

        def same(name, item):
            if name in out:
                for key, value in item.attrs.items():
                    if key not in ("DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS"):
                        np.testing.assert_array_equal(out[name].attrs[key], value)
                        seen.append(key)

        same("/", file)
        file.visititems(same)
        labels = [[dim.label for dim in held["run/signal"].dims] for held in (file, out)]
    assert labels[0] == labels[1] == ["", "time"]
    assert len(seen) >= 3


@pytest.mark.parametrize("name", ["damaged.npz", "broken_header.npy", "wrong_tag.mat"])
def test_one_damaged_file_in_a_batch(case, cli, name):
    bad = case(name)
    np.save("good.npy", np.random.default_rng(0).normal(size=(20, 6)))
    cli("fit", "good.npy", "--method", "pca", "--components", "2")
    np.save("also.npy", np.load("good.npy"))
    source = f"{bad.name}::noisy" if name == "damaged.npz" else bad.name
    result = cli("denoise", "model.joblib", "good.npy", source, "also.npy", code=1)
    assert f"error: {name}" in result.stderr
    assert "1 of 3 files failed" in result.stderr
    assert np.load("good.denoised.npy").shape == np.load("also.denoised.npy").shape == (20, 6)
    assert not list(bad.parent.glob(f"{bad.stem}.denoised*"))
