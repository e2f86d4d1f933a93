"""README and guide keep their word: commands run, links and options exist, the table is true."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from typer.main import get_command

from ikpca_cli.cli.app import app
from ikpca_cli.estimators.methods import METHODS
from ikpca_cli.guide import TOPICS
from tests.conftest import ROOT

GUIDE = ROOT / "ikpca_cli/guide"
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {topic: (GUIDE / f"{topic}.md").read_text(encoding="utf-8") for topic in TOPICS}
SECTIONS = {
    f"README: {part.splitlines()[0]}": part
    for part in re.split(r"^## ", README, flags=re.MULTILINE)[1:]
}


def blocks(text, language):
    """Return the code blocks of a language that are no set-up, which .ci/run runs."""
    found = re.findall(rf"(<!-- \w+ -->\n)?```{language}\n(.*?)```", text, re.DOTALL)
    return [code for marked, code in found if not marked]


def runnable(texts):
    return [name for name, text in texts.items() if blocks(text, "bash") + blocks(text, "python")]


def shell(code, folder):
    program = " ".join(map(shlex.quote, [sys.executable, "-m", "ikpca_cli"]))
    lines = f'ikpca() {{ {program} "$@"; }}\nset -euo pipefail\n{code}'
    return subprocess.run(["bash", "-c", lines], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("name", runnable(SECTIONS | PAGES))
def test_commands_run(name, samples):
    text = (SECTIONS | PAGES)[name]
    done = shell("\n".join(blocks(text, "bash")), samples)
    assert done.returncode == 0, done.stderr
    for program in blocks(text, "python"):
        done = subprocess.run([sys.executable, "-c", program], cwd=samples, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()


def test_set_up_is_three_commands():
    assert re.findall(r"<!-- (\w+) -->", README) == ["main", "demo", "test"]


def test_the_readme_fits_its_readers():
    assert len(README.splitlines()) < 200
    assert {len(line) for line in README.splitlines()[:12]} < set(range(160))


@pytest.mark.parametrize("name", ["README", *PAGES])
def test_linked_files_exist(name):
    text, folder = (README, ROOT) if name == "README" else (PAGES[name], GUIDE)
    for target in re.findall(r"\]\((?!http)([^)]+)\)", text):
        assert (folder / target).exists(), target
    for target in re.findall(r"python (tests/\S+\.py)", text):
        assert (ROOT / target).exists(), target


def test_the_readme_links_every_page():
    linked = re.findall(r"\(ikpca_cli/guide/(\w+)\.md\)", README)
    assert set(linked) == set(TOPICS)


def test_options_that_are_named_exist(cli):
    """Of commands of ikpca alone: those of other programs are in blocks of text."""
    known = set()
    for command in get_command(app).commands:
        known |= set(re.findall(r"--[a-z][a-z-]+", cli(command, "--help").stdout))
    known |= set(re.findall(r"--[a-z][a-z-]+", cli("--help").stdout))
    for name, text in {"README": README, **PAGES}.items():
        prose = re.sub(r"```(text|python)\n.*?```|<!--.*?-->", "", text, flags=re.DOTALL)
        named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", prose))
        others = {"--quick", "--quiet", "--disable-pip-version-check"}
        assert named - known - others == set(), name


@pytest.mark.parametrize("topic", TOPICS)
def test_pages_begin_with_what_they_are_about(topic):
    assert re.match(rf"# {topic.capitalize()}: \w", PAGES[topic])


def test_every_page_is_a_topic():
    assert sorted(path.stem for path in GUIDE.glob("*.md")) == sorted(TOPICS)


@pytest.mark.parametrize("rows", ["s_curve", "digits", "ecg"])
def test_the_table_is_true(rows, all_samples):
    line = next(line for line in README.splitlines() if line.startswith(f"| `{rows}`"))
    noisy, *errors = (float(cell.strip(" *")) for cell in line.strip("|").split("|")[1:])
    names = {"s_curve": "s_curve_{}.csv", "digits": "digits.h5::{}", "ecg": "ecg_{}.npy"}[rows]
    files = [names.format(part) for part in ("train", "noisy", "clean")]
    done = shell("ikpca compare {} {} --clean {} --format json".format(*files), all_samples)
    report = json.loads(done.stdout)
    assert report["mse_noisy"]["mse_mean"] == pytest.approx(noisy, rel=0.01)
    found = {row["method"]: row["mse_mean"] for row in report["results"]}
    assert list(found) == list(METHODS)
    assert list(found.values()) == pytest.approx(errors, rel=0.01)
    best = min(errors)
    assert f"**{re.search(rf'[*]+({best:.4g}[0-9]*)[*]+', line)[1]}**" in line


def recipe(topic, title):
    """Return the block of text after a recipe's title, which needs another place to run."""
    return re.search(rf"\*\*{title}\.\*\*.*?```text\n(.*?)```", PAGES[topic], re.DOTALL)[1]


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
    code = recipe("clusters", "A SLURM array").replace("/scratch/", f"{batch}/")
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
    code = "export -f ikpca\nexport SHELL=$(command -v bash)\n" + recipe("batches", "GNU parallel")
    done = shell(code, batch)
    assert done.returncode == 0, done.stderr
    assert len(list((batch / "clean").iterdir())) == 13
