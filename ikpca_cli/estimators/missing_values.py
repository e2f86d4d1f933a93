"""Missing values, refilled by a model: what it makes of a row stands where the row has nothing.

A fit begins with the column means, fits, and refills what is missing by its own cleaned rows until
they stay as they are, then fits again (for principal components this is Kiers, "Weighted least
squares fitting using ordinary least squares algorithms", 1997, and Ilin and Raiko, "Practical
approaches to principal component analysis in the presence of missing values", 2010). Where means
do not let it tell noise from signal, it begins with the rows that have all their values. Values
that are filled in without noise would make the noise of the others look smaller than it is, so that
a fit sees them with noise of its own level (stochastic imputation: Little and Rubin, "Statistical
analysis with missing data", 2002, section 4.3).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ikpca_cli.data.first_pass import SAMPLE_ROWS
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray, RowSource, row_name, unchecked_blocks
from ikpca_cli.errors import IkpcaWarning, InputError, UsageError
from ikpca_cli.estimators.denoiser import Denoiser
from ikpca_cli.noise.caution import FEW_ROWS, Caution

ROUNDS = 2
"""Fits whose models refill what is missing for the next; more change little."""

_STEPS = 30  # of refilling a row, at most
_SETTLED = 0.01  # of the first step: a step that is shorter is the last


def refill(model: Denoiser, rows: FloatArray) -> FloatArray:
    """Return rows with what is missing refilled by a model.

    Parameters
    ----------
    model : Denoiser
        Fitted.
    rows : ndarray, shape (n, p)
        NaN where a value is missing.

    Returns
    -------
    ndarray, shape (n, p)
        Float64, unless nothing is missing. Each row is filled by itself, all else stays as it is.
    """
    holes = np.isnan(rows)
    if not holes.any():
        return rows
    means: FloatArray = model.mean_[None]
    transform = model.usual_treatment().transform
    if transform is not None:  # the means are those of rows with white noise
        means = transform.inverse(means)
    filled: FloatArray = np.where(holes, means, rows).astype(np.float64, copy=False)
    todo = np.flatnonzero(holes.any(axis=1))
    first = np.zeros(len(todo))
    for step in range(_STEPS):
        before, where = filled[todo], holes[todo]
        after = np.where(where, _unlimited(model, before), before)
        filled[todo] = after
        length = np.sqrt(np.sum((after - before) ** 2, axis=1))
        first = length if step == 0 else first
        moving = length > _SETTLED * first
        todo, first = todo[moving], first[moving]
        if not todo.size:
            break
    return filled


def _unlimited(model: Denoiser, rows: FloatArray) -> FloatArray:
    """Return cleaned rows (n, p) that may move as far as they will: from a mean that may be far."""
    return model.clean(rows, replace(model.usual_treatment(), caution=Caution(None)))


class FilledRows:
    """A row source with values for those that are missing, at first the means of their columns.

    Parameters
    ----------
    rows : RowSource, shape (n_samples, n_features)
        NaN where a value is missing. One number is kept for each of those.

    Raises
    ------
    InputError
        If a column has no value at all.
    """

    def __init__(self, rows: RowSource) -> None:
        self._rows = rows
        self.shape = (int(rows.shape[0]), int(rows.shape[1]))
        self.name = row_name(rows)
        self.feature_names: tuple[str, ...] | None = getattr(rows, "feature_names", None)
        counts = np.zeros(self.shape[0], dtype=np.intp)
        total, present = np.zeros(self.shape[1]), np.zeros(self.shape[1], dtype=np.intp)
        for part, block in unchecked_blocks(rows, self.shape[1]):
            there = ~np.isnan(block)
            counts[part] = self.shape[1] - there.sum(axis=1)
            total += np.where(there, block, 0.0).sum(axis=0)
            present += there.sum(axis=0)
        if not present.all():
            column = int(np.argmin(present)) + 1
            raise InputError(f"{self.name}: column {column} has no value at all; leave it out")
        self._ends = np.concatenate([[0], np.cumsum(counts)])
        self._values = np.empty(int(self._ends[-1]))
        means = total / present
        for part, block in unchecked_blocks(rows, self.shape[1]):
            self._values[self._of(part)] = np.broadcast_to(means, block.shape)[np.isnan(block)]

    def __getitem__(self, rows: slice) -> FloatArray:
        """Return some rows with values for those that are missing."""
        start, stop, _ = rows.indices(self.shape[0])
        block = np.array(self._rows[rows], dtype=np.float64)
        block[np.isnan(block)] = self._values[self._of(slice(start, max(start, stop)))]
        return block

    def complete(self, rng: np.random.Generator) -> FloatArray | None:
        """Return some rows that have all their values, (k, p), in order; None if they are few."""
        places = np.flatnonzero(np.diff(self._ends) == 0)
        if len(places) < FEW_ROWS:
            return None
        chosen = np.zeros(self.shape[0], dtype=bool)
        chosen[rng.permutation(places)[:SAMPLE_ROWS]] = True
        blocks = unchecked_blocks(self._rows, self.shape[1])
        return np.concatenate([block[chosen[part]] for part, block in blocks])

    def _of(self, rows: slice) -> slice:
        """Return where the values of some rows are."""
        return slice(self._ends[rows.start], self._ends[rows.stop])

    def refill(self, model: Denoiser, rng: np.random.Generator | None = None) -> None:
        """Put what a model makes of the rows where they have nothing.

        Parameters
        ----------
        model : Denoiser
            Fitted.
        rng : numpy.random.Generator, optional
            Adds noise of the level that the model knows, else of that of what it takes off.
        """
        squares, count = 0.0, 0
        for part, block in unchecked_blocks(self._rows, self.shape[1]):
            holes = np.isnan(block)
            filled = refill(model, block)
            self._values[self._of(part)] = filled[holes]
            if rng is not None:
                removed = (filled - _unlimited(model, filled))[~holes]
                squares, count = squares + float(removed @ removed), count + removed.size
        if rng is not None:
            level = (squares / count) ** 0.5
            if model.noise_std_ is not None:
                level = model.noise_rms_ or model.noise_std_
            self._values += level * rng.standard_normal(len(self._values))


def fit_filled(rows: FilledRows, fit: Callable[[RowSource], Denoiser], seed: int) -> Denoiser:
    """Fit on rows that the model itself refills, in a few rounds.

    Parameters
    ----------
    rows : FilledRows, shape (n_samples, n_features)
    fit : callable
        Fits on all of the rows that it is given, as they are then, and returns the model.
    seed : int
        Seeds the noise of the values that are filled in.

    Returns
    -------
    Denoiser
        That of the last fit, the only one that warns.
    """
    rng = model_rng(seed, Stream.MISSING)
    for is_first in (True, *(False,) * (ROUNDS - 1)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IkpcaWarning)
            model = _first_fit(rows, fit, rng) if is_first else fit(rows)
        rows.refill(model, rng)
    return fit(rows)


def _first_fit(
    rows: FilledRows, fit: Callable[[RowSource], Denoiser], rng: np.random.Generator
) -> Denoiser:
    """Return the model of rows with means where they have nothing, if that knows their noise.

    Means in the place of many neighbours hide what noise and signal are like; rows that have all
    their values show it.
    """
    model = fit(rows)
    if not model.is_useless():
        return model
    complete = rows.complete(rng)
    if complete is None:
        return model
    try:
        return fit(complete)
    except (InputError, UsageError):  # too few for what was asked for
        return fit(rows)
