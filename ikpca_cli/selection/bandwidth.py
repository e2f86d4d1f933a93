"""The search for kernel widths: downhill over the risk of their best expansions of iterations.

And whether a kernel is of use at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Literal

import numpy as np

from ikpca_cli.selection.choice import Auto
from ikpca_cli.selection.cross_validation import WORTH_A_PAIR, CrossValidation
from ikpca_cli.selection.least_risk import best_weights, risks_of
from ikpca_cli.selection.outcome import Bandwidth, Expansion

FACTOR_LIMITS = (1e-3, 1e3)
"""The least is all but linear PCA, which may be better than any gamma on the way there."""

FIRST_FACTORS = (FACTOR_LIMITS[0], 0.25, 1.0, 4.0)
"""Gammas to begin with, in units of one over the median distance; then halved and doubled."""

WORTH_ALL = 0.05
"""Share of the fair risk that linear components have to save to take the place of all else."""

_WORTH_A_STEP = 0.002  # share of the risk that another pair of gammas has to save


def or_components(trial: CrossValidation, expansion: Expansion) -> Expansion:
    """Return linear components alone where their fair risk is clearly less, or an expansion.

    Few numbers tell the weights of few candidates better than those of many.
    """
    if trial.smoothed is None or trial.trials[0].reference is not None:
        return expansion
    parts, n_iterations = trial.parts(expansion.gammas), len(trial.ways) * len(expansion.gammas)
    weights = best_weights(parts, trial.usable(parts, linear=True), n_iterations)
    risks = risks_of(parts, weights, trial.seen[expansion.gammas[0]].before)
    other = Expansion(
        expansion.gammas,
        ({},) * len(expansion.gammas),
        float(risks.mean()),
        float(risks.std() / np.sqrt(len(risks))),
        weights[n_iterations:],
        linear=True,
    )
    least = trial.fair_risk(expansion).risk
    return other if trial.fair_risk(other).risk < least - WORTH_ALL * abs(least) else expansion


def search_both(
    trial: CrossValidation,
    second_gamma: float | Literal["none"] | Auto,
    scale: float,
) -> Expansion:
    """Return the best expansion of all gammas, or of all pairs of them.

    Parameters
    ----------
    trial : CrossValidation
    second_gamma : float or "auto"
        As for `IKPCA`.
    scale : float
        The median distance between rows, whose inverse is the unit of gamma.
    """
    expansion = search(trial, scale, simplest=trial.replicates)
    if second_gamma == "auto" and not trial.replicates:
        expansion = pair_search(trial, expansion, scale)
    return expansion


def refined(trial: CrossValidation, rough: Expansion, scale: float) -> Expansion:
    """Return the best expansion around what was found on fewer rows; `scale` as for them."""
    trial.see(*rough.gammas, *_doubled(rough, scale))
    best = trial.best(*rough.gammas)
    if len(best.gammas) > 1:
        alone = min((trial.best(gamma) for gamma in best.gammas), key=lambda one: one.risk)
        best = best if best.saves(WORTH_A_PAIR, alone) else alone
    return _finer(trial, best, scale)


def _finer(trial: CrossValidation, best: Expansion, scale: float) -> Expansion:
    """Return the best expansion with the largest gamma doubled any number of times.

    More rows make finer kernels worth while.
    """
    while finer := _doubled(best, scale):
        tried = trial.best(*finer)
        if tried.risk >= best.risk:
            break
        best = tried
    return best


def _doubled(best: Expansion, scale: float) -> list[Bandwidth]:
    """Return the gammas of an expansion with the largest doubled, none where that is too large."""
    gammas = [gamma for gamma in best.gammas if isinstance(gamma, float)]
    finest = max(gammas)
    if not _allowed(2.0 * finest * scale):
        return []
    return [2.0 * gamma if gamma == finest else gamma for gamma in gammas]


def search(trial: CrossValidation, scale: float, *, simplest: bool = False) -> Expansion:
    """Return the expansion of least risk over gamma, going downhill by factors of two.

    Parameters
    ----------
    trial : CrossValidation
    scale : float
        The median distance between rows, whose inverse is the unit of gamma.
    simplest : bool
        Prefer a gamma that is less where its risk is within a standard error of the least (Breiman
        et al., "Classification and Regression Trees", 1984): rows that are farther off than any
        that were held out still find the way.

    Returns
    -------
    Expansion
    """
    tried: dict[float, Expansion] = {}

    def risk(factor: float) -> float:
        if factor not in tried:
            tried[factor] = trial.best(factor / scale)
        return tried[factor].risk

    around: Sequence[float] = FIRST_FACTORS
    trial.see(*(factor / scale for factor in around))
    factor = min(around, key=risk)
    while True:
        around = [f for f in (factor, factor / 2, factor * 2) if _allowed(f)]
        trial.see(*(factor / scale for factor in around))
        lower = min(around, key=risk)
        if lower == factor:
            break
        factor = lower
    if simplest:
        enough = tried[factor].risk + tried[factor].error
        factor = min(f for f, expansion in tried.items() if expansion.risk <= enough)
    return tried[factor]


def pair_search(trial: CrossValidation, main: Expansion, scale: float) -> Expansion:
    """Return the best expansion of two gammas, going downhill by factors of two in both.

    Parameters
    ----------
    trial : CrossValidation
        Which has tried some gammas.
    main : Expansion
        At the best of these; it comes back where no second gamma lowers its risk.
    scale : float
        The median distance between rows.

    Returns
    -------
    Expansion
    """
    pair = trial.with_partner(main)
    while len(pair.gammas) == 2:
        first, second = (float(gamma) for gamma in pair.gammas)  # type: ignore[arg-type]
        steps = [(first, second / 2), (first, second * 2), (first / 2, second), (first * 2, second)]
        near = [
            gammas
            for gammas in steps
            if all(_allowed(gamma * scale) for gamma in gammas) and len(set(gammas)) == 2
        ]
        trial.see(*chain.from_iterable(near))
        around = [trial.best(*gammas) for gammas in near]
        lower = min(around, key=lambda expansion: expansion.risk, default=pair)
        if not lower.saves(_WORTH_A_STEP, pair):
            break
        pair = lower
    return pair


def _allowed(factor: float) -> bool:
    least, most = FACTOR_LIMITS
    return least <= factor * (1.0 + 1e-9) and factor <= most * (1.0 + 1e-9)
