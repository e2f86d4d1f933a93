"""--update, --keep-sums, --jobs, --dtype and --landmarks on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli import load_model

PUBLISHED = ("--rff", 30, "--gamma", 0.3, "--ridge", 0.5, "--components", 4, "--noise-std", 0.1)


@pytest.fixture
def train(cli, arcs, tmp_path):
    np.save(tmp_path / "first.npy", arcs[0][:70])
    np.save(tmp_path / "more.npy", arcs[0][70:])
    return tmp_path


def test_update_in_place_and_elsewhere(cli, train):
    cli("fit", "first.npy", "--keep-sums", *PUBLISHED)
    before = Path("model.joblib").read_bytes()
    shown = cli("fit", "more.npy", "--update", "model.joblib", "-o", "b.joblib", "--format", "json")
    record = json.loads(shown.stdout)
    assert (record["n_samples"], record["model"]) == (120, "b.joblib")
    assert Path("model.joblib").read_bytes() == before
    cli("fit", "more.npy", "--update", "model.joblib")
    assert Path("model.joblib").read_bytes() == Path("b.joblib").read_bytes()
    np.save(train / "one.npy", np.load(train / "more.npy")[:1])
    cli("fit", "one.npy", "--update", "b.joblib")
    assert load_model("b.joblib").n_samples_ == 121


def test_update_that_cannot_be(cli, train):
    cli("fit", "first.npy", *PUBLISHED)
    assert "--keep-sums" in cli("fit", "more.npy", "--update", "model.joblib", code=2).stderr
    cli("fit", "first.npy", "--keep-sums", *PUBLISHED, "-o", "sums.joblib")
    before = Path("sums.joblib").read_bytes()
    for option in (("--gamma", 1), ("--components", 3), ("--method", "pca"), ("--seed", 2)):
        shown = cli("fit", "more.npy", "--update", "sums.joblib", *option, code=2)
        assert f"leave {option[0]} out" in shown.stderr
    cli("fit", "first.npy", "--method", "pca", "--components", 2, "-o", "pca.joblib")
    shown = cli("fit", "more.npy", "--update", "pca.joblib", code=2)
    assert "pca cannot learn from more rows" in shown.stderr
    cli("fit", "more.npy", "--update", "sums.joblib", "-o", "model.joblib", code=1)
    cli("fit", "missing.npy", "--update", "sums.joblib", code=1)
    assert Path("sums.joblib").read_bytes() == before
    assert (
        "no sums"
        in cli("fit", "first.npy", "--method", "pca", "--keep-sums", "-o", "x", code=2).stderr
    )


def test_jobs_give_one_answer(cli, train):
    models = []
    for jobs in (1, 2):
        cli("fit", "first.npy", *PUBLISHED, "--jobs", jobs, "-o", f"{jobs}.joblib")
        models.append(Path(f"{jobs}.joblib").read_bytes())
    assert models[0] == models[1]
    cli("fit", "first.npy", "--jobs", 0, code=2)
    given = ("--clean", "mean", "--methods", "pca", "--components", 2, "--format", "json")
    cli("compare", "first.npy", *given, "--jobs", 2)


def test_single_precision(cli, train):
    for dtype in ("float32", "float64"):
        given = ("--rff", 120, *PUBLISHED[2:])  # more than what a file has besides
        cli("fit", "first.npy", *given, "--dtype", dtype, "-o", f"{dtype}.joblib")
        cli("denoise", f"{dtype}.joblib", "more.npy", "-o", f"{dtype}.npy")
    assert_allclose(np.load("float32.npy"), np.load("float64.npy"), atol=1e-4)
    sizes = [Path(f"{dtype}.joblib").stat().st_size for dtype in ("float32", "float64")]
    assert sizes[0] < 0.75 * sizes[1]
    shown = cli("fit", "first.npy", "--dtype", "float16", "-o", "x.joblib", code=2)
    assert "'float64' or 'float32'" in shown.stderr


def test_landmarks(cli, train):
    given = ("--method", "kpca", "--components", 3, "--gamma", 0.3, "--ridge", 0.1)
    cli("fit", "first.npy", *given, "--landmarks", 20)
    assert load_model("model.joblib").rows_.shape == (20, 5)
    assert (
        "whole number of 1 or more, or 'all'"
        in cli("fit", "first.npy", *given[:2], "--landmarks", "few", code=2).stderr
    )
    assert "does not apply" in cli("fit", "first.npy", "--landmarks", 20, code=2).stderr
    shown = cli(
        *("compare", "first.npy", "--clean", "mean", "--methods", "kpca,pca", "--landmarks", 20),
        *("--components", "2,3", "--ridge", "kpca:0.1", "--gamma", "kpca:0.3", "--format", "json"),
    )
    assert [row["mse_mean"] > 0 for row in json.loads(shown.stdout)["results"]] == [True] * 4
