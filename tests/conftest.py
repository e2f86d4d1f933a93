"""Fixtures for all tests: data, and the command line."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

# Before numpy is imported: arrays this small gain nothing from threads that fight over a core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import h5py
import numpy as np
import pytest
from hypothesis import settings
from typer.testing import CliRunner, Result

from ikpca_cli.cli.app import app
from tests.processes import words

# A shell makes its background jobs, and all that they start, deaf to Ctrl-C, and nohup to a closed
# terminal, which tests are about.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"

# What an example costs depends on the machine: the first one imports libraries. No test is timed.
# The same examples on every run, so that a change is judged by what it changed; a search for new
# ones is HYPOTHESIS_PROFILE=search pytest.
settings.register_profile("ikpca", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ikpca"))


@pytest.fixture
def cli(tmp_path, monkeypatch):
    """Run a line, and more words as they are, in an empty folder; check that errors are plain."""
    monkeypatch.chdir(tmp_path)

    def run(line: object, *more: object, code: int = 0, stdin: bytes | None = None) -> Result:
        result = CliRunner().invoke(app, words(line, *more), input=stdin)
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result

    return run


@pytest.fixture
def all_samples(tmp_path):
    """A copy of the sample data that a test may write beside."""
    for file in (ROOT / "sample_data").iterdir():
        if file.is_file() and ".denoised." not in file.name:
            shutil.copy(file, tmp_path)
    return tmp_path


FEW = {"s_curve_train": 300, "train": 450, "noisy": 100, "clean": 100}
"""Rows of sample files and datasets that are enough to try a command."""


@pytest.fixture
def samples(all_samples):
    """Fewer rows of the sample data: enough to try a command on."""
    for path in all_samples.glob("ecg_*.npy"):
        np.save(path, np.load(path)[: 150 if "train" in path.name else 60])
    table = all_samples / "s_curve_train.csv"
    lines = table.read_text().splitlines(keepends=True)
    table.write_text("".join(lines[: 1 + FEW["s_curve_train"]]))
    with h5py.File(all_samples / "digits.h5", "r") as file:
        digits = {name: file[name][: FEW[name]] for name in file}
    with h5py.File(all_samples / "digits.h5", "w") as file:
        for name, rows in digits.items():
            file[name] = rows
    return all_samples


@pytest.fixture(scope="session")
def arcs():
    """Noisy and clean points around a half circle in five dimensions, (120, 5) each."""
    rng = np.random.default_rng(20230305)
    angle = rng.uniform(0.0, np.pi, 120)
    plane = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    clean = plane @ rng.normal(size=(2, 5)) + np.arange(5.0)
    return clean + rng.normal(scale=0.1, size=clean.shape), clean


@pytest.fixture(scope="session")
def shared():
    """Larger data that lies beside a checkout in some places."""
    if not SHARED.is_dir():
        pytest.skip("the shared data folder is not beside this checkout")
    return SHARED
