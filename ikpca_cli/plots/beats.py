"""Rows that all show one shape: their band and mean, and what each became."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.plots.axis_scale import Scale
from ikpca_cli.plots.shown import evenly
from ikpca_cli.plots.style import CLEAN, CLEANED, INK, new_figure

LINES = 200
"""The most cleaned rows drawn, spread evenly."""


@dataclass(frozen=True)
class Beats:
    """What one method made of rows of one shape.

    Attributes
    ----------
    title : str
    noisy, cleaned : ndarray, shape (m, p)
    scale : Scale
        Where the p numbers lie, and what the axes are called.
    """

    title: str
    noisy: FloatArray
    cleaned: FloatArray
    scale: Scale = field(default_factory=Scale)


def draw_beats(panels: Sequence[Beats], title: str) -> Figure:
    """Draw a panel for each method: the noisy rows' band and mean, and all cleaned rows."""
    figure = new_figure(6.4, 0.6 + 2.1 * len(panels), title)
    grid = figure.add_gridspec(len(panels), 1)
    first: Axes | None = None
    for i, beats in enumerate(panels):
        axes = figure.add_subplot(grid[i], sharex=first, sharey=first)
        _draw_panel(axes, beats)
        if first is None:
            axes.legend()
            first = axes
        if i == len(panels) - 1:
            axes.set_xlabel(beats.scale.x_label or "place in the row")
        else:
            axes.tick_params(labelbottom=False)
    return figure


def _draw_panel(axes: Axes, beats: Beats) -> None:
    count, width = beats.noisy.shape
    x = beats.scale.places(width)
    low, high = beats.noisy.min(axis=0), beats.noisy.max(axis=0)
    axes.fill_between(x, low, high, color="#dddddd", linewidth=0, label="noisy, min to max")
    axes.plot(x, beats.noisy.mean(axis=0), color=CLEAN, linewidth=3.5, label="noisy, mean")
    drawn = evenly(count, LINES)
    lines = axes.plot(x, beats.cleaned[drawn].T, color=CLEANED, linewidth=0.6, alpha=0.5)
    lines[0].set_label(f"denoised, {len(drawn)} rows")
    axes.axhline(0.0, color=INK, linewidth=0.4, zorder=0)
    axes.set_ylabel(beats.scale.y_label or "value")
    axes.set_title(beats.title)
