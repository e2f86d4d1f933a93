"""Standard streams that are closed, full or shared, and what files would have a terminal do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from ikpca_cli.cli.app import app
from ikpca_cli.cli.streams import escaped
from ikpca_cli.modelfile.storage import load_model
from tests.conftest import ROOT
from tests.processes import words


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with rows and a model of them, made once."""
    folder = tmp_path_factory.mktemp("made")
    rows = np.random.default_rng(0).normal(size=(20, 5))
    np.save(folder / "rows.npy", rows)
    line = words("fit --method pca --components 2", folder / "rows.npy", "-o", folder / "m.joblib")
    assert CliRunner().invoke(app, line).exit_code == 0
    return folder


@pytest.fixture
def shell(made, tmp_path):
    """Run a line of the shell in a folder with rows and a model of them."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "ikpca": f"{sys.executable} -m ikpca_cli"}

    def run(line, code=0):
        done = subprocess.run(
            ["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True
        )
        assert done.returncode == code, done.stderr.decode()
        assert b"Traceback" not in done.stderr
        return done

    return run


def test_a_model_on_standard_output_is_alone_there(shell, tmp_path):
    done = shell("$ikpca fit rows.npy --method pca --components 2 -o - > piped.joblib")
    assert (tmp_path / "piped.joblib").read_bytes() == (tmp_path / "m.joblib").read_bytes()
    assert b"n_components" in done.stderr
    assert b"Next: ikpca denoise MODEL rows.npy" in done.stderr
    assert load_model(str(tmp_path / "piped.joblib")).n_components_ == 2
    done = shell("$ikpca fit rows.npy --method pca --components 2 --format json -o - | cat > p2")
    assert (tmp_path / "p2").read_bytes() == (tmp_path / "m.joblib").read_bytes()


def test_a_residual_on_standard_output_is_alone_there(shell, tmp_path):
    done = shell("$ikpca denoise m.joblib rows.npy -o out.npy --residual - > r.npy")
    removed = np.load(tmp_path / "r.npy")
    rows, cleaned = np.load(tmp_path / "rows.npy"), np.load(tmp_path / "out.npy")
    np.testing.assert_allclose(removed, rows - cleaned, atol=1e-14)
    assert b"20 rows cleaned" in done.stderr


def test_standard_streams_may_go_by_their_names_in_the_system(shell, tmp_path):
    shell("$ikpca denoise m.joblib /dev/stdin -o /dev/stdout < rows.npy > clean.npy")
    expected = load_model(str(tmp_path / "m.joblib")).denoise(np.load(tmp_path / "rows.npy"))
    np.testing.assert_allclose(np.load(tmp_path / "clean.npy"), expected, rtol=1e-12)


def test_a_closed_standard_output_is_a_failed_output(shell, tmp_path):
    done = shell("$ikpca info m.joblib >&-", 1)
    assert done.stderr.startswith(
        b"error: standard output: bad file descriptor; files that were written"
    )
    done = shell("$ikpca denoise m.joblib rows.npy -o - >&-", 1)
    assert b"error: standard output: cannot be written: bad file descriptor" in done.stderr


def test_an_output_file_never_gets_the_descriptor_of_a_closed_stream(shell, tmp_path):
    shell("$ikpca denoise m.joblib rows.npy -o out.npy <&- >&- 2>&-", 1)
    assert np.load(tmp_path / "out.npy").shape == (20, 5)
    size = (tmp_path / "out.npy").stat().st_size
    assert size == (tmp_path / "rows.npy").stat().st_size  # nothing was printed into it


def test_a_closed_standard_input_is_named(shell):
    done = shell("$ikpca denoise m.joblib - -o out.npy <&-", 1)
    assert b"standard input is closed" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("what", ["--help", "info m.joblib", "info m.joblib --format json"])
def test_a_full_standard_output_is_a_failed_output(shell, what):
    done = shell(f"$ikpca {what} > /dev/full", 1)
    assert done.stderr.startswith(
        b"error: standard output: no space left on device; files that were written"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mred", r"a\x1b[31mred"),
        ("left\u202eright", r"left\u202eright"),
        ("c1\x9b1m", r"c1\x9b1m"),
        ("two\nlines\r\nof", "two lines of"),
        ("bell\x07 null\x00", r"bell\x07 null\x00"),
        ("données [id] 表 é", "données [id] 表 é"),
    ],
)
def test_text_from_files_is_shown_and_not_obeyed(text, shown):
    assert escaped(text) == shown


def test_names_in_files_reach_neither_stream_raw(cli, tmp_path):
    name = "x\x1b]0;owned\x07\u202e"
    np.savez(tmp_path / "rows.npz", **{name: np.random.default_rng(0).normal(size=(20, 5))})
    np.savez(tmp_path / "two.npz", **{name: np.eye(3), "b": np.eye(3)})
    cli("fit", "rows.npz", "--method", "pca", "--components", "2", "-o", "m\x1b[2J.joblib")
    outputs = [
        cli("fit", "two.npz", code=1),
        cli("denoise", "m\x1b[2J.joblib", "rows.npz", "two.npz", code=1),
        cli("info", "m\x1b[2J.joblib"),
    ]
    for result in outputs:
        assert not {"\x1b", "\x07", "\u202e"} & set(result.output + result.stderr)
    assert r"x\x1b]0;owned\x07\u202e" in outputs[0].stderr
