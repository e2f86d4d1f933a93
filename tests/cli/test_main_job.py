"""The four commands on real input: what they print, write and choose."""

from __future__ import annotations

import csv
import io
import json

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli import IKPCA, load_model
from ikpca_cli.estimators.methods import METHODS


def output(cli, *args):
    return json.loads(cli(*args, "--format", "json").stdout)


@pytest.mark.parametrize("method", METHODS)
def test_fit_denoise_evaluate_agree_with_the_library(cli, samples, method):
    fitted = output(cli, "fit", "ecg_train.npy", "--method", method)
    assert fitted.keys() >= {
        "method",
        "n_samples",
        "n_features",
        "n_rff",
        "gamma",
        "ridge",
        "n_components",
        "seed",
        "noise_std",
        "seconds",
        "model",
    }
    shape = (fitted["n_samples"], fitted["n_features"])
    assert (fitted["method"], shape) == (method, np.load("ecg_train.npy").shape)
    assert fitted["noise_std"] == pytest.approx(0.15, rel=0.1)
    cli("denoise", "model.joblib", "ecg_noisy.npy")
    noisy, clean = np.load("ecg_noisy.npy"), np.load("ecg_clean.npy")
    cleaned = np.load("ecg_noisy.denoised.npy")
    assert cleaned.dtype == noisy.dtype
    assert_array_equal(cleaned, load_model("model.joblib").denoise(noisy).astype(noisy.dtype))
    score = output(cli, "evaluate", "model.joblib", "ecg_noisy.npy", "--clean", "ecg_clean.npy")
    assert score["n_samples"] == len(noisy)
    assert score["mse"] == pytest.approx(np.mean((cleaned - clean) ** 2.0), rel=1e-4)
    assert score["mse_noisy"] == pytest.approx(np.mean((noisy - clean) ** 2.0), rel=1e-4)
    assert score["snr_gain_db"] == pytest.approx(10 * np.log10(score["mse_noisy"] / score["mse"]))
    assert score["mse"] < score["mse_noisy"] / 3


def test_what_fit_prints_repeats_the_run(cli, all_samples):
    for method in METHODS:
        first = output(cli, "fit", "s_curve_train.csv", "--method", method, "-o", f"{method}.a")
        given = {
            "--gamma": "gamma",
            "--ridge": "ridge",
            "--components": "n_components",
            "--rff": "n_rff",
            "--second-gamma": "second_gamma",
            "--shrink": "shrink",
            "--latent-gamma": "latent_gamma",
            "--noise-std": "noise_std",
        }
        # Where all components are weighed, their number is a result and no parameter.
        weighed = first["n_rff"] == "exact" or first["shrink"] == "optimal"
        options = [
            word
            for option, key in given.items()
            if first[key] is not None and (option != "--components" or not weighed)
            for word in (option, first[key])
        ]
        output(cli, "fit", "s_curve_train.csv", "--method", method, "-o", f"{method}.b", *options)
        rows = np.loadtxt("s_curve_noisy.csv", delimiter=",", skiprows=1)
        assert_array_equal(
            load_model(f"{method}.a").denoise(rows), load_model(f"{method}.b").denoise(rows)
        )


def test_fit_uses_what_is_given(cli, all_samples):
    options = [
        "--rff",
        64,
        "--gamma",
        0.5,
        "--ridge",
        2,
        "--components",
        4,
        "--seed",
        7,
        "--noise-std",
        0.25,
        "--kernel",
        "laplacian",
    ]
    fitted = output(cli, "fit", "s_curve_train.csv", *options)
    expected = {
        "n_rff": 64,
        "gamma": 0.5,
        "ridge": 2.0,
        "n_components": 4,
        "seed": 7,
        "noise_std": 0.25,
        "kernel": "laplacian",
    }
    assert {key: fitted[key] for key in expected} == expected
    rows = np.loadtxt("s_curve_train.csv", delimiter=",", skiprows=1)
    same = IKPCA(4, n_rff=64, gamma=0.5, ridge=2.0, seed=7, kernel="laplacian").fit(rows)
    assert_array_equal(load_model("model.joblib").denoise(rows), same.denoise(rows))


