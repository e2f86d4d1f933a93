"""What is known of the noise, given on the command line."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest

from ikpca_cli.modelfile.storage import load_model

COLUMNS = 40


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write rows with a level for each column, those levels, and rows of noise alone."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(np.random.SeedSequence([91]))
    levels = np.linspace(0.1, 0.6, COLUMNS)
    clean = np.sin(np.linspace(0, 6, COLUMNS) + rng.uniform(0, 6, (120, 1)))
    np.save("rows.npy", clean + levels * rng.normal(size=clean.shape))
    np.save("noise.npy", levels * rng.normal(size=(200, COLUMNS)))
    np.save("levels.npy", levels[None])
    np.save("short.npy", levels[None, :5])
    return tmp_path


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (["--noise-std", "levels.npy"], "columns"),
        (["--noise-rows", "noise.npy"], "correlated"),
        (["--noise-rows", "noise.npy", "--noise-model", "columns"], "columns"),
        (["--noise-model", "white"], "white"),
    ],
)
def test_what_is_given_is_kept_in_the_model(cli, files, given, kind):
    result = cli("fit", "rows.npy", "--method", "pca", "--format", "json", "-q", *given)
    assert json.loads(result.stdout)["noise_model"] == kind
    again = cli("info", "model.joblib", "--format", "json")
    assert json.loads(again.stdout)["noise_model"] == kind
    if kind != "white":
        assert json.loads(again.stdout)["noise_std"] == pytest.approx(0.38, rel=0.15)


@pytest.mark.parametrize("form", ["vector.npy", "column.npy", "row.csv", "column.csv", "train.h5"])
def test_levels_may_stand_in_any_form_beside_any_rows(cli, files, form):
    levels = np.linspace(0.1, 0.6, COLUMNS)
    np.save("vector.npy", levels)
    np.save("column.npy", levels[:, None])
    np.savetxt("row.csv", levels[None], delimiter=",")
    np.savetxt("column.csv", levels)
    with h5py.File("train.h5", "w") as file:
        file["signal"], file["levels"] = np.load("rows.npy"), levels
    given = "train.h5::levels" if form == "train.h5" else form
    cli("fit", "train.h5", "--dataset", "signal", "--method", "pca", "--noise-std", given)
    once = load_model("model.joblib")
    np.testing.assert_allclose(once.column_stds_ / once.column_stds_[0], levels / levels[0])
    rows = "".join(
        f"x{i}," + ",".join(map(str, row)) + "\n" for i, row in enumerate(np.load("rows.npy"))
    )
    (files / "rows.csv").write_text(rows)
    options = ("--labels", 1, "--header", "no", "--method", "pca", "-f")
    cli("fit", "rows.csv", *options, "--noise-std", given)
    np.testing.assert_allclose(load_model("model.joblib").column_stds_, once.column_stds_)


def test_rows_of_noise_may_lie_in_a_folder_and_one_row_alone_tells_a_level(cli, files):
    noise = np.load("noise.npy")
    (files / "blanks").mkdir()
    for place, part in enumerate(np.split(noise, 4)):
        np.save(f"blanks/{place}.npy", part)
    models = []
    for given in ("noise.npy", "blanks"):
        cli("fit", "rows.npy", "--method", "pca", "--noise-rows", given, "-f", "-q")
        models.append(load_model("model.joblib").noise_covariance_)
    np.testing.assert_array_equal(*models)
    np.save("one.npy", noise[:1])
    refused = cli("fit", "rows.npy", "--noise-rows", "one.npy", "-f", code=1).stderr
    assert f"--noise-std {noise[0].std():.4g}" in refused


def test_a_file_of_levels_that_is_not_there_is_named(cli, files):
    (line,) = cli("fit", "rows.npy", "--noise-std", "nope.npy", code=1).stderr.splitlines()
    assert line == "error: nope.npy: there is no such file; check its path"
    assert "use a number" in cli("fit", "rows.npy", "--noise-std", "loud", code=2).stderr


def test_what_contradicts_itself_is_refused(cli, files):
    for level in ("levels.npy", "0.1"):
        words = ["--noise-std", level, "--noise-rows", "noise.npy"]
        assert "give one" in cli("fit", "rows.npy", *words, code=2).stderr
    cli("fit", "rows.npy", "--noise-rows", "noise.npy", "--noise-model", "counts", code=2)
    np.save("each.npy", np.full((120, COLUMNS), 0.2))
    each = cli("fit", "rows.npy", "--noise-std", "each.npy", code=1).stderr
    assert "holds 120 rows of 40 levels, and one for each column is taken" in each
    for option, file in (("--noise-std", "levels.npy"), ("--noise-rows", "noise.npy")):
        ranked = cli("fit", "rows.npy", "--method", "auto", option, file, code=2).stderr
        assert f"by one level of white noise, and not by {file}: name a method" in ranked
    short = cli("fit", "rows.npy", "--noise-std", "short.npy", code=1)
    assert "5" in short.stderr
