"""The program as a process: start-up, help, streams, signals, odd names."""

from __future__ import annotations

import contextlib
import io
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

from ikpca_cli import PCA, __version__, save_model
from ikpca_cli.cli.app import app
from tests.conftest import ROOT
from tests.processes import PROGRAM, count, run, start, wait_until
from tests.recordings.ecg import ecg

HELPS = {info.callback.__name__: info.callback.__doc__ for info in app.registered_commands}


def test_help_imports_nothing_heavy():
    script = "import sys; from ikpca_cli.cli.app import app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout
    heavy = {"numpy", "scipy", "h5py", "joblib", "pandas", "polars", "pyarrow", "matplotlib"}
    assert heavy & set(loaded.decode().split()) == set()


def test_nothing_of_weight_is_imported_where_no_interrupt_is_answered():
    code = "import sys, ikpca_cli.__main__; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
    assert not {"ikpca_cli.cli", "ikpca_cli.data", "typing"} & set(done.stdout.split()), done.stderr


def test_version():
    assert run("--version").stdout.decode() == f"ikpca {__version__}\n"


def test_every_option_has_a_help_text():
    group = typer.main.get_command(app)
    for name, command in group.commands.items():
        for parameter in command.params:
            assert getattr(parameter, "help", "?"), f"{name} {parameter.name}"


@pytest.fixture
def fitted(cli, samples):
    """A folder with all that the examples in helps start from, and the program in it."""
    cli("fit ecg_train.npy --method pca")
    cli("fit digits.h5::train --method pca -o digits.joblib")
    write_recording(samples / "recording.csv")
    return samples


EXAMPLES = [
    (command, example)
    for command, text in HELPS.items()
    for example in re.findall(r"^ +((?:cat \S+ \| )?ikpca .+)$", text, re.MULTILINE)
]


def test_every_command_shows_examples():
    assert {command for command, _ in EXAMPLES} == set(HELPS)


@pytest.mark.parametrize("command", HELPS)
def test_examples_in_the_help_work(command, cli, fitted):
    for example in (line for name, line in EXAMPLES if name == command):
        if command in ("fit", "beats"):
            for model in fitted.glob("*.joblib"):
                model.unlink()
        if not set(example) & set("|*"):
            for line in example.split(" && "):
                cli(line.removeprefix("ikpca"))
            continue
        line = re.sub(r"\bikpca ", lambda _: f"{shlex.join(PROGRAM)} ", example)
        done = subprocess.run(line, shell=True, cwd=fitted, capture_output=True)
        assert done.returncode == 0, (example, done.stderr.decode())


def write_recording(path):
    """Write a dozen seconds of a noisy electrocardiogram, with their times."""
    rng = np.random.default_rng(5)
    samples = ecg(12, 360, rng)[0]
    table = np.stack([np.arange(len(samples)) / 360, samples + rng.normal(0, 0.1, len(samples))])
    np.savetxt(path, table.T, "%.4f", delimiter=",", header="time,mV", comments="")


def test_names_print_as_they_are(cli, tmp_path):
    rows = np.random.default_rng(0).normal(size=(20, 3)) @ np.ones((3, 3))
    for name in ("[id].npy", "données.npy", "a b.npy", "[bold]x.npy", ":smile:.npy"):
        np.save(tmp_path / name, rows)
        cli("fit --method pca --components 1 -f", name)
        done = cli("denoise model.joblib", name)
        assert name in done.stdout
        assert name.replace(".npy", ".denoised.npy") in done.stdout
        refused = cli("denoise model.joblib", f"no{name}", code=1)
        assert f"no{name}" in refused.stderr
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    run("denoise model.joblib", "données.npy", "-f", cwd=tmp_path, env=ascii_only)


def test_piped_tables_are_plain_and_whole(all_samples):
    forced = os.environ | {"FORCE_COLOR": "1", "COLUMNS": "20", "TERM": "xterm-256color"}
    done = run("fit ecg_train.npy --method pca", cwd=all_samples, env=forced)
    text = done.stdout.decode()
    assert "\x1b" not in text
    assert "…" not in text
    assert re.search(r"noise_std +0\.1\d{3}\s", text)  # as many digits as mean something
    assert done.stderr == b""


