"""Several files, folders and lists as one training set, or as a batch."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal


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
    assert "--method auto takes a single file" in cli("fit parts --method auto", code=2).stderr
