"""``ikpca guide`` and ``ikpca demo``: a start without a file, and the pages."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ikpca_cli.cli.commands.demo import NOISE_STD, pulses
from ikpca_cli.guide import TOPICS, page
from tests.conftest import ROOT


def test_topics_are_listed(cli):
    lines = cli("guide").stdout.splitlines()
    assert [line.split()[0] for line in lines[: len(TOPICS)]] == list(TOPICS)
    assert all(len(line) <= 100 for line in lines)


def test_the_beginning_of_a_topic_is_enough(cli):
    assert cli("guide", "recording").stdout == page("recordings")
    assert "'s': give one of files" in cli("guide", "s", code=2).stderr


@pytest.mark.parametrize("topic", TOPICS)
def test_a_page_in_a_pipe_is_its_text(cli, topic):
    assert cli("guide", topic).stdout == page(topic)


def in_a_terminal(*words, columns=70):
    """Run the program with a terminal for its standard output; return what it shows."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "ikpca_cli", *words]
    environment = os.environ | {"COLUMNS": str(columns), "TERM": "xterm"}
    with subprocess.Popen(command, stdout=theirs, cwd=ROOT, env=environment) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    assert process.returncode == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).replace("\r", "")


def test_a_page_in_a_terminal_is_laid_out():
    shown = in_a_terminal("guide", "noise")
    assert "```" not in shown
    assert "ikpca evaluate ecg.joblib ecg_noisy.npy" in shown
    assert max(map(len, shown.splitlines())) <= 70


def test_an_unknown_page_is_refused_with_those_there_are(cli):
    result = cli("guide", "nothing", code=2)
    assert len(result.stderr.splitlines()) == 1
    assert all(topic in result.stderr for topic in TOPICS)


def test_the_set_of_the_demonstration_has_the_noise_that_it_says():
    train, noisy, clean = pulses()
    assert train.shape[1:] == noisy.shape[1:] == clean.shape[1:]
    assert_allclose(np.std(noisy - clean), NOISE_STD, rtol=0.05)
    assert abs(np.mean(noisy - clean)) < 0.02


def test_a_demonstration_prints_the_commands_that_it_ran(cli, tmp_path):
    shown = cli("demo", "--", "-try").stdout
    commands = [shlex.split(line[2:]) for line in shown.splitlines() if line.startswith("$ ")]
    assert [words[1] for words in commands] == ["fit", "denoise", "evaluate", "compare", "fit"]
    found = {path.name for path in (tmp_path / "-try").iterdir()}
    assert found == {
        *("train.csv", "noisy.csv", "clean.csv"),
        *("model.joblib", "noisy.denoised.csv", "cleaned.png"),
    }
    for words in commands[:-1]:  # they run again as they are printed
        again = [] if words[1] == "compare" else ["--force"]
        cli(*words[1:], *again)
    words = [*commands[2][1:5], *commands[2][5:6], "--format", "json"]
    score = json.loads(cli(*words).stdout)
    assert score["mse"] < score["mse_noisy"] / 3


def test_a_demonstration_spoils_no_folder_and_needs_no_matplotlib(cli, tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/train.csv").write_text("my own\n")
    assert "is not empty" in cli("demo", "mine", code=1).stderr
    assert (tmp_path / "mine/train.csv").read_text() == "my own\n"
    assert "not a directory" in cli("demo", "mine/train.csv/a", code=1).stderr
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = cli("demo", "mine", "--force")
    assert (tmp_path / "mine/train.csv").read_text() != "my own\n"
    assert "--plot" not in result.stdout  # without matplotlib it previews
    assert "denoised" in result.stderr
