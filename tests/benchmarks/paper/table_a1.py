"""Table A-1 of Gedon et al. (2023): mean squared error of three ECGs, cleaned by three methods.

Run from the root of a checkout:

    python tests/benchmarks/paper/table_a1.py [--runs 500] [--data FILE]

Each method keeps one component and has the parameters of the paper's authors; a run is a random
split, 70 % of the beats to fit and the rest to clean, whose mean is the reference. Prints our mean
and standard deviation beside the paper's, and whether they agree within 5 % or two standard errors.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

DATA = Path(__file__).parents[4] / "shared/data/cpsc_normal_beats.h5"
ECGS = {"(a)": "ecg4_lead0", "(b)": "ecg1_lead0", "(c)": "ecg18_lead1"}
PAPER = {
    ("(a)", "pca"): (4.00e-5, 1.47e-5),
    ("(a)", "kpca"): (2.78e-5, 0.74e-5),
    ("(a)", "ikpca"): (2.57e-5, 0.79e-5),
    ("(b)", "pca"): (3.20e-5, 0.35e-5),
    ("(b)", "kpca"): (2.38e-5, 0.29e-5),
    ("(b)", "ikpca"): (2.32e-5, 0.31e-5),
    ("(c)", "pca"): (8.37e-4, 5.93e-4),
    ("(c)", "kpca"): (2.43e-4, 1.63e-4),
    ("(c)", "ikpca"): (2.27e-4, 1.49e-4),
}
SETTINGS = (
    "--transpose --clean mean --train-size 0.7 --components 1 --rff 512 "
    "--gamma ikpca:5e-5 --ridge ikpca:10 --gamma kpca:10 --ridge kpca:15 --format json"
)


def measure(data: Path, dataset: str, runs: int) -> dict[str, tuple[float, float]]:
    """Return method to mean and standard deviation, from the command itself."""
    command = [sys.executable, "-m", "ikpca_cli", "compare", str(data), "--dataset", dataset]
    done = subprocess.run(
        [*command, "--runs", str(runs), *SETTINGS.split()],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    results = json.loads(done.stdout)["results"]
    return {row["method"]: (row["mse_mean"], row["mse_std"]) for row in results}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    if not options.data.exists():
        print(f"skipped: {options.data} is not there; give --data cpsc_normal_beats.h5")
        return 0
    table = Table(title=f"Table A-1, {options.runs} splits")
    for heading in ("ECG", "method", "MSE", "paper", "ratio", "agrees"):
        table.add_column(heading)
    agree = True
    for ecg, dataset in ECGS.items():
        for method, (mean, std) in measure(options.data, dataset, options.runs).items():
            wanted, spread = PAPER[ecg, method]
            error = std / options.runs**0.5
            good = abs(mean - wanted) <= max(0.05 * wanted, 2.0 * error)
            agree &= good
            table.add_row(
                ecg,
                method,
                f"{mean:.3g} ± {std:.2g}",
                f"{wanted:.3g} ± {spread:.2g}",
                f"{mean / wanted:.3f}",
                "yes" if good else "NO",
            )
    Console().print(table)
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