def test_one_seed_gives_the_same_file(cli, samples):
    for name in ("a", "b"):
        cli("fit", "s_curve_train.csv", "-o", name, "--seed", 3, "--gamma", 0.5)
    assert (samples / "a").read_bytes() == (samples / "b").read_bytes()


def test_defaults_print_what_was_chosen(cli, all_samples):
    text = cli("fit", "s_curve_train.csv").stdout
    assert text.count("chosen from the rows") == 5
    model = load_model("model.joblib")
    assert f"{model.gamma_:.4g}" in text
    assert f"{model.noise_std_:.4g}" in text
    assert f"{model.estimated_mse_:.4g}" in text


def test_csv_and_hdf5_come_back_as_they_were(cli, samples):
    cli("fit", "s_curve_train.csv", "--gamma", 0.5)
    cli("denoise", "model.joblib", "s_curve_noisy.csv")
    lines = (samples / "s_curve_noisy.denoised.csv").read_text().splitlines()
    assert lines[0] == "x,y,z"
    assert len(lines) == len((samples / "s_curve_noisy.csv").read_text().splitlines())
    cli("fit", "digits.h5", "--dataset", "train", "--method", "pca", "-o", "digits.joblib")
    cli("denoise", "digits.joblib", "digits.h5::noisy", "-o", "out.h5")
    with h5py.File("out.h5") as file:
        assert file["noisy"].shape == (100, 8, 8)
        assert file["noisy"].dtype == np.float32
    score = output(
        cli, "evaluate", "digits.joblib", "digits.h5::noisy", "--clean", "digits.h5::clean"
    )
    assert score["mse"] < score["mse_noisy"] / 2


def test_mean_of_the_noisy_rows_as_reference(cli, samples):
    cli("fit", "ecg_train.npy", "--method", "pca", "--components", 1)
    score = output(cli, "evaluate", "model.joblib", "ecg_noisy.npy", "--clean", "mean")
    noisy = np.load("ecg_noisy.npy").astype(float)
    assert score["mse_noisy"] == pytest.approx(np.mean((noisy - noisy.mean(axis=0)) ** 2))


def test_transposed_files(cli, samples):
    np.save("t.npy", np.load("ecg_train.npy").T)
    np.save("n.npy", np.load("ecg_noisy.npy").T)
    cli("fit", "t.npy", "--transpose", "--method", "pca")
    cli("denoise", "model.joblib", "n.npy", "--transpose")
    cli("fit", "ecg_train.npy", "--method", "pca", "-o", "plain.joblib")
    cli("denoise", "plain.joblib", "ecg_noisy.npy")
    assert_array_equal(np.load("n.denoised.npy").T, np.load("ecg_noisy.denoised.npy"))


def test_pipes(cli, samples):
    cli("fit", "-", "--method", "pca", stdin=(samples / "ecg_train.npy").read_bytes())
    noisy = (samples / "ecg_noisy.npy").read_bytes()
    result = cli("denoise", "model.joblib", "-", stdin=noisy)
    piped = np.load(io.BytesIO(result.stdout_bytes))
    cli("denoise", "model.joblib", "ecg_noisy.npy")
    assert_array_equal(piped, np.load("ecg_noisy.denoised.npy"))
    result = cli("denoise", "model.joblib", "ecg_noisy.npy", "-o", "-")
    assert_array_equal(np.load(io.BytesIO(result.stdout_bytes)), piped)


