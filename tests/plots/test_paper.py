"""The scripts of the paper's figures: one runner knows them all, none writes beside them."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import ROOT

PAPER = ROOT / "tests/benchmarks/paper"


def test_the_runner_knows_every_script():
    runner = (PAPER / "all.py").read_text(encoding="utf-8")
    scripts = {path.stem for path in PAPER.glob("*.py")} - {"all", "common"}
    assert {name for name in scripts if f'"{name}"' in runner} == scripts


def test_a_figure_prints_its_command_and_table_and_writes_a_picture(tmp_path):
    before = set(PAPER.iterdir())
    words = [PAPER / "fig2_s_curve.py", "--quick", "--runs", "1", "--output", tmp_path / "new"]
    done = subprocess.run(
        [sys.executable, "-B", *map(str, words)], capture_output=True, text=True, check=True
    )
    assert done.stdout.count("$ ikpca compare") == 2
    assert done.stdout.count("S-curve, noise") == 2
    names = [f"fig2_s_curve_{noise}.png" for noise in (0.25, 0.5)]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == names
    assert set(PAPER.iterdir()) - before <= {PAPER / "__pycache__"}
