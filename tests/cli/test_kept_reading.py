"""What was told of how training tables are read, which a model keeps for other tables."""

from __future__ import annotations

import json

import joblib
import numpy as np
import pytest

from ikpca_cli.errors import ModelError
from ikpca_cli.modelfile.model_file import read_model

RNG = np.random.default_rng(11)
ROWS = np.round(RNG.normal(size=(40, 1)) * [1.0, 2.0, -1.0] + 0.1 * RNG.normal(size=(40, 3)) + 5, 3)
FIT = ("--method", "pca", "--components", 1)


def table(name, top=(), first="a", cell=None):
    lines = [f"{first}{place}," + ",".join(map(str, row)) for place, row in enumerate(ROWS)]
    if cell is not None:
        lines[3] = cell
    with open(name, "w", encoding="utf-8") as file:
        file.write("\n".join([*top, *lines]) + "\n")


def test_denoise_needs_nothing_but_the_model_and_the_file(cli):
    table("train.csv", ("1,2,3,4", "5,6,7,8"), first="", cell="3,5.1,OVER,4.2")
    options = ("--skip-rows", 2, "--labels", "1", "--na", "OVER", "--header", "no")
    cli("fit", "train.csv", *FIT, *options, "--missing", "drop")
    given = cli(
        "denoise", "model.joblib", "train.csv", *options, "--missing", "drop", "-o", "a.csv"
    )
    kept = cli("denoise", "model.joblib", "train.csv", "--missing", "drop", "-o", "b.csv")
    with open("a.csv", "rb") as one, open("b.csv", "rb") as other:
        assert one.read() == other.read()
    assert "as the training data were" not in given.stderr
    assert "--skip-rows 2" in kept.stderr
    assert "as the training data were" in kept.stderr
    score = cli(
        "evaluate", "model.joblib", "train.csv", "--missing", "drop", "--format", "json", "-q"
    )
    assert json.loads(score.stdout)["n_samples"] == 39
    info = json.loads(cli("info", "model.joblib", "--format", "json").stdout)
    assert "--skip-rows 2" in cli("info", "model.joblib").stdout
    assert info["reading"] == {"skip_rows": 2, "labels": "1", "na": "OVER", "header": "no"}


def test_what_is_given_comes_before_what_is_kept(cli):
    table("train.csv", ("1,2,3,4",))
    table("plain.csv")
    cli("fit", "train.csv", *FIT, "--skip-rows", 1, "--labels", "1")
    cli("denoise", "model.joblib", "plain.csv", "--skip-rows", 0, "--labels", "", "-o", "all.csv")
    with open("all.csv", encoding="utf-8") as file:
        assert sum(1 for _ in file) == 40
    refused = cli("denoise", "model.joblib", "plain.csv", "--columns", "9", "-o", "x.csv", code=1)
    assert "--columns 9" in refused.stderr


def test_a_kept_option_that_does_not_fit_a_file_is_named(cli):
    table("train.csv")
    cli("fit", "train.csv", *FIT, "--columns", "2-4")
    np.savetxt("narrow.csv", ROWS, delimiter=",", fmt="%.3f")
    refused = cli("denoise", "model.joblib", "narrow.csv", code=1)
    assert refused.stderr.count("\n") == 1
    assert "read with --columns 2-4, as the training data were" in refused.stderr


@pytest.mark.parametrize("top", [(), ("name,x,y,z",), ("# by hand",)])
def test_rows_that_a_kept_option_leaves_out_are_told(cli, top):
    table("train.csv", ("by hand", "on Monday"))
    cli("fit", "train.csv", *FIT, "--skip-rows", 2)
    table("other.csv", top)
    said = cli("denoise", "model.joblib", "other.csv").stderr
    assert "warning: other.csv: line" in said
    assert "looks like a row and is not cleaned" in said
    table("other.csv", ("by hand", "on Tuesday"))
    assert "looks like a row" not in cli("denoise", "model.joblib", "other.csv", "-f").stderr


def test_files_of_other_kinds_are_none_of_its_business(cli):
    table("train.csv", ("1,2,3,4",))
    cli("fit", "train.csv", *FIT, "--skip-rows", 1)
    np.save("rows.npy", ROWS)
    assert "--skip-rows" not in cli("denoise", "model.joblib", "rows.npy").stderr
    assert np.load("rows.denoised.npy").shape == ROWS.shape
    refused = cli("denoise", "model.joblib", "rows.npy", "--na", "x", "-f", code=2)
    assert "--na" in refused.stderr


def test_rows_that_a_model_learns_from_later_are_read_like_those_before(cli):
    table("train.csv", ("1,2,3,4",))
    options = ("--rff", 40, "--ridge", 1, "--inverse", "paper", "--keep-sums", "--skip-rows", 1)
    cli("fit", "train.csv", *options)
    cli("fit", "train.csv", "--update", "model.joblib")
    info = json.loads(cli("info", "model.joblib", "--format", "json").stdout)
    assert info["n_samples"] == 80
    assert info["reading"] == {"skip_rows": 1}


@pytest.mark.parametrize(
    "reading",
    [{"skip_rows": "2"}, {"skip_rows": -1}, {"na": "\x1b[2J"}, {"x": 1}, {"header": "no!"}, 3],
)
def test_a_model_file_cannot_bring_other_options(cli, reading):
    table("train.csv")
    cli("fit", "train.csv", *FIT)
    content = joblib.load("model.joblib") | {"reading": reading}
    del content["checksum"]
    joblib.dump(content, "model.joblib", protocol=4)
    with pytest.raises(ModelError, match="is damaged"):
        read_model("model.joblib")


def test_marks_that_another_table_does_not_have_are_not_obeyed(cli):
    table("train.csv")
    with open("train.csv") as file, open("comma.csv", "w") as other:
        other.write(file.read().replace(",", ";").replace(".", ","))
    cli("fit", "comma.csv", *FIT, "--decimal", ",", "--labels", "1", "--header", "no")
    (line,) = cli("denoise", "model.joblib", "train.csv", code=1).stderr.splitlines()
    assert "and would be" in line
    assert "with --decimal , as in the training data; give --decimal . or --decimal ," in line
    cli("denoise", "model.joblib", "train.csv", "--decimal", ".", "-o", "a.csv")
    cli("denoise", "model.joblib", "comma.csv", "-o", "b.csv")
    with open("a.csv") as one, open("b.csv") as other:
        assert one.read().replace(",", ";").replace(".", ",") == other.read()


def test_nothing_told_is_nothing_kept(cli):
    table("train.csv")
    cli("fit", "train.csv", *FIT, "--header", "auto", "--skip-rows", 0, "--na", "")
    assert read_model("model.joblib").reading is None
