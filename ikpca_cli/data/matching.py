"""Columns of rows matched to those of others: by their names, or by the axis that these are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ikpca_cli.data.axes import NEAR, Resampling, axis_of, counts, described, distance
from ikpca_cli.data.feature_names import TRAINING, order_of
from ikpca_cli.errors import InputError, Note

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Match:
    """How columns of rows become those of others.

    Attributes
    ----------
    order : list of int or None
        As `order_of` returns it.
    resampling : Resampling or None
        How rows are brought to another axis.
    warning : str or None
        What the user should know.
    """

    order: list[int] | None = None
    resampling: Resampling | None = None
    warning: str | None = None

    @classmethod
    def of_names(cls, names: Sequence[str], known: Sequence[str], what: str, whose: str) -> Self:
        """Return what `order_of` says."""
        order, warning = order_of(names, known, what, whose)
        return cls(order, None, warning)

    def forward(self, rows: Array) -> Array:
        """Return rows (k, p) with the other columns, (k, q), in C order."""
        if self.resampling is not None:
            return self.resampling.forward(rows).astype(rows.dtype, copy=False)
        return rows if self.order is None else np.ascontiguousarray(rows[:, self.order])

    def back(self, values: Array, beyond: Array | None = None) -> Array:
        """Return values (k, q) with the columns that the rows have by themselves, (k, p).

        Beyond the axis that the rows were brought to they are those of `beyond`, or 0.
        """
        if self.resampling is not None:
            outside = self.resampling.outside
            placed: Array = self.resampling.back(values).astype(values.dtype, copy=False)
            placed[:, outside] = 0.0 if beyond is None else beyond[:, outside]
            return placed
        if self.order is None:
            return values
        placed = np.empty_like(values)
        placed[:, self.order] = values
        return placed


def match_names(
    names: Sequence[str],
    known: Sequence[str],
    what: str,
    *,
    whose: str = TRAINING,
    resample: bool = False,
) -> Match:
    """Compare names as `order_of` does; axes, which are numbers, by how far they are apart.

    Parameters
    ----------
    names, known, what
        As for `order_of`.
    whose
        What messages call what has the known names.
    resample
        Whether rows of another axis are brought to the known one.

    Raises
    ------
    InputError
        As `order_of` does; if axes differ and are not to be resampled, or one does not cover the
        other.
    """
    own, other = axis_of(names), axis_of(known)
    if own is None or other is None or (not resample and (counts(own) or counts(other))):
        return Match.of_names(names, known, what, whose)
    if len(own) == len(other):
        apart = distance(own, other)
        turned = (own[-1] > own[0]) != (other[-1] > other[0])
        if apart == 0.0:
            return Match.of_names(names, known, what, whose)
        if apart <= NEAR:
            near = Note(
                f"{what}: its axis is up to {apart:.2g} of a step from that of {whose}, and was "
                "taken for the same"
            )
            return Match([*reversed(range(len(own)))] if turned else None, None, near)
    if not resample:
        if len(own) > len(other) and set(other) <= set(own):
            return Match.of_names(names, known, what, whose)
        raise InputError(
            f"{what}: its axis, {described(own)}, is not that of {whose}, {described(other)}; "
            "--resample brings it to that"
        )
    resampling = Resampling(own, other)
    if not resampling.covers:
        raise InputError(
            f"{what}: its axis, {described(own)}, does not reach over that of {whose}, "
            f"{described(other)}, so it cannot be resampled; leave it out"
        )
    warning = f"{what}: brought from its axis, {described(own)}, to that of {whose}"
    outside = int(resampling.outside.sum())
    if outside:
        warning += f"; {outside} numbers beyond that stay as they are"
    return Match(None, resampling, Note(warning))
