"""Which order rows have, and a kernel that sees low frequencies alone, beside the one of all.

Where rows are smooth, high frequencies hold noise only, and distances between rows without them
tell more. A model of the low frequencies moves only these; smoothers take care of the others.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.models.kernels.kernel import Gaussian
from ikpca_cli.models.smoothing.candidates import SmoothingFit
from ikpca_cli.models.smoothing.detection import likely_orders, signal_band
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.selection.cross_validation import CrossValidation
from ikpca_cli.selection.displacements import SmoothDisplacements
from ikpca_cli.selection.held_out import trials_of, varying_columns
from ikpca_cli.selection.least_risk import best_weights, risks_of
from ikpca_cli.selection.outcome import Expansion, Fits, LowPass

RATIOS = (0.3, 3.0)
"""Of signal to noise in the highest frequency that is looked at."""

FACTORS: tuple[float, ...] = (1.0, 4.0)
"""Gammas to begin with, in units of one over the median distance; then halved and doubled."""

_ORDER_ROWS = 800  # on which orders are compared
_WIDEST = 0.6  # share of the coefficients beyond which nothing is gained
_FEWEST = 3  # coefficients
_WORTH_IT = 0.005  # share of the risk that a kernel of low frequencies has to save
_MOST_STEPS = 4  # halvings or doublings


def best_order(
    rows: FloatArray, offset: FloatArray, noise_variance: float, rng: np.random.Generator
) -> RowOrder | None:
    """Return the order whose smoothers have the least estimated risk; None for short rows.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
        Centred noisy rows in random order.
    offset : ndarray, shape (p,)
        What was taken off them.
    noise_variance : float
    rng : numpy.random.Generator
        Draws the directions of the divergence, where orders have to be compared.
    """
    orders = likely_orders(rows, noise_variance)
    if len(orders) < 2:
        return orders[0] if orders else None
    trials = trials_of(rows, _ORDER_ROWS, 1, noise_variance, rng, replicates=False, oracle=None)
    before = np.concatenate([trial.mean_squares for trial in trials])
    varying = varying_columns(rows)

    def risks(order: RowOrder) -> FloatArray:
        moved = []
        for trial in trials:
            fit = SmoothingFit.of(order, rows[trial.places], offset, noise_variance)
            moved.append(SmoothDisplacements.of(fit, trial.held, trial.tangents, varying))
        found = SmoothDisplacements.joined(moved)
        weights = best_weights([found], np.ones(len(found.gains), dtype=bool), 0)
        return risks_of([found], weights, before)

    first, *others = (risks(order) for order in orders)
    saved = [first - other for other in others]
    # One that is as good within the error is not taken instead of the one that was found.
    surely = [np.mean(one) - 2.0 * np.std(one) / np.sqrt(len(one)) for one in saved]
    best = int(np.argmax(surely))
    return orders[best + 1] if surely[best] > 0.0 else orders[0]


def low_bands(trial: CrossValidation) -> list[int]:
    """Return how many coefficients of low frequency may tell more than all do, ascending."""
    order, p = trial.order, trial.rows.shape[1]
    if order is None or not (order.down or order.across):
        return []
    counts = {signal_band(order, trial.rows, trial.noise_variance, ratio) for ratio in RATIOS}
    return sorted(count for count in counts if _FEWEST <= count <= _WIDEST * p)


def with_low_pass(
    trial: CrossValidation,
    main: Expansion,
    fits: Fits,
    bands: list[int],
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
    bands : list of int
        The `low_bands`.
    rough : tuple of CrossValidation and Expansion, optional
        Of fewer rows, to search on first, and what it is added to there.
    """
    order, rows = trial.order, trial.rows
    first, base = rough or (trial, main)
    found, factors = [base], FACTORS
    for count in bands:
        assert order is not None
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


def or_no_windows(trial: CrossValidation, expansion: Expansion) -> Expansion:
    """Return the best expansion without windows, unless these surely save what is worth their time.

    Parameters
    ----------
    trial : CrossValidation
    expansion : Expansion
        The best of all.
    """
    if not apart(trial, expansion)[1]:
        return expansion
    plain = trial.best(*expansion.gammas, windows=False)
    parts, before = trial.parts(expansion.gammas), trial.seen[expansion.gammas[0]].before
    risks = [risks_of(parts, one.as_array(trial.ways), before) for one in (plain, expansion)]
    saved = risks[0] - risks[1]
    if expansion.near is not None:
        saved = saved[expansion.near]
    least = max(np.std(saved) / np.sqrt(len(saved)), _WORTH_IT * abs(expansion.risk))
    return expansion if np.mean(saved) > least else plain


def apart(trial: CrossValidation, expansion: Expansion) -> tuple[FloatArray | None, float]:
    """Return the weights of smoothers, and that of windows, 0 where these do not take part."""
    weights = expansion.smoothing
    if weights is None or trial.trials[0].windows is None:
        return weights, 0.0
    return weights[:-1], float(weights[-1])


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
