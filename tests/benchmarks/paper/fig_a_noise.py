"""The appendix's figures on noise: error by components and noise, and the best of each against it.

    python tests/benchmarks/paper/fig_a_noise.py [--quick] [--output DIR]

S-curve, 500 random features and kPCA+SL with the parameters of Figure 2; components 2 to 20. Which
noise levels the paper has is not known to us: 0.1 to 1 here. Writes one picture of error against
components for each level, and one of the best number of components and its error against noise.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from common import options, s_curve, s_curve_errors, show
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from rich.table import Table

from ikpca_cli.plots.picture_file import write_picture
from ikpca_cli.plots.style import FAINT, line_style, new_figure

Best = dict[str, list[tuple[float, int, float, float]]]


def main() -> None:
    asked = options(__doc__, runs=20)
    noises, components, size = (0.1, 0.25, 0.5, 0.75, 1.0), range(2, 21, 2), 2000
    if asked.quick:
        noises, components, size = (0.1, 0.5, 1.0), (2, 6, 12, 20), 400
    best: Best = {}
    noisy: list[float] = []
    with tempfile.TemporaryDirectory() as scratch:
        rows = s_curve(Path(scratch))
        for noise in noises:
            picture = asked.output / f"fig_a_components_{noise}.png"
            report = s_curve_errors(rows, noise, size, components, [500], asked.runs, picture)
            noisy.append(report["mse_noisy"]["mse_mean"])
            _note(best, noise, report)
    _print(best, noisy)
    target = str(asked.output / "fig_a_noise.png")
    write_picture(target, lambda: _draw(best, noisy), force=True)


def _note(best: Best, noise: float, report: dict[str, Any]) -> None:
    """Keep each method's best number of components at a noise level."""
    for method in ("ikpca", "kpca"):
        rows = [row for row in report["results"] if row["method"] == method]
        row = min(rows, key=lambda row: row["mse_mean"])
        best.setdefault(method, []).append(
            (noise, row["n_components"], row["mse_mean"], row["mse_std"] or 0.0)
        )


def _print(best: Best, noisy: list[float]) -> None:
    table = Table(title="S-curve: best number of components, and its MSE")
    for heading in ("noise", "noisy", *(f"{m} {what}" for m in best for what in ("d", "MSE"))):
        table.add_column(heading)
    for i, level in enumerate(noisy):
        cells = [text for line in best.values() for text in (str(line[i][1]), f"{line[i][2]:.4g}")]
        table.add_row(str(next(iter(best.values()))[i][0]), f"{level:.4g}", *cells)
    show(table)


def _draw(best: Best, noisy: list[float]) -> Figure:
    figure = new_figure(9.0, 3.6, "S-curve: the best number of components, by noise")
    counts, errors = figure.subplots(1, 2)
    for index, (method, line) in enumerate(best.items()):
        noises, ds, means, stds = zip(*line, strict=True)
        counts.plot(noises, ds, label=method, **line_style(index))
        errors.errorbar(noises, means, stds, label=method, elinewidth=0.8, **line_style(index))
    errors.plot(noises, noisy, color=FAINT, linestyle="--", label="noisy rows")
    counts.yaxis.set_major_locator(MaxNLocator(integer=True))
    counts.set_ylabel("components")
    errors.set_ylabel("mean squared error")
    for axes in (counts, errors):
        axes.set_xlabel("standard deviation of the noise")
        axes.legend(fontsize=8)
    return figure


if __name__ == "__main__":
    main()
