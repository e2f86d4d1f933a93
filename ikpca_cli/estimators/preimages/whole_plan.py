"""How long a fit with nothing given may take, before anything is known of its rows."""

from __future__ import annotations

import math

from ikpca_cli.data.threads import thread_count
from ikpca_cli.models.preimage import all_iterations
from ikpca_cli.models.smoothing.detection import FEWEST_COLUMNS
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.models.smoothing.smoothing_durations import of_learning, of_trial
from ikpca_cli.selection.durations import (
    LOW_OF_AN_EXPANSION,
    MANY_DIRECTIONS,
    NARROW,
    OF_AN_EXPANSION,
    REFINED,
    SEARCHED,
    SEARCHED_LOW,
    TRIED,
    Durations,
    fit_stages,
)
from ikpca_cli.selection.expansion import (
    ROUGH_ENOUGH,
    ROUGH_FROM,
    ROUGH_HELD,
    ROUGH_ROWS,
    ROUGH_SHARE,
    ROUGH_STEPS,
)
from ikpca_cli.selection.held_out import (
    MANY_PROBES,
    PROBES,
    directions_of,
    fold_sizes,
    folds_of,
)
from ikpca_cli.selection.stages import Stage

_NOISE, _NOISE_EACH, _NOISE_NARROW = 0.2, 2.2e-6, 3e-4  # seconds; for a number; for a short row
_NOISE_ROWS, _NARROW_ROWS = 1000, 2000  # that tell what noise is like


def whole_plan(
    durations: Durations, shape: tuple[int, int], *, most: int, enough: int, ordered: bool
) -> list[Stage]:
    """Return what is expected: the noise, smoothers, all that is compared as one stage, and a fit.

    Parameters
    ----------
    durations : Durations
    shape : tuple of int
        Of the rows.
    most, enough : int
        Rows on which candidates are compared, and held-out numbers that are enough.
    ordered : bool
        Whether an order along the rows is looked for.
    """
    n_features = shape[1]
    noise = _NOISE + _NOISE_EACH * min(shape[0], _NOISE_ROWS) * n_features
    noise += _NOISE_NARROW * min(shape[0], _NARROW_ROWS) * (n_features <= NARROW)
    order = RowOrder(n_features, 1) if ordered and n_features >= FEWEST_COLUMNS else None
    n_low = LOW_OF_AN_EXPANSION if order else 0.0
    count = min(shape[0], most)
    n_fitted = count - math.ceil(count / folds_of(count))
    needed, each = fold_sizes(count, n_features, enough)
    n_held = needed * each
    groups = 1 if needed <= 2 else 2  # of two folds each, whose windows are learned together
    smoothing = groups * of_learning(order, n_fitted) / min(groups, thread_count())
    smoothing += 2.0 * of_trial(order, n_fitted, n_held, 1)  # orders are compared as well
    refined = _of_gamma(durations, count, n_features, enough, len(all_iterations()))
    searched, again = SEARCHED + (SEARCHED_LOW if order else 0.0), OF_AN_EXPANSION
    first, held = refined, max(ROUGH_HELD, math.ceil(ROUGH_ENOUGH / n_features))
    if count > ROUGH_FROM * ROUGH_ROWS or n_held >= ROUGH_SHARE * held:
        ways = len(all_iterations(numbers=ROUGH_STEPS))
        few = min(count, ROUGH_ROWS)
        first = _of_gamma(durations, few, n_features, held * n_features, ways)
        again += REFINED + (1.0 if order else 0.0)
    known, wanted = (directions_of(n_held, n_features, probes) for probes in (PROBES, MANY_PROBES))
    later = 0.0
    if wanted > known:  # weights are found once more
        again += MANY_DIRECTIONS * (OF_AN_EXPANSION + n_low)
        later = of_trial(order, n_fitted, n_held, wanted)
    choosing = (searched * first + again * refined + later) / thread_count()
    last = fit_stages(durations, shape, n_own=OF_AN_EXPANSION, n_low=n_low, order=order)
    return [
        Stage("noise", noise),
        Stage("smoothing", smoothing),
        Stage("choosing", choosing),
        *last,
    ]


def _of_gamma(durations: Durations, count: int, n_features: int, enough: int, ways: int) -> float:
    """Return the seconds of one core that trying a gamma on so many rows takes."""
    needed, held = fold_sizes(count, n_features, enough)
    numbers = held * ways * (1 + directions_of(needed * held, n_features, PROBES))
    fitted = count - math.ceil(count / folds_of(count))
    return needed * (TRIED + durations.of_gamma(fitted, numbers, n_features))
