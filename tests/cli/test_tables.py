"""Tables on the command line: options, names in models, digits."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli import load_model

RNG = np.random.default_rng(4)
ROWS = np.round(RNG.normal(size=(60, 1)) * [1.0, 2.0, -1.0] + 0.1 * RNG.normal(size=(60, 3)) + 5, 3)
FIT = ("--method", "pca", "--components", 1)


def write(name, rows, names=("x", "y", "z"), between=","):
    lines = [between.join(names)] if names else []
    lines += [between.join(f"{value:.3f}" for value in row) for row in rows]
    with open(name, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def numbers(name, skip=1):
    return np.loadtxt(name, delimiter=",", skiprows=skip)


@pytest.fixture
def model(cli):
    write("train.csv", ROWS)
    cli("fit", "train.csv", *FIT)
    return load_model("model.joblib")


def test_a_model_keeps_the_names_of_its_columns(cli, model):
    assert model.feature_names_ == ("x", "y", "z")
    write("no_names.csv", ROWS, None)
    cli("fit", "no_names.csv", *FIT, "-o", "none.joblib")
    assert load_model("none.joblib").feature_names_ is None
    assert "taken by" not in cli("denoise", "none.joblib", "train.csv").stderr


def test_columns_in_another_order_are_taken_by_name_and_come_back_in_theirs(cli, model):
    write("turned.csv", ROWS[:, [2, 0, 1]], ("z", "x", "y"))
    cli("denoise", "model.joblib", "train.csv")
    done = cli("denoise", "model.joblib", "turned.csv", "--residual", "left.csv")
    assert "taken by name" in done.stderr
    cleaned = numbers("train.denoised.csv")
    with open("turned.denoised.csv", encoding="utf-8") as file:
        assert file.readline() == "z,x,y\n"
    assert_array_equal(numbers("turned.denoised.csv"), cleaned[:, [2, 0, 1]])
    assert_allclose(
        numbers("left.csv") + numbers("turned.denoised.csv"), ROWS[:, [2, 0, 1]], atol=2e-4
    )
    score = [
        json.loads(
            cli("evaluate", "model.joblib", noisy, "--clean", clean, "--format", "json").stdout
        )["mse"]
        for noisy, clean in [("train.csv", "train.csv"), ("turned.csv", "train.csv")]
    ]
    assert score[0] == score[1] > 0


def test_an_update_and_a_comparison_take_columns_by_name_too(cli):
    write("train.csv", ROWS)
    write("turned.csv", ROWS[:, [1, 2, 0]], ("y", "z", "x"))
    many = ("--rff", 40, "--gamma", 0.1, "--ridge", 1, "--components", 3, "--keep-sums")
    for name in ("train.csv", "turned.csv"):
        cli("fit", "train.csv", *many, "-o", f"{name}.joblib")
        said = cli("fit", name, "--update", f"{name}.joblib").stderr
        assert ("taken by name" in said) == (name == "turned.csv")
    models = [load_model(f"{name}.joblib") for name in ("train.csv", "turned.csv")]
    assert_array_equal(models[0].denoise(ROWS), models[1].denoise(ROWS))
    results = [
        json.loads(
            cli(
                *("compare", "train.csv", name, "--clean", "train.csv", "--methods", "pca"),
                *("--components", 1, "--format", "json"),
            ).stdout
        )["results"][0]["mse_mean"]
        for name in ("train.csv", "turned.csv")
    ]
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("y", "z", "w"), "column 1 is 'y', which is column 2 of the training data: x,y,z"),
        (("x", "z", "q"), "column 2 is 'z', which is column 3"),
        (("x", "z", "z"), "column 2 is 'z', which is column 3"),
    ],
)
def test_the_same_names_for_other_columns_are_refused(cli, model, names, words):
    write("other.csv", ROWS, names)
    assert words in cli("denoise", "model.joblib", "other.csv", code=1).stderr


def test_more_columns_than_the_model_has_are_chosen_by_name(cli, model):
    write("more.csv", np.hstack([ROWS, ROWS[:, :1]]), ("x", "y", "z", "t"))
    said = cli("denoise", "model.joblib", "more.csv", code=1).stderr
    assert "--columns: x,y,z" in said
    cli("denoise", "model.joblib", "more.csv", "--columns", "x,y,z")


def test_other_names_are_said(cli, model):
    write("renamed.csv", ROWS, ("x", "height", "width"))
    said = cli("denoise", "model.joblib", "renamed.csv").stderr
    assert "column 2 is 'height' but was 'y' in the training data, and 1 more" in said


@pytest.mark.parametrize(
    ("axis", "code", "word"),
    [
        (("400", "405.0", "4.10e2"), 0, ""),
        (("400.00", "405.01", "410.00"), 0, "column 2 is '405.01' but was '405'"),
        (("405", "410", "415"), 1, "column 1 is '405', which is column 2"),
        (("410", "405", "400"), 0, "taken by name"),
    ],
)
def test_axes_are_compared_as_numbers(cli, axis, code, word):
    write("train.csv", ROWS, ("400", "405", "410"))
    write("new.csv", ROWS, axis)
    cli("fit", "train.csv", *FIT, "--header", "yes")
    said = cli("denoise", "model.joblib", "new.csv", "--header", "yes", code=code).stderr
    assert word in said
    assert word or "training data" not in said


def test_a_whole_file_of_an_instrument(cli):
    head = "Instrument,Model 7,,\nid,x,y,z\n,mV,mV,mV\n"
    rows = "".join(f"S{i},{a:.3f},{b:.3f},{c:.3f}\n" for i, (a, b, c) in enumerate(ROWS))
    with open("run.csv", "w", encoding="utf-8") as file:
        file.write(head + rows + "Mean,5,5,5\n")
    assert "took line 1 for a preamble" in cli("fit", "run.csv", *FIT).stderr
    assert "took" not in cli("fit", "run.csv", *FIT, "--force", "--quiet").stderr
    cli("denoise", "model.joblib", "run.csv", "--digits", 2)
    with open("run.denoised.csv", encoding="utf-8") as file:
        text = file.read()
    assert text.startswith(head)
    lines = text.removeprefix(head).splitlines()
    assert [line.split(",")[0] for line in lines] == [f"S{i}" for i in range(60)]
    assert {len(cell.split(".")[1]) for line in lines for cell in line.split(",")[1:]} == {2}
    values = np.array([[float(cell) for cell in line.split(",")[1:]] for line in lines])
    assert_allclose(values, load_model("model.joblib").denoise(ROWS), atol=0.0051)


def test_every_option_of_tables_is_there_for_every_command(cli):
    text = "".join(f"% {i}\nS{i};1.00{i % 10};-\n" for i in range(9))
    with open("odd.txt", "w", encoding="utf-8") as file:
        file.write(
            "a remark, and more\nof it;;;\n"
            + text
            + "".join(f"x;{v};{w}\n" for v, w in ROWS[:, :2])
        )
    given = ("--skip-rows", 2, "--comment", "%", "--na", "-", "--missing", "mean", "--labels", 1)
    given += ("--header", "no", "--decimal", ".", "--thousands", "'", "--delimiter", ";")
    cli("fit", "odd.txt", *FIT, *given)
    cli("denoise", "model.joblib", "odd.txt", *given)
    cli("evaluate", "model.joblib", "odd.txt", "--clean", "odd.txt", *given)
    cli("compare", "odd.txt", "--noise", 1, "--methods", "pca", "--components", 1, *given)
    with open("odd.denoised.txt", encoding="utf-8") as file:
        assert file.readline() == "a remark, and more\n"


@pytest.mark.parametrize("text", ["-1", "-1,-2", "2-,-3"])
def test_a_minus_before_a_column_is_explained(cli, text):
    write("train.csv", ROWS)
    said = cli("fit", "train.csv", "--columns", text, code=2).stderr
    assert "write ^" in said
    cli("fit", "train.csv", *FIT, "--columns", "^1")
    assert load_model("model.joblib").feature_names_ == ("y", "z")


def test_comparisons_name_the_kernel_of_a_fit_without_one_given(cli, samples):
    words = ["compare", "s_curve_train.csv", "s_curve_noisy.csv", "--clean", "s_curve_clean.csv"]
    words += ["--gamma", "1", "--ridge", "1", "--components", "3", "--rff", "60"]
    found = json.loads(cli(*words, "--format", "json").stdout)["results"]
    kernels = {row["method"]: row["kernel"] for row in found}
    assert kernels == {"ikpca": "gaussian", "kpca": "gaussian", "pca": None}
    cli("fit", "s_curve_train.csv", *words[5:])
    told = json.loads(cli("info", "model.joblib", "--format", "json").stdout)
    assert told["kernel"] == "gaussian"