def test_a_terminal_without_a_width_shows_a_help():
    done = run("fit --help", env=os.environ | {"COLUMNS": "0"})
    assert "Learn a model from noisy rows." in done.stdout.decode()


def test_a_file_whose_name_is_like_an_option_is_told_how_to_be_given(tmp_path):
    np.save(tmp_path / "-x.npy", np.eye(3))
    done = run("fit", "-x.npy", code=2, cwd=tmp_path)
    assert b"the file -x.npy is given as ./-x.npy" in done.stderr


def test_a_closed_pipe_ends_quietly(samples):
    program = " ".join(map(shlex.quote, PROGRAM))
    line = f"{program} compare ecg_train.npy --clean mean --methods pca | head -1"
    done = subprocess.run(["bash", "-c", line], cwd=samples, capture_output=True)
    assert done.stderr == b""
    run("fit ecg_train.npy --method pca", cwd=samples)
    for output in ("-o -", "-f"):  # rows, or a table
        line = f"{program} denoise model.joblib ecg_noisy.npy {output} | true"
        line += "; exit ${PIPESTATUS[0]}"
        done = subprocess.run(["bash", "-c", line], cwd=samples, capture_output=True)
        assert done.stderr == b""
        assert done.returncode == 141


def test_a_folder_that_is_gone_is_named(tmp_path):
    program = " ".join(map(shlex.quote, PROGRAM))
    gone = tmp_path / "gone"
    gone.mkdir()
    line = f"rmdir ../gone; {program} fit ecg_train.npy"
    done = subprocess.run(["bash", "-c", line], cwd=gone, capture_output=True)
    assert done.returncode == 1
    assert b"started in is gone" in done.stderr


SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_signal_leaves_nothing_behind(tmp_path, number, code):
    pipe = tmp_path / "x.npy"
    os.mkfifo(pipe)
    started = start("fit x.npy", cwd=tmp_path)
    content = io.BytesIO()
    np.save(content, np.random.default_rng(0).normal(size=(3000, 40)))
    with pipe.open("wb") as file:  # which the program opens only when it reads them
        file.write(content.getbuffer())
    # All rows have been taken, and what a default fit does with them takes longer than this.
    started.send_signal(number)
    _, errors = started.communicate(timeout=60)
    assert started.returncode == code
    said = b"interrupted: no output was left half-written\n"
    assert errors == (said if number == signal.SIGINT else b"")
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


BUSY = """
import signal, sys, threading
import numpy as np
from ikpca_cli.data import signals
from ikpca_cli.formats.output import atomic_write
from ikpca_cli.formats.temporary import discard_unfinished

signals.PATIENCE = float(sys.argv[1])
signal.signal(signal.SIGINT, lambda *_: None)  # what Python does of itself is not enough here
signals.end_in_time(discard_unfinished)
work = lambda: np.linalg.eigh(np.random.default_rng(0).normal(size=(3000, 3000)))
with atomic_write("out", force=False) as out:
    out.write(b"half")
    print("ready", flush=True)
    if sys.argv[2] == "thread":  # which the interpreter waits for at its end
        worker = threading.Thread(target=work)
        worker.start()
        worker.join()
    else:
        work()
    print("done", flush=True)
"""


@pytest.mark.parametrize("where", ["main", "thread"])
@pytest.mark.parametrize("times", [1, 2])
def test_a_signal_does_not_wait_for_a_matrix(tmp_path, where, times):
    patience = 0.1 if times == 1 else 3600.0
    command = [sys.executable, "-c", BUSY, str(patience), where]
    options = {"cwd": tmp_path, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    started = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, **options)
    assert started.stdout.readline() == b"ready\n"
    for _ in range(times):
        started.send_signal(signal.SIGINT)
        time.sleep(0.05)  # or two that are pending would be one
    said, _ = started.communicate(timeout=60)
    assert said == b""
    assert started.returncode == 130
    assert list(tmp_path.iterdir()) == []


