"""Batches and updates beside each other, files that fail in a batch, and who may read a model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from ikpca_cli.cli.batch import cleaning
from ikpca_cli.formats.arrays import ReadOptions, read_rows
from ikpca_cli.modelfile.storage import load_model
from tests.conftest import ROOT

SUMS = ("--rff", "20", "--gamma", "0.1", "--ridge", "1", "--components", "3", "--keep-sums")
PCA = ("--method", "pca", "--components", "2")


@pytest.fixture
def rows(tmp_path):
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).normal(size=(20, 5)))
    return tmp_path / "rows.npy"


def test_of_updates_side_by_side_none_is_lost_without_a_word(rows, cli, tmp_path):
    cli(
        "fit",
        "rows.npy",
        *["--rff", "20", "--gamma", "0.1", "--ridge", "1", "--components", "3", "--keep-sums"],
    )
    before = load_model("model.joblib").n_samples_
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "ikpca_cli", "fit", "rows.npy", "--update", "model.joblib"]
    running = [
        subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    errors = [process.communicate()[1] for process in running]
    done = sum(process.returncode == 0 for process in running)
    assert done >= 1
    assert load_model("model.joblib").n_samples_ == before + 20 * done
    for process, error in zip(running, errors, strict=True):
        assert process.returncode == 0 or "changed by someone else meanwhile" in error
    assert [path.name for path in tmp_path.glob(".ikpca*")] == []


def test_an_update_does_not_overwrite_what_came_meanwhile(rows, cli, monkeypatch):
    cli(
        "fit",
        "rows.npy",
        *["--rff", "20", "--gamma", "0.1", "--ridge", "1", "--components", "3", "--keep-sums"],
    )
    from ikpca_cli.estimators.ikpca import IKPCA

    update = IKPCA.partial_fit

    def slow(self, *args, **options):
        other = load_model("model.joblib")
        update(other, np.load("rows.npy"))
        from ikpca_cli.modelfile.storage import save_model

        save_model("model.joblib", other, force=True)
        return update(self, *args, **options)

    monkeypatch.setattr(IKPCA, "partial_fit", slow)
    result = cli("fit", "rows.npy", "--update", "model.joblib", code=1)
    assert "changed by someone else meanwhile, so this update of it is not written" in result.stderr
    assert load_model("model.joblib").n_samples_ == 40


def test_an_output_that_another_batch_made_meanwhile_is_skipped(rows, cli, tmp_path, monkeypatch):
    cli("fit", "rows.npy", *PCA)
    for name in "abc":
        np.save(f"{name}.npy", np.load(rows))
    Path("a.denoised.npy").write_bytes(b"first")
    model_of = cleaning.model_of

    def meanwhile(path):
        Path("b.denoised.npy").write_bytes(b"theirs")
        return model_of(path)

    result = None

    def begin(job, progress, clean=cleaning.clean):
        with monkeypatch.context() as patch:
            if job.source == "b.npy":
                patch.setattr(cleaning, "model_of", meanwhile)
            return clean(job, progress)

    monkeypatch.setattr("ikpca_cli.cli.batch.parallel.clean", begin)
    command = ("denoise", "model.joblib", "a.npy", "b.npy", "c.npy", "--skip-existing")
    result = cli(*command, "--jobs", "1")
    assert "skipped 2 of 3 files, whose outputs exist" in result.stderr
    assert Path("a.denoised.npy").read_bytes() == b"first"
    assert Path("b.denoised.npy").read_bytes() == b"theirs"
    assert np.load("c.denoised.npy").shape == (20, 5)
    Path("a.denoised.npy").unlink()
    Path("a.denoised.npy").mkdir()
    assert "a.denoised.npy: is a folder" in cli(*command, code=1).stderr


@pytest.mark.parametrize("error", [ValueError("odd"), KeyError("x"), MemoryError(), OSError("bad")])
def test_whatever_goes_wrong_with_one_file_the_others_are_done(rows, cli, monkeypatch, error):
    from ikpca_cli.estimators.pca import PCA as Method

    cli("fit", "rows.npy", *PCA)
    np.save("bad.npy", np.full((3, 5), 1e6))
    flagged = Method.flagged_blocks

    def fail(self, samples, **options):
        if samples.shape[0] == 3:
            raise error
        return flagged(self, samples, **options)

    monkeypatch.setattr(Method, "flagged_blocks", fail)
    np.save("also.npy", np.load("rows.npy"))
    result = cli("denoise", "model.joblib", "rows.npy", "bad.npy", "also.npy", code=1)
    assert "error: bad.npy: " in result.stderr
    assert "1 of 3 files failed: bad.npy" in result.stderr
    assert Path("also.denoised.npy").exists()


@pytest.mark.parametrize("transpose", [False, True])
def test_a_file_that_is_cut_short_while_it_is_read_fails_alone(tmp_path, transpose):
    path = tmp_path / "long.npy"
    np.save(path, np.zeros((4000, 3000)))
    with read_rows(str(path), ReadOptions(transpose=transpose)) as samples:
        assert samples[0:2].shape[0] == 2
        os.truncate(path, 10_000)
        with pytest.raises(ValueError, match=r"long.npy: cannot be read further: .*cut short"):
            samples[samples.shape[0] - 5 : samples.shape[0]]


def test_a_model_that_shows_private_rows_is_told(rows, cli, tmp_path):
    exact = ("--method", "kpca", "--gamma", "0.1", "--components", "2", "--ridge", "1")
    rows.chmod(0o600)
    old = os.umask(0o022)
    try:
        told = cli("fit", "rows.npy", *exact).stderr
        assert "model.joblib: holds rows of rows.npy, and can be read by others" in told
        Path("model.joblib").chmod(0o600)
        assert "can be read by others" not in cli("fit", "rows.npy", *exact, "--force").stderr
        assert Path("model.joblib").stat().st_mode & 0o777 == 0o600
        assert "can be read" not in cli("fit", "rows.npy", *PCA, "-o", "pca.joblib").stderr
        rows.chmod(0o644)
        assert "can be read" not in cli("fit", "rows.npy", *exact, "-o", "open.joblib").stderr
    finally:
        os.umask(old)


def test_a_folder_in_the_place_of_a_file(rows, cli):
    cli("fit", "rows.npy", *PCA)
    Path("empty").mkdir()
    for name in ("empty", "empty/.", "/"):
        assert "is a folder" in cli("denoise", "model.joblib", name, code=1).stderr
        assert "is a folder" in cli("fit", name, "-o", "other.joblib", code=1).stderr


def test_names_where_there_are_none(rows, cli):
    for command in (["fit"], ["evaluate", "model.joblib"], ["denoise", "model.joblib"]):
        if command == ["evaluate", "model.joblib"]:
            cli("fit", "rows.npy", *PCA)
        for how in (["rows.npy::nope"], ["rows.npy", "--dataset", "nope"]):
            assert "have no names: leave --dataset out" in cli(*command, *how, code=2).stderr


def test_what_is_left_out_is_said_once_for_a_batch(rows, cli):
    cli("fit", "rows.npy", *PCA)
    for name in ("a.h5", "b.h5"):
        with h5py.File(name, "w") as file:
            file["signal"], file["rate"] = np.load(rows), 360.0
    result = cli("denoise", "model.joblib", "a.h5", "b.h5")
    assert result.stderr.count("outputs hold the cleaned array alone, not what else is") == 1
