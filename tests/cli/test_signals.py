"""Signals as instruments write them: one a file, side by side, below each other, as maps."""

from __future__ import annotations

import json
import os

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.io import loadmat, savemat

RNG = np.random.default_rng(5)
AXIS = np.linspace(3200.263672, 150.5, 60)  # falls, as Raman spectrometers write it
PEAKS = np.stack([np.exp(-(((AXIS - centre) / 150.0) ** 2)) for centre in (600, 1500, 2900)])
CLEAN = 1000.0 + RNG.uniform(50.0, 300.0, (24, 3)) @ PEAKS
NOISY = CLEAN + RNG.normal(0.0, 5.0, CLEAN.shape)


def one_a_file(folder, rows, axis=AXIS, head="#Wave\t\t#Intensity\r\n", end="\r\n", mark="\t"):
    folder.mkdir()
    for place, row in enumerate(rows):
        lines = (f"{x:.6f}{mark}{y:.6f}{end}" for x, y in zip(axis, row, strict=True))
        (folder / f"{place:02}.txt").write_bytes((head + "".join(lines)).encode())


def cells(path, mark=None):
    lines = path.read_text().splitlines()
    return [line.split(mark) for line in lines if line[:1].isdigit()]


def test_a_folder_of_spectra_is_learned_from_and_cleaned(cli, tmp_path):
    one_a_file(tmp_path / "raw", NOISY)
    result = cli("fit raw --method pca --format json")
    record = json.loads(result.stdout)
    assert (record["n_samples"], record["n_features"]) == (24, 60)
    said = [line for line in result.stderr.splitlines() if "took column 1" in line]
    assert len(said) == 1
    assert "raw/00.txt and 23 more" in said[0]
    done = cli("denoise model.joblib raw --output-dir out")
    assert done.stdout.startswith("24 files cleaned, 24 rows. ")
    found = []
    for place in range(24):
        before, after = (
            tmp_path / name for name in (f"raw/{place:02}.txt", f"out/{place:02}.denoised.txt")
        )
        assert after.read_bytes().startswith(b"#Wave\t\t#Intensity\r\n3200.263672\t")
        assert [row[0] for row in cells(before)] == [row[0] for row in cells(after)]
        found.append([float(row[1]) for row in cells(after)])
    assert np.mean((np.array(found) - CLEAN) ** 2) < 10.0


