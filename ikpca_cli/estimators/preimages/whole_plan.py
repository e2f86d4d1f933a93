"""How long a fit with nothing given may take, before anything is known of its rows."""

from __future__ import annotations

from ikpca_cli.data.threads import thread_count
from ikpca_cli.models.smoothing.detection import FEWEST_COLUMNS
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.models.smoothing.smoothing_durations import of_learning, of_trial
from ikpca_cli.selection.durations import (
    NARROW,
    OF_AN_EXPANSION,
    REFINED,
    SEARCHED,
    SEARCHED_LOW,
    TRIED,
    Durations,
    fit_stages,
)
from ikpca_cli.selection.expansion import ROUGH_FROM, ROUGH_ROWS
from ikpca_cli.selection.held_out import FEWEST_HELD, FOLDS, MANY_ROWS
from ikpca_cli.selection.stages import Stage

_NOISE, _NOISE_EACH, _NOISE_NARROW = 0.2, 2.2e-6, 3e-4  # seconds; for a number; for a short row
_NOISE_ROWS, _NARROW_ROWS = 1000, 2000  # that tell what noise is like
_WAYS = 15  # in which rows are moved


def whole_plan(
    durations: Durations, shape: tuple[int, int], *, most: int, enough: int
) -> list[Stage]:
    """Return what is expected: the noise, smoothers, all that is compared as one stage, and a fit.

    Parameters
    ----------
    durations : Durations
    shape : tuple of int
        Of the rows.
    most, enough : int
        Rows on which candidates are compared, and held-out numbers that are enough.
    """
    n_features = shape[1]
    noise = _NOISE + _NOISE_EACH * min(shape[0], _NOISE_ROWS) * n_features
    noise += _NOISE_NARROW * min(shape[0], _NARROW_ROWS) * (n_features <= NARROW)
    order = RowOrder(n_features, 1) if n_features >= FEWEST_COLUMNS else None
    count = min(shape[0], most)
    folds = 2 if count >= MANY_ROWS else FOLDS
    n_fitted = count - count // folds
    n_held = min(count, max(FEWEST_HELD, count // folds, enough // n_features))
    groups = 1 if n_held <= count // folds else 2
    smoothing = groups * of_learning(order, n_fitted) / min(groups, thread_count())
    smoothing += 2.0 * of_trial(order, n_fitted, n_held, 1)  # orders are compared as well
    numbers, each = 2 * _WAYS * n_held, folds * TRIED
    rough = each + durations.of_gamma(min(n_fitted, ROUGH_ROWS), numbers, n_features)
    refined = each + durations.of_gamma(n_fitted, numbers, n_features)
    again = REFINED + OF_AN_EXPANSION if count > ROUGH_FROM * ROUGH_ROWS else OF_AN_EXPANSION
    searched = SEARCHED + (SEARCHED_LOW if order else 0.0)
    choosing = (searched * rough + again * refined) / thread_count()
    last = fit_stages(durations, shape, n_own=1, n_low=int(order is not None), order=order)
    return [
        Stage("noise", noise),
        Stage("smoothing", smoothing),
        Stage("choosing", choosing),
        *last,
    ]
