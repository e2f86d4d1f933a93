"""What the scripts of the paper share: data, the command line, and how ikpca is called."""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

if find_spec("matplotlib") is None:
    sys.exit("error: the pictures need matplotlib, which is not installed: pip install '.[plot]'")

SHARED = Path(__file__).parents[4] / "shared/data"
USPS, BEATS = SHARED / "usps.h5", SHARED / "cpsc_normal_beats.h5"
PICTURES = Path(tempfile.gettempdir()) / "ikpca-paper"
NOISES = (0.25, 0.5)

# The parameters of the paper's authors.
S_CURVE_MODELS = "--inverse paper --gamma ikpca:0.5 --ridge ikpca:1 --gamma kpca:1 --ridge kpca:1"
USPS_MODELS = "--inverse paper --gamma ikpca:1e-4 --gamma kpca:5e-3 --ridge kpca:1e-2"

_SALT = 0x7061_7065_7221  # the scripts' own: no method draws from it


def options(doc: str, runs: int, quick_runs: int = 2) -> argparse.Namespace:
    """Read the command line that all scripts have."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    parser.add_argument("--runs", type=int, help=f"repetitions, {runs} by default")
    parser.add_argument("--output", type=Path, default=PICTURES, help="folder for pictures")
    found = parser.parse_args()
    found.runs = found.runs or (quick_runs if found.quick else runs)
    found.noises = NOISES[:1] if found.quick else NOISES
    found.output.mkdir(parents=True, exist_ok=True)
    print(f"pictures go to {found.output}")
    return found


def require(*files: Path) -> None:
    """Stop, without a failure, where data of the paper is not beside the checkout."""
    for file in files:
        if not file.exists():
            print(f"skipped: {file} is not there")
            raise SystemExit(0)


def ikpca(*words: object) -> Any:
    """Run an ikpca command, print it for readers to repeat, and return its JSON."""
    texts = [text for word in words for text in str(word).split("\n")]
    print("$ ikpca " + shlex.join(texts), flush=True)
    command = [sys.executable, "-m", "ikpca_cli", *texts, "--format", "json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def compare(rows: Path, settings: str, runs: int, picture: Path | None = None) -> dict[str, Any]:
    """Run ``ikpca compare`` with settings as on a command line."""
    plot = [] if picture is None else ["--plot", picture, "--force"]
    return ikpca("compare", rows, *settings.split(), "--runs", runs, *plot)


def print_curves(title: str, report: dict[str, Any], key: str) -> None:
    """Print a line for each value of `key`, a column for each curve: means over runs."""
    from ikpca_cli.plots.curves import lines_of

    lines = lines_of([row for row in report["results"] if row["runs"]], key)
    noisy = report["mse_noisy"]["mse_mean"]
    table = Table(title=f"{title}; noisy rows {noisy:.4g}", title_justify="left")
    for heading in (key, *lines):
        table.add_column(heading, no_wrap=True)
    values = {row[key] for line in lines.values() for row in line}
    numbers = sorted(value for value in values if isinstance(value, int | float))
    for value in [*numbers, *sorted(values.difference(numbers), key=str)]:
        found = [next((row for row in line if row[key] == value), None) for line in lines.values()]
        cells = ["" if row is None else mean_and_std(row) for row in found]
        table.add_row("any" if value is None else str(value), *cells)
    show(table)


def s_curve_errors(
    rows: Path,
    noise: float,
    size: int,
    components: Sequence[int],
    rff: Sequence[int],
    runs: int,
    picture: Path,
) -> dict[str, Any]:
    """Compare ikPCA and kPCA+SL on the S-curve by components, print the table and draw it."""
    settings = (
        f"--noise {noise} --train-size {size} --test-size {size} --methods ikpca,kpca "
        f"--components {listed(components)} --rff {listed(rff)} {S_CURVE_MODELS}"
    )
    report = compare(rows, settings, runs, picture)
    print_curves(f"S-curve, noise {noise}", report, "n_components")
    return report


def mean_and_std(row: dict[str, Any]) -> str:
    """Return mean and standard deviation over runs, as a cell."""
    std = row["mse_std"]
    return f"{row['mse_mean']:.4g}" + ("" if std is None else f" ± {std:.1g}")


def show(table: Table) -> None:
    """Print a table at its full width, whatever it goes to."""
    console = Console(width=None if sys.stdout.isatty() else 200)
    console.print(table)


def s_curve(folder: Path, count: int = 20_000) -> Path:
    """Write clean points of the S-shaped sheet, many more than a run takes."""
    rng = np.random.default_rng(_SALT)
    t, w = 3 * np.pi * (rng.uniform(size=count) - 0.5), 2 * rng.uniform(size=count)
    rows = np.stack([np.sin(t), w, np.sign(t) * (np.cos(t) - 1)], axis=1)
    return _saved(folder / "s_curve.npy", rows)


def usps(folder: Path) -> Path:
    """Write both parts of the USPS digits as one stack, each pixel scaled to [0, 1]."""
    import h5py

    with h5py.File(USPS) as file:
        rows = np.concatenate([file[part]["data"][:] for part in ("train", "test")])
    low, high = rows.min(axis=0), rows.max(axis=0)
    return _saved(folder / "usps.npy", (rows - low) / (high - low))


def noisy_digits(folder: Path, noise: float, sizes: tuple[int, int]) -> tuple[Path, Path, Path]:
    """Write USPS images to fit on and to clean, with noise, and the latter without."""
    rng = np.random.default_rng([_SALT, int(1000 * noise)])
    rows = np.load(usps(folder)).reshape(-1, 16, 16)
    clean = rows[rng.permutation(len(rows))[: sum(sizes)]]
    noisy = clean + rng.normal(scale=noise, size=clean.shape)
    parts = {"train": noisy[: sizes[0]], "noisy": noisy[sizes[0] :], "clean": clean[sizes[0] :]}
    files = [_saved(folder / f"digits_{part}.npy", rows) for part, rows in parts.items()]
    return files[0], files[1], files[2]


def _saved(path: Path, rows: np.ndarray) -> Path:
    np.save(path, rows)
    return path


def listed(values: Sequence[object]) -> str:
    """Return values as a list on the command line."""
    return ",".join(map(str, values))
