"""A stretch of a recording with what was removed, or a crop of a picture, before and after."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from ikpca_cli.plots.mosaic import REMOVED
from ikpca_cli.plots.stretch import Stretch
from ikpca_cli.plots.style import (
    CLEAN,
    CLEANED,
    FAINT,
    INK,
    NOISY,
    legend_below,
    new_figure,
    number,
)

CHANNELS = 4
"""Channels in a picture of a recording."""

SIDE = 2.3
"""Width of a crop, in inches."""


def draw_stretch(stretch: Stretch) -> Figure:
    """Draw the middle of a recording, channel below channel, or a crop of a picture."""
    return _draw_crop(stretch) if stretch.is_image else _draw_lines(stretch)


def _draw_lines(stretch: Stretch) -> Figure:
    count = min(CHANNELS, stretch.noisy.shape[1])
    last = stretch.start + len(stretch.noisy) - 1
    title = _title(stretch, "samples", last)
    figure = new_figure(8.0, 2.9 * count + 0.5, title)
    grid = figure.add_gridspec(2 * count, 1, height_ratios=(3, 1) * count)
    x = np.arange(stretch.start, last + 1) if stretch.times is None else stretch.times
    names = stretch.channels or tuple(f"channel {place}" for place in range(1, count + 1))
    if count == 1 and not stretch.channels:
        names = ("value",)
    for channel in range(count):
        noisy, cleaned = stretch.noisy[:, channel], stretch.cleaned[:, channel]
        upper = figure.add_subplot(grid[2 * channel, 0])
        lower = figure.add_subplot(grid[2 * channel + 1, 0], sharex=upper)
        upper.plot(x, noisy, color=NOISY, linewidth=0.7, label="noisy")
        if stretch.clean is not None:
            upper.plot(x, stretch.clean[:, channel], color=CLEAN, linewidth=3.0, label="clean")
        upper.plot(x, cleaned, color=CLEANED, linewidth=1.2, label="denoised")
        upper.set_ylabel(stretch.y_label or names[channel])
        upper.tick_params(labelbottom=False)
        lower.axhline(0.0, color=INK, linewidth=0.6)
        lower.plot(x, noisy - cleaned, color=FAINT, linewidth=0.7)
        lower.set_ylabel(REMOVED)
        if channel == 0:
            legend_below(figure, upper)
    lower.set_xlabel(stretch.x_label or "sample")
    return figure


def _draw_crop(stretch: Stretch) -> Figure:
    height, width = stretch.noisy.shape
    last = stretch.start + height - 1
    title = _title(stretch, "rows", last)
    low, high = float(stretch.noisy.min()), float(stretch.noisy.max())
    removed = stretch.noisy - stretch.cleaned
    reach = float(np.abs(removed).max()) or 1.0
    panels = [("noisy", stretch.noisy), ("denoised", stretch.cleaned)]
    if stretch.clean is not None:
        panels.append(("clean", stretch.clean))
    panels.append((REMOVED, removed))
    tall = SIDE * min(1.5, height / width)
    figure = new_figure((SIDE + 0.2) * len(panels) + 0.6, tall + 0.6, title)
    grid = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, (name, values) in zip(grid, panels, strict=True):
        least, most = (-reach, reach) if name == REMOVED else (low, high)
        image = axes.imshow(values, cmap="gray", vmin=least, vmax=most, interpolation="nearest")
        axes.set_title(name)
        axes.set_axis_off()
        if axes in grid[-2:]:  # one bar for all that has the scale of the pixels, and one more
            bar = figure.colorbar(image, ax=axes, fraction=0.05, pad=0.02, aspect=25)
            bar.outline.set_visible(False)
    return figure


def _title(stretch: Stretch, what: str, last: int) -> str:
    """Return what is shown, and how well it went."""
    title = f"{stretch.name}: {what} {stretch.start} to {last} of {stretch.total}"
    if stretch.errors is None:
        return title
    before, after = map(number, stretch.errors)
    return f"{title}; RMS error of all {before} before, {after} after"
