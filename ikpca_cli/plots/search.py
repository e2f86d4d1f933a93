"""What a fit saw and chose: spectrum, noise in it, and the risk of everything it tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.plots.evidence import (
    Evidence,
    draw_by_column,
    draw_by_signal,
    draw_correlation,
)
from ikpca_cli.plots.style import (
    CLEAN,
    CLEANED,
    FAINT,
    INK,
    legend_below,
    legend_beside,
    line_style,
    new_figure,
    number,
    plain_log,
    show_all,
    whole_ticks,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ikpca_cli.estimators.denoiser import Denoiser
    from ikpca_cli.selection.choice import Choice

_PAIRS = "two gammas"

_LOWEST = 1e-3
"""Of the least variance of the rows: noise below is none, and would squeeze all others."""


def draw_fit(model: Denoiser, name: str, evidence: Evidence | None = None) -> Figure:
    """Draw the spectrum of a fresh fit, its noise level, and the risks that it compared.

    Parameters
    ----------
    model : Denoiser
        As `fit` left it; read from a file it knows no risks.
    name : str
        What the training rows are called.
    evidence : Evidence, optional
        What the noise on them is like, for a second line of panels.
    """
    noise = model.noise_std_ if model.noise_rms_ is None else model.noise_rms_
    level = "unknown" if noise is None else number(noise)
    title = f"{model.method} on {name}: {model.n_samples_} rows, noise level {level}"
    tried = model.tried_
    if evidence is None:
        figure = new_figure(9.6 if tried else 5.4, 3.8, title)
        lines: list[Figure | SubFigure] = [figure]
    else:
        figure = new_figure(9.6, 6.6, title)
        grid = figure.add_gridspec(2, 1, height_ratios=(3.8, 2.8))
        lines = [figure.add_subfigure(grid[0]), figure.add_subfigure(grid[1])]
    above = lines[0].subplots(1, 2 if tried else 1, squeeze=False)[0]
    _draw_spectrum(above[0], model)
    if above[0].get_legend_handles_labels()[1][1:]:
        legend_below(lines[0], above[0], "outside lower left")
    if tried:
        _draw_risks(above[1], model, tried)
    if evidence is not None:
        by_column, by_signal, correlation = lines[1].subplots(1, 3)
        draw_by_column(by_column, evidence, model)
        # Wider than the panel that it explains, which it would make narrow.
        legend_below(lines[1], by_column, "outside lower left")
        draw_by_signal(by_signal, evidence)
        draw_correlation(correlation, evidence)
    return figure


def _draw_spectrum(axes: Axes, model: Denoiser) -> None:
    variances = model.explained_variance_
    x = np.arange(1, len(variances) + 1)
    axes.plot(x, variances, ".-", color=CLEANED, label="rows")
    noise = model.component_noise_
    drawn = [variances]
    if noise is not None:
        axes.plot(x, noise, color=INK, linestyle="--", label="noise in them")
        drawn.append(noise)
        _mark_edge(axes, int(np.sum(variances > noise)), len(x))
    known = _positive(np.concatenate(drawn))
    least = _LOWEST * float(_positive(variances).min())
    plain_log(axes, "y", np.maximum(known, least))
    if known.min() < least:
        axes.set_ylim(bottom=least)
    if len(x) > 30:
        plain_log(axes, "x", x)
    else:
        whole_ticks(axes)
    axes.set_title("spectrum")
    axes.set_xlabel("component")
    axes.set_ylabel("variance" if model.method == "pca" else "variance in feature space")


def _mark_edge(axes: Axes, above: int, count: int) -> None:
    """Mark where signal meets noise, half-way between the last component above it and the next."""
    if above < count:
        text = f"{above} of {count} components\nlie above the noise"
        axes.axvline(above + 0.5, color=FAINT, linewidth=1.0, linestyle=":", label=text)
    else:
        kept = (
            f"all {count} components that\nare kept lie"
            if count > 1
            else "the one that is kept\nlies"
        )
        axes.plot([], [], " ", label=f"{kept} above it")


def _draw_risks(axes: Axes, model: Denoiser, tried: Sequence[Choice]) -> None:
    cuts = [one for one in tried if one.noise_std is None]
    key = "n_components" if len({one.n_components for one in cuts}) > 1 else "gamma"
    lines = _lines(cuts, key)
    xs = [getattr(one, key) for members in lines.values() for one in members]
    other_ridges = False
    for index, (label, members) in enumerate(lines.items()):
        style = line_style(index)
        if label == _PAIRS:  # several at one first gamma make no line
            style = style | {"linestyle": "none"}
        usual = [one for one in members if one.ridge == members[0].ridge]
        others = [one for one in members if one not in usual]
        _draw_trials(axes, usual, key, style | {"label": label})
        if others:
            _draw_trials(
                axes, others, key, style | {"linestyle": "none", "markerfacecolor": "white"}
            )
            other_ridges = True
    if other_ridges:
        axes.plot([], [], "o", color=INK, markerfacecolor="white", label="other ridges")
    weighed = [one.risk for one in tried if one.noise_std is not None and one.risk is not None]
    if weighed:
        style = {"color": CLEAN, "linestyle": ":", "linewidth": 2.0}
        axes.axhline(min(weighed), label="optimal shrinkage", **style)
    if model.noise_std_ is not None:
        before = model.noise_std_**2
        axes.axhline(before, color=FAINT, linestyle="--", linewidth=1.0, label="noisy rows")
    ends = [end for one in tried if one.risk is not None for end in _ends(one.risk, one.error)]
    chosen = _place_of(model, key)
    if chosen is not None:
        _mark(axes, model, key, chosen)
        xs.append(chosen)
    if model.estimated_mse_ is not None:
        ends.append(model.estimated_mse_)
    if model.noise_std_ is not None:
        ends.append(model.noise_std_**2)
    if xs and max(xs) > 4 * min(xs):
        plain_log(axes, "x", xs)
    show_all(axes, "y", ends)
    axes.set_title("estimated error ± standard error")
    axes.set_xlabel({"n_components": "components"}.get(key, key))
    # Transformed rows, as of counts, are compared in units of their own.
    unit = "" if model.noise_rms_ is None else " / noise variance"
    axes.set_ylabel(f"mean squared error{unit}")
    legend_beside(axes)


def _ends(risk: float, error: float | None) -> tuple[float, float]:
    """Return where an error bar ends; one of a positive error does on a logarithmic axis, too."""
    reach = error or 0.0
    return max(risk - reach, risk / 2.0) if risk > 0.0 else risk - reach, risk + reach


def _place_of(model: Denoiser, key: str) -> float | None:
    """Return where the choice lies along the axis."""
    value = getattr(model, f"{key}_", None)
    return float(value) if isinstance(value, int | float) and value > 0 else None


def _mark(axes: Axes, model: Denoiser, key: str, place: float) -> None:
    """Mark the choice where it is, by a line where no error is promised, and the second gamma."""
    label = f"chosen: {number(place)}"
    if model.estimated_mse_ is None:
        axes.axvline(place, color=INK, linewidth=1.2, label=label)
    else:
        star: dict[str, Any] = {"marker": "*", "markersize": 11, "linestyle": "none", "zorder": 5}
        axes.plot([place], [model.estimated_mse_], color=INK, label=label, **star)
    second = getattr(model, "second_gamma_", None)
    if key == "gamma" and second:
        axes.axvline(
            second, color=INK, linewidth=0.8, linestyle=":", label=f"beside it: {number(second)}"
        )


def _draw_trials(axes: Axes, trials: list[Choice], key: str, style: dict[str, Any]) -> None:
    ordered = sorted(trials, key=lambda one: getattr(one, key))
    axes.errorbar(
        [getattr(one, key) for one in ordered],
        np.array([one.risk for one in ordered], float),
        np.array([one.error for one in ordered], float),
        elinewidth=0.8,
        **style,
    )


def _lines(tried: Sequence[Choice], key: str) -> dict[str, list[Choice]]:
    """Return label to trials, in the order in which they were made."""
    lines: dict[str, list[Choice]] = {}
    for one in tried:
        lines.setdefault(_label(one, key), []).append(one)
    return lines


def _label(one: Choice, key: str) -> str:
    """Return the name of the line of a trial."""
    if one.second_gamma is not None:
        return _PAIRS
    return "tried" if key == "gamma" or one.gamma is None else f"gamma {number(one.gamma)}"


def _positive(values: FloatArray) -> FloatArray:
    positive = values[values > 0.0]
    return positive if len(positive) else np.ones(1)
