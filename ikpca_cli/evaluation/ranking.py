"""Which method is best for some noisy rows, without clean ones: all by one estimate, row by row.

Each method is fitted on the same rows and judged on the same others, by Stein's estimate with the
same probe, so that what they share, the noise of the rows above all, cancels in their differences.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ikpca_cli.data.duplicates import without_duplicates
from ikpca_cli.data.first_pass import SAMPLE_ROWS, FirstPass, selection_rows
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import FloatArray, Progress, RowSource, row_name, silent
from ikpca_cli.errors import InputError
from ikpca_cli.estimators.denoiser import Denoiser
from ikpca_cli.noise.estimate import NoiseLevel, is_impossible
from ikpca_cli.noise.level import estimate_noise
from ikpca_cli.noise.risk import stein_risks

_FEWEST = 8  # different rows
_HELD = 4  # folds; two of them are held out in turn, or one where rows are many
_ENOUGH = 500  # held-out rows


@dataclass(frozen=True)
class Standing:
    """How good a method is estimated to be.

    Attributes
    ----------
    method : str
    estimated_mse, estimated_mse_error : float
        Estimated mean squared error of rows that it was not fitted on, and its standard error.
    behind, behind_error : float
        How much more that is than the least of all methods, and the standard error of this
        difference, which is much smaller, as all clean the same rows.
    """

    method: str
    estimated_mse: float
    estimated_mse_error: float
    behind: float
    behind_error: float


def rank(
    methods: Sequence[Denoiser], X: RowSource, seed: int, progress: Progress = silent
) -> list[Standing]:
    """Return how unfitted methods stand on rows, the best first.

    Parameters
    ----------
    methods : sequence of Denoiser
        They are left as they are.
    X : RowSource, shape (n_samples, n_features)
        Noisy rows, of which at most 2,000 are looked at.
    seed : int
    progress : callable

    Raises
    ------
    InputError
        If there are too few different rows, or their noise level is neither given nor told by them.
    """
    rows = without_duplicates(selection_rows(X, SAMPLE_ROWS, seed))
    if len(rows) < _FEWEST:
        raise InputError(
            f"{row_name(X)}: methods are compared on {_FEWEST} different rows or more, and here "
            f"are {len(rows)}: give more, or fit the method that you want (fit --method)"
        )
    given = methods[0].noise_std
    level = (
        estimate_noise(rows - rows.mean(axis=0))
        if given == "auto"
        else NoiseLevel(given, certain=True)
    )
    if level.std is None:
        raise InputError(
            f"{row_name(X)}: methods are compared by the noise level, which these rows do not "
            "tell: give noise_std (--noise-std), or fit the method that you want (fit --method)"
        )
    risks, means = _compared(methods, rows, level.std, seed, row_name(X), progress)
    below = _impossible(risks)
    lower = level.lowered(below) if below and given == "auto" else None
    if lower is not None and lower.std is not None:
        level = lower
        risks, means = _compared(methods, rows, lower.std, seed, row_name(X), progress)
    best = int(np.argmin(means))
    standings = []
    for method, found, mean in zip(methods, risks, means, strict=True):
        gap = found - risks[best]
        errors = (float(values.std() / np.sqrt(len(values))) for values in (found, gap))
        error, gap_error = errors
        # An error of the level is one of all estimates, and hardly of their differences.
        error = level.risk_error(float(mean), error)
        standings.append(
            Standing(method.method, max(float(mean), 0.0), error, float(gap.mean()), gap_error)
        )
    return sorted(standings, key=lambda standing: standing.behind)


def best_of(standings: Sequence[Standing], preferred: str = "ikpca") -> str:
    """Return the best method; the preferred one where it is as good within the error."""
    for standing in standings:
        if standing.method == preferred and standing.behind <= standing.behind_error:
            return preferred
    return standings[0].method


def _compared(
    methods: Sequence[Denoiser],
    rows: FloatArray,
    noise_std: float,
    seed: int,
    name: str,
    progress: Progress,
) -> tuple[list[FloatArray], FloatArray]:
    """Return the risks of held-out rows by each method, and their means."""
    risks = []
    for done, method in enumerate(methods, start=1):
        risks.append(_risks(method, rows, noise_std, seed, name))
        progress("comparing", done, len(methods))
    return risks, np.mean(risks, axis=1)


def _impossible(risks: Sequence[FloatArray]) -> float:
    """Return the lowest mean risk that is below zero by more than chance, 0 where none is."""
    means = [(float(one.mean()), float(one.std() / np.sqrt(len(one)))) for one in risks]
    return min((mean for mean, error in means if is_impossible(mean, error)), default=0.0)


def _risks(
    method: Denoiser, rows: FloatArray, noise_std: float, seed: int, name: str
) -> FloatArray:
    """Return the estimated risks (m,) of rows that are held out of fits on the others."""
    folds = np.array_split(np.arange(len(rows)), _HELD)
    held = folds[:1] if len(folds[0]) >= _ENOUGH else folds[:2]
    found = []
    for out in held:
        model = type(method)(**method.get_params())
        model.set_params(noise_std=noise_std)
        rng = model_rng(seed, Stream.EVALUATION_PROBE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            others = FirstPass(np.delete(rows, out, axis=0), model.seed, name=name)
            model.fit_up_to(others)
            risks, _ = stein_risks(model.denoise, rows[out], noise_std, None, rng)
        found.append(risks)
    return np.concatenate(found)