def test_batch_into_a_folder_goes_on_after_bad_files(cli, samples):
    cli("fit", "ecg_train.npy", "--method", "pca")
    np.save("narrow.npy", np.zeros((3, 4)))
    (samples / "empty.npy").write_bytes(b"")
    files = ["ecg_noisy.npy", "narrow.npy", "missing.npy", "empty.npy", "ecg_clean.npy"]
    result = cli("denoise", "model.joblib", *files, "--output-dir", "out/deep", code=1)
    assert sorted(p.name for p in (samples / "out/deep").iterdir()) == [
        "ecg_clean.denoised.npy",
        "ecg_noisy.denoised.npy",
    ]
    *lines, last = result.stderr.splitlines()
    errors = [line for line in lines if line.startswith("error")]
    assert len(errors) == 3
    assert last == "error: 3 of 5 files failed: narrow.npy, missing.npy, empty.npy"
    again = cli(
        "denoise",
        "model.joblib",
        *files[:1],
        files[4],
        "--output-dir",
        "out/deep",
        "--skip-existing",
        "--format",
        "json",
    )
    assert json.loads(again.stdout) == []


def test_two_inputs_for_one_output_are_refused(cli, samples):
    cli("fit", "ecg_train.npy", "--method", "pca")
    (samples / "sub").mkdir()
    (samples / "sub/ecg_noisy.npy").write_bytes((samples / "ecg_noisy.npy").read_bytes())
    result = cli(
        "denoise",
        "model.joblib",
        "ecg_noisy.npy",
        "sub/ecg_noisy.npy",
        "--output-dir",
        "out",
        code=2,
    )
    assert "would both be written to out/ecg_noisy.denoised.npy" in result.stderr
    assert not (samples / "out").exists()
    twice = cli("denoise", "model.joblib", "ecg_noisy.npy", "ecg_noisy.npy", code=2)
    assert "ecg_noisy.npy is named twice: name it once" in twice.stderr


def test_compare_shares_fits_and_equals_single_ones(cli, samples):
    options = ["--components", "2,5", "--ridge", "1,10", "--gamma", 0.5, "--rff", 64]
    results = output(
        cli,
        "compare",
        "s_curve_train.csv",
        "s_curve_noisy.csv",
        "--clean",
        "s_curve_clean.csv",
        *options,
    )["results"]
    assert [(r["method"], r["n_components"], r["ridge"]) for r in results] == [
        *[("ikpca", d, ridge) for d in (2, 5) for ridge in (1.0, 10.0)],
        *[("kpca", d, ridge) for d in (2, 5) for ridge in (1.0, 10.0)],
        ("pca", 2, None),
        ("pca", 5, None),
    ]
    assert results[0].keys() >= {
        "method",
        "n_components",
        "gamma",
        "ridge",
        "n_rff",
        "mse_mean",
        "mse_std",
        "runs",
        "fit_seconds",
        "denoise_seconds",
    }
    assert results[-1]["mse_mean"] is None
    assert results[-1]["note"] == "at most 3"
    for row in (results[2], results[7], results[8]):
        given = ["--components", row["n_components"]]
        if row["ridge"]:
            given += ["--gamma", 0.5, "--ridge", row["ridge"]]
        if row["n_rff"]:
            given += ["--rff", 64]
        cli("fit", "s_curve_train.csv", "--method", row["method"], *given, "-f")
        single = output(
            cli, "evaluate", "model.joblib", "s_curve_noisy.csv", "--clean", "s_curve_clean.csv"
        )
        assert row["mse_mean"] == pytest.approx(single["mse"], rel=1e-9)


def test_compare_names_the_file_that_it_fits_on(cli, samples):
    pair = ["s_curve_noisy.csv", "--clean", "s_curve_clean.csv"]
    for more in (pair, ["--noise", 0.1], ["--noise-std", 0.25]):
        said = cli("compare", "s_curve_train.csv", *more, "--noise-model", "counts", code=1).stderr
        assert "s_curve_train.csv: no noise of the kind counts" in said
    np.save("one.npy", np.ones((1, 4)))
    assert "one.npy has 1 row: at least 3" in cli("compare", "one.npy", "--noise", 1, code=1).stderr


