"""Many small files are cleaned several at a time, with nothing half-written however it ends."""

from __future__ import annotations

import json
import os
import signal
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli import IKPCA, save_model
from tests.processes import count, run, start, wait_until, words

COUNT = 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a model and many files of a few rows; one of them is damaged."""
    folder = tmp_path_factory.mktemp("many")
    rng = np.random.default_rng(3)
    rows = np.sin(np.linspace(0, 6, 120) + rng.uniform(0, 6, (200, 1)))
    rows += rng.normal(scale=0.2, size=rows.shape)
    save_model(str(folder / "m"), IKPCA(gamma=0.01, noise_std=0.2).fit(rows))
    for place in range(COUNT):
        np.save(folder / f"{place:04}.npy", np.roll(rows[:60], place))
    (folder / "0027.npy").write_bytes(b"\x93NUMPY")
    return folder


def batch(output, *more, most=COUNT):
    """Return the arguments of a call that cleans all, or the first of them."""
    names = [f"{place:04}.npy" for place in range(most)]
    return words("denoise m -q --jobs 2", *names, "--output-dir", output, *more)


def begin(folder, output):
    """Begin a batch."""
    return start("", *batch(output), cwd=folder)


def wait_for_outputs(output, started, least=20):
    wait_until(lambda: count(output) >= least, started)


def assert_whole(output):
    for path in output.iterdir():
        assert path.suffix == ".npy"
        assert np.load(path).shape == (60, 120)


def test_outputs_and_records_are_those_of_one_thread(folder, tmp_path):
    found, most = [], 40
    for jobs in (1, 2):
        arguments = batch(tmp_path / str(jobs), "--format", "json", "--jobs", jobs, most=most)
        done = run("", *arguments, cwd=folder, text=True, code=1)
        assert f"1 of {most} files failed: 0027.npy" in done.stderr
        records = json.loads(done.stdout)
        assert [record["input"] for record in records] == [f"{n:04}.npy" for n in range(most)]
        failed = [record for record in records if record["error"]]
        assert [record["input"] for record in failed] == ["0027.npy"]
        assert f"error: {failed[0]['error']}" in done.stderr
        found.append([{**record, "output": None, "seconds": None} for record in records])
    assert found[0] == found[1]
    outputs = sorted((tmp_path / "1").iterdir())
    assert len(outputs) == most - 1
    for path in outputs:
        assert_array_equal(np.load(path), np.load(tmp_path / "2" / path.name))


INTERRUPTS = [(signal.SIGINT, 130, again) for again in (None, 0.0, 0.03)]
OTHERS = [(signal.SIGTERM, 143, 0.0), (signal.SIGHUP, 129, None)]


@pytest.mark.parametrize(("number", "code", "again"), INTERRUPTS + OTHERS)
def test_a_signal_ends_all_and_leaves_whole_files(folder, tmp_path, number, code, again):
    started = begin(folder, tmp_path / "out")
    wait_for_outputs(tmp_path / "out", started)
    for delay in (0.0, again):
        if delay is not None:
            time.sleep(delay)
            os.kill(started.pid, number)
    _, errors = started.communicate(timeout=30)
    assert started.returncode == code
    said = ["interrupted: no output was left half-written"] if number == signal.SIGINT else []
    assert errors.decode().splitlines() == said
    assert_whole(tmp_path / "out")
