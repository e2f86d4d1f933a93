"""From a finished command to its picture; matplotlib is imported here and nowhere before."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from ikpca_cli.cli.preview import print_preview
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.plots.picture_file import write_picture
from ikpca_cli.plots.stretch import Stretch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from ikpca_cli.data.row_source import RowSource
    from ikpca_cli.estimators.denoiser import Denoiser
    from ikpca_cli.evaluation.experiment import Result
    from ikpca_cli.evaluation.splits import Split
    from ikpca_cli.plots.shown import Shown


def picture_of_fit(
    target: str, model: Denoiser, name: str, rows: RowSource, *, force: bool
) -> None:
    """Draw what a fit saw and chose, and what the noise on its rows is like."""
    from ikpca_cli.plots.evidence import Evidence
    from ikpca_cli.plots.search import draw_fit

    evidence = None if rows.shape[1] < 2 else Evidence.of(model, rows)
    write_picture(target, lambda: draw_fit(model, _short(name), evidence), force=force)


def show(shown: Shown | Stretch, plot: str | None, *, force: bool, preview: bool = False) -> None:
    """Draw rows, a stretch of a recording or a crop before and after; print some, if asked."""
    if plot is not None:
        from ikpca_cli.plots.rows import draw_rows
        from ikpca_cli.plots.stretches import draw_stretch

        def draw() -> Figure:
            return draw_stretch(shown) if isinstance(shown, Stretch) else draw_rows(shown)

        write_picture(plot, draw, force=force)
    if preview:
        print_preview(shown.as_rows() if isinstance(shown, Stretch) else shown)


def picture_of_beats(target: str, shown: Shown, method: str, *, force: bool) -> None:
    """Draw rows of one shape with their mean, and what they became."""
    from ikpca_cli.plots.beats import Beats, draw_beats

    beats = Beats(method, shown.noisy, shown.cleaned, shown.scale)
    title = f"{shown.name}: {shown.count()}"
    write_picture(target, lambda: draw_beats([beats], title), force=force)


def picture_of_comparison(
    target: str, results: Sequence[Result], noisy: float, title: str, *, force: bool
) -> None:
    """Draw errors against what was varied."""
    from ikpca_cli.plots.curves import draw_comparison

    records = [result.record() for result in results]
    write_picture(target, lambda: draw_comparison(records, noisy, _short(title)), force=force)


def picture_of_methods(
    target: str,
    results: Sequence[Result],
    split: Split,
    seed: int,
    oracle: bool,
    title: str,
    *,
    force: bool,
) -> None:
    """Draw what the best setting of each method makes of the first run's rows of one shape."""
    from ikpca_cli.plots.beats import Beats, draw_beats
    from ikpca_cli.selection.choice import Oracle

    known = Oracle(split.noisy, split.reference) if oracle else None
    panels = []
    for method in dict.fromkeys(result.method for result in results):
        measured = [result for result in results if result.method == method and result.mse]
        if not measured:
            continue
        best = min(measured, key=lambda result: result.record()["mse_mean"])
        record = best.record()
        model = load_method(method)(**best.params | {"seed": seed})
        model.fit_up_to(split.train, oracle=known)
        spread = "" if record["mse_std"] is None else f" ± {record['mse_std']:.2g}"
        count = record["runs"]
        runs = "" if count == 1 else f", {count} runs"
        label = f"{method}: MSE {record['mse_mean']:.3g}{spread}{runs}"
        panels.append(Beats(label, split.noisy, model.denoise(split.noisy)))
    write_picture(target, lambda: draw_beats(panels, _short(title)), force=force)


def _short(name: str) -> str:
    """Return a file's name without its folders."""
    return PurePath(name).name
