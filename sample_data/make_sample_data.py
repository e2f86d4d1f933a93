"""Make every sample file from its source; README.md beside this script says what each one is.

    python sample_data/make_sample_data.py [--wheel SCIPY_WHEEL] [--output-dir DIR]

Needs numpy, scipy, h5py and scikit-learn. The heart beats come out of the wheel of scipy 1.11.4,
which pip fetches into a temporary folder unless ``--wheel`` names one; it is never installed.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np
from numpy.typing import NDArray
from scipy import signal

Array = NDArray[np.floating]

# Mixed into every random stream, so that no user's own seed can draw the same noise again.
SALT = 0x5A3D1E7C40B96F28

S_CURVE_SIZES = (1000, 400)
S_CURVE_NOISE = 0.25
S_CURVE_DECIMALS = 4

DIGITS_SIZES = (1200, 500)
DIGITS_NOISE = 0.25
DIGITS_ATTRIBUTION = (
    "E. Alpaydin and C. Kaynak (1998), Optical Recognition of Handwritten Digits, UCI Machine "
    "Learning Repository, https://doi.org/10.24432/C50P49, licence CC BY 4.0. Changed: pixels "
    "scaled to [0, 1], rows chosen and shuffled, noise added to train and noisy."
)

ECG_SIZES = (300, 120)
ECG_NOISE = 0.15  # mV
ECG_RATE = 360  # samples a second
ECG_WINDOW = (65, 115)  # samples before the R peak, and from it on
ECG_DRIFT = 0.5  # Hz; slower than this is drift of the electrodes, not heart
ECG_TWINS = 5  # a clean-looking beat resembles at least this many others ...
ECG_LIKENESS = 0.12  # ... to this root mean square difference, in mV
ECG_MEMBER = "scipy/misc/ecg.dat"
ECG_SHA256 = "f20ad3365fb9b7f845d0e5c48b6fe67081377ee466c3a220b7f69f35c8958baf"


class Sample(NamedTuple):
    """Rows to fit on, rows to clean, and what the latter were before noise was added."""

    train: Array
    noisy: Array
    clean: Array


def random_stream(name: str) -> np.random.Generator:
    """Return the random stream that belongs to the sample set called `name`."""
    return np.random.default_rng(np.random.SeedSequence([SALT, *name.encode()]))


def split(
    clean: Array, sizes: tuple[int, int], noise_std: float, rng: np.random.Generator
) -> Sample:
    """Shuffle clean rows, take the two sizes from them, and add white Gaussian noise."""
    n_train, n_test = sizes
    rows = clean[rng.permutation(len(clean))[: n_train + n_test]]
    noisy = rows + rng.normal(scale=noise_std, size=rows.shape)
    return Sample(train=noisy[:n_train], noisy=noisy[n_train:], clean=rows[n_train:])


def make_s_curve() -> Sample:
    """Draw points of an S-shaped sheet in space, and blur them; columns are x, y, z."""
    rng = random_stream("s_curve")
    n = sum(S_CURVE_SIZES)
    angle = rng.uniform(-1.5 * np.pi, 1.5 * np.pi, n)
    width = rng.uniform(0.0, 2.0, n)
    sheet = np.column_stack([np.sin(angle), width, np.sign(angle) * (np.cos(angle) - 1.0)])
    sample = split(sheet, S_CURVE_SIZES, S_CURVE_NOISE, rng)
    # Adding zero turns -0.0 into 0.0, which would print as -0.0000.
    return Sample(*(np.round(rows, S_CURVE_DECIMALS) + 0.0 for rows in sample))


def make_digits() -> Sample:
    """Take scikit-learn's copy of the UCI digits, as images of 8 by 8 pixels in [0, 1]."""
    from sklearn.datasets import load_digits  # heavy, and needed for these only

    images = load_digits().images / 16.0
    sample = split(images, DIGITS_SIZES, DIGITS_NOISE, random_stream("digits"))
    return Sample(*(rows.astype(np.float32) for rows in sample))


def make_ecg(wheel: Path) -> Sample:
    """Cut the recording inside a scipy wheel into heart beats, in millivolts."""
    beats = clean_looking(cut_beats(remove_drift(read_recording(wheel))))
    # Rounding to a tenth of a microvolt hides the last bits of the filter, which vary by machine.
    sample = split(np.round(beats, 4), ECG_SIZES, ECG_NOISE, random_stream("ecg"))
    return Sample(*(rows.astype(np.float32) for rows in sample))


