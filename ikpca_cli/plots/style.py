"""One look for all pictures: safe for colour-blind readers, in grey, on light and dark pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from numpy.typing import ArrayLike

INK, FAINT = "#222222", "#8c8c8c"
NOISY, CLEANED, CLEAN = "#9a9a9a", "#0072b2", "#e69f00"
"""Rows before and after cleaning, and as they should be; of different lightness, too."""

# Okabe and Ito's palette without its yellow. Markers and dashes tell lines apart in grey.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#222222")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))

DECADES = 8.0
"""Errors whose largest is this many times their smallest get a logarithmic axis."""

SMALL = 9.0
"""Points of what is written beside the axes; pictures are at most as wide as leaves it legible on a
page."""

_RC: Any = {
    # Opaque white, whatever the page: dark text on a dark page would be lost.
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "savefig.dpi": 150,
    "font.size": 10.0,
    "axes.titlesize": 10.0,
    "figure.titlesize": 11.0,
    "legend.fontsize": SMALL,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.5,
    "errorbar.capsize": 2.0,
    "legend.frameon": False,
    # A dollar in a file's name is no formula.
    "text.parse_math": False,
    "svg.hashsalt": "ikpca",
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw in this style, whatever the user's own settings are."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_RC)
        yield


def new_figure(width: float, height: float, title: str = "") -> Figure:
    """Return an empty figure of a size in inches, that makes room for all it holds."""
    figure = Figure(figsize=(width, height), layout="constrained")
    if title:
        figure.suptitle(title)
    return figure


def line_style(index: int) -> dict[str, Any]:
    """Return colour, marker and dashes of the line number `index`, told apart in grey, too."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "marker": MARKERS[index % len(MARKERS)],
        "linestyle": DASHES[index % len(DASHES)],
    }


def plain_log(axes: Axes, which: str, values: ArrayLike) -> None:
    """Make the x or y axis logarithmic, with plain numbers at its ticks, if `values` span much.

    Parameters
    ----------
    axes
    which
        "x" or "y".
    values : array_like
        What is drawn along it, all positive.
    """
    axis = axes.xaxis if which == "x" else axes.yaxis
    decades = float(np.log10(np.max(values) / np.min(values)))
    if decades < 0.8:  # too short for round numbers on a logarithmic axis
        axis.set_major_locator(MaxNLocator(5))
        return
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < 2.5 else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def show_all(axes: Axes, which: str, values: ArrayLike) -> None:
    """Make an axis reach over all `values`, logarithmic where they are positive and span decades.

    Parameters
    ----------
    axes
    which
        "x" or "y".
    values : array_like
        What has to be on it, ends of error bars included.
    """
    found = np.asarray(values, float)
    found = found[np.isfinite(found)]
    if not len(found):
        return
    low, high = float(found.min()), float(found.max())
    set_limits = axes.set_xlim if which == "x" else axes.set_ylim
    if low > 0.0 and high >= DECADES * low:
        plain_log(axes, which, found)
        room = (high / low) ** 0.05
        set_limits(low / room, high * room)
        return
    room = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    set_limits(low - room, high + room)


def number(value: float) -> str:
    """Return a number as pictures write it: three significant digits, without need no exponent."""
    return f"{float(f'{value:.3g}'):g}"


def legend_beside(axes: Axes) -> None:
    """Put the legend to the right, where it hides nothing."""
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def legend_below(
    figure: Figure | SubFigure,
    axes: Axes,
    place: Literal["outside lower center", "outside lower left"] = "outside lower center",
) -> None:
    """Put the legend of one of the panels under them all in one line, where it hides nothing."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc=place, ncols=len(labels))


def whole_ticks(axes: Axes) -> None:
    """Put the ticks of the x axis at whole numbers, where there is but one around that."""
    low, high = axes.get_xlim()
    if high - low < 1.0:
        middle = round((low + high) / 2.0)
        axes.set_xlim(middle - 0.5, middle + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
