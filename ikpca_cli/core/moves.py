"""Ways of going back from feature space, which the exact limit and random features share."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ikpca_cli.core.rows import FloatArray

CALM = 0.5
"""The least divisor of a step: far from the data, where the kernel is small, rows stay calm."""

SHRINKS = (0.5, 1.0, 2.0)
SHRINKS_OF_A_CUT = (0.0, 0.5, 1.0, 2.0)
TO_THE_MEAN = 1e6
"""A shrinkage that leaves nothing of any component that noise reaches."""

STEPS = (1, 2, 3)


@dataclass(frozen=True, order=True)
class Move:
    """One way of going back from feature space.

    Attributes
    ----------
    shrink : float
        Multiple f of the noise variance that the weights take off each component; 0 for a cut.
    walk : bool
        Whether each step projects anew, towards the data, or holds the first target.
    steps : int
        Gauss-Newton steps.
    """

    shrink: float
    walk: bool
    steps: int


class Mover(Protocol):
    """A fitted spectrum that can move rows."""

    def displacements(
        self,
        noise_variance: float,
        Y: FloatArray,
        moves: Collection[Move],
        tangents: Sequence[FloatArray] = ...,
    ) -> Iterator[tuple[Move, FloatArray, FloatArray]]:
        """Yield, for each move, how far it takes each row, and how that changes with the row.

        Parameters
        ----------
        noise_variance : float
        Y : ndarray, shape (m, p)
            Centred noisy rows.
        moves : collection of Move
        tangents : sequence of ndarray, shape (m, p)
            Directions e of unit variance in which the displacement f is differentiated.

        Yields
        ------
        move : Move
        displacement : ndarray, shape (m, p)
        divergence : ndarray, shape (m,)
            Mean over the tangents of ``e'(df/dy)e``; zero without tangents.
        """


def all_moves(shrinks: tuple[float, ...] = SHRINKS) -> list[Move]:
    """Return the moves that are tried together."""
    return [
        Move(shrink, walk, steps)
        for shrink in shrinks
        for walk in (False, True)
        for steps in STEPS
        if not (walk and steps == 1)  # the first step is the same either way
    ]


def grouped(moves: Collection[Move]) -> dict[tuple[float, bool], set[int]]:
    """Return (shrink, walk) to the numbers of steps after which a displacement is wanted."""
    groups: dict[tuple[float, bool], set[int]] = {}
    for move in sorted(moves):
        groups.setdefault((move.shrink, move.walk), set()).add(move.steps)
    return groups


def wiener_weights(signal: FloatArray, noise: FloatArray, shrink: float) -> FloatArray:
    """Return ``max(0, 1 - shrink noise / signal)`` for variances along components, (d,)."""
    weights: FloatArray = np.maximum(1.0 - shrink * noise / signal, 0.0)
    return weights


def dot(A: FloatArray, B: FloatArray) -> FloatArray:
    """Return the inner product of each pair of rows, (m, 1)."""
    products: FloatArray = np.einsum("ij,ij->i", A, B)[:, None]
    return products


def divergence(
    tangents: Sequence[FloatArray], moved: Sequence[FloatArray], n_samples: int
) -> FloatArray:
    """Return the mean over tangents e of ``e'(moved - e)`` for each row, (m,)."""
    if not tangents:
        return np.zeros(n_samples)
    turns = [dot(e, d - e)[:, 0] for e, d in zip(tangents, moved, strict=True)]
    mean: FloatArray = np.mean(turns, axis=0)
    return mean


def move_rows(
    mover: Mover, noise_variance: float, blend: Mapping[Move, float], Y: FloatArray
) -> FloatArray:
    """Return centred rows `Y` (m, p) moved by a blend of moves; as they are for an empty one."""
    moved = np.zeros_like(Y)
    for move, displacement, _ in mover.displacements(noise_variance, Y, blend):
        moved += blend[move] * displacement
    return Y + moved


def blend_to_array(blend: Mapping[Move, float]) -> FloatArray:
    """Return a blend as numbers, (n_moves, 4); an empty one as a move without weight."""
    rows = [
        (move.shrink, float(move.walk), float(move.steps), weight) for move, weight in blend.items()
    ]
    return np.array(rows or [(1.0, 0.0, 1.0, 0.0)], dtype=np.float64)


def check_blend(numbers: FloatArray) -> None:
    """Refuse numbers, (n_moves, 4), that no blend has: a file could ask for endless steps.

    Raises
    ------
    ValueError
        If they are not moves and weights.
    """
    if numbers.shape[1] != 4:
        raise ValueError("its blend does not have four numbers a move")
    shrink, walk, steps, _ = numbers.T
    if not (np.all(shrink >= 0.0) and np.isin(walk, (0, 1)).all() and np.isin(steps, STEPS).all()):
        raise ValueError("its blend has moves that are none")


def blend_from_array(numbers: FloatArray) -> dict[Move, float]:
    """Return the blend that `blend_to_array` made numbers of."""
    return {
        Move(float(shrink), bool(walk), int(steps)): float(weight)
        for shrink, walk, steps, weight in numbers
    }
