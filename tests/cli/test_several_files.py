"""Several files, folders and lists as one training set, or as a batch."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal


@pytest.fixture
def parts(tmp_path):
    rows = np.random.default_rng(0).normal(size=(90, 6)) @ np.diag([5, 3, 1, 1, 1, 1.0])
    np.save(tmp_path / "whole.npy", rows)
    (tmp_path / "parts").mkdir()
    for place, part in enumerate(np.split(rows, [20, 60])):
        np.save(tmp_path / "parts" / f"{place}.npy", part)
    names = [f"parts/{place}.npy" for place in range(3)]
    (tmp_path / "list.txt").write_bytes("\r\n".join(names).encode())
    return names


@pytest.mark.parametrize("given", ["parts", "@list.txt", "parts/0.npy parts/1.npy parts/2.npy"])
def test_several_files_fit_as_one(cli, tmp_path, parts, given):
    cli("fit whole.npy -o one.joblib --method pca")
    cli(f"fit {given} -o many.joblib --method pca")
    for model in ("one", "many"):
        cli(f"denoise {model}.joblib whole.npy -o {model}.npy")
    assert_array_equal(np.load(tmp_path / "one.npy"), np.load(tmp_path / "many.npy"))


def test_a_folder_is_cleaned_file_by_file_and_outputs_are_not_cleaned_again(cli, tmp_path, parts):
    cli("fit whole.npy -o model.joblib --method pca")
    for _ in range(2):
        result = cli("denoise model.joblib parts --force --format json")
        assert len(json.loads(result.stdout)) == 3


def test_the_file_that_does_not_fit_is_named(cli, tmp_path, parts):
    np.save(tmp_path / "parts" / "9.npy", np.ones((4, 5)))
    result = cli("fit parts -o model.joblib", code=1)
    assert "9.npy has 5 columns" in result.stderr
    assert not (tmp_path / "model.joblib").exists()


def test_what_takes_one_file_says_so(cli, parts):
    assert "--window takes a single file" in cli("fit parts --window 4", code=2).stderr
    assert "--residual names one file" in cli("denoise m parts --residual r.npy", code=2).stderr


def test_the_method_is_chosen_on_all_of_several_files(cli, parts):
    one = json.loads(cli("fit whole.npy --method auto --format json -o one.joblib").stdout)
    many = json.loads(cli("fit parts --method auto --format json -o many.joblib").stdout)
    assert one["method"] == many["method"]
    assert one["noise_std"] == many["noise_std"]


@pytest.fixture
def pairs(tmp_path):
    rng = np.random.default_rng(3)
    clean = rng.normal(size=(90, 2)) @ rng.normal(size=(2, 12)) * 3.0
    noisy = clean + rng.normal(0.0, 0.3, clean.shape)
    for name, rows in (("clean", clean), ("noisy", noisy)):
        np.save(tmp_path / f"{name}.npy", rows)
        (tmp_path / name).mkdir()
        for place, part in enumerate(np.split(rows, [20, 60])):
            np.save(tmp_path / name / f"part{place}.npy", part)
    return noisy, clean


def test_several_files_are_evaluated_against_those_of_their_names(cli, tmp_path, pairs):
    cli("fit noisy.npy --method pca")
    words = "evaluate model.joblib noisy --clean clean"
    found = json.loads(cli(f"{words} --format json").stdout)
    cli("denoise model.joblib noisy --output-dir out")
    parts = [np.load(tmp_path / f"out/part{place}.denoised.npy") for place in range(3)]
    errors = [
        np.mean((one - two) ** 2)
        for one, two in zip(parts, np.split(pairs[1], [20, 60]), strict=True)
    ]
    assert_allclose([record["mse"] for record in found["files"]], errors)
    assert_allclose(found["mse"], np.mean((np.concatenate(parts) - pairs[1]) ** 2))
    assert_allclose(found["mse_noisy"], np.mean((pairs[0] - pairs[1]) ** 2))
    assert (found["n_samples"], found["n_files"]) == (90, 3)
    assert "3 files, 90 rows." in cli(words).stdout
    for word in ("", "--clean mean"):
        one, many = (
            json.loads(cli(f"evaluate model.joblib {source} {word} --format json").stdout)
            for source in ("noisy.npy", "noisy")
        )
        assert one == many


def test_a_file_without_a_clean_version_is_named_before_any_work(cli, tmp_path, pairs):
    cli("fit noisy.npy --method pca")
    (tmp_path / "clean/part1.npy").rename(tmp_path / "clean/other.npy")
    for words in ("evaluate model.joblib noisy --clean clean", "compare noisy noisy --clean clean"):
        said = cli(words, code=1).stderr
        assert "no file of the name part1.npy" in said
        assert said.count("error") == 1


def test_a_file_that_cannot_be_evaluated_does_not_stop_the_others(cli, tmp_path, pairs):
    cli("fit noisy.npy --method pca")
    (tmp_path / "noisy/part1.npy").write_bytes(b"\x93NUMPY")
    result = cli("evaluate model.joblib noisy --clean clean", code=1)
    assert "noisy/part1.npy" in result.stderr
    assert "2 files, 50 rows; 1 file failed." in result.stdout


def test_methods_are_compared_on_folders_as_on_whole_files(cli, tmp_path, pairs):
    words = "--methods pca --components 2 --format json"

    def measured(line):
        found = json.loads(cli(f"compare {line} {words}").stdout)
        return [row["mse_mean"] for row in found["results"]]

    one = measured("noisy.npy noisy.npy --clean clean.npy")
    assert measured("noisy noisy --clean clean") == one
    assert measured("noisy noisy --clean clean.npy") == one
    assert measured("noisy --clean clean --train-size 60") == measured(
        "noisy.npy --clean clean.npy --train-size 60"
    )


def test_comparing_a_recording_says_what_it_looks_like(cli, tmp_path):
    time = np.arange(600) / 100.0
    np.savetxt(tmp_path / "r.csv", np.column_stack([time, np.sin(time)]), "%.4f", ",")
    for words in ("compare r.csv", "compare r.csv --noise 0.1"):
        assert "a recording of 600 samples" in cli(f"{words} --methods pca", code=1).stderr
    cli("compare r.csv --noise 0.1 --window none --methods pca --components 1")
    assert "the one word here is none" in cli("compare r.csv --window 8", code=2).stderr
