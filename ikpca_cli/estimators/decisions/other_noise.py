"""How far the rows of one file may be moved, whose noise may be another than that of the fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.estimators.base import Estimator
from ikpca_cli.estimators.decisions.file_caution import (
    Denoise,
    caution_of_few_rows,
    caution_of_file,
)
from ikpca_cli.estimators.decisions.reasons import LEVEL_OF_SIGNAL, OF_NOISE, Reason
from ikpca_cli.noise.caution import FEW_ROWS, LIKE, SOME_ROWS, Caution
from ikpca_cli.noise.evidence.neighbours import are_alike, neighbour_correlation
from ikpca_cli.noise.evidence.normal_part import is_more_than_noise
from ikpca_cli.noise.evidence.one_process import is_one_process
from ikpca_cli.noise.few_columns import FEW_COLUMNS
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.treatment import Treatment

_LESS, _LITTLE_LESS = 0.75, 0.9  # share of what rows change usually, where it is less
_SURELY = 2.5  # standard errors
_LITTLE_LEFT = 0.25  # of the noise: little of what changes is signal
_MOST_ALIKE = 0.2  # correlation of neighbours in what is left of rows: signal, if they are quiet

MANY_UNLIKE = 0.1
"""Share of rows unlike the training rows from which a file is as a whole."""


def caution_of(
    model: Estimator,
    at_level: Callable[[float], Denoise],
    distances: Callable[[FloatArray], FloatArray],
    rows: FloatArray,
    usual: Treatment,
) -> Caution:
    """Return what displacements of a file are limited by.

    Parameters
    ----------
    model : Estimator
        Fitted.
    at_level : callable
        As for `caution_of_file`.
    distances : callable
        Maps rows (n, p) with white noise to how far they are from the training rows, (n,).
    rows : ndarray, shape (n, p)
        Rows of the file as they came, in random order.
    usual : Treatment
        That of rows like the training rows.
    """
    Z = usual.forward(rows)
    rng = model_rng(model.seed_, Stream.FILE_PROBE)
    if len(rows) < FEW_ROWS:
        if usual.by_row:  # each was brought to one level
            return usual.caution
        found = usual.caution
        if model.share_known(Z) < 1.0:  # those of the fit have its noise, but change by less
            found = caution_of_few_rows(at_level, Z, model.mean_, usual.caution, rng)
        return replace(found, is_untold=found == usual.caution and not _changes_noise_alone(model))
    given = at_level, Z, usual.caution, rng, model.n_samples_
    found = caution_of_file(*given, by_row=usual.by_row)
    # Rows that are louder for sure do not hold less noise, though they may be too far from the
    # training rows to change much.
    is_told = usual.by_row or found.level_ratio > 1.0
    X = Z - Z.mean(axis=0)
    X = X[:, np.ptp(X, axis=0) > 0.0]  # a constant column has no noise
    if found.strength and _is_signal(model, X, found, usual):
        ratio = found.level_ratio if found.level_ratio < 1.0 else 0.0
        return replace(found, strength=0.0, level_ratio=ratio, of_signal=True)
    if is_told or model.removed_mse_ is None or usual.spikes is not None:
        return found
    # Few columns have the signal's bends beside their noise, if rows are few.
    tells = X.shape[1] > FEW_COLUMNS or estimate_noise(X).certain
    if tells and model.withheld_ not in LEVEL_OF_SIGNAL:
        return found
    is_lower = found.level_ratio < 1.0 / LIKE
    if is_one_process(X):  # all of which may be signal, at any level
        if is_lower:
            return replace(found, strength=0.0)
    elif tells:
        # Rows without noise have the level of their signal, which that of the fit is no less than.
        is_louder = found.seen_ratio > LIKE and model.withheld_ != Reason.GUESS
        # What is lower for sure is no level of signal.
        if is_louder or (is_lower and found.is_certain):
            return found
    free = replace(usual, caution=Caution(None, usual.caution.strength))
    expected = model.removed_mse_, min(model.n_samples_, SOME_ROWS)
    less = _by_change(partial(free.clean, denoise=at_level(1.0)), rows, found, expected)
    # Rows of more noise are far from all others, so that little of them changes, too.
    limit = np.inf if model.distance_limit_ is None else model.distance_limit_
    if less == found or np.mean(distances(Z) > limit) > MANY_UNLIKE:
        return found
    return less


def _changes_noise_alone(model: Estimator) -> bool:
    """Tell whether little of what cleaning changes is signal, so that it tells the noise."""
    left = model.rough_mse_ if model.estimated_mse_ is None else model.estimated_mse_
    noise = model.noise_rms_ or model.noise_std_
    return left is not None and noise is not None and left < _LITTLE_LEFT * noise**2


def _is_signal(model: Estimator, X: FloatArray, found: Caution, usual: Treatment) -> bool:
    """Tell whether rows (n, p) of a file, centred, show that the level found is that of signal."""
    if usual.by_row:
        return neighbour_correlation(X) > _MOST_ALIKE
    is_lower = found.level_ratio < 1.0 / LIKE
    if model.withheld_ in OF_NOISE and is_lower and are_alike(X):
        return True
    if usual.transform is not None or found.std is None or not is_more_than_noise(X, found.std):
        return False
    return bool(model.fitted_params_["noise_std"] == "auto")


def _by_change(
    clean: Denoise,
    rows: FloatArray,
    found: Caution,
    expected: tuple[float, int],
) -> Caution:
    """Return what displacements of a file are limited by whose noise level cannot be told.

    Where signal hides in a level, a file without noise has the same one. But what changes of its
    rows is signal alone, and less than of rows with noise. How much less noise there is does not
    follow from it, so that such rows are left as they are.

    Parameters
    ----------
    clean : Denoise
        As those of the fit, but moved as far as they may be; both
        in the units of the data.
    rows : ndarray, shape (n, p)
        Rows of the file.
    found : Caution
        By their level.
    expected : tuple of float and int
        Mean squared change of the training rows, and in how many of them it was seen.
    """
    change, n_seen = expected
    squares = np.mean((clean(rows) - rows) ** 2, axis=1)
    mean, scatter = float(squares.mean()), float(squares.std())
    # A file whose level looks lower as well needs less evidence.
    less = _LESS if found.level_ratio >= 1.0 else _LITTLE_LESS
    if not 0.0 < mean < less * change:
        return found
    error = scatter * float(np.hypot(len(rows) ** -0.5, change / mean * n_seen**-0.5))
    if change - mean < _SURELY * error:
        return found
    return replace(found, strength=0.0, level_ratio=min(found.level_ratio, (mean / change) ** 0.5))
