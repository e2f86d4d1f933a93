"""The structure of the package: layers that look down, small rooms, and one name a file."""

from __future__ import annotations

import ast
import pydoc
import re
import shutil
import subprocess
import sys
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import ikpca_cli
from tests.conftest import ROOT

PACKAGE = ROOT / "ikpca_cli"
MODULES = sorted(PACKAGE.rglob("*.py"))
MOST_MODULES = 14
MOST_LINES = 300
TOP_LEVEL = {
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "ikpca_cli",
    "pyproject.toml",
    "sample_data",
    "tests",
}

LAYERS = (
    ("errors", "registry", "version"),
    ("data",),
    ("linalg",),
    ("models",),
    ("transforms",),
    ("noise",),
    ("selection",),
    ("estimators",),
    ("evaluation",),
    ("formats",),
    ("recordings",),
    ("modelfile",),
    ("plots",),
    ("guide",),
    ("cli",),
)
"""Rooms, each of which may import from those before it and from itself."""


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> set[str]:
    """Return every module of the package that a file imports, wherever in it."""
    names = {name_of(module) for module in MODULES}
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module in names:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inner & names or {node.module}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & names
    return found - {name_of(path)}


def test_the_top_level_holds_nothing_else():
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this tree is no checkout, so that it may hold what is not kept")
    listing = ["git", "-C", str(ROOT), "ls-files", "-z"]
    done = subprocess.run(listing, capture_output=True, text=True, check=True)
    kept = {name.split("/")[0] for name in done.stdout.split("\0") if name}
    assert {name for name in kept if not name.startswith(".")} == TOP_LEVEL


def test_no_module_imports_itself_by_way_of_others():
    graph = {name_of(path): imports_of(path) for path in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_layers_look_down(path):
    def layer(name: str) -> int:
        room = name.split(".")[1] if "." in name else ""
        places = [place for place, rooms in enumerate(LAYERS) if room in rooms]
        return places[0] if places else len(LAYERS)

    for name in imports_of(path) - {"ikpca_cli"}:
        assert layer(name) <= layer(name_of(path)), f"{name_of(path)} imports {name}"


def test_the_map_of_the_house_is_true():
    listed = re.findall(r"^- (\w+): ", ikpca_cli.__doc__, re.MULTILINE)
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert listed == [room for rooms in LAYERS for room in rooms if room in folders]
    assert set(listed) == folders


def test_rooms_are_small():
    rooms = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    assert {room: count for room, count in rooms.items() if count > MOST_MODULES} == {}


def test_modules_are_small():
    lines = {name_of(path): path.read_text(encoding="utf-8").count("\n") for path in MODULES}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_the_map_names_what_there_is():
    names = re.findall(r"`([a-z]\w*(?:\.\w+)+)`", ikpca_cli.__doc__)
    assert len(names) > 15
    for name in names:
        pydoc.resolve(f"ikpca_cli.{name}")


def test_no_file_name_is_there_twice():
    names = Counter(path.name for path in MODULES)
    assert [name for name, count in names.items() if count > 1] == ["__init__.py"]


def test_cleaning_does_not_import_what_a_fit_searches_with(tmp_path):
    code = (
        "import sys\n"
        "from ikpca_cli.modelfile.storage import load_model\n"
        "from ikpca_cli.cli.commands.denoise import denoise\n"
        f"model = load_model({str(ROOT / 'tests/modelfile/old/format2_ikpca_exact.joblib')!r})\n"
        "model.strength_ = 1.0  # which a file's own noise is read for\n"
        "model.denoise([[-0.4, 0.8, 2.0]])\n"
        "print(*sys.modules)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    searching = {
        "ikpca_cli.selection.cross_validation",
        "ikpca_cli.selection.expansion",
        "ikpca_cli.selection.bandwidth",
        "ikpca_cli.selection.held_out",
        "ikpca_cli.selection.grid",
        "scipy.linalg",
    }
    assert searching & set(done.stdout.split()) == set()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_decompositions_let_an_interrupt_through(path):
    """Numpy's release the interpreter, scipy's hold it for as long as they take."""
    asked = {
        alias.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "scipy.linalg"
        for alias in node.names
    }
    held = {
        "eig",
        "eigh",
        "eigvals",
        "eigvalsh",
        "svd",
        "svdvals",
        "qr",
        "pinv",
        "pinvh",
        "cholesky",
    }
    assert asked & held == set()
