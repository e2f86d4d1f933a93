"""Sources larger than this machine, and what an interrupt leaves of them and of a batch."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.conftest import ROOT
from tests.processes import count, start, wait_until

IKPCA = [sys.executable, "-m", "ikpca_cli"]
ROWS, COLUMNS = 15_000_000, 500  # 60 GB of float64


def sparse_npy(path):
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"shape": (ROWS, COLUMNS), "fortran_order": False, "descr": "<f8"}
        )
        file.write(np.random.default_rng(0).normal(size=(1000, COLUMNS)).tobytes())
        file.truncate(file.tell() + 8 * (ROWS - 1000) * COLUMNS)


def sparse_hdf5(path):
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    creation.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    with h5py.File(path, "w") as file:
        space = h5py.h5s.create_simple((ROWS, COLUMNS))
        h5py.h5d.create(file.id, b"rows", h5py.h5t.IEEE_F64LE, space, creation)
        file["rows"][:1000] = np.random.default_rng(0).normal(size=(1000, COLUMNS))


@pytest.mark.parametrize("make", [sparse_npy, sparse_hdf5])
@pytest.mark.parametrize("command", ["fit", "denoise"])
def test_sixty_gigabytes_start_at_once_and_stop_at_once(tmp_path, make, command):
    source = tmp_path / "large"
    try:
        make(source)
    except OSError as error:
        pytest.skip(f"no file of 60 GB here, not even a sparse one: {error}")
    small = tmp_path / "small.npy"
    np.save(small, np.random.default_rng(0).normal(size=(50, COLUMNS)))
    model = tmp_path / "m.joblib"
    fit = [*IKPCA, "fit", small, "--method", "pca", "--components", "2", "-q", "-o", model]
    subprocess.run(fit, check=True, capture_output=True)
    before = sorted(tmp_path.iterdir())
    args = ["fit", source, "-o", tmp_path / "out", "--method", "pca"]
    if command == "denoise":
        args = ["denoise", model, source]
    leader, follower = pty.openpty()
    started = subprocess.Popen(
        [*IKPCA, *map(str, args)],
        stderr=follower,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(follower)
    stage = b"reading" if command == "fit" else b"denoise"
    # Its name, a bar, the time so far and the time left.
    shown = re.compile(stage + rb"[^\n]*\d:\d\d:\d\d[^\n]*\d:\d\d:\d\d")
    seen = b""
    while not shown.search(seen):
        seen += os.read(leader, 65536)
    status = Path(f"/proc/{started.pid}/status")
    memory = re.search(r"VmHWM:\s+(\d+)", status.read_text()) if status.exists() else None
    asked = time.monotonic()
    started.send_signal(signal.SIGINT)
    while True:
        try:
            seen += os.read(leader, 65536)
        except OSError:  # the terminal is closed
            break
    os.close(leader)
    assert started.wait(timeout=60) == 130
    assert time.monotonic() - asked < 10.0
    assert b"interrupted: no output was left half-written" in seen
    assert sorted(tmp_path.iterdir()) == before
    assert memory is None or int(memory[1]) < 500_000


def test_memory_of_cleaning_does_not_grow_with_the_file(tmp_path):
    """Of the file nothing but a few blocks is held, in whatever form it comes and goes."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300_000, 100)).astype(np.float32)  # 120 MB
    sizes = {"small": 50_000, "large": 300_000}
    for size, n_samples in sizes.items():
        np.save(tmp_path / f"{size}.npy", rows[:n_samples])
        with h5py.File(tmp_path / f"{size}.h5", "w") as file:
            file["rows"] = rows[:n_samples].T
    script = (
        "import resource, sys\nfrom ikpca_cli.cli.app import app\n"
        "try:\n    app(sys.argv[1:])\nfinally:\n"
        "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}

    def peak(*args):
        done = subprocess.run(
            [sys.executable, "-c", script, *args],
            cwd=tmp_path,
            env=environment,
            check=True,
            capture_output=True,
        )
        return int(done.stderr.split()[-1]) / 1000.0

    np.save(tmp_path / "train.npy", rng.normal(size=(200, 100)))
    peak("fit", "train.npy", "--method", "pca", "--components", "2", "-q", "-o", "m")
    for form, more in ((".npy", []), (".h5", ["--transpose"])):
        small, large = (peak("denoise", "m", f"{size}{form}", "-q", *more) for size in sizes)
        assert large < small + 60.0


@pytest.mark.parametrize("suffix", [".npy", ".h5", ".csv"])
@pytest.mark.parametrize("written", [1, 7])
def test_an_interrupt_stops_a_batch_and_leaves_whole_files(tmp_path, suffix, written):
    rows = np.random.default_rng(0).normal(size=(3000, 60))
    np.save(tmp_path / "train.npy", rows[:100])
    fit = [*IKPCA, "fit", "train.npy", "--rff", "2000", "--inverse", "paper", "--gamma", "0.01"]
    fit += ["--ridge", "1", "--components", "5", "-o", "m", "-q"]
    subprocess.run(fit, cwd=tmp_path, check=True, capture_output=True)
    names = [f"{place}{suffix}" for place in range(30)]
    for name in names:
        if suffix == ".npy":
            np.save(tmp_path / name, rows)
        elif suffix == ".csv":
            np.savetxt(tmp_path / name, rows[:300], delimiter=",")
        else:
            with h5py.File(tmp_path / name, "w") as file:
                file["x"] = rows
    started = start("denoise m", *names, "--output-dir", "out", "-q", "--jobs", 2, cwd=tmp_path)
    wait_until(lambda: count(tmp_path / "out", f"*{suffix}") >= written, started)
    started.send_signal(signal.SIGINT)
    _, errors = started.communicate(timeout=60)
    if started.returncode:  # it may have been done
        assert started.returncode == 130
        assert errors.decode().splitlines() == ["interrupted: no output was left half-written"]
    outputs = list((tmp_path / "out").iterdir())
    assert {path.suffix for path in outputs} == {suffix}
