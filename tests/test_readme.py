"""The README keeps its word: its commands run, its links and options exist, its table is true."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from ikpca_cli.estimators.methods import METHODS
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


def recipe(title):
    """Return the block of text after a recipe's title, which needs another place to run."""
    return re.search(rf"\*\*{title}\.\*\*.*?```text\n(.*?)```", README, re.DOTALL)[1]


@pytest.fixture
def batch(samples):
    """A folder with a model and 13 files to clean, one with a space in its name."""
    assert shell("ikpca fit ecg_train.npy --method pca --components 4", samples).returncode == 0
    (samples / "noisy").mkdir()
    for place in range(13):
        target = samples / f"noisy/{place} a.npy" if place == 7 else samples / f"noisy/{place}.npy"
        target.write_bytes((samples / "ecg_noisy.npy").read_bytes())
    return samples


def test_the_slurm_recipe_cleans_each_file_once(batch):
    code = recipe("A SLURM array").replace("/scratch/", f"{batch}/")
    first, last = map(int, re.search(r"--array=(\d+)-(\d+)", code).groups())
    cpus = re.search(r"--cpus-per-task=(\d+)", code)[1]
    for task in [*range(first, last + 1), first]:  # the first one starts twice
        names = f"export SLURM_ARRAY_TASK_ID={task} SLURM_CPUS_PER_TASK={cpus}\n"
        done = shell(names + code, batch)
        assert done.returncode == 0, done.stderr
    assert "skipped 2 of 2 files" in done.stderr
    found = sorted(path.name for path in (batch / "clean").iterdir())
    assert len(found) == 13
    assert "7 a.denoised.npy" in found


def test_the_parallel_recipe_cleans_each_file(batch):
    tool = shutil.which("parallel")
    if (
        tool is None
        or "GNU" not in subprocess.run([tool, "--version"], capture_output=True, text=True).stdout
    ):
        pytest.skip("GNU parallel is not installed")
    done = shell(
        "export -f ikpca\nexport SHELL=$(command -v bash)\n" + recipe("GNU parallel"), batch
    )
    assert done.returncode == 0, done.stderr
    assert len(list((batch / "clean").iterdir())) == 13
