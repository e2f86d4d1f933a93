"""Ways of going back from feature space, which the exact limit and random features share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from ikpca_cli.data.row_source import FloatArray

View = TypeVar("View")
"""What rows look like in feature space."""

DAMPING = 0.5
"""The least divisor of a step: far from the data, where the kernel is small, rows stay calm."""

SHRINKS = (0.5, 1.0, 2.0)
SHRINKS_OF_A_CUT = (0.0, 0.5, 1.0, 2.0)
TO_THE_MEAN = 1e6
"""A shrinkage that leaves nothing of any component that noise reaches."""

STEPS = (1, 2, 3)


@dataclass(frozen=True, order=True)
class Iteration:
    """One way of going back from feature space.

    Attributes
    ----------
    shrink : float
        Multiple f of the noise variance that the weights take off each component; 0 for a cut.
    reproject : bool
        Whether each step projects anew, towards the data, or holds the first target.
    steps : int
        Gauss-Newton steps.
    """

    shrink: float
    reproject: bool
    steps: int


class Preimage(ABC, Generic[View]):
    """A fitted spectrum that can move rows; its kinds say how one step is made."""

    @property
    @abstractmethod
    def component_variances(self) -> tuple[FloatArray, FloatArray]:
        """Variance of the rows along each component, (d,), and of noise of variance 1."""

    @abstractmethod
    def evaluate(self, x: FloatArray, dx: Sequence[FloatArray]) -> View:
        """Return what centred rows x (m, p) look like in feature space, and along each dx."""

    @abstractmethod
    def leading_components(self, count: int) -> FloatArray:
        """Return the first `count` components as columns, (k, count), which are not a copy."""

    @abstractmethod
    def codes_on(self, view: View, components: FloatArray) -> list[FloatArray]:
        """Return the codes (m, e) of rows on these components, and along each dx."""

    @abstractmethod
    def step(
        self,
        x: FloatArray,
        dx: Sequence[FloatArray],
        view: View,
        targets: Sequence[FloatArray],
    ) -> tuple[FloatArray, list[FloatArray]]:
        """Return rows, and their derivatives dx, after a Gauss-Newton step.

        Parameters
        ----------
        x : ndarray, shape (m, p)
        dx : sequence of ndarray, shape (m, p)
        view : View
            What `evaluate` returned for them.
        targets : sequence of ndarray, shape (m, k)
            What is wanted in feature space beyond the mean, and along each dx.
        """

    def displacements(
        self,
        noise_variance: float,
        Y: FloatArray,
        iterations: Collection[Iteration],
        tangents: Sequence[FloatArray] = (),
    ) -> Iterator[tuple[Iteration, FloatArray, FloatArray]]:
        """Yield, for each iteration, how far it takes each row, and how that changes with the row.

        Moves share what they have in common: the codes of the rows, and steps of one shrinkage.

        Parameters
        ----------
        noise_variance : float
        Y : ndarray, shape (m, p)
            Centred noisy rows.
        iterations : collection of Iteration
        tangents : sequence of ndarray, shape (m, p)
            Directions e of unit variance in which the displacement f is differentiated.

        Yields
        ------
        iteration : Iteration
        displacement : ndarray, shape (m, p)
        divergence : ndarray, shape (m,)
            Mean over the tangents of ``e'(df/dy)e``; zero without tangents.
        """
        if not iterations:
            return
        signal, noise = self.component_variances
        first = self.evaluate(Y, tangents)
        least = min(iteration.shrink for iteration in iterations)
        used = used_components(wiener_weights(signal, noise_variance * noise, least))
        codes = self.codes_on(first, self.leading_components(used))
        for shrink, kinds in grouped(iterations).items():
            weights = wiener_weights(signal, noise_variance * noise, shrink)
            count = used_components(weights)
            V, weights = self.leading_components(count), weights[:count]
            # Rows are few where components are many: it is their codes that are weighed.
            targets = [(code[:, :count] * weights) @ V.T for code in codes]
            begun = self.step(Y, tangents, first, targets)
            # Either way the second step is made where the first has led.
            most = max(step for wanted in kinds.values() for step in wanted)
            second = self.evaluate(*begun) if most > 1 else first
            for reproject, wanted in kinds.items():
                x, dx = begun
                aims = targets
                for step in range(1, max(wanted) + 1):
                    if step > 1:
                        view = second if step == 2 else self.evaluate(x, dx)
                        if reproject:
                            aims = [(code * weights) @ V.T for code in self.codes_on(view, V)]
                        x, dx = self.step(x, dx, view, aims)
                    if step in wanted:
                        turned = divergence(tangents, dx, len(Y))
                        yield Iteration(shrink, reproject, step), x - Y, turned


def all_iterations(
    shrinks: tuple[float, ...] = SHRINKS, numbers: tuple[int, ...] = STEPS
) -> list[Iteration]:
    """Return the iterations that are tried together."""
    return [
        Iteration(shrink, reproject, steps)
        for shrink in shrinks
        for reproject in (False, True)
        for steps in numbers
        if not (reproject and steps == 1)  # the first step is the same either way
    ]


def grouped(iterations: Collection[Iteration]) -> dict[float, dict[bool, set[int]]]:
    """Return shrink to reproject to the numbers of steps after which a displacement is wanted."""
    groups: dict[float, dict[bool, set[int]]] = {}
    for iteration in sorted(iterations):
        groups.setdefault(iteration.shrink, {}).setdefault(iteration.reproject, set()).add(
            iteration.steps
        )
    return groups


def wiener_weights(signal: FloatArray, noise: FloatArray, shrink: float) -> FloatArray:
    """Return ``max(0, 1 - shrink noise / signal)`` for variances along components, (d,)."""
    weights: FloatArray = np.maximum(1.0 - shrink * noise / signal, 0.0)
    return weights


def used_components(weights: FloatArray) -> int:
    """Return how many of the first components include all with a weight, and at least 1."""
    used = np.flatnonzero(weights)
    return int(used[-1]) + 1 if len(used) else 1


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


def cleaned_rows(
    preimage: Preimage[Any],
    noise_variance: float,
    expansion: Mapping[Iteration, float],
    Y: FloatArray,
) -> FloatArray:
    """Return centred rows `Y` (m, p) moved by an expansion; as they are for an empty one."""
    moved = np.zeros_like(Y)
    for iteration, displacement, _ in preimage.displacements(noise_variance, Y, expansion):
        moved += expansion[iteration] * displacement
    return Y + moved


def expansion_to_array(expansion: Mapping[Iteration, float]) -> FloatArray:
    """Return an expansion as numbers, (n_iterations, 4); an empty one without weight."""
    rows = [
        (iteration.shrink, float(iteration.reproject), float(iteration.steps), weight)
        for iteration, weight in expansion.items()
    ]
    return np.array(rows or [(1.0, 0.0, 1.0, 0.0)], dtype=np.float64)


def check_expansion(numbers: FloatArray) -> None:
    """Refuse numbers, (n_iterations, 4), that no expansion has: a file could ask for endless steps.

    Raises
    ------
    ValueError
        If they are not iterations and weights.
    """
    if numbers.shape[1] != 4:
        raise ValueError("its expansion does not have four numbers an iteration")
    shrink, reproject, steps, _ = numbers.T
    if not (
        np.all(shrink >= 0.0) and np.isin(reproject, (0, 1)).all() and np.isin(steps, STEPS).all()
    ):
        raise ValueError("its expansion has iterations that are none")


def expansion_from_array(numbers: FloatArray) -> dict[Iteration, float]:
    """Return the expansion that `expansion_to_array` made numbers of."""
    return {
        Iteration(float(shrink), bool(reproject), int(steps)): float(weight)
        for shrink, reproject, steps, weight in numbers
    }
