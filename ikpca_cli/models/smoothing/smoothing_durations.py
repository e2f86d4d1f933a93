"""How long smoothers take, in seconds of one core; see `ikpca_cli.selection.durations`."""

from __future__ import annotations

from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.models.smoothing.row_windows import windows_of

_LEARNED = 3.5e-7  # for each number in the windows that are learned from
_ALONG_A_LINE, _IN_A_PICTURE = 5.5e-7, 1.5e-6  # for each number that is moved, or turned
_COMPONENTS = 5.5e-10  # for the third power of the shorter side


def of_learning(order: RowOrder | None, n_samples: int) -> float:
    """Return how long learning from windows of so many rows takes."""
    return 0.0 if order is None else _LEARNED * windows_of(order, n_samples)


def of_moving(order: RowOrder | None, n_samples: int, n_directions: int = 0) -> float:
    """Return how long smoothers need for so many rows, and their turns along some directions."""
    if order is None or not (order.down or order.across):
        return 0.0
    each = _IN_A_PICTURE if order.down and order.across else _ALONG_A_LINE
    return each * n_samples * order.n_features * (1 + n_directions)


def of_trial(order: RowOrder | None, n_fitted: int, n_held: int, n_directions: int) -> float:
    """Return how long smoothers need to learn from some rows, and to move others."""
    if order is None:
        return 0.0
    learned = _COMPONENTS * min(n_fitted, order.n_features) ** 3
    return learned + of_moving(order, n_held, n_directions)
