"""Several files, folders and lists as one training set, or as a batch."""

import errno
import json
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli import load_model
from ikpca_cli.cli.given.gathered import gathered
from ikpca_cli.errors import InputError
from ikpca_cli.estimators.mixture import Mixture
from ikpca_cli.recordings.fitting import fit_windows


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
    for name in parts:
        (tmp_path / name).unlink()
    said = cli("denoise model.joblib parts --force", code=1).stderr
    assert "without array files but those that denoise wrote" in said


def test_a_folder_in_a_folder_that_cannot_be_read_does_not_stop_the_others(cli, monkeypatch, parts):
    cli("fit whole.npy -o model.joblib --method pca")
    Path("parts/closed").mkdir()
    scandir = os.scandir

    def refusing(path="."):
        if os.fspath(path).endswith("closed"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert "closed: cannot be read" in cli("fit parts -o other.joblib", code=1).stderr
    told = cli("denoise model.joblib parts --output-dir out", code=1)
    assert len(list(Path("out").iterdir())) == 3
    assert "error: parts/closed: cannot be read: permission denied" in told.stderr
    assert "1 of 4 files failed" in told.stderr


def test_folders_in_a_folder_are_read_and_kept(cli, tmp_path, parts):
    (tmp_path / "parts/.old").mkdir()
    np.save(tmp_path / "parts/.old/9.npy", np.ones((4, 5)))
    for name in ("a b/ü", "c"):
        (tmp_path / "parts" / name).mkdir(parents=True)
        np.save(tmp_path / "parts" / name / "0.npy", np.load(parts[0]) + len(name))
    (tmp_path / "clean").mkdir()
    cli("fit parts -o model.joblib --method pca")
    assert load_model("model.joblib").n_samples_ == 90 + 2 * 20
    cli("denoise model.joblib parts --output-dir out")
    cli("denoise model.joblib", "parts/a b/ü/0.npy", "-o", "alone.npy")
    made = sorted(
        str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.npy")
    )
    assert made == [
        *("0.denoised.npy", "1.denoised.npy", "2.denoised.npy"),
        *("a b/ü/0.denoised.npy", "c/0.denoised.npy"),
    ]
    alone, inside = np.load("alone.npy"), np.load("out/a b/ü/0.denoised.npy")
    assert_array_equal(alone, inside)
    (tmp_path / "out").rename(tmp_path / "clean/parts")
    for path in (tmp_path / "clean").rglob("*.npy"):
        path.rename(str(path).replace(".denoised", ""))
    found = json.loads(
        cli("evaluate model.joblib parts/c/0.npy --clean clean --format json").stdout
    )
    assert found["mse"] == 0.0


def test_what_denoise_wrote_is_no_input_beside_what_it_was(cli, parts):
    cli("fit parts -o model.joblib --method pca")
    cli("denoise model.joblib", *parts)
    outputs = [name.replace(".npy", ".denoised.npy") for name in parts]
    result = cli("denoise model.joblib", *parts, *outputs, "--skip-existing")
    assert "parts/0.denoised.npy and 2 more: are left out, as what denoise made" in result.stderr
    assert "skipped 3 of 3 files" in result.stderr
    cli("fit -o again.joblib --method pca", *parts, *outputs)
    assert load_model("again.joblib").n_samples_ == 90
    cli("denoise model.joblib", outputs[0])  # which is named alone, and meant


def test_a_list_may_name_lists_and_folders(cli, tmp_path, parts):
    (tmp_path / "outer.txt").write_text("@inner.txt\n# remark\nparts/2.npy\n")
    (tmp_path / "inner.txt").write_text("parts/0.npy\nparts/1.npy\n")
    assert gathered(["@outer.txt"]) == parts
    (tmp_path / "outer.txt").write_text("parts\n")
    assert gathered(["@outer.txt"]) == parts
    (tmp_path / "outer.txt").write_bytes(b"parts/0.npy\0parts/1.npy\0parts/2.npy\0")
    assert gathered(["@outer.txt"]) == parts
    with pytest.raises(InputError, match="a list has an empty name"):
        gathered(["@"])
    (tmp_path / "inner.txt").write_text("@outer.txt\n")
    (tmp_path / "outer.txt").write_text("@inner.txt\n")
    with pytest.raises(InputError, match=r"outer.txt: is a list that names itself"):
        gathered(["@outer.txt"])


def test_the_file_that_does_not_fit_is_named(cli, tmp_path, parts):
    np.save(tmp_path / "parts" / "9.npy", np.ones((4, 5)))
    result = cli("fit parts -o model.joblib", code=1)
    assert "9.npy has 5 columns" in result.stderr
    assert "(the other 3 files can be read)" in result.stderr
    for name in ("1.npy", "8.csv", "9.npy"):
        (tmp_path / "parts" / name).write_bytes(b"")
    (line,) = cli("fit parts -o model.joblib", code=1).stderr.splitlines()
    assert line.startswith("error: parts/1.npy: is empty")
    assert line.endswith("(nor can these be read: parts/8.csv, parts/9.npy)")
    assert not (tmp_path / "model.joblib").exists()


@pytest.mark.parametrize("again", ["parts/1.npy", "./parts/1.npy", "@list.txt"])
def test_a_file_is_named_once(cli, parts, again):
    assert "1.npy is named twice" in cli(f"fit parts/1.npy {again}", code=2).stderr


def test_recordings_of_other_lengths_are_learned_from_together(cli, tmp_path):
    rng = np.random.default_rng(2)
    wave = np.sign(np.sin(np.arange(1500) / 20.0))
    folder = tmp_path / "recordings"
    folder.mkdir()
    noisy = {"a": wave[:900], "b": wave[:1500], "c": wave[200:1200]}
    for name, clean in noisy.items():
        rows = np.column_stack([np.arange(len(clean)) / 50.0, clean])
        rows[:, 1] += rng.normal(scale=0.3, size=len(clean))
        np.savetxt(folder / f"{name}.csv", rows, "%.5f", ",", header="time,x", comments="")
    cli("fit recordings --window 32 -o both.joblib --method pca")
    cli("fit recordings/a.csv --window 32 -o one.joblib --method pca")
    cli("denoise both.joblib recordings")
    for name, clean in noisy.items():
        found = np.loadtxt(folder / f"{name}.denoised.csv", delimiter=",", skiprows=1)
        assert_allclose(found[:, 0], np.arange(len(clean)) / 50.0, atol=1e-9)
        assert np.mean((found[:, 1] - clean) ** 2) < 0.5 * 0.3**2
    np.save(folder / "d.npy", rng.normal(size=(400, 3)))
    line = cli("fit recordings --window 32 -o both.joblib --force", code=1).stderr
    assert "d.npy has 3 channels" in line


def test_no_window_spans_two_files(cli, tmp_path):
    rng = np.random.default_rng(2)
    whole = rng.normal(size=600).cumsum()
    for name, part in (("whole", whole), ("left", whole[:250]), ("right", whole[250:])):
        np.save(f"{name}.npy", part)
    cli("fit left.npy right.npy --window 8 -o parts.joblib --noise-std 0.5")
    model = load_model("parts.joblib")
    parts = [whole[:250, None], whole[250:, None]]
    alone = fit_windows(Mixture(noise_std=0.5), parts, window=(8,))
    assert_allclose(model.denoise(whole[:, None]), alone.denoise(whole[:, None]), rtol=1e-12)


def test_pictures_of_other_sizes_are_learned_from_together(cli, tmp_path):
    rng = np.random.default_rng(2)
    y, x = np.mgrid[:60, :60] / 60.0
    clean = 100.0 * np.sin(9.0 * x) * (y > 0.4)
    for name, size in (("a", 40), ("b", 60)):
        part = clean[None, :size, :]
        np.save(f"{name}.npy", part + rng.normal(scale=10.0, size=part.shape))
    cli("fit a.npy b.npy --window 6x6")
    cli("denoise model.joblib a.npy b.npy")
    assert np.mean((np.load("b.denoised.npy")[0] - clean) ** 2) < 25.0


def test_what_takes_one_file_says_so(cli, parts):
    assert "--residual is for one input" in cli("denoise m parts --residual r.npy", code=2).stderr


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
        assert one | {"n_files": 3} == many


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
    result = cli("evaluate model.joblib noisy --clean clean --format json", code=1)
    found = json.loads(result.stdout)
    failed = [one for one in found["files"] if one["error"]]
    assert (found["n_files"], [one["input"] for one in failed]) == (2, ["noisy/part1.npy"])
    assert f"error: {failed[0]['error']}\n" in result.stderr
    result = cli("evaluate model.joblib noisy --clean clean --format csv", code=1)
    lines = result.stdout.splitlines()
    assert lines[0].endswith(",error")
    assert [line.startswith("noisy/part1.npy,,") for line in lines] == [False] * 3 + [True]


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
        said = cli(f"{words} --methods pca", code=1).stderr
        assert "a recording of 600 samples" in said
        assert "fit takes --window auto, or a number, with one --method" in said
    cli("compare r.csv --noise 0.1 --window none --methods pca --components 1")
    assert "evaluate these (--window none" in cli("compare r.csv --window 8", code=2).stderr


def test_an_estimate_for_several_files_counts_them(cli, parts):
    cli("fit whole.npy --method pca -o model.joblib")
    score = json.loads(cli("evaluate model.joblib parts --format json").stdout)
    assert (score["n_files"], score["n_samples"]) == (3, 90)
    assert "3 files, 90 rows. " in cli("evaluate model.joblib parts").stdout


def test_remarks_in_a_list_are_no_files(tmp_path, parts, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "#own.npy").touch()
    (tmp_path / "list.txt").write_text("# good ones\nparts/0.npy\n#parts/1.npy\n#own.npy\n")
    assert gathered(["@list.txt"]) == ["parts/0.npy", "#own.npy"]
    (tmp_path / "list.txt").write_text("# none\n")
    with pytest.raises(InputError, match="lists no file"):
        gathered(["@list.txt"])


@pytest.mark.parametrize(("size", "what"), [((32, 40), "one picture"), ((128, 6), "a recording")])
def test_files_that_are_each_a_picture_or_a_window_are_noted(cli, tmp_path, size, what):
    rng = np.random.default_rng(3)
    (tmp_path / "files").mkdir()
    y, x = np.indices(size)
    for k in range(6):
        moved = rng.uniform(0.0, 6.0) + (0.0 if what == "one picture" else 9.0 * x)
        rows = np.sin(x / 7.0 + y / 6.0 + moved) + 0.1 * rng.normal(size=size)
        np.savetxt(tmp_path / f"files/{k}.csv", rows, "%.4f", ",")
    said = cli("fit", "files", "--method", "pca").stderr
    assert f"each file looks like {what} of {size[0]}" in said
    assert f"(6, {size[0]}, {size[1]})" in said
    words = ["fit", "files", "--method", "pca", "-f"]
    assert "looks like" not in cli(*words, "--window", "none").stderr
    for k in range(6):
        np.savetxt(tmp_path / f"files/{k}.csv", rng.permutation(rows), "%.4f", ",")
    assert "looks like" not in cli(*words).stderr


def test_a_file_alone_that_fails_is_in_json_as_in_a_batch(cli, parts):
    cli("fit parts/0.npy -o model.joblib --method pca")
    result = cli("denoise model.joblib no.npy --format json", code=1)
    (found,) = json.loads(result.stdout)
    assert found["input"] == "no.npy"
    assert f"error: {found['error']}\n" in result.stderr
    assert cli("denoise model.joblib no.npy -o - --format json", code=1).stdout == ""
