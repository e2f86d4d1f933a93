"""Help: options in the order in which people need them, defaults shown, values that complete."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from typer.main import get_command

from ikpca_cli.cli.app import app
from ikpca_cli.cli.help import PANELS as PLACES

PANELS = list(PLACES)
COMMANDS = tuple(get_command(app).commands)


@pytest.fixture
def help_of(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    return lambda *words: cli(*words, "--help").stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_panels_come_in_order(help_of, command):
    found = re.findall(r"─ (\w[\w ]*) ─", help_of(command))
    known = [panel for panel in found if panel in PANELS]
    assert known == sorted(known, key=PANELS.index)
    assert len(known) == len(set(known))
    assert set(found) - {"Arguments"} == set(known)


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_come_before_options_and_fit_a_terminal(help_of, command):
    text = help_of(command)
    assert text.index("Examples:") < text.index("─ ")
    for line in re.findall(r"^ +(?:ikpca|cat) .*$", text, re.MULTILINE):
        assert len(line.rstrip()) <= 80, line


@pytest.mark.parametrize("command", COMMANDS)
def test_flags_have_no_type_and_choices_a_default(help_of, command):
    text = help_of(command)
    assert "<bool>" not in text
    assert "env var" not in text
    rows = re.split(r"^│ (?=--)", text, flags=re.MULTILINE)[1:]
    for row in rows:
        if re.search(r" [a-z0-9]+ ?\| ?[a-zF]", row.splitlines()[0]):
            assert "[default: " in row, row


def test_no_help_has_options_that_its_command_refuses(help_of):
    assert "--resample" not in help_of("beats")


def test_the_first_help_has_no_types_and_variables(help_of):
    assert not re.search("<bool>|env var", help_of())


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("fit", "TRAIN..."),
        ("denoise", "MODEL NOISY..."),
        ("compare", "TRAIN [NOISY]"),
        ("guide", "[TOPIC]"),
    ],
)
def test_the_usage_line_says_what_is_needed(help_of, command, usage):
    text = help_of(command)
    assert f"Usage: ikpca {command} [OPTIONS] {usage}" in " ".join(text.split())
    assert "<str>" not in text.split("Arguments")[1].split("╯")[0]


def test_no_value_is_broken_in_a_narrow_terminal(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = cli("fit", "--help").stdout
    assert all(re.search(rf"\b{word}\b", text) for word in ("mixture", "matern32", "exponential"))
    assert re.search(r"\brational-quadratic\b", text)
    monkeypatch.setenv("COLUMNS", "60")
    text = cli("fit", "--help").stdout
    words = ("mean", "fill", "keep", "refined", "leaky-relu", "optimal", "float32", "exponential")
    assert [word for word in words if not re.search(rf"\b{word}\b", text)] == []


def test_options_that_a_model_keeps_say_so(help_of):
    header = help_of("denoise").split("--header")[1].split("--skip-rows")[0]
    assert "[default: (as for the fit)]" in header
    assert "[default: (auto)]" in help_of("fit").split("--header")[1].split("--skip-rows")[0]


@pytest.mark.parametrize("name", ["IKPCA_VERSION", "IKPCA_HELP", "IKPCA_GUIDE_HELP"])
def test_a_variable_of_the_place_is_no_flag(cli, monkeypatch, name):
    monkeypatch.setenv(name, "0.2.0")
    assert cli("guide").stdout.startswith("files ")


def completions(line, folder):
    words = line.split(" ")
    environment = os.environ | {
        "_IKPCA_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    command = "import sys; sys.argv[0] = 'ikpca'; from ikpca_cli.cli.app import app; app()"
    done = subprocess.run(
        [sys.executable, "-c", command], env=environment, cwd=folder, capture_output=True, text=True
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ikpca fit --method ", ["ikpca", "kpca", "pca", "mixture", "auto"]),
        ("ikpca fit --method k", ["kpca"]),
        ("ikpca fit --rff ", ["auto", "exact"]),
        ("ikpca denoise --format ", ["table", "json", "csv"]),
        ("ikpca guide ba", ["batches"]),
        ("ikpca fit --window ", ["auto", "beats", "none"]),
        ("ikpca fit --noise-std ", []),
        ("ikpca compare --methods ikpca,", ["ikpca,kpca", "ikpca,pca"]),
    ],
)
def test_values_complete_in_the_shell(line, words, tmp_path):
    assert completions(line, tmp_path) == words


def test_the_version_has_a_short_option(cli):
    assert cli("-V").stdout == cli("--version").stdout


def test_verbose_tells_stages_on_standard_error(cli, samples):
    words = ["fit", "ecg_train.npy", "--method", "pca", "--force"]
    plain, told = cli(*words), cli(*words, "--verbose")
    assert plain.stderr == ""
    assert re.search(r"^reading: \d+\.\d s$", told.stderr, re.MULTILINE)
    assert cli(*words, "--verbose", "--quiet").stderr == ""


def test_a_long_batch_lists_what_is_worth_a_look(cli, samples):
    cli("fit", "ecg_train.npy", "--method", "pca")
    names = [f"{place}.npy" for place in range(25)]
    for name in names:
        (samples / name).write_bytes((samples / "ecg_noisy.npy").read_bytes())
    words = ["denoise", "model.joblib", *names, "--output-dir", "out", "--force"]
    text = cli(*words).stdout
    assert text.startswith("25 files cleaned, 1,500 rows")
    shown = cli(*words, "--verbose").stdout
    assert all(name in shown for name in names)
    np.save(samples / "7.npy", 50.0 + np.load("ecg_noisy.npy"))
    listed = cli(*words).stdout
    assert "7.npy" in listed
    assert " 8.npy" not in listed
    assert "1 file warned of" in listed
