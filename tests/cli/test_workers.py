"""Many small files are cleaned by processes, which leave nothing half-written however they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ikpca_cli import IKPCA, save_model
from ikpca_cli.cli.batch.cleaning import Job
from ikpca_cli.cli.batch.parallel import clean_all
from ikpca_cli.cli.batch.workers import MANY_FILES, are_worth_it
from ikpca_cli.formats.layout import ReadOptions
from tests.conftest import ROOT
from tests.processes import PROGRAM, count, run, start, wait_until, words

COUNT = MANY_FILES + 200


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
    (folder / "0077.npy").write_bytes(b"\x93NUMPY")
    return folder


def batch(output, *more):
    """Return the arguments of a call that cleans all."""
    names = [f"{place:04}.npy" for place in range(COUNT)]
    return words("denoise m -q --jobs 2", *names, "--output-dir", output, *more)


def begin(folder, output):
    """Begin a batch in a session of its own, whose processes can be signalled together."""
    return start("", *batch(output), cwd=folder, start_new_session=True)


def children(process):
    """Return the process ids of a process's own processes."""
    path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return [int(word) for word in path.read_text().split()]


def wait_for_outputs(output, started, least=20):
    wait_until(lambda: count(output) >= least, started)


def assert_whole(output):
    for path in output.iterdir():
        assert path.suffix == ".npy"
        assert np.load(path).shape == (60, 120)


def is_running(pid):
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")")[-1].split()[0]
    except OSError:
        return False


def assert_end(pids):
    wait_until(lambda: not any(map(is_running, pids)))


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="there is no /proc")


def test_outputs_and_records_are_those_of_one_process(folder, tmp_path):
    found = []
    for jobs in (1, 2):
        arguments = batch(tmp_path / str(jobs), "--format", "json", "--jobs", jobs)
        done = run("", *arguments, cwd=folder, text=True, code=1)
        assert f"1 of {COUNT} files failed: 0077.npy" in done.stderr
        records = json.loads(done.stdout)
        found.append([{**record, "output": None, "seconds": None} for record in records])
    assert found[0] == found[1]
    outputs = sorted((tmp_path / "1").iterdir())
    assert len(outputs) == COUNT - 1
    for path in outputs:
        assert_array_equal(np.load(path), np.load(tmp_path / "2" / path.name))


INTERRUPTS = [
    (signal.SIGINT, 130, to_all, again) for to_all in (False, True) for again in (None, 0.0, 0.03)
]
OTHERS = [(signal.SIGTERM, 143, False, 0.0), (signal.SIGHUP, 129, True, None)]


@needs_proc
@pytest.mark.parametrize(("number", "code", "to_all", "again"), INTERRUPTS + OTHERS)
def test_a_signal_ends_all_and_leaves_whole_files(folder, tmp_path, number, code, to_all, again):
    started = begin(folder, tmp_path / "out")
    wait_for_outputs(tmp_path / "out", started)
    others = children(started)
    assert len(others) >= 2
    for delay in (0.0, again):
        if delay is not None:
            time.sleep(delay)
            (os.killpg if to_all else os.kill)(started.pid, number)
    _, errors = started.communicate(timeout=30)
    assert started.returncode in ((code,) if again is None else (code, -number))
    said = ["interrupted: no output was left half-written"] if number == signal.SIGINT else []
    assert errors.decode().splitlines() in (said, [] if again is not None else said)
    assert_end(others)
    assert_whole(tmp_path / "out")


@needs_proc
def test_a_process_that_is_killed_is_told_of(folder, tmp_path):
    started = begin(folder, tmp_path / "out")
    wait_for_outputs(tmp_path / "out", started)
    os.kill(children(started)[-1], signal.SIGKILL)
    _, errors = started.communicate(timeout=30)
    assert started.returncode == 1
    assert b"a process that cleans files ended before its work was done" in errors
    assert b"Traceback" not in errors


@needs_proc
def test_processes_end_with_the_one_that_began_them(folder, tmp_path):
    started = begin(folder, tmp_path / "out")
    wait_for_outputs(tmp_path / "out", started)
    others = children(started)
    started.kill()
    started.communicate(timeout=30)
    assert_end(others)


def test_a_file_that_is_named_like_a_module_is_not_run(folder, tmp_path):
    for name in ("signal", "socket", "pickle"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('it was run')")
    names = [str(folder / f"{place:04}.npy") for place in range(COUNT) if place != 77]
    arguments = [*PROGRAM[:1], "-P", *PROGRAM[1:], "denoise", str(folder / "m"), *names]
    arguments += ["--output-dir", "out", "-q", "--jobs", "2"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(arguments, cwd=tmp_path, env=environment, capture_output=True)
    assert done.stderr == b""
    assert len(list((tmp_path / "out").iterdir())) == COUNT - 1


@pytest.fixture
def few(folder, tmp_path, monkeypatch):
    """Three files that count as many."""
    monkeypatch.setattr("ikpca_cli.cli.batch.workers.MANY_FILES", 2)
    monkeypatch.setattr("ikpca_cli.cli.batch.workers._SOME", 2)
    return [
        Job(str(folder / "m"), str(folder / name), str(tmp_path / name), ReadOptions())
        for name in ("0001.npy", "0002.npy", "0003.npy")
    ]


def test_threads_do_it_where_processes_cannot_be_started(few, monkeypatch):
    def refuse(_method):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("ikpca_cli.cli.batch.workers.get_context", refuse)
    outcomes = list(clean_all(few, 2, lambda *_: None))
    assert [outcome.record["n_samples"] for outcome in outcomes] == [60, 60, 60]


def test_an_engine_that_is_active_in_joblib_takes_over(few, monkeypatch):
    monkeypatch.setattr("ikpca_cli.cli.batch.workers.clean_in_processes", None)
    with joblib.parallel_config(backend="threading"):
        outcomes = list(clean_all(few, 2, lambda *_: None))
    assert [outcome.record["n_samples"] for outcome in outcomes] == [60, 60, 60]


def test_processes_are_for_many_small_files_alone(folder, monkeypatch):
    jobs = [
        Job(str(folder / "m"), str(folder / f"{place:04}.npy"), "x", ReadOptions())
        for place in range(COUNT)
    ]
    assert are_worth_it(jobs)
    assert not are_worth_it(jobs[: MANY_FILES - 1])
    monkeypatch.setattr("ikpca_cli.cli.batch.workers.LARGEST_MODEL", 1000)
    assert not are_worth_it(jobs)
    monkeypatch.undo()
    monkeypatch.setattr("ikpca_cli.cli.batch.workers.SMALL_FILE", 1000)
    assert not are_worth_it(jobs)
