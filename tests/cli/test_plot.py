"""``--plot`` and ``--preview``: what they write, what they leave alone, and what they refuse."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

PNG = b"\x89PNG\r\n"


@pytest.fixture
def ready(cli, samples):
    cli("fit", "ecg_train.npy", "--method", "pca")
    return samples


COMMANDS = {
    "fit": ["fit", "ecg_train.npy", "--method", "pca", "-o", "other.joblib"],
    "denoise": ["denoise", "model.joblib", "ecg_noisy.npy"],
    "evaluate": ["evaluate", "model.joblib", "ecg_noisy.npy", "--clean", "ecg_clean.npy"],
    "evaluate-estimate": ["evaluate", "model.joblib", "ecg_noisy.npy"],
    "evaluate-mean": ["evaluate", "model.joblib", "ecg_noisy.npy", "--clean", "mean"],
    "compare": [
        *("compare", "ecg_train.npy", "ecg_noisy.npy", "--clean", "ecg_clean.npy"),
        *("--methods", "pca", "--components", "2,5"),
    ],
    "compare-mean": [
        *("compare", "ecg_train.npy", "--clean", "mean", "--runs", "2"),
        *("--methods", "pca,kpca", "--components", "1", "--gamma", "1", "--ridge", "1"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_picture_changes_nothing_else(cli, ready, command):
    words = [*COMMANDS[command], "--format", "json"]
    plain = json.loads(cli(*words).stdout)
    cli(*words, "--plot", "new.svg", "--force")
    drawn = json.loads(cli(*words, "--plot", "new.png", "--force").stdout)
    assert (ready / "new.png").read_bytes().startswith(PNG)
    assert (ready / "new.svg").read_bytes().startswith(b"<?xml")
    for found in (plain, drawn):
        for row in found if isinstance(found, list) else [found, *found.get("results", [])]:
            for key in ("seconds", "fit_seconds", "denoise_seconds"):
                row.pop(key, None)
    assert plain == drawn


def test_a_picture_of_several_files_says_how_many(cli, ready, monkeypatch):
    from ikpca_cli.plots import search

    titles, draw = [], search.draw_fit
    monkeypatch.setattr(search, "draw_fit", lambda *all_: titles.append(all_[1]) or draw(*all_))
    words = ["fit", "ecg_train.npy", "ecg_noisy.npy", "--method", "pca", "-o", "two.joblib"]
    cli(*words, "--plot", "two.svg")
    assert titles == ["ecg_train.npy and 1 more"]


def refused(cli, folder, words, code):
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    result = cli(*words, code=code)
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    return result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_refusals_come_before_any_work(cli, ready, command, monkeypatch):
    words = [*COMMANDS[command], "--plot"]
    assert ".png, .svg, .pdf" in refused(cli, ready, [*words, "new.jpg"], 2)
    assert ".png, .svg, .pdf" in refused(cli, ready, [*words, "-"], 2)
    (ready / "old.png").write_bytes(b"old")
    assert "old.png: exists already" in refused(cli, ready, [*words, "old.png"], 1)
    assert "create it first" in refused(cli, ready, [*words, "no/new.png"], 1)
    (ready / "ecg_train.png").symlink_to("ecg_train.npy")
    (ready / "ecg_noisy.png").symlink_to("ecg_noisy.npy")
    name = "ecg_train.png" if command in ("fit", "compare-mean") else "ecg_noisy.png"
    assert "is the input" in refused(cli, ready, [*words, name, "--force"], 1)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "pip install 'ikpca-cli[plot]'" in refused(cli, ready, [*words, "new.png"], 1)


def test_a_picture_is_not_another_output(cli, ready):
    clash = ["denoise", "model.joblib", "ecg_noisy.npy", "-o", "x.png", "--plot", "x.png"]
    assert "two files" in refused(cli, ready, clash, 2)
    clash = ["fit", "ecg_train.npy", "-o", "x.png", "--plot", "./x.png"]
    assert "x.png: a model goes there" in refused(cli, ready, clash, 2)


def test_one_picture_is_for_one_input(cli, ready):
    words = ["denoise", "model.joblib", "ecg_noisy.npy", "ecg_clean.npy", "--plot", "x.png"]
    assert "--plot is for one input, not 2" in refused(cli, ready, words, 2)


def test_image_needs_something_to_draw(cli, ready):
    for command in ("denoise", "evaluate"):
        words = [*COMMANDS[command], "--image", "12x15"]
        assert "--plot" in refused(cli, ready, words, 2)
        words = [*COMMANDS[command], "--image", "12x12", "--plot", "x.png"]
        assert "144 pixels, but the rows have 180" in refused(cli, ready, words, 2)
    cli(*COMMANDS["denoise"], "--image", "12x15", "--plot", "x.png")
    assert (ready / "x.png").read_bytes().startswith(PNG)


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_preview_stays_out_of_the_output(cli, ready, form):
    plain = cli(*COMMANDS["denoise"], "--format", form)
    shown = cli(*COMMANDS["denoise"], "--format", form, "--preview", "--force")
    assert plain.stderr == ""
    assert len(plain.stdout.splitlines()) == len(shown.stdout.splitlines())
    lines = shown.stderr.splitlines()
    assert lines[0] == "ecg_noisy.npy:"
    assert [line.split()[:2] for line in lines[1::2]] == [
        ["row", "1"],
        ["row", "35"],
        ["row", "60"],
    ]
    assert len(lines) == 7


def test_preview_of_a_pipe_leaves_the_array_whole(ready):
    command = [sys.executable, "-m", "ikpca_cli", "denoise", "model.joblib", "-", "--preview"]
    with (ready / "ecg_noisy.npy").open("rb") as noisy:
        done = subprocess.run(command, cwd=ready, stdin=noisy, capture_output=True, check=True)
    (ready / "out.npy").write_bytes(done.stdout)
    assert np.load(ready / "out.npy").shape == (60, 180)
    assert "denoised" in done.stderr.decode()


def test_without_a_picture_matplotlib_stays_away(ready):
    script = (
        "import sys; from ikpca_cli.cli.app import app\n"
        "try: app(sys.argv[1:])\n"
        "finally: print('matplotlib' in sys.modules, file=sys.stderr)"
    )
    words = ["denoise", "model.joblib", "ecg_noisy.npy", "--preview"]
    done = subprocess.run(
        [sys.executable, "-c", script, *words], cwd=ready, capture_output=True, text=True
    )
    assert done.stderr.splitlines()[-1] == "False"
