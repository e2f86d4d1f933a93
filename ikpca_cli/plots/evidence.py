"""What says that noise is as a fit takes it to be: its level by column and by signal, its order.

All of it is of what the model removes from its training rows. Where noise is white that has one
level in all columns and at all values, and neighbours in a row have nothing to do with each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from ikpca_cli.data.first_pass import selection_rows
from ikpca_cli.data.row_source import FloatArray, RowSource
from ikpca_cli.estimators.denoiser import Denoiser
from ikpca_cli.noise.models.by_column import propose
from ikpca_cli.noise.models.choose import FEW_COLUMNS, FEW_ROWS
from ikpca_cli.noise.models.noise_names import NOISE_MODELS
from ikpca_cli.plots.style import CLEAN, CLEANED, FAINT, INK, SMALL, number, show_all, whole_ticks

SOME_ROWS = 500
"""Rows that are looked at."""

_BINS = 20  # of like signal
_LAGS = 20
_BOUND = 2.0  # standard errors


@dataclass(frozen=True)
class Evidence:
    """What a model removes from its training rows.

    Attributes
    ----------
    column_stds : ndarray, shape (p,)
        Its root mean square by column, in the units of the data.
    column_noise : ndarray, shape (p,), or None
        The level of the noise on each column by itself, by the Dyson equaliser: what is removed
        from a loud column that is taken for signal is little. None where it cannot be told.
    signal, variances : ndarray, shape (k,)
        Means of cleaned values of like size, and mean squares of what was removed from them.
    autocorrelation : ndarray, shape (m,)
        Correlation along the row at distances 1 to m, of rows with noise made white.
    bound : float
        Two standard errors of a correlation of white noise.
    is_transformed : bool
        Whether a noise model makes noise white before that.
    """

    column_stds: FloatArray
    column_noise: FloatArray | None
    signal: FloatArray
    variances: FloatArray
    autocorrelation: FloatArray
    bound: float
    is_transformed: bool

    @classmethod
    def of(cls, model: Denoiser, X: RowSource) -> Evidence:
        """Clean some of the rows (n, p) that a model was fitted on, and look at what goes."""
        rows = selection_rows(X, SOME_ROWS, model.seed)
        treatment = model.treatment(rows)
        cleaned = model.clean(rows, treatment).astype(np.float64)
        squares = (rows - cleaned) ** 2
        order = np.argsort(cleaned, axis=None, kind="stable")
        levels = None
        by_row = NOISE_MODELS[model.noise_model_ or 0] == "rows"  # loud rows tell its columns
        if rows.shape[0] >= FEW_ROWS and rows.shape[1] >= FEW_COLUMNS and not by_row:
            levels = propose(rows)
        groups = np.array_split(order, min(_BINS, cleaned.size))
        return cls(
            np.sqrt(squares.mean(axis=0)),
            None if levels is None else levels.stds,
            np.array([cleaned.flat[group].mean() for group in groups]),
            np.array([squares.flat[group].mean() for group in groups]),
            autocorrelation(np.subtract(*treatment.both(rows, cleaned)), _LAGS),
            _BOUND / rows.size**0.5,
            treatment.transform is not None,
        )


def autocorrelation(values: FloatArray, most: int) -> FloatArray:
    """Return the correlation along rows (n, p) at distances 1 to at most `most`, pooled over rows.

    Distances end at half the row; where all values are zero there is no correlation.
    """
    lags = range(1, min(most, values.shape[1] // 2) + 1)
    power = float(np.mean(values**2))
    return np.array(
        [float(np.mean(values[:, :-lag] * values[:, lag:])) / (power or 1.0) for lag in lags]
    )


def draw_by_column(axes: Axes, found: Evidence, model: Denoiser) -> None:
    """Draw the level of what is removed by column, beside that of the noise."""
    stds = found.column_stds
    x = np.arange(1, len(stds) + 1)
    ends = [0.0, float(stds.max())]
    if found.column_noise is not None:
        # Points, as a line through columns of several channels is a block of one colour.
        axes.plot(x, found.column_noise, ".", color=CLEAN, label="noise by column")
        ends.append(float(found.column_noise.max()))
    axes.plot(x, stds, ".", color=CLEANED, label="removed")
    level = model.noise_std_ if model.noise_rms_ is None else model.noise_rms_
    if level is not None:
        axes.axhline(level, color=INK, linestyle="--", label=f"noise: {number(level)}")
        ends.append(level)
    show_all(axes, "y", ends)
    whole_ticks(axes)
    if not stds.any():
        _say_nothing(axes)
    _name(axes, "level by column", "column", "RMS")


def draw_by_signal(axes: Axes, found: Evidence) -> None:
    """Draw the variance of what is removed against the value that it was removed from."""
    axes.plot(found.signal, found.variances, ".", color=CLEANED)
    axes.axhline(float(found.variances.mean()), color=FAINT, linestyle="--", linewidth=1.0)
    show_all(axes, "y", [0.0, *found.variances])
    if not found.variances.any():
        _say_nothing(axes)
    _name(axes, "variance against mean", "cleaned value", "variance removed")


def draw_correlation(axes: Axes, found: Evidence) -> None:
    """Draw the autocorrelation of what is removed, and how far chance reaches."""
    lags = np.arange(1, len(found.autocorrelation) + 1)
    axes.axhspan(-found.bound, found.bound, color=FAINT, alpha=0.3, linewidth=0.0)
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.vlines(lags, 0.0, found.autocorrelation, color=CLEANED, linewidth=2.0)
    axes.set_ylim(min(-0.5, *found.autocorrelation, 0.0), 1.0)
    axes.set_xlim(0.5, max(len(lags), 2) + 0.5)
    whole_ticks(axes)
    if not found.variances.any():
        _say_nothing(axes)
    title = "autocorrelation" + (", made white" if found.is_transformed else " of the residual")
    _name(axes, title, "columns apart", "")


def _say_nothing(axes: Axes) -> None:
    """Say why there is nothing to be seen."""
    axes.text(0.5, 0.7, "nothing is removed", transform=axes.transAxes, ha="center", fontsize=SMALL)


def _name(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
