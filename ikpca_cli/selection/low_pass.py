"""A kernel that sees low frequencies alone, beside the one that sees rows as they are.

Where rows are smooth, high frequencies hold noise only, and distances between rows without them
tell more. A model of the low frequencies moves only these; smoothers take care of the others.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.models.kernels.kernel import Gaussian
from ikpca_cli.models.smoothing.detection import signal_band
from ikpca_cli.selection.cross_validation import CrossValidation
from ikpca_cli.selection.outcome import Expansion, Fits, LowPass

RATIOS = (0.3, 3.0)
"""Of signal to noise in the highest frequency that is looked at."""

FACTORS: tuple[float, ...] = (1.0, 4.0)
"""Gammas to begin with, in units of one over the median distance; then halved and doubled."""

_WIDEST = 0.6  # share of the coefficients beyond which nothing is gained
_FEWEST = 3  # coefficients
_WORTH_IT = 0.005  # share of the risk that a kernel of low frequencies has to save
_MOST_STEPS = 4  # halvings or doublings


def with_low_pass(
    trial: CrossValidation,
    main: Expansion,
    fits: Fits,
    *,
    rough: tuple[CrossValidation, Expansion] | None = None,
) -> Expansion:
    """Return the best expansion that adds a kernel of low frequencies; `main` where none helps.

    Parameters
    ----------
    trial : CrossValidation
    main : Expansion
        What it is added to.
    fits : callable
        Maps rows (n, q), their squared distances (n, n) and the noise variance to a `Fit`.
    rough : tuple of CrossValidation and Expansion, optional
        Of fewer rows, to search on first, and what it is added to there.
    """
    order = trial.order
    if order is None or not (order.down or order.across):
        return main
    rows, p = trial.rows, trial.rows.shape[1]
    counts = {signal_band(order, rows, trial.noise_variance, ratio) for ratio in RATIOS}
    first, base = rough or (trial, main)
    found, factors = [base], FACTORS
    for count in sorted(count for count in counts if _FEWEST <= count <= _WIDEST * p):
        low = np.ascontiguousarray(order.forward(rows)[:, :count])
        distances = Gaussian().distance(low, low)
        scale = float(np.median(distances)) or float(distances.mean())
        if scale == 0.0:
            continue
        fit = fits(low, distances, trial.noise_variance)
        for one in {first, trial}:
            one.lower(count, fit)
        factor, expansion = _downhill(first, base, count, scale, factors)
        found.append(expansion)
        factors = (factor,)  # in its own unit the best is much the same for other counts
    best = min(found, key=lambda expansion: expansion.risk)
    if rough is not None and best is not base:
        best = trial.best(*main.gammas, best.gammas[-1])
    lost = main.risk - best.risk
    return (
        best if len(best.gammas) > len(main.gammas) and lost > _WORTH_IT * abs(main.risk) else main
    )


def _downhill(
    trial: CrossValidation,
    main: Expansion,
    count: int,
    scale: float,
    factors: tuple[float, ...],
) -> tuple[float, Expansion]:
    """Return the best factor, and expansion, with the kernel of so many coefficients."""
    tried: dict[float, Expansion] = {}

    def risk(factor: float) -> float:
        if factor not in tried:
            tried[factor] = trial.best(*main.gammas, LowPass(count, factor / scale))
        return tried[factor].risk

    def least(factors: tuple[float, ...]) -> float:
        trial.see(*(LowPass(count, factor / scale) for factor in factors))
        return min(factors, key=risk)

    factor = least(factors)
    for _ in range(_MOST_STEPS):
        lower = least((factor, factor / 2.0, factor * 2.0))
        if lower == factor:
            break
        factor = lower
    return factor, tried[factor]
