"""Errors of methods against components, ridge or random features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ikpca_cli.plots.style import (
    FAINT,
    INK,
    legend_beside,
    line_style,
    new_figure,
    number,
    plain_log,
    show_all,
    whole_ticks,
)

AXES = {"n_components": "components", "ridge": "ridge", "n_rff": "random features"}
"""What may lie along the x axis, by key of a record."""

LABELS = {"gamma": "gamma", "ridge": "ridge", "n_rff": "rff", "n_components": "components"}
"""What tells lines of one method apart."""

Record = Mapping[str, Any]


def draw_comparison(records: Sequence[Record], noisy: float, title: str) -> Figure:
    """Draw errors with their standard deviation over runs, and the error of the noisy rows.

    Along the x axis lies what takes the most values: components, ridge or random features. What has
    no such number, or a single ridge, is a level; where nothing varies, methods are listed.

    Parameters
    ----------
    records : sequence of mapping
        Rows of ``ikpca compare``: method, n_components, gamma, ridge, n_rff, mse_mean, mse_std,
        runs, auto.
    noisy : float
        Mean squared error of the noisy rows.
    title : str
    """
    records = [record for record in records if record["runs"]]
    figure = new_figure(7.2, 3.8, title)
    axes = figure.add_subplot()
    varied = {key: max(map(len, _values(records, key).values())) for key in AXES}
    key = max(AXES, key=lambda name: varied[name])
    if varied[key] < 2:
        _list_methods(axes, records, noisy)
    else:
        _draw_lines(axes, records, key, noisy)
    return figure


def lines_of(records: Sequence[Record], key: str) -> dict[str, list[Record]]:
    """Return label to records that differ by `key` alone, in its order.

    What has no number there is a line of its own.
    """
    found: dict[tuple[Any, ...], list[Record]] = {}
    # What was chosen anew for each result is no setting, and would part them all.
    others = [name for name in LABELS if name != key]
    for record in records:
        settings = tuple(None if name in record["auto"] else record[name] for name in others)
        level = None if _place(record, key) is not None else _word(record, key)
        found.setdefault((record["method"], level, *settings), []).append(record)
    labels = {}
    for identity, members in found.items():
        method, level, settings = identity[0], identity[1], identity[2:]
        siblings = [other for other in found if other[0] == method]
        parts = [
            f"{LABELS[name]} {value if isinstance(value, str) else format(value, 'g')}"
            for i, (name, value) in enumerate(zip(others, settings, strict=True))
            if value is not None and len({sibling[2 + i] for sibling in siblings}) > 1
        ]
        if level is not None and len({sibling[1] for sibling in siblings}) > 1:
            parts.append(level)
        label = ", ".join([method, *parts])
        labels[label] = sorted(members, key=lambda record: _place(record, key) or 0.0)
    return labels


def _is_single(records: Sequence[Record], record: Record) -> bool:
    """Tell whether a record's method has one ridge only, which is no place beside another's."""
    return len(_values(records, "ridge")[record["method"]]) < 2


def _values(records: Sequence[Record], key: str) -> dict[str, set[float]]:
    """Return each method's numbers along an axis."""
    found: dict[str, set[float]] = {}
    for record in records:
        numbers = found.setdefault(record["method"], set())
        place = _place(record, key)
        if place is not None:
            numbers.add(place)
    return found


def _place(record: Record, key: str) -> float | None:
    """Return where a record lies along an axis, None if nowhere."""
    value = record[key]
    return None if key in record["auto"] or not isinstance(value, int | float) else float(value)


def _word(record: Record, key: str) -> str:
    """Return what a record has in place of a number along an axis."""
    word = "auto" if key in record["auto"] else record[key] or "none"
    return f"{LABELS[key]} {word}"


def _draw_lines(axes: Axes, records: Sequence[Record], key: str, noisy: float) -> None:
    xs: list[float] = []
    for index, (label, members) in enumerate(lines_of(records, key).items()):
        style = line_style(index)
        first = members[0]
        if _place(first, key) is None or (key == "ridge" and _is_single(records, first)):
            level = first["mse_mean"]
            axes.axhline(level, color=style["color"], linestyle=style["linestyle"], label=label)
            continue
        own = [float(record[key]) for record in members]
        xs += own
        axes.errorbar(
            own,
            [record["mse_mean"] for record in members],
            _bars(members),
            label=label,
            elinewidth=0.8,
            **style,
        )
    axes.axhline(noisy, color=FAINT, linewidth=1.0, linestyle="--", label="noisy rows")
    show_all(axes, "y", [noisy, *_ends(records)])
    if min(xs) > 0.0 and max(xs) >= 20.0 * min(xs) and key != "n_components":
        plain_log(axes, "x", xs)
    elif key != "ridge":
        whole_ticks(axes)
    axes.set_xlabel(AXES[key])
    axes.set_ylabel(_error_label(records))
    legend_beside(axes)


def _list_methods(axes: Axes, records: Sequence[Record], noisy: float) -> None:
    places = np.arange(len(records))
    axes.axvline(noisy, color=FAINT, linewidth=1.0, linestyle="--")
    for place, record in zip(places, records, strict=True):
        mean = record["mse_mean"]
        style = line_style(int(place)) | {"linestyle": "none", "markersize": 7.0}
        axes.errorbar([mean], [place], xerr=_bars([record]), **style)
        axes.annotate(number(mean), (mean, place), (0, 8), textcoords="offset points", ha="center")
    axes.annotate(
        f"noisy rows {number(noisy)}", (noisy, 1.0), (-4, -2), xycoords=("data", "axes fraction"),
        textcoords="offset points", ha="right", va="top", color=INK,
    )  # fmt: skip
    axes.set_yticks(places, _names(records))
    axes.set_ylim(len(records) - 0.5, -0.7)
    axes.set_xlim(0.0, 1.08 * max(noisy, *_ends(records)))
    axes.set_xlabel(_error_label(records))


def _bars(records: Sequence[Record]) -> list[list[float]]:
    """Return how far error bars reach down and up; none below zero, where no error can be."""
    spreads = [record["mse_std"] or 0.0 for record in records]
    means = [record["mse_mean"] for record in records]
    return [[min(s, 0.999 * m) for s, m in zip(spreads, means, strict=True)], spreads]


def _ends(records: Sequence[Record]) -> list[float]:
    """Return where error bars end."""
    means = [record["mse_mean"] for record in records]
    down, up = _bars(records)
    low = [m - d for m, d in zip(means, down, strict=True)]
    # A bar that reaches to zero has no end on a logarithmic axis; its point has.
    return [max(end, m / 2) for end, m in zip(low, means, strict=True)] + [
        m + u for m, u in zip(means, up, strict=True)
    ]


def _names(records: Sequence[Record]) -> list[str]:
    """Return a name for each record: its method, numbered where one method has several."""
    methods = [record["method"] for record in records]
    return [
        method if methods.count(method) == 1 else f"{method}, gamma {number(record['gamma'])}"
        for method, record in zip(methods, records, strict=True)
    ]


def _error_label(records: Sequence[Record]) -> str:
    runs = max(record["runs"] for record in records)
    return "mean squared error" + (f", mean ± std of {runs} runs" if runs > 1 else "")