@pytest.mark.parametrize("components", ["2,5", "5,2"])
def test_compare_takes_components_in_any_order(cli, samples, components):
    rows = output(
        cli,
        "compare",
        "s_curve_clean.csv",
        "--noise",
        0.25,
        "--methods",
        "pca,kpca",
        "--gamma",
        0.5,
        "--ridge",
        1,
        "--components",
        components,
    )["results"]
    found = {(row["method"], row["n_components"]): row["note"] for row in rows}
    assert found == {("pca", 2): "", ("pca", 5): "at most 3", ("kpca", 2): "", ("kpca", 5): ""}


def test_compare_draws_afresh_for_each_run(cli, samples):
    report = output(
        cli,
        "compare",
        "s_curve_clean.csv",
        "--noise",
        0.25,
        "--runs",
        4,
        "--train-size",
        300,
        "--test-size",
        80,
        "--components",
        3,
        "--rff",
        50,
        "--gamma",
        0.5,
        "--ridge",
        1,
    )
    for row in report["results"]:
        assert row["runs"] == 4
        assert 0 < row["mse_std"] < row["mse_mean"]
    assert report["mse_noisy"]["mse_mean"] == pytest.approx(0.0625, rel=0.15)
    fixed = output(
        cli,
        "compare",
        "s_curve_train.csv",
        "s_curve_noisy.csv",
        "--clean",
        "s_curve_clean.csv",
        "--runs",
        3,
        "--components",
        3,
        "--rff",
        50,
        "--gamma",
        0.5,
        "--ridge",
        1,
    )["results"]
    spread = {row["method"]: row["mse_std"] for row in fixed}
    assert spread["ikpca"] > 1e-6
    assert spread["pca"] == pytest.approx(0.0, abs=1e-15)


def test_compare_marks_the_best_row(cli, samples):
    text = cli(
        "compare",
        "s_curve_train.csv",
        "s_curve_noisy.csv",
        "--clean",
        "s_curve_clean.csv",
        "--components",
        "3,8",
        "--gamma",
        0.5,
        "--ridge",
        1,
    ).stdout
    starred = [line for line in text.splitlines() if " * " in line]
    assert len(starred) == 1
    rows = output(
        cli,
        "compare",
        "s_curve_train.csv",
        "s_curve_noisy.csv",
        "--clean",
        "s_curve_clean.csv",
        "--components",
        "3,8",
        "--gamma",
        0.5,
        "--ridge",
        1,
    )
    best = min(r["mse_mean"] for r in rows["results"] if r["mse_mean"] is not None)
    assert f"{best:.4g}" in starred[0]
    assert "at most 3" in text


def test_compare_values_for_one_method(cli, samples):
    rows = output(
        cli,
        "compare",
        "ecg_train.npy",
        "--clean",
        "mean",
        "--train-size",
        0.7,
        "--runs",
        2,
        "--components",
        1,
        "--gamma",
        "ikpca:5e-3",
        "--ridge",
        "ikpca:10",
        "--gamma",
        "kpca:10",
        "--ridge",
        "kpca:15",
        "--rff",
        512,
    )["results"]
    assert [(r["method"], r["gamma"], r["ridge"], r["n_rff"]) for r in rows] == [
        ("ikpca", 5e-3, 10.0, 512),
        ("kpca", 10.0, 15.0, None),
        ("pca", None, None, None),
    ]


def test_compare_pairs_clean_rows_with_splits(cli, all_samples):
    report = output(
        cli,
        "compare",
        "ecg_noisy.npy",
        "--clean",
        "ecg_clean.npy",
        "--methods",
        "pca",
        "--train-size",
        80,
        "--runs",
        3,
    )
    assert report["mse_noisy"]["mse_mean"] == pytest.approx(0.0225, rel=0.05)
    assert report["results"][0]["auto"] == ["n_components"]
    assert report["results"][0]["mse_mean"] < 0.01


