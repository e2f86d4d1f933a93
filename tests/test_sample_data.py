"""The sample files are what their README says, and what their script makes."""

from __future__ import annotations

import importlib.util
import re
import zipfile
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import h5py
import numpy as np
import pytest

FOLDER = Path(__file__).parents[1] / "sample_data"
PARTS = ("train", "noisy", "clean")


class Expected(NamedTuple):
    files: tuple[str, ...]
    row_shape: tuple[int, ...]
    n_train: int
    n_test: int
    noise_std: float
    dtype: str


SETS = {
    "s_curve": Expected(
        tuple(f"s_curve_{part}.csv" for part in PARTS), (3,), 1000, 400, 0.25, "float64"
    ),
    "digits": Expected(("digits.h5",), (8, 8), 1200, 500, 0.25, "float32"),
    "ecg": Expected(tuple(f"ecg_{part}.npy" for part in PARTS), (180,), 300, 120, 0.15, "float32"),
}
DATA_FILES = sorted(file for expected in SETS.values() for file in expected.files)


def read(name: str) -> dict[str, np.ndarray]:
    """Read train, noisy and clean rows of one set, as its format has them."""
    if name == "digits":
        with h5py.File(FOLDER / "digits.h5") as file:
            assert sorted(file) == sorted(PARTS)
            return {part: file[part][:] for part in PARTS}
    if name == "ecg":
        return {part: np.load(FOLDER / f"ecg_{part}.npy") for part in PARTS}
    return {
        part: np.loadtxt(FOLDER / f"{name}_{part}.csv", delimiter=",", skiprows=1) for part in PARTS
    }


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "make_sample_data", FOLDER / "make_sample_data.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def readme_table() -> dict[str, str]:
    """Map each file named in the first column of the README's table to the rest of its line."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `([^`]+)` \|(.*)\|$", text, flags=re.MULTILINE))


def test_readme_table_names_every_data_file_and_no_other():
    present = sorted(
        path.name
        for path in FOLDER.iterdir()
        if path.suffix in {".csv", ".h5", ".npy"} and ".denoised." not in path.name
    )
    assert present == DATA_FILES
    assert sorted(readme_table()) == DATA_FILES


@pytest.mark.parametrize("name", SETS)
def test_readme_table_states_sizes_noise_and_licence(name: str):
    expected, table = SETS[name], readme_table()
    for file in expected.files:
        line = table[file]
        if "clean" not in file:
            assert f"σ {expected.noise_std}" in line
        sizes = {
            "train": f"{expected.n_train} × {' × '.join(map(str, expected.row_shape))}",
            "test": f"{expected.n_test} × {' × '.join(map(str, expected.row_shape))}",
        }
        wanted = (
            sizes.values() if name == "digits" else [sizes["train" if "train" in file else "test"]]
        )
        assert all(size in line for size in wanted)
        licence = {"s_curve": "MIT", "digits": "CC BY 4.0", "ecg": "ODC-By 1.0"}[name]
        assert licence in line


def test_total_size_is_below_two_megabytes():
    ours = [*DATA_FILES, "README.md", "make_sample_data.py", "heart_beats.png"]
    assert sum((FOLDER / name).stat().st_size for name in ours) < 2_000_000


def test_picture_is_small_and_says_how_it_was_made():
    picture = (FOLDER / "heart_beats.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < 100_000
    assert "--plot heart_beats.png" in (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SETS)
def test_shapes_and_dtypes(name: str):
    expected, sample = SETS[name], read(name)
    assert sample["train"].shape == (expected.n_train, *expected.row_shape)
    assert sample["noisy"].shape == (expected.n_test, *expected.row_shape)
    assert sample["clean"].shape == (expected.n_test, *expected.row_shape)
    for rows in sample.values():
        assert rows.dtype == expected.dtype
        assert np.isfinite(rows).all()


@pytest.mark.parametrize("name", SETS)
def test_noise_is_white_and_of_the_stated_level(name: str):
    sample = read(name)
    noise = (sample["noisy"] - sample["clean"]).reshape(len(sample["noisy"]), -1)
    # Bounds are four standard errors: of a deviation, of a mean, and of a correlation.
    sigma, count = SETS[name].noise_std, noise.size
    assert np.std(noise) == pytest.approx(sigma, abs=4 * sigma / np.sqrt(2 * count))
    assert np.mean(noise) == pytest.approx(0, abs=4 * sigma / np.sqrt(count))
    neighbours = np.corrcoef(noise[:, :-1].ravel(), noise[:, 1:].ravel())[0, 1]
    assert neighbours == pytest.approx(0, abs=4 / np.sqrt(noise[:, 1:].size))


@pytest.mark.parametrize("name", SETS)
def test_train_rows_are_as_noisy_as_the_noisy_rows_and_none_of_them(name: str):
    sample = read(name)
    train, noisy = (sample[part].reshape(len(sample[part]), -1) for part in ("train", "noisy"))
    assert np.std(train) == pytest.approx(np.std(noisy), rel=0.05)
    distance = np.abs(train[:, None, :3] - noisy[None, :, :3]).max(axis=2)
    assert distance.min() > 0


def test_s_curve_header():
    for file in SETS["s_curve"].files:
        assert (FOLDER / file).read_text(encoding="ascii").startswith("x,y,z\n")


def test_clean_digits_are_sixteenths_between_zero_and_one():
    clean = read("digits")["clean"]
    np.testing.assert_array_equal(clean * 16, np.rint(clean * 16))
    assert (clean.min(), clean.max()) == (0, 1)


def test_digits_carry_their_credit():
    with h5py.File(FOLDER / "digits.h5") as file:
        assert "Alpaydin" in file.attrs["attribution"]
        assert "CC BY 4.0" in file.attrs["attribution"]


def test_ecg_rows_peak_where_they_were_cut():
    average = read("ecg")["clean"].mean(axis=0)
    assert np.argmax(average) == 65
    assert average[65] > 1.0  # an R wave of more than a millivolt


def test_script_makes_the_s_curve_again(script: ModuleType, tmp_path: Path):
    script.write_csv(tmp_path, "s_curve", script.make_s_curve(), "x,y,z", script.S_CURVE_DECIMALS)
    for file in SETS["s_curve"].files:
        assert (tmp_path / file).read_bytes() == (FOLDER / file).read_bytes()


def test_script_makes_the_digits_again(script: ModuleType):
    pytest.importorskip("sklearn", reason="the digits are a copy of scikit-learn's")
    for part, rows in script.make_digits()._asdict().items():
        np.testing.assert_array_equal(rows, read("digits")[part])


def test_script_refuses_a_wheel_without_the_recording(script: ModuleType, tmp_path: Path):
    other = tmp_path / "other.whl"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("other/data.txt", "no heart")
    with pytest.raises(SystemExit, match=r"other\.whl: cannot read"):
        script.read_recording(other)
    with zipfile.ZipFile(other, "a") as archive:
        archive.writestr(script.ECG_MEMBER, b"another heart")
    with pytest.raises(SystemExit, match="not the recording"):
        script.read_recording(other)