ENDING = """
import os, signal
from ikpca_cli.data import signals

signals.interrupt_once()
caught = 0
for _ in range(3):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        caught += 1
raise SystemExit(caught)
"""


@pytest.mark.parametrize(("before", "caught"), [("", 1), ("trap '' INT; ", 0)])
def test_an_interrupt_does_not_interrupt_the_end_that_one_before_it_began(before, caught):
    """A second one between two steps of the end hid the exit code of the first."""
    command = ["sh", "-c", f'{before}exec "$0" -c "$1"', sys.executable, ENDING]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == caught


def write_model(path, rows):
    """Write a model that is quickly there, for tests of what becomes of it."""
    save_model(str(path), PCA(1, noise_std=1.0).fit(rows))


@pytest.mark.parametrize("outputs", [0, 1, 10, 30])
def test_a_signal_in_a_batch_leaves_whole_outputs_only(tmp_path, outputs):
    rows = np.random.default_rng(0).normal(size=(2000, 300))
    write_model(tmp_path / "m", rows[:100])
    np.save(tmp_path / "0.npy", rows)
    names = [f"{i}.npy" for i in range(300)]  # which take far longer than the signal
    for name in names[1:]:
        (tmp_path / name).symlink_to("0.npy")
    started = start("denoise m --output-dir out -q", *names, cwd=tmp_path)
    wait_until(lambda: count(tmp_path / "out") >= outputs, started)
    started.send_signal(signal.SIGTERM)
    started.communicate(timeout=60)
    assert started.returncode in (143, -signal.SIGTERM)  # the latter before Python has begun
    written = list((tmp_path / "out").iterdir()) if outputs else []
    assert outputs <= len(written) < len(names)
    for path in written:
        assert path.suffix == ".npy"
        assert np.load(path).shape == rows.shape


def test_progress_shows_in_a_terminal_only(tmp_path):
    import pty

    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(20_000, 100)))
    args = ["fit", "x.npy", "--rff", "2000", "--gamma", "0.01", "--ridge", "1", "--components", "3"]
    for extra, shown in (([], True), (["--quiet"], False)):
        leader, follower = pty.openpty()
        started = subprocess.Popen(
            [*PROGRAM, *args, "-f", *extra],
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
    done = run("fit x.npy --method pca --components 3 --noise-std 1 -f", cwd=tmp_path)
    assert done.stderr == b""


@pytest.mark.parametrize(
    "line", ["--help", "--version", "fit --help", "info m", "denoise m x.npy -o -"]
)
@pytest.mark.parametrize("where", [">/dev/full", ">&-"])
def test_what_cannot_be_printed_is_a_failure_in_a_line(tmp_path, line, where):
    rows = np.random.default_rng(0).normal(size=(9, 3))
    np.save(tmp_path / "x.npy", rows)
    write_model(tmp_path / "m", rows)
    command = f"{shlex.join(PROGRAM)} {line} {where}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    (said,) = done.stderr.splitlines()
    assert said.startswith("error: standard output: ")


def test_closed_streams_are_not_taken_for_files(tmp_path):
    rows = np.random.default_rng(0).normal(size=(9, 3))
    np.save(tmp_path / "x.npy", rows)
    write_model(tmp_path / "m", rows)
    command = f"{shlex.join(PROGRAM)} denoise m x.npy -o y.npy <&- >&- 2>&-"
    assert subprocess.run(["bash", "-c", command], cwd=tmp_path).returncode == 1
    assert np.load(tmp_path / "y.npy").shape == (9, 3)
    command = f"{shlex.join(PROGRAM)} denoise m - <&- 2>said"
    assert subprocess.run(["bash", "-c", command], cwd=tmp_path).returncode == 1
    assert "standard input is closed" in (tmp_path / "said").read_text()
