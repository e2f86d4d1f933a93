"""Rows before and after cleaning: as lines, as images, or as points where they are short."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.plots.mosaic import REMOVED, SIDE, fill_tiles
from ikpca_cli.plots.shown import FEW, SHORT, Shown, evenly
from ikpca_cli.plots.style import (
    CLEAN,
    CLEANED,
    FAINT,
    INK,
    NOISY,
    SMALL,
    legend_below,
    new_figure,
    number,
    plain_log,
)

if TYPE_CHECKING:
    from matplotlib.gridspec import SubplotSpec

CHANNEL_ROWS, MOST_CHANNELS = 3, 8
"""Rows in a picture of channels, and channels of each, spread evenly."""

LINES, SCORED = 4, 3
"""Rows in a picture of lines, and in one that tells their errors, too."""

SCORED_IMAGES = 6
"""Images in a picture that tells their errors, too."""

PANEL, ALONE, CLOUD, ERRORS = 2.2, 5.5, 1.8, 2.8
"""Inches that are wide a row among others, all of them at least, points, and errors."""

WIDE = 20.0
"""Errors that differ by more than this factor get logarithmic axes."""

NAMED = 12
"""Up to this many columns are labelled one by one."""


def draw_rows(shown: Shown) -> Figure:
    """Draw rows before and after cleaning, and what was removed.

    Where the clean rows are known they are drawn, too, as is the error of each row; the rows that
    are drawn one by one then go from the best to the worst.
    """
    if shown.is_image:
        return _draw_tiles(shown)
    if shown.channel_axis is not None:
        return _draw_channels(shown)
    if shown.noisy.shape[1] <= SHORT:
        return _draw_points(shown)
    return _draw_lines(shown)


def _draw_channels(shown: Shown) -> Figure:
    """Draw a column for each of some rows, and in it a panel for each channel."""
    some = shown.some(CHANNEL_ROWS)
    axis = some.channel_axis
    count = some.sample_shape[axis or 0]
    drawn = evenly(count, MOST_CHANNELS)
    figure, rest = _with_errors(
        shown, max(ALONE, 2.3 * len(some)), 0.9 + 0.95 * len(drawn), some.count()
    )
    grid = rest.subgridspec(len(drawn), len(some), hspace=0.08)

    def channels(rows: FloatArray) -> FloatArray:
        return np.moveaxis(rows.reshape(len(rows), *some.sample_shape), 1 + (axis or 0), 1)

    parts: list[tuple[FloatArray, dict[str, Any]]] = [
        (channels(some.noisy), {"color": NOISY, "linewidth": 0.7, "label": "noisy"})
    ]
    if some.clean is not None:
        clean = {"color": CLEAN, "linewidth": 3.0, "label": "clean"}
        parts.append((channels(some.clean), clean))
    parts.append(
        (channels(some.cleaned), {"color": CLEANED, "linewidth": 1.2, "label": "denoised"})
    )
    x = np.arange(1, parts[0][0].shape[2] + 1)
    for line, channel in enumerate(drawn):
        first = None
        for i in range(len(some)):
            axes = figure.add_subplot(grid[line, i], sharey=first)
            first = first or axes
            for values, style in parts:
                axes.plot(x, values[i, channel], **style)
            if line == 0:
                axes.set_title(_row_title(some, i))
            if i == 0:
                axes.set_ylabel(f"channel {channel + 1}", fontsize=SMALL)
            else:
                axes.tick_params(labelleft=False)
            if line == len(drawn) - 1:
                axes.set_xlabel(some.scale.x_label or "place in the row")
            else:
                axes.tick_params(labelbottom=False)
    if some.scale.y_label:
        figure.supylabel(some.scale.y_label)
    legend_below(figure, axes)
    return figure


def _draw_lines(shown: Shown) -> Figure:
    some = shown.some(LINES if shown.clean is None else SCORED)
    figure, rest = _with_errors(shown, max(ALONE, PANEL * len(some)), 3.6, some.count())
    grid = rest.subgridspec(2, len(some), height_ratios=(3, 1))
    x = some.scale.places(some.noisy.shape[1])
    upper = lower = None
    for i in range(len(some)):
        upper = figure.add_subplot(grid[0, i], sharex=upper, sharey=upper)
        lower = figure.add_subplot(grid[1, i], sharex=upper, sharey=lower)
        upper.plot(x, some.noisy[i], color=NOISY, linewidth=0.7, label="noisy")
        if some.clean is not None:
            upper.plot(x, some.clean[i], color=CLEAN, linewidth=3.0, label="clean")
        upper.plot(x, some.cleaned[i], color=CLEANED, linewidth=1.2, label="denoised")
        upper.set_title(_row_title(some, i))
        upper.tick_params(labelbottom=False)
        lower.axhline(0.0, color=INK, linewidth=0.6)
        lower.plot(x, some.noisy[i] - some.cleaned[i], color=FAINT, linewidth=0.7)
        _name_columns(lower, some)
        if i == 0:
            upper.set_ylabel(some.scale.y_label or "value")
            lower.set_ylabel(REMOVED)
            legend_below(figure, upper)
        else:
            upper.tick_params(labelleft=False)
            lower.tick_params(labelleft=False)
    return figure


def _draw_tiles(shown: Shown) -> Figure:
    some = shown.some(FEW if shown.clean is None else SCORED_IMAGES)
    rows = {"noisy": some.noisy, "denoised": some.cleaned}
    if some.clean is not None:
        rows["clean"] = some.clean
    rows[REMOVED] = some.noisy - some.cleaned
    bands = {name: values.reshape(-1, *some.sample_shape) for name, values in rows.items()}
    figure, rest = _with_errors(shown, SIDE * len(some), SIDE * len(bands) + 0.4, some.count())
    titles = [_row_title(some, i, "\n") for i in range(len(some))]
    fill_tiles(figure, rest, bands, titles, some.scale.y_label or "")
    return figure


def _draw_points(shown: Shown) -> Figure:
    panels = [("noisy", shown.noisy, NOISY), ("denoised", shown.cleaned, CLEANED)]
    if shown.clean is not None:
        panels.append(("clean", shown.clean, CLEAN))
    panels.append((REMOVED, shown.noisy - shown.cleaned, FAINT))
    figure, rest = _with_errors(shown, CLOUD * len(panels), 2.9, shown.count())
    grid = rest.subgridspec(1, len(panels))
    first = None
    # The two columns of the largest spread tell most.
    columns = np.sort(np.argsort(shown.cleaned.var(axis=0))[::-1][:2])
    for i, (name, values, colour) in enumerate(panels):
        shared = None if name == REMOVED else first
        axes = figure.add_subplot(grid[0, i], sharex=shared, sharey=shared)
        first = first or axes
        x = shown.places if len(columns) == 1 else values[:, columns[0]]
        axes.plot(x, values[:, columns[-1]], ".", color=colour, markersize=2.5, alpha=0.7)
        axes.set_title(name)
        axes.set_xlabel(shown.noun if len(columns) == 1 else _column(shown, columns[0]))
        if i == 0:
            axes.set_ylabel(_column(shown, columns[-1]))
        elif shared is not None:
            axes.tick_params(labelleft=False)
    return figure


def _with_errors(
    shown: Shown, width: float, height: float, count: str
) -> tuple[Figure, SubplotSpec]:
    """Return a figure with the panel of errors, if they are known, and the place of the rest."""
    title = shown.name + (f": {count}" if shown.total > 1 else "")
    if shown.clean is None:
        figure = new_figure(width, height, title + _estimate(shown))
        return figure, figure.add_gridspec(1, 1)[0]
    before, after = shown.errors()
    change = f"MSE {number(before.mean())} before, {number(after.mean())} after"
    figure = new_figure(width + ERRORS, height, f"{title}; {change}")
    grid = figure.add_gridspec(1, 2, width_ratios=(width, ERRORS))
    _draw_errors(figure.add_subplot(grid[1]), before, after, shown)
    return figure, grid[0]


def _draw_errors(axes: Axes, before: FloatArray, after: FloatArray, shown: Shown) -> None:
    """Draw each row's error after cleaning against that before."""
    axes.plot(before, after, ".", color=CLEANED, markersize=3.5, alpha=0.6)
    both = np.concatenate([before, after])
    if both.max() > WIDE * both.min() > 0.0:
        plain_log(axes, "x", before)
        plain_log(axes, "y", both)
    same = np.linspace(before.min(), before.max())  # no straight line if one axis is logarithmic
    axes.plot(same, same, color=INK, linewidth=0.8, linestyle="--")
    middle = same[len(same) // 2]
    axes.annotate(
        "unchanged", (middle, middle), (-4, 4), textcoords="offset points", fontsize=SMALL,
        ha="right", va="bottom",
    )  # fmt: skip
    axes.set_title(f"error of each of {len(shown)} {shown.noun}s")
    axes.set_xlabel("MSE before")
    axes.set_ylabel("MSE after")


def _estimate(shown: Shown) -> str:
    """Return what is estimated of the error without clean rows, as a title ends."""
    if shown.estimate is None:
        return ""
    found = shown.estimate
    before, after = found["estimated_mse_noisy"], found["estimated_mse"]
    error = found["estimated_mse_error"]
    if after is None:
        return f"; estimated MSE {number(before)} before"
    after = f"{number(max(after, 0.0))} ± {number(error)}"
    return f"; estimated MSE {number(before)} before, {after} after"


def _row_title(some: Shown, index: int, break_: str = ": ") -> str:
    if some.clean is None:
        return some.label(index) if some.total > 1 else ""
    error = float(some.errors()[1][index])
    # Above a small image there is room for two digits.
    return f"{some.label(index)}{break_}MSE {f'{error:.2g}' if some.is_image else number(error)}"


def _column(shown: Shown, index: int) -> str:
    return shown.columns[index] if shown.columns else f"number {index + 1}"


def _name_columns(axes: Axes, shown: Shown) -> None:
    """Label the x axis with the columns' names where these are few, or else their numbers."""
    across = shown.scale.x_label or ("row" if shown.noun == "column" else "column")
    if shown.columns is None or len(shown.columns) > NAMED or shown.scale.x is not None:
        axes.set_xlabel(across)
        return
    if shown.scale.x_label:
        axes.set_xlabel(across)
    axes.set_xticks(range(1, len(shown.columns) + 1), shown.columns, rotation=45, ha="right")