def test_the_same_whether_one_a_file_side_by_side_or_below_each_other(cli, tmp_path):
    one_a_file(tmp_path / "raw", NOISY)
    table = np.column_stack([AXIS, NOISY.T])
    head = "Raman shift," + ",".join(f"s{place}" for place in range(24))
    np.savetxt(tmp_path / "side.csv", table, "%.6f", ",", header=head, comments="")
    places = [(place % 6 * 1.5, place // 6 * 2.5) for place in range(24)]
    with open(tmp_path / "below.txt", "w") as file:
        file.write("#X\t\t#Y\t\t#Wave\t\t#Intensity\n")
        for (x, y), row in zip(places, NOISY, strict=True):
            file.writelines(f"{x}\t{y}\t{a:.6f}\t{v:.6f}\n" for a, v in zip(AXIS, row, strict=True))
    with open(tmp_path / "map.txt", "w") as file:
        file.write("\t".join(f"{a:.6f}" for a in AXIS) + "\n")
        for (x, y), row in zip(places, NOISY, strict=True):
            file.write("\t".join([str(x), str(y), *(f"{v:.6f}" for v in row)]) + "\n")
    np.save(tmp_path / "rows.npy", np.round(NOISY, 6))
    models = []
    for source in ("raw", "side.csv", "below.txt", "map.txt", "rows.npy"):
        result = cli(f"fit {source} -o {source}.joblib --method pca --format json")
        assert ("took" in result.stderr) == (source != "rows.npy")
        models.append(json.loads(result.stdout))
    for model in models[1:]:
        assert_allclose(model["noise_std"], models[0]["noise_std"], rtol=1e-9)
    outputs = {}
    for source in ("side.csv", "below.txt", "map.txt"):
        end = source[-4:]
        # The model of one form cleans files of another.
        cli(f"denoise raw.joblib {source} -o out{end} --digits 6 --force")
        before, after = (tmp_path / name for name in (source, f"out{end}"))
        old, new = (path.read_text().splitlines() for path in (before, after))
        assert old[0] == new[0]
        assert len(old) == len(new)
        count = {"side.csv": 1, "below.txt": 3, "map.txt": 2}[source]
        mark = "," if end == ".csv" else "\t"
        split = [[line.split(mark) for line in lines[1:]] for lines in (old, new)]
        assert [row[:count] for row in split[0]] == [row[:count] for row in split[1]]
        outputs[source] = np.array([[float(cell) for cell in row[count:]] for row in split[1]])
    assert_allclose(outputs["below.txt"].reshape(24, 60), outputs["map.txt"], atol=1e-5)
    assert_allclose(outputs["side.csv"].T, outputs["map.txt"], atol=1e-5)


@pytest.mark.parametrize(
    ("moved", "word"), [(0.0, None), (5.0, "of a step from that of"), (40.0, "--resample")]
)
def test_axes_agree_nearly_agree_or_do_not(cli, tmp_path, moved, word):
    one_a_file(tmp_path / "raw", NOISY)
    one_a_file(tmp_path / "new", NOISY[:2], AXIS + moved)
    cli("fit raw --method pca")
    result = cli("denoise model.joblib new", code=int(moved > 20.0))
    assert (word is None) or word in result.stderr
    assert "warning" not in result.stderr
    assert ("new/00.txt" in result.stderr) or word is None
    files = sorted(path.name for path in (tmp_path / "new").glob("*.denoised.*"))
    assert len(files) == (0 if moved > 20.0 else 2)
    code = int(moved > 20.0)
    one = cli("fit raw new -o both.joblib --method pca", code=code)
    assert not code or "new/00.txt: its axis" in one.stderr
    if moved > 20.0:
        cli("denoise model.joblib new --resample")
        assert cells(tmp_path / "new/00.denoised.txt")[5][0] == f"{AXIS[5] + moved:.6f}"
        cli("fit raw new -o both.joblib --method pca --resample")


def test_one_signal_alone_is_no_set_of_rows(cli, tmp_path):
    one_a_file(tmp_path / "raw", NOISY[:1])
    for given in ("raw", "raw/00.txt"):
        said = cli(f"fit {given}", code=1).stderr
        assert "holds one signal of 60 numbers" in said
        assert "--window auto" in said
    one_a_file(tmp_path / "up", NOISY[:1, ::-1], AXIS[::-1], head="", mark=",")
    assert "give several such files" in cli("fit up/00.txt", code=1).stderr


def test_files_of_one_column_are_a_signal_each(cli, tmp_path):
    folder = tmp_path / "raw"
    folder.mkdir()
    for place, row in enumerate(NOISY):
        np.savetxt(folder / f"{place:02}.csv", row, "%.6f", header="counts", comments="")
    (folder / "README.txt").write_text("How they were measured:\nslowly\n")
    np.save(tmp_path / "rows.npy", NOISY)
    result = cli("fit raw --method pca --format json")
    assert "took its only column for a signal" in result.stderr
    assert json.loads(result.stdout)["n_samples"] == 24
    cli("denoise model.joblib raw/03.csv rows.npy --output-dir .")
    one = np.loadtxt(tmp_path / "03.denoised.csv", skiprows=1)
    assert_allclose(one, np.load(tmp_path / "rows.denoised.npy")[3], atol=1e-3)
    few = "fit raw/00.csv raw/01.csv --method pca -o few.joblib"
    assert "2 signals are few" not in cli(few).stderr  # of 60 numbers
    many = np.tile(NOISY[0], 2)
    for place in range(2):
        np.savetxt(folder / f"{place:02}.csv", many + place, "%.6f")
    assert "2 signals are few to learn from as rows; --window auto" in cli(f"{few} -f").stderr


def test_rows_that_look_like_signals_stay_rows_where_that_is_said(cli, tmp_path):
    one_a_file(tmp_path / "raw", NOISY)
    record = json.loads(cli("fit raw --window none --method pca --format json").stdout)
    assert (record["n_samples"], record["n_features"]) == (24 * 60, 2)
    # and a model of two numbers a row cleans such rows
    cli("denoise model.joblib raw/00.txt -o out.txt")
    assert len(cells(tmp_path / "out.txt")) == 60


def test_an_axis_that_does_not_go_on_is_named(cli, tmp_path):
    one_a_file(
        tmp_path / "raw",
        np.hstack([NOISY] * 9),
        np.append(np.arange(9e3, 8e3, -2.0), AXIS[:40] + 9e3),
    )
    assert "row 501 of it" in cli("fit raw", code=1).stderr


def test_missing_values_are_filled_over_the_whole_set(cli, tmp_path):
    rows = RNG.normal(size=(40, 5)) @ np.diag([5.0, 3, 1, 1, 1]) + 9.0
    rows[3, 2] = rows[25, 4] = np.nan
    np.save(tmp_path / "whole.npy", rows)
    for place, part in enumerate(np.split(rows, 2)):
        np.save(tmp_path / f"{place}.npy", part)
    np.save(tmp_path / "other.npy", np.nan_to_num(rows[:5]))
    for word in ("mean", "fill"):
        cli(f"fit whole.npy -o a.joblib --method pca --missing {word} --force")
        said = cli(f"fit 0.npy 1.npy -o b.joblib --method pca --missing {word} --force").stderr
        assert "2 missing values" in said
        for name in "ab":
            cli(f"denoise {name}.joblib other.npy -o {name}.npy --force")
        assert_array_equal(np.load(tmp_path / "a.npy"), np.load(tmp_path / "b.npy"))
    said = cli("fit other.npy 1.npy -o c.joblib", code=1).stderr
    assert "1.npy: row 6, column 5 is missing" in said


def test_files_are_not_all_open_at_once(cli, tmp_path, monkeypatch):
    import resource

    from ikpca_cli.formats.rows import few_open

    rows = RNG.normal(size=(500, 6)) @ np.diag([5.0, 3, 1, 1, 1, 1])
    (tmp_path / "many").mkdir()
    for place in range(50):
        np.save(tmp_path / "many" / f"{place:03}.npy", rows[10 * place : 10 * place + 10])
    np.save(tmp_path / "whole.npy", rows)
    monkeypatch.setattr(few_open, "SMALL", 0)  # read from the files each time
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    held = os.open(os.devnull, os.O_RDONLY)
    os.close(held)
    resource.setrlimit(resource.RLIMIT_NOFILE, (held + 30, hard))
    try:
        cli("fit many --method pca -o a.joblib")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    cli("fit whole.npy --method pca -o b.joblib")
    for name in "ab":
        cli(f"denoise {name}.joblib whole.npy -o {name}.npy")
    assert_array_equal(np.load(tmp_path / "a.npy"), np.load(tmp_path / "b.npy"))


def test_vectors_one_a_file_are_samples_and_stay_vectors(cli, tmp_path):
    rows = NOISY.astype(np.float32)
    saves = {
        "npy": lambda path, row: np.save(path, row),
        "npz": lambda path, row: np.savez(path, y=row),
        "mat": lambda path, row: savemat(path, {"y": row[:, np.newaxis]}),
        "h5": lambda path, row: h5py.File(path, "w").create_dataset("y", data=row).file.close(),
    }
    reads = {
        "npy": np.load,
        "npz": lambda path: np.load(path)["y"],
        "mat": lambda path: loadmat(path)["y"],
        "h5": lambda path: h5py.File(path)["y"][...],
    }
    found = []
    for kind, save in saves.items():
        (tmp_path / kind).mkdir()
        for place, row in enumerate(rows):
            save(tmp_path / kind / f"{place:02}.{kind}", row)
        fitted = json.loads(cli(f"fit {kind} --method pca --format json --force").stdout)
        assert (fitted["n_samples"], fitted["n_features"]) == rows.shape
        cli(f"denoise model.joblib {kind}/03.{kind} {kind}/04.{kind}")
        found.append(reads[kind](tmp_path / kind / f"03.denoised.{kind}"))
        assert found[-1].dtype == rows.dtype
    assert [cleaned.shape for cleaned in found] == [(60,), (60,), (60, 1), (60,)]
    assert_array_equal([cleaned.ravel() for cleaned in found], [found[0]] * 4)
    assert np.mean((found[0] - CLEAN[3]) ** 2) < np.mean((rows[3] - CLEAN[3]) ** 2)
