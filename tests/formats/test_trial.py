"""HDF5 files that would crash the library, or keep it busy without end, are refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import h5py
import numpy as np
import pytest

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import ReadOptions, read_rows
from ikpca_cli.formats.format import Input
from ikpca_cli.formats.hdf5 import trial
from tests.conftest import ROOT
from tests.formats.fuzz_hdf5 import KINDS

VALUES = np.arange(60.0).reshape(12, 5)


def written(path, kind, version="earliest"):
    with h5py.File(path, "w", libver=version) as file:
        KINDS[kind](file)
    return Input(str(path), str(path))


@pytest.mark.parametrize("version", ["earliest", "latest"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_damage_ends_the_process(tmp_path, kind, version):
    command = [sys.executable, "-m", "tests.formats.fuzz_hdf5", "--files", "150"]
    command += ["--kind", kind, "--version", version]
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert sum(counts.values()) == 150
    assert min(counts["read"], counts["refused"]) > 10


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("version", ["earliest", "latest"])
def test_only_files_without_doubtful_structures_go_without_a_trial(tmp_path, kind, version):
    file = written(tmp_path / "file.h5", kind, version)
    assert trial.is_plain(file) == (version == "earliest" and kind in ("plain", "chunked"))


def test_a_block_before_the_file_does_not_hide_its_version(tmp_path):
    path = tmp_path / "file.h5"
    for version, plain in (("earliest", True), ("latest", False)):
        with h5py.File(path, "w", libver=version, userblock_size=1024) as file:
            file["x"] = VALUES
        assert trial.is_plain(Input(str(path), "x")) is plain


@pytest.fixture
def asked(monkeypatch):
    """What is tried out, of which each second file ends the other process."""
    files = []
    trials = trial._Trials()
    ask = trials._ask

    def asked(request):
        files.append(request[0].name)
        if len(files) % 2 == 0:
            trials._process.kill()
        return ask(request)

    monkeypatch.setattr(trials, "_ask", asked)
    monkeypatch.setattr(trial, "_TRIALS", trials)
    yield files
    trials.end()


def test_the_files_after_one_that_ends_the_other_process_are_read(tmp_path, asked):
    path = tmp_path / "file.h5"
    written(path, "virtual")
    for time in range(6):
        if time % 2:
            with pytest.raises(InputError, match=r"file\.h5: is damaged: .* crashes"):
                read_rows(str(path), ReadOptions(dataset="x"))
        else:
            with read_rows(str(path), ReadOptions(dataset="x")) as rows:
                np.testing.assert_array_equal(rows.read(), VALUES)
    assert len(asked) == 6


def test_a_file_that_takes_too_long_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "file.h5"
    os.mkfifo(path)  # opening it waits for a writer, who never comes
    monkeypatch.setattr(trial, "SECONDS", 0.2)
    with pytest.raises(InputError, match=r"file\.h5: is damaged: .* never ends"):
        trial.try_out(Input(str(path), str(path)), ReadOptions())


def test_files_are_read_without_a_trial_where_no_process_can_begin(tmp_path, monkeypatch):
    path = tmp_path / "file.h5"
    written(path, "virtual")
    monkeypatch.setattr(trial, "_TRIALS", trial._Trials())
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with read_rows(str(path), ReadOptions(dataset="x")) as rows:
        np.testing.assert_array_equal(rows.read(), VALUES)


def test_bytes_of_a_pipe_are_tried_out_as_well(tmp_path, asked):
    content = (tmp_path / "file.h5", written(tmp_path / "file.h5", "virtual"))[0].read_bytes()
    file = Input("-", "standard input", content)
    trial.try_out(file, ReadOptions(dataset="x"))
    assert asked == ["standard input"]


def test_a_dataset_that_is_not_asked_for_is_not_opened(tmp_path, monkeypatch):
    path = tmp_path / "file.h5"
    written(path, "plain")
    opened = []
    real = h5py.Group.__getitem__

    def getitem(group, name):
        opened.append(str(name))
        return real(group, name)

    monkeypatch.setattr(h5py.Group, "__getitem__", getitem)
    with read_rows(str(path), ReadOptions(dataset="x")) as rows:
        assert rows.layout.others == ("group/t",)
    assert not any(name.endswith("t") for name in opened)