def test_csv_reports_parse(cli, samples):
    text = cli(
        "compare",
        "s_curve_clean.csv",
        "--noise",
        0.1,
        "--methods",
        "pca",
        "--components",
        "1,2",
        "--format",
        "csv",
    ).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["n_components"] for row in rows] == ["1", "2"]
    assert float(rows[0]["mse_mean"]) > float(rows[1]["mse_mean"])


def test_info_tells_what_a_model_is(cli, samples):
    cli(
        "fit",
        "s_curve_train.csv",
        "--method",
        "kpca",
        "--components",
        3,
        "--gamma",
        0.5,
        "--ridge",
        1,
    )
    shown = output(cli, "info", "model.joblib")
    assert shown["method"] == "kpca"
    assert shown["training_rows_inside"] is True
    assert shown["shapes"]["rows_"] == [300, 3]
    assert shown["versions"].keys() == {"ikpca", "numpy", "scipy", "joblib"}
    ratio = load_model("model.joblib").explained_variance_ratio_
    assert_allclose(shown["explained_variance_ratio"], ratio)
    text = cli("info", "model.joblib").stdout
    assert text.count("█") > 40
    assert "share of variance" in text
    assert output(cli, "fit", "s_curve_train.csv", "-f", "--gamma", 0.5)["n_rff"] == "exact"
    assert output(cli, "info", "model.joblib")["training_rows_inside"] is True
    cli("fit", "s_curve_train.csv", "-f", "--gamma", 0.5, "--rff", 64)
    assert output(cli, "info", "model.joblib")["training_rows_inside"] is False


def test_hundreds_of_files_with_bad_ones_among_them(cli, tmp_path):
    rng = np.random.default_rng(3)
    rows = np.outer(rng.normal(size=40), np.arange(1.0, 5.0)) + rng.normal(0, 0.1, (40, 4))
    np.save("train.npy", rows)
    cli("fit", "train.npy", "--method", "pca", "--components", 1, "--noise-std", 0.1)
    names = [f"in/{i:04}.npy" for i in range(300)]
    bad = set(names[7::30])
    (tmp_path / "in").mkdir()
    for name in names:
        np.save(name, rows[:2, :3] if name in bad else rows[:2])
    result = cli("denoise", "model.joblib", *names, "--output-dir", "out", code=1)
    assert len(list((tmp_path / "out").iterdir())) == 290
    last = result.stderr.splitlines()[-1]
    assert last.startswith("error: 10 of 300 files failed: ")
    assert set(last.split(": ")[2].split(", ")) == bad
    refused = cli("denoise", "model.joblib", *names[:4], "--output-dir", "out", code=1)
    assert refused.stderr.splitlines() == [
        "error: 4 of 4 outputs exist already, such as out/0000.denoised.npy; --skip-existing "
        "cleans the other files alone, --force all"
    ]
    again = cli("denoise", "model.joblib", *names, "--output-dir", "out", "--skip-existing", code=1)
    assert "skipped 290 of 300 files" in again.stderr


def test_estimate_without_clean_rows(cli, all_samples):
    cli("fit", "ecg_train.npy")
    guess = output(cli, "evaluate", "model.joblib", "ecg_noisy.npy")
    truth = output(cli, "evaluate", "model.joblib", "ecg_noisy.npy", "--clean", "ecg_clean.npy")
    assert guess["noise_std"] == pytest.approx(0.15, rel=0.05)
    # The recording has noise of its own, some 0.03 mV, which counts as error against it.
    assert guess["estimated_mse"] == pytest.approx(truth["mse"], abs=0.03**2 + 3e-4)
    assert abs(guess["residual_autocorrelation"]) < 0.15


