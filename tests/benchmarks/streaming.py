"""Files larger than memory: what reading and writing add to the arithmetic, and how much is held.

1. ``ikpca fit`` on an HDF5 file of n rows of 16 numbers with 512 random features, beside the
   arithmetic alone: projection, sine and rank-k update of blocks in memory, timed in the same run.
2. ``ikpca denoise`` from file to file (npy and HDF5, 512 columns, 512 features), beside cleaning
   the same rows in memory, and its peak memory for n and 3 n rows.
3. ``ikpca denoise`` over many files with one core and with all.

``python tests/benchmarks/streaming.py`` takes about 15 minutes and 4 GB of disk on two cores;
``--quick`` takes a tenth to a third of the rows.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np

from ikpca_cli import load_model
from ikpca_cli.data.covariance import add_products
from ikpca_cli.data.threads import allowed_cores, chunks, one_blas_thread, parallel_for
from ikpca_cli.linalg.sines import sines
from ikpca_cli.models.kernels.kernel import Gaussian
from ikpca_cli.models.random_features import FourierFeatures

BLOCK = 4096
PUBLISHED = ["--rff", "512", "--inverse", "paper", "--ridge", "0.1", "--noise-std", "0.2"]


def curve(n_samples: int, n_features: int, seed: int) -> np.ndarray:
    """Return noisy points of a closed curve."""
    rng = np.random.default_rng(seed)
    turns = np.random.default_rng(0).normal(size=(4, n_features))
    angle = rng.uniform(0.0, 2.0 * np.pi, n_samples)
    waves = np.stack([np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)], axis=1)
    return waves @ turns + rng.normal(scale=0.2, size=(n_samples, n_features))


def write(path: Path, n_samples: int, n_features: int) -> None:
    """Write rows by blocks, as float32 to HDF5 and float64 to npy."""
    if path.suffix == ".npy":
        shape = (n_samples, n_features)
        rows = np.lib.format.open_memmap(path, "w+", np.float64, shape)
        for part in chunks(n_samples, 50_000):
            rows[part] = curve(part.stop - part.start, n_features, part.start)
        return
    with h5py.File(path, "w") as file:
        data = file.create_dataset("rows", (n_samples, n_features), np.float32)
        for part in chunks(n_samples, 200_000):
            data[part] = curve(part.stop - part.start, n_features, part.start)


# The system's own peak of a child begins at what this process held when it started the child.
PROGRAM = """
import atexit, pathlib, re, sys
peak = lambda: re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]
atexit.register(lambda: print(peak(), file=sys.stderr))
from ikpca_cli.__main__ import main
main()
"""


def ikpca(*args: object) -> tuple[float, float, str]:
    """Run the program; return its seconds, its peak memory in MB, and its standard output."""
    command = [sys.executable, "-c", PROGRAM, *map(str, args)]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"ikpca {' '.join(map(str, args))} failed: {done.stderr}")
    return seconds, int(done.stderr.splitlines()[-1]) / 1000.0, done.stdout


def seconds_of(work: Callable[[], object]) -> float:
    """Return the seconds that some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def arithmetic_of_fit(rows: np.ndarray) -> dict[str, float]:
    """Return seconds a row for projection, sine and rank-k update with all cores, by our kernels.

    Medians over blocks in memory.
    """
    features = FourierFeatures.draw(Gaussian(), 0.05, 512, rows.shape[1], 0)
    spent = []
    parts = chunks(BLOCK, BLOCK // allowed_cores())
    product = np.zeros((512, 512))
    angles = np.empty((BLOCK, 512))
    with one_blas_thread:
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            times = [time.perf_counter()]
            parallel_for(
                lambda part, X=block: np.matmul(X[part], features.W.T, angles[part]), parts
            )
            times.append(time.perf_counter())
            parallel_for(lambda part: sines(angles[part]), parts)
            times.append(time.perf_counter())
            add_products(product, angles.T)
            times.append(time.perf_counter())
            spent.append(np.diff(times) / BLOCK)
    names = ("projection", "sine", "rank-k update")
    return dict(zip(names, np.median(spent, axis=0).tolist(), strict=True))


def bench_fit(folder: Path, n_samples: int) -> None:
    """Print the first part."""
    path = folder / "rows.h5"
    write(path, n_samples, 16)
    some = curve(50 * BLOCK, 16, 1)
    before = arithmetic_of_fit(some)
    seconds, memory, _ = ikpca(
        *("fit", path, "-o", folder / "fit.joblib", "--gamma", "0.05", "--components", "16"),
        *(*PUBLISHED, "--format", "json", "-q"),
    )
    after = arithmetic_of_fit(some)
    spent = {name: n_samples * (before[name] + after[name]) / 2.0 for name in before}
    alone = sum(spent.values())
    print(f"fit, {n_samples:,} x 16, 512 features, from HDF5 ({path.stat().st_size / 1e9:.2f} GB)")
    print(f"  {'whole command':<28}{seconds:>9.1f} s{n_samples / seconds:>12,.0f} rows/s")
    for name, value in spent.items():
        print(f"  {name:<28}{value:>9.1f} s")
    print(f"  {'ratio to the arithmetic':<28}{seconds / alone:>9.2f}   (aim: 1.6)")
    print(f"  {'peak memory':<28}{memory:>9.0f} MB  (aim: below 500)")
    path.unlink()


def bench_denoise(folder: Path, n_samples: int) -> None:
    """Print the second part."""
    train, model = folder / "train.npy", folder / "denoise.joblib"
    np.save(train, curve(2000, 512, 2))
    ikpca(
        "fit", train, "-o", model, *PUBLISHED, "--gamma", "0.001", "--components", "16", "-q", "-f"
    )
    fitted = load_model(str(model))
    print(f"denoise from file to file, {n_samples:,} x 512, 512 features")
    for suffix in (".npy", ".h5"):
        source = folder / f"noisy{suffix}"
        peaks, ratios = [], []
        for count in (n_samples, 3 * n_samples):
            write(source, count, 512)
            some = curve(20_000, 512, 3)
            for _ in range(3):
                alone = seconds_of(lambda some=some: fitted.denoise(some)) / len(some) * count
                seconds, memory, _ = ikpca("denoise", model, source, "-f", "-q")
                ratios.append(seconds / alone)
            peaks.append(memory)
            source.unlink()
            (folder / f"noisy.denoised{suffix}").unlink()
        print(f"  {suffix} ratio to memory to memory{statistics.median(ratios):>7.2f}   (aim: 1.6)")
        print(f"  {suffix} peak memory, n and 3 n   {peaks[0]:>7.0f} and {peaks[1]:.0f} MB")


def bench_batch(folder: Path, n_files: int, n_samples: int) -> None:
    """Print the third part."""
    train, model = folder / "train.npy", folder / "batch.joblib"
    np.save(train, curve(300, 180, 4))
    ikpca("fit", train, "-o", model, "-q", "-f")
    names = [folder / f"{place}.npy" for place in range(n_files)]
    for name in names:
        np.save(name, curve(n_samples, 180, 5))
    spent: dict[int, list[float]] = {jobs: [] for jobs in {1, allowed_cores()}}
    for _ in range(3):
        for jobs, runs in spent.items():
            done = ikpca("denoise", model, *names, "-f", "-q", "--jobs", jobs, "--format", "json")
            assert len(json.loads(done[2])) == n_files
            runs.append(done[0])
    one, every = (statistics.median(spent[jobs]) for jobs in (1, allowed_cores()))
    print(f"denoise, {n_files} files of {n_samples} x 180, {allowed_cores()} cores")
    print(f"  one core {one:.2f} s, all {every:.2f} s: {one / every:.2f} times as fast")


def main() -> None:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rows and files")
    parser.add_argument("--parts", nargs="*", default=["fit", "denoise", "batch"])
    parser.add_argument("--folder", help="where the files go for the time being")
    chosen = parser.parse_args()
    scale = 10 if chosen.quick else 1
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        folder = Path(name)
        if "fit" in chosen.parts:
            bench_fit(folder, 10_000_000 // scale)
        if "denoise" in chosen.parts:
            bench_denoise(folder, 100_000 // (3 if chosen.quick else 1))
        if "batch" in chosen.parts:
            bench_batch(folder, 200 // scale, 120)
            bench_batch(folder, 2000 // scale, 120)
            bench_batch(folder, 40 // scale, 5000)


if __name__ == "__main__":
    main()
