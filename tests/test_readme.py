"""The README keeps its word: its commands run, its links and options exist, its table is true."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys

import pytest

from ikpca_cli.core.methods import METHODS
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTIONS = [part for part in re.split(r"^## ", README, flags=re.MULTILINE) if "```" in part]


def blocks(text, language):
    """Return the code blocks of a language that are no set-up, which .ci/run runs."""
    found = re.findall(rf"(<!-- \w+ -->\n)?```{language}\n(.*?)```", text, re.DOTALL)
    return [code for marked, code in found if not marked]


def shell(code, folder):
    program = " ".join(map(shlex.quote, [sys.executable, "-m", "ikpca_cli"]))
    lines = f'ikpca() {{ {program} "$@"; }}\nset -euo pipefail\n{code}'
    return subprocess.run(["bash", "-c", lines], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("title", [part.splitlines()[0] for part in SECTIONS[1:]])
def test_commands_run(title, samples):
    section = next(part for part in SECTIONS if part.startswith(title))
    code = "\n".join(blocks(section, "bash"))
    done = shell(code, samples)
    assert done.returncode == 0, done.stderr
    for program in blocks(section, "python"):
        done = subprocess.run([sys.executable, "-c", program], cwd=samples, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()


def test_set_up_is_two_commands():
    assert re.findall(r"<!-- (\w+) -->", README) == ["main", "test"]


def test_linked_files_exist():
    for target in re.findall(r"\]\((?!http)([^)]+)\)", README):
        assert (ROOT / target).exists(), target
    for target in re.findall(r"`python (tests/\S+)`", README):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("rows", ["s_curve", "digits", "ecg"])
def test_the_table_is_true(rows, samples):
    line = next(line for line in README.splitlines() if line.startswith(f"| `{rows}`"))
    noisy, *errors = (float(cell.strip(" *")) for cell in line.strip("|").split("|")[1:])
    names = {"s_curve": "s_curve_{}.csv", "digits": "digits.h5::{}", "ecg": "ecg_{}.npy"}[rows]
    files = [names.format(part) for part in ("train", "noisy", "clean")]
    done = shell("ikpca compare {} {} --clean {} --format json".format(*files), samples)
    report = json.loads(done.stdout)
    assert report["mse_noisy"]["mse_mean"] == pytest.approx(noisy, rel=0.01)
    found = {row["method"]: row["mse_mean"] for row in report["results"]}
    assert list(found) == list(METHODS)
    assert list(found.values()) == pytest.approx(errors, rel=0.01)
    best = min(errors)
    assert f"**{re.search(rf'[*]+({best:.4g}[0-9]*)[*]+', line)[1]}**" in line