def test_residual_is_what_was_removed(cli, samples):
    cli("fit", "ecg_train.npy", "--method", "pca", "--components", 8)
    result = cli("denoise", "model.joblib", "ecg_noisy.npy", "--residual", "removed.npy")
    removed = np.load("ecg_noisy.npy") - np.load("ecg_noisy.denoised.npy")
    assert_array_equal(np.load("removed.npy"), removed)
    assert "does not look like noise" not in result.stderr
    cli("fit", "ecg_train.npy", "--method", "pca", "--components", 1, "-f")
    result = cli("denoise", "model.joblib", "ecg_noisy.npy", "--residual", "removed.npy", "-f")
    assert "does not look like noise: it is correlated along the row" in result.stderr


def test_clean_rows_follow_dropped_ones(cli, all_samples):
    noisy = np.load("ecg_noisy.npy")
    noisy[[3, 50], 7] = np.nan
    np.save("holes.npy", noisy)
    cli("fit", "ecg_train.npy", "--method", "pca")
    score = output(
        cli,
        "evaluate",
        "model.joblib",
        "holes.npy",
        "--clean",
        "ecg_clean.npy",
        "--missing",
        "drop",
    )
    kept = np.delete(np.arange(120), [3, 50])
    np.save("rest.npy", np.load("ecg_noisy.npy")[kept])
    np.save("rest_clean.npy", np.load("ecg_clean.npy")[kept])
    assert score == output(cli, "evaluate", "model.joblib", "rest.npy", "--clean", "rest_clean.npy")


def test_the_published_inverse_on_request(cli, samples):
    options = ["--rff", 300, "--gamma", 0.5, "--components", 6]
    paper = output(cli, "fit", "s_curve_train.csv", "--inverse", "paper", *options)
    assert paper["ridge"] > 0
    refined = output(cli, "fit", "s_curve_train.csv", "--inverse", "refined", *options, "-f")
    assert refined["ridge"] is None
    assert refined["n_rff"] == 300
    score = output(
        cli, "evaluate", "model.joblib", "s_curve_noisy.csv", "--clean", "s_curve_clean.csv"
    )
    assert score["mse"] < 0.8 * score["mse_noisy"]


@pytest.mark.parametrize("rff", ["exact", "300"])
@pytest.mark.parametrize(
    ("column", "value"), [(-2, 1e9), (-2, 1.5), (-3, 2.0), (-4, -1.0), (-1, None)]
)
def test_a_blend_that_is_none_is_a_damaged_model(cli, samples, rff, column, value):
    import joblib

    cli("fit", "s_curve_train.csv", "--rff", rff, "--gamma", 0.5)
    content = joblib.load("model.joblib")
    del content["checksum"]
    expansion = content["state"]["expansion_"]
    if value is None:
        content["state"]["expansion_"] = np.ascontiguousarray(expansion[:, :-1])
    else:
        expansion[0, column] = value
    joblib.dump(content, "bad.joblib", protocol=4)
    for args in (["info", "bad.joblib"], ["denoise", "bad.joblib", "s_curve_noisy.csv"]):
        (line,) = cli(*args, code=1).stderr.splitlines()
        assert line.startswith("error: bad.joblib: is damaged: its expansion ")


@pytest.mark.filterwarnings("ignore::ikpca_cli.errors.IkpcaWarning")
def test_kernels_are_compared_beside_a_method_that_has_none(cli, samples):
    cli_args = ["s_curve_train.csv", "s_curve_noisy.csv", "--clean", "s_curve_clean.csv"]
    given = ["--methods", "kpca,pca", "--components", 2, "--kernel", "gaussian, matern32"]
    results = output(cli, "compare", *cli_args, *given, "--gamma", "kpca:0.5", "--ridge", "kpca:1")
    found = [(r["method"], r["kernel"]) for r in results["results"]]
    assert found == [("kpca", "gaussian"), ("kpca", "matern32"), ("pca", None)]
    errors = [r["mse_mean"] for r in results["results"]]
    assert len(set(errors)) == 3
