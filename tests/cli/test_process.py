"""The program as a process: start-up, help, streams, signals, odd names."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import typer

from ikpca_cli import __version__
from ikpca_cli.cli.app import app

IKPCA = [sys.executable, "-m", "ikpca_cli"]
HELPS = {info.callback.__name__: info.callback.__doc__ for info in app.registered_commands}


def run(*args, code=0, **more):
    done = subprocess.run([*IKPCA, *map(str, args)], capture_output=True, **more)
    assert done.returncode == code, done.stderr.decode()
    return done


def test_help_imports_nothing_heavy():
    script = "import sys; from ikpca_cli.cli.app import app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout
    heavy = {"numpy", "scipy", "h5py", "joblib", "pandas", "polars", "pyarrow", "matplotlib"}
    assert heavy & set(loaded.decode().split()) == set()


def test_version():
    assert run("--version").stdout.decode() == f"ikpca {__version__}\n"


def test_every_option_has_a_help_text():
    group = typer.main.get_command(app)
    for name, command in group.commands.items():
        for parameter in command.params:
            assert getattr(parameter, "help", "?"), f"{name} {parameter.name}"


@pytest.mark.parametrize("command", HELPS)
def test_examples_in_the_help_work(command, samples):
    examples = re.findall(r"^ +((?:cat \S+ \| )?ikpca .+)$", HELPS[command], re.MULTILINE)
    assert examples
    run("fit", "ecg_train.npy", "--method", "pca", cwd=samples)
    run("fit", "digits.h5::train", "--method", "pca", "-o", "digits.joblib", cwd=samples)
    program = " ".join(map(shlex.quote, IKPCA))
    for example in examples:
        model = samples / "model.joblib"
        digits = samples / "digits.joblib"
        if command == "fit":
            model.unlink(missing_ok=True)
            digits.unlink(missing_ok=True)
        line = re.sub(r"\bikpca ", lambda _: f"{program} ", example)
        done = subprocess.run(line, shell=True, cwd=samples, capture_output=True)
        assert done.returncode == 0, (example, done.stderr.decode())


def test_names_print_as_they_are(tmp_path):
    rows = np.random.default_rng(0).normal(size=(20, 3)) @ np.ones((3, 3))
    for name in ("[id].npy", "données.npy", "a b.npy", "[bold]x.npy", ":smile:.npy"):
        np.save(tmp_path / name, rows)
        run("fit", name, "--method", "pca", "--components", 1, "-f", cwd=tmp_path)
        done = run("denoise", "model.joblib", name, cwd=tmp_path)
        assert name in done.stdout.decode()
        assert name.replace(".npy", ".denoised.npy") in done.stdout.decode()
        refused = run("denoise", "model.joblib", f"no{name}", cwd=tmp_path, code=1)
        assert f"no{name}" in refused.stderr.decode()
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    run("denoise", "model.joblib", "données.npy", "-f", cwd=tmp_path, env=ascii_only)


def test_piped_tables_are_plain_and_whole(samples):
    forced = os.environ | {"FORCE_COLOR": "1", "COLUMNS": "20", "TERM": "xterm-256color"}
    done = run("fit", "ecg_train.npy", "--method", "pca", cwd=samples, env=forced)
    text = done.stdout.decode()
    assert "\x1b" not in text
    assert "…" not in text
    assert re.search(r"noise_std +0\.1\d{10,}", text)
    assert done.stderr == b""


def test_a_closed_pipe_ends_quietly(samples):
    program = " ".join(map(shlex.quote, IKPCA))
    line = f"{program} compare ecg_train.npy --clean mean --methods pca | head -1"
    done = subprocess.run(["bash", "-c", line], cwd=samples, capture_output=True)
    assert done.stderr == b""
    run("fit", "ecg_train.npy", "--method", "pca", cwd=samples)
    line = f"{program} denoise model.joblib ecg_noisy.npy -o - | true"
    done = subprocess.run(["bash", "-c", line], cwd=samples, capture_output=True)
    assert done.stderr == b""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_nothing_behind(tmp_path, number, code):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(20_000, 300)))
    args = ["fit", "x.npy", "--rff", "6000", "--gamma", "0.01", "--ridge", "1", "--components", "3"]
    started = subprocess.Popen([*IKPCA, *args], cwd=tmp_path, stderr=subprocess.PIPE)
    time.sleep(2.0)
    started.send_signal(number)
    _, errors = started.communicate(timeout=60)
    assert started.returncode == code
    assert b"Traceback" not in errors
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


@pytest.mark.parametrize("delay", [0.2, 0.6, 0.9, 1.2])
def test_a_signal_in_a_batch_leaves_whole_outputs_only(tmp_path, delay):
    rows = np.random.default_rng(0).normal(size=(4000, 300))
    np.save(tmp_path / "train.npy", rows[:100])
    run("fit", "train.npy", "--method", "pca", "--components", 3, "-o", "m", cwd=tmp_path)
    names = [f"{i}.npy" for i in range(40)]
    for name in names:
        np.save(tmp_path / name, rows)
    started = subprocess.Popen(
        [*IKPCA, "denoise", "m", *names, "--output-dir", "out", "-q"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
    )
    time.sleep(delay)
    started.send_signal(signal.SIGTERM)
    started.communicate(timeout=60)
    written = list((tmp_path / "out").iterdir()) if (tmp_path / "out").exists() else []
    for path in written:
        assert path.suffix == ".npy"
        assert np.load(path).shape == rows.shape


def test_progress_shows_in_a_terminal_only(tmp_path):
    import pty

    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(20_000, 200)))
    args = ["fit", "x.npy", "--rff", "3000", "--gamma", "0.01", "--ridge", "1", "--components", "3"]
    for extra, shown in (([], True), (["--quiet"], False)):
        leader, follower = pty.openpty()
        started = subprocess.Popen(
            [*IKPCA, *args, "-f", *extra],
            cwd=tmp_path,
            stderr=follower,
            stdout=subprocess.DEVNULL,
            env=os.environ | {"TERM": "xterm"},
        )
        os.close(follower)
        seen = b""
        # A terminal that nobody reads from would stop the program.
        with contextlib.suppress(OSError):
            while chunk := os.read(leader, 65536):
                seen += chunk
        os.close(leader)
        assert started.wait(timeout=60) == 0
        assert (b"features" in seen) is shown
    assert run(*args, "-f", cwd=tmp_path).stderr == b""
