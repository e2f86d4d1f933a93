"""Images side by side: a band of tiles for each thing that is shown of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.plots.style import SMALL, new_figure

if TYPE_CHECKING:
    from matplotlib.gridspec import SubplotSpec

SIDE = 1.1
"""Width of a tile, in inches."""

REMOVED = "removed"
"""Name of the band that is drawn about zero, in mid-grey."""


def draw_tiles(bands: Mapping[str, FloatArray], title: str) -> Figure:
    """Draw the same images in several states.

    Parameters
    ----------
    bands : mapping of str to ndarray, shape (m, height, width)
        In order from the top; all but what was removed have the scale of the last.
    title : str
    """
    count = len(next(iter(bands.values())))
    figure = new_figure(SIDE * count + 0.4, SIDE * len(bands) + 0.3, title)
    fill_tiles(figure, figure.add_gridspec(1, 1)[0], bands, [""] * count)
    return figure


def fill_tiles(
    figure: Figure,
    place: SubplotSpec,
    bands: Mapping[str, FloatArray],
    titles: Sequence[str],
    label: str = "",
) -> None:
    """Draw bands, as `draw_tiles` says, in one place of a figure, with a title for each column.

    A colour bar tells the scale of all bands but what was removed, which has its own.
    """
    grid = place.subgridspec(len(bands), len(titles), wspace=0.05, hspace=0.05)
    scale = [images for name, images in bands.items() if name != REMOVED][-1]
    panels: dict[bool, list[Axes]] = {False: [], True: []}
    shown: dict[bool, AxesImage] = {}
    for row, (name, images) in enumerate(bands.items()):
        low, high = float(scale.min()), float(scale.max())
        if name == REMOVED:
            high = float(np.abs(images).max())
            low = -high
        for column, image in enumerate(images):
            axes = figure.add_subplot(grid[row, column])
            shown[name == REMOVED] = axes.imshow(image, cmap="gray", vmin=low, vmax=high)
            panels[name == REMOVED].append(axes)
            axes.set_xticks([])
            axes.set_yticks([])
            axes.spines[:].set_visible(False)
            if column == 0:
                axes.set_ylabel(name)
            if row == 0:
                axes.set_title(titles[column], fontsize=SMALL)
    for removed, image_shown in shown.items():
        bar = figure.colorbar(
            image_shown, ax=panels[removed], fraction=0.05, pad=0.01, aspect=12, label=label
        )
        bar.outline.set_visible(False)
