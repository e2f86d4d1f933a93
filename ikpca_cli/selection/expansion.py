"""The choice of a refined pre-image: fits for its trials, and what the search needs to know."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.first_pass import SAMPLE_ROWS
from ikpca_cli.data.precision import rounded_fields
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import (
    LARGEST_SINGLE,
    FloatArray,
    row_name,
)
from ikpca_cli.errors import InputError
from ikpca_cli.linalg.eigen import spectrum
from ikpca_cli.models.exact_spectrum import ExactSpectrum
from ikpca_cli.models.gauss_newton import GaussNewtonModel
from ikpca_cli.models.kernels.kernel import Gaussian, Smooth
from ikpca_cli.models.preimage import (
    SHRINKS,
    SHRINKS_OF_A_CUT,
    TO_THE_MEAN,
    Preimage,
    all_iterations,
)
from ikpca_cli.models.random_features import FourierFeatures
from ikpca_cli.selection.bandwidth import best_expansion, or_components
from ikpca_cli.selection.choice import Auto, Choice, ChosenExpansion, Oracle, Task, usable_noise_std
from ikpca_cli.selection.cross_validation import CrossValidation
from ikpca_cli.selection.durations import Durations, fit_stages, last_stages, search_stages
from ikpca_cli.selection.held_out import (
    MANY_PROBES,
    directions_of,
    sample_of,
    with_those_of,
    with_windows,
)
from ikpca_cli.selection.outcome import Expansion, Fit, Fits, LowPass
from ikpca_cli.selection.row_order import apart, best_order, or_no_windows, with_low_pass
from ikpca_cli.selection.stages import expect

ROUGH_ROWS = 600
"""Rows on which gammas are told apart before the best are compared on all that take part."""

ROUGH_HELD, ROUGH_ENOUGH, ROUGH_STEPS = 300, 6000, (1, 2)
"""The least held-out rows, the least numbers in them, and the numbers of steps that this takes."""

ROUGH_FROM, ROUGH_SHARE = 1.3, 2
"""How many times as many rows must take part, or be held out, for that to be a saving."""

SINGLE_FROM = 400
"""Rows from which a comparison by the exact kernel saves time in single precision."""

COMPARED_COMPONENTS = 384
"""The most components in a comparison, unless their number is given."""


@dataclass(frozen=True)
class ExpansionSearch:
    """A choice of gamma, shrinkage and steps from noisy rows.

    Attributes
    ----------
    fits : callable
        Called as ``fits(rows, distances, noise_variance)`` with centred rows (n, p) and their
        squared distances (n, n); returns a `Fit`.
    gamma, second_gamma, n_components, replicates, seed
        As for `IKPCA`; n_components is None for as many as are of use.
    most_rows : int
        The most rows on which candidates are compared.
    enough : int
        Held-out numbers that are.
    order : {"auto", "none"}
        As for `IKPCA`.
    durations : Durations or None
        How long the parts of a fit take, if that is known.
    """

    fits: Fits
    gamma: float | Auto
    second_gamma: float | Literal["none"] | Auto
    n_components: int | None
    most_rows: int
    enough: int
    replicates: bool
    seed: int
    order: str = "auto"
    durations: Durations | None = None

    def run(self, task: Task) -> Choice:
        """Return every parameter for a fit.

        Raises
        ------
        InputError
            If all but a few of the rows are alike.
        """
        X, mean, noise_std, progress, oracle, patches = task
        rows = sample_of(X, SAMPLE_ROWS, self.seed) - mean
        if len(rows) < 2:
            raise InputError(
                f"{row_name(X)}: all but a few of its rows are alike, there is nothing to learn "
                "from them; give rows that differ"
            )
        noise_variance = usable_noise_std(noise_std, rows) ** 2
        distances = Gaussian().distance(rows, rows)
        shrinks = SHRINKS if self.n_components is None else SHRINKS_OF_A_CUT
        order = None
        if self.order != "none" and not self.replicates:
            directions = model_rng(self.seed, Stream.DIRECTIONS)
            order = best_order(rows, mean, noise_variance, directions)
            order = replace(order, patches=patches) if order else None
            progress("smoothing", 1, 5)
        compare = partial(
            CrossValidation,
            rows,
            self.fits(rows, distances, noise_variance),
            noise_variance,
            replicates=self.replicates,
            oracle=Oracle(oracle.noisy - mean, oracle.clean - mean) if oracle else None,
            order=order,
            offset=mean,
            progress=progress,
        )
        rng = model_rng(self.seed, Stream.DIRECTIONS)
        shrinks = (*shrinks, TO_THE_MEAN) if self.replicates else shrinks
        every, most = all_iterations(shrinks), self.most_rows
        learn = partial(with_windows, rows, order, mean, noise_variance)
        trial = compare(every, rng, self.enough, most=most, windows=learn, stage="refining")
        progress("smoothing", 5, 5)
        rough = None
        if oracle is None and self.gamma == "auto":
            held = max(ROUGH_HELD, int(np.ceil(ROUGH_ENOUGH / rows.shape[1])))
            fewer = min(len(rows), self.most_rows) > ROUGH_FROM * ROUGH_ROWS
            if fewer or trial.n_held >= ROUGH_SHARE * held:
                few = all_iterations(shrinks, ROUGH_STEPS)
                rough = compare(few, rng, held * rows.shape[1], most=ROUGH_ROWS)
        scale = float(np.median(distances)) or float(distances.mean())
        more = _more_directions(trial)
        if self.durations is not None and self.gamma == "auto":
            given = self.durations, X.shape
            expect(progress, search_stages(trial, rough, *given, surer=more > 0))
        expansion, first = best_expansion(trial, self.gamma, self.second_gamma, scale, rough=rough)
        if self.gamma == "auto":
            coarse = (rough, first) if rough else None
            expansion = with_low_pass(trial, expansion, self.fits, rough=coarse)
        if self.durations is not None:
            n_low = sum(isinstance(gamma, LowPass) for gamma in expansion.gammas)
            counts = {"n_own": len(expansion.gammas) - n_low, "n_low": n_low}
            expect(progress, last_stages(trial, self.durations, X.shape, **counts, surer=more > 0))
        compared = (rough.found if rough else {}) | trial.found
        if more:
            # Gammas are told apart by few directions, as all see the same; weights need more.
            surer = compare(
                trial.ways,
                rng,
                self.enough,
                most=self.most_rows,
                windows=partial(with_those_of, trial.trials),
                probes=more,
                stage="weighing",
            )
            surer.lowered = trial.lowered
            progress("smoothing", 1, 1)
            trial, expansion = surer, surer.best(*expansion.gammas)
        expansion = or_components(trial, or_no_windows(trial, expansion))
        expansion = trial.fair_risk(trial.full_risk(expansion, X.shape[0]))
        pairs = list(zip(expansion.gammas, expansion.weights, strict=True))
        own = [(gamma, weights) for gamma, weights in pairs if not isinstance(gamma, LowPass)]
        low = [(gamma, weights) for gamma, weights in pairs if isinstance(gamma, LowPass)]
        own = [own[0], *((gamma, weights) for gamma, weights in own[1:] if weights)]
        if self.durations is not None:
            counts = {"n_own": len(own), "n_low": len(low)}
            expect(progress, fit_stages(self.durations, X.shape, **counts, order=trial.order))
        smoothing, windows = apart(trial, expansion)
        chosen = ChosenExpansion(
            gammas=tuple(gamma for gamma, _ in own),
            weights=tuple(weights for _, weights in own),
            noise_variance=noise_variance,
            rows=rows,
            varying=trial.varying,
            order=trial.order,
            smoothing=smoothing,
            windows=windows,
            low_pass=low[0] if low and low[0][1] else None,
        )
        return Choice(
            self.n_components,
            own[0][0],
            own[1][0] if len(own) > 1 else None,
            expansion=chosen,
            risk=expansion.risk,
            error=expansion.error,
            tried=tuple(choice for one in compared.values() if (choice := _as_tried(one))),
        )


def _more_directions(trial: CrossValidation) -> int:
    """Return how many numbers in directions weights need, 0 where a trial has as many."""
    first = trial.trials[0]
    wanted = directions_of(trial.n_held, trial.rows.shape[1], MANY_PROBES)
    return MANY_PROBES if first.reference is None and len(first.tangents) < wanted else 0


def _as_tried(expansion: Expansion) -> Choice | None:
    """Return an expansion as what was compared; None with a model of low frequencies."""
    gammas = [gamma for gamma in expansion.gammas if not isinstance(gamma, LowPass)]
    if len(gammas) < len(expansion.gammas):
        return None
    second = gammas[1] if len(gammas) > 1 else None
    return Choice(gamma=gammas[0], second_gamma=second, risk=expansion.risk, error=expansion.error)


def exact_fits(
    rows: FloatArray,
    distances: FloatArray,
    noise_variance: float,
    *,
    most: int | None,
    form: Smooth,
) -> Fit:
    """Return what fits the limit of infinitely many features, see `ExpansionSearch`.

    Of many rows, what it finds is in single precision, if that can hold them: it is enough to tell
    candidates apart.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
    distances : ndarray, shape (n, n)
    noise_variance : float
    most : int or None
        Components to keep.
    form : Smooth
        The kernel.
    """
    dtype = _enough_precision(rows) if len(rows) >= SINGLE_FROM else np.float64

    def fit(places: NDArray[np.intp], gamma: float) -> Preimage[Any]:
        near = distances[np.ix_(places, places)]
        asked = most or COMPARED_COMPONENTS
        return ExactSpectrum.of(rows[places], near, gamma, asked, noise_variance, form, dtype)

    return fit


def refined_fits(
    rows: FloatArray,
    _distances: FloatArray,
    _noise_variance: float,
    *,
    most: int,
    n_rff: int,
    route: str,
    seed: int,
    form: Smooth,
) -> Fit:
    """Return what fits the refined model, without an expansion, see `ExpansionSearch`.

    In single precision, if that can hold the rows: it is enough to tell candidates apart.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
    most : int
        Components to keep.
    n_rff : int
        Random features.
    route : {"auto", "primal", "dual"}
    seed : int
    form : Smooth
        The kernel.
    """
    n_features = rows.shape[1]
    drawn = FourierFeatures.draw_balanced(form, 1.0, n_rff, n_features, seed)
    mean = np.zeros(n_features)
    dtype = _enough_precision(rows)

    def fit(places: NDArray[np.intp], gamma: float) -> Preimage[Any]:
        features = drawn.scaled(form.frequency_scale(gamma)).rounded(dtype)
        some = rows[places]
        found = spectrum(some, mean, features, n_rff, most, route=route, roughly=True)
        return rounded_fields(GaussNewtonModel.of(features, found, some, 1.0, seed), dtype)

    return fit


def _enough_precision(rows: FloatArray) -> type[np.floating[Any]]:
    """Return single precision if it can hold the rows, which is enough to tell candidates apart."""
    can_hold = 1.0 / LARGEST_SINGLE <= np.abs(rows).max() <= LARGEST_SINGLE
    return np.float32 if can_hold else np.float64
