"""Figure 5 and its companions in the appendix: heart beats of three recordings.

    python tests/benchmarks/paper/fig5_ecg.py [--quick] [--output DIR]

The noisy beats' range and mean, and every cleaned beat, for each method with one component and the
parameters of the paper's authors. Numbers are those of Table A-1, see table_a1.py.
"""

from __future__ import annotations

from common import BEATS, compare, mean_and_std, options, require, show
from rich.table import Table
from table_a1 import ECGS, SETTINGS


def main() -> None:
    asked = options(__doc__, runs=500)
    require(BEATS)
    table = Table(title=f"ECG, one component, {asked.runs} splits: MSE")
    for heading in ("ECG", "noisy", "ikpca", "kpca", "pca"):
        table.add_column(heading)
    for name, dataset in ECGS.items():
        picture = asked.output / f"fig5_ecg_{name[1]}.png"
        report = compare(BEATS, f"--dataset {dataset} {SETTINGS}", asked.runs, picture)
        cells = {row["method"]: mean_and_std(row) for row in report["results"]}
        noisy = mean_and_std(report["mse_noisy"])
        table.add_row(name, noisy, *(cells[method] for method in ("ikpca", "kpca", "pca")))
    show(table)


if __name__ == "__main__":
    main()