def read_recording(wheel: Path) -> Array:
    """Read the five-minute electrocardiogram out of a scipy wheel, in millivolts."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            packed = archive.read(ECG_MEMBER)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise SystemExit(f"{wheel}: cannot read {ECG_MEMBER}: {error}") from None
    if hashlib.sha256(packed).hexdigest() != ECG_SHA256:
        raise SystemExit(f"{wheel}: {ECG_MEMBER} is not the recording that the samples are made of")
    with np.load(io.BytesIO(packed)) as file:
        counts = file["ecg"]
    return (counts - 1024.0) / 200.0  # the converter's zero, and its steps per millivolt


def remove_drift(recording: Array) -> Array:
    """Take out what is slower than the heart, without shifting anything in time."""
    high_pass = signal.butter(2, ECG_DRIFT, "highpass", fs=ECG_RATE, output="sos")
    return signal.sosfiltfilt(high_pass, recording)


def cut_beats(recording: Array) -> Array:
    """Cut a window around each R peak, and set its median, the resting level, to zero."""
    before, after = ECG_WINDOW
    # No two beats are closer than 0.35 s; an R peak stands out by more than a T wave does.
    peaks, _ = signal.find_peaks(recording, distance=round(0.35 * ECG_RATE), prominence=0.8)
    whole = peaks[(peaks >= before) & (peaks <= recording.size - after)]
    beats = recording[whole[:, None] + np.arange(-before, after)]
    return beats - np.median(beats, axis=1, keepdims=True)


def clean_looking(beats: Array) -> Array:
    """Keep the beats that resemble several others: a disturbed beat is like no other."""
    squared = np.mean((beats[:, None] - beats[None]) ** 2, axis=2)
    squared.sort(axis=1)
    return beats[squared[:, ECG_TWINS] < ECG_LIKENESS**2]  # column 0 is the beat itself


def write_csv(folder: Path, name: str, sample: Sample, header: str, decimals: int) -> None:
    """Write train, noisy and clean rows as three CSV files with a header."""
    for part, rows in sample._asdict().items():
        path = folder / f"{name}_{part}.csv"
        np.savetxt(path, rows, f"%.{decimals}f", delimiter=",", header=header, comments="")


def write_npy(folder: Path, name: str, sample: Sample) -> None:
    """Write train, noisy and clean rows as three npy files."""
    for part, rows in sample._asdict().items():
        np.save(folder / f"{name}_{part}.npy", rows)


def write_hdf5(folder: Path, name: str, sample: Sample, attribution: str) -> None:
    """Write train, noisy and clean rows as three datasets of one compressed HDF5 file."""
    with h5py.File(folder / f"{name}.h5", "w") as file:
        file.attrs["attribution"] = attribution
        for part, rows in sample._asdict().items():
            file.create_dataset(
                part, data=rows, chunks=(100, *rows.shape[1:]), compression="gzip", shuffle=True
            )


def fetch_wheel(folder: Path) -> Path:
    """Let pip download the wheel of scipy 1.11.4, without installing it, and return its path."""
    # Every wheel holds the same recording; naming one lets any Python on any system fetch it.
    tags = ["--only-binary=:all:", "--python-version=3.11", "--platform=manylinux2014_x86_64"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *tags]
    subprocess.run([*command, f"--dest={folder}", "scipy==1.11.4"], check=True)
    return next(folder.glob("scipy-1.11.4-*.whl"))


def main() -> None:
    """Read the command line and write all files."""
    parser = argparse.ArgumentParser(description="Make the sample data.")
    parser.add_argument("--wheel", type=Path, help="a scipy wheel older than 1.12 (else pip's)")
    parser.add_argument("--output-dir", type=Path, default=Path(__file__).parent)
    options = parser.parse_args()
    folder = options.output_dir

    with tempfile.TemporaryDirectory() as scratch:
        ecg = make_ecg(options.wheel or fetch_wheel(Path(scratch)))
    write_csv(folder, "s_curve", make_s_curve(), "x,y,z", S_CURVE_DECIMALS)
    write_hdf5(folder, "digits", make_digits(), DIGITS_ATTRIBUTION)
    write_npy(folder, "ecg", ecg)


if __name__ == "__main__":
    main()
