"""The choice of a refined pre-image: its gammas, and the weights of all that is added up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from ikpca_cli.data.first_pass import SAMPLE_ROWS
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.data.row_source import row_name
from ikpca_cli.errors import InputError
from ikpca_cli.models.kernels.kernel import Gaussian
from ikpca_cli.models.preimage import (
    SHRINKS,
    SHRINKS_OF_A_CUT,
    TO_THE_MEAN,
    Iteration,
    all_iterations,
)
from ikpca_cli.selection.bandwidth import or_components, refined, search_both
from ikpca_cli.selection.choice import Auto, Choice, ChosenExpansion, Oracle, Task, usable_noise_std
from ikpca_cli.selection.cross_validation import CrossValidation
from ikpca_cli.selection.durations import Outlook, SearchPlan
from ikpca_cli.selection.held_out import (
    MANY_PROBES,
    ROUGH_ROWS,
    ROUGH_STEPS,
    directions_of,
    enough_at_first,
    sample_of,
    with_those_of,
    with_windows,
)
from ikpca_cli.selection.outcome import Expansion, Fits, LowPass
from ikpca_cli.selection.row_order import (
    apart,
    best_order,
    low_bands,
    or_no_windows,
    with_low_pass,
)

Compare: TypeAlias = Callable[..., CrossValidation]
"""A `CrossValidation` of the rows, but for its ways, their number and what is said of it."""

_Own: TypeAlias = list[tuple[float, dict[Iteration, float]]]
_Low: TypeAlias = list[tuple[LowPass, dict[Iteration, float]]]


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
    plan : SearchPlan or None
        What this and a fit after it are expected to do, if that is known.
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
    plan: SearchPlan | None = None

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
        order = None
        if self.order != "none" and not self.replicates:
            directions = model_rng(self.seed, Stream.DIRECTIONS)
            order = best_order(rows, mean, noise_variance, directions)
            order = replace(order, patches=patches) if order else None
        outlook = Outlook(progress, self.plan)
        outlook.narrow(order=order)
        rng = model_rng(self.seed, Stream.DIRECTIONS)
        compare: Compare = partial(
            CrossValidation,
            rows,
            self.fits(rows, distances, noise_variance),
            noise_variance,
            rng=rng,
            replicates=self.replicates,
            oracle=Oracle(oracle.noisy - mean, oracle.clean - mean) if oracle else None,
            order=order,
            offset=mean,
            progress=progress,
        )
        shrinks = SHRINKS if self.n_components is None else SHRINKS_OF_A_CUT
        shrinks = (*shrinks, TO_THE_MEAN) if self.replicates else shrinks
        trial = compare(
            ways=all_iterations(shrinks),
            enough=self.enough,
            most=self.most_rows,
            windows=partial(with_windows, rows, order, mean, noise_variance),
            stage="refining",
        )
        progress("smoothing", 1, 1)
        rough = None
        if oracle is None and self.gamma == "auto":
            rough = self._rough(compare, trial, all_iterations(shrinks, ROUGH_STEPS))
        scale = float(np.median(distances)) or float(distances.mean())
        found, expansion = self._found(compare, trial, rough, scale, X.shape[0], outlook)
        own, low = _parted(expansion)
        outlook.narrow(own=len(own), low=len(low), chosen=True)
        compared = (rough.found if rough else {}) | trial.found
        return Choice(
            self.n_components,
            own[0][0],
            own[1][0] if len(own) > 1 else None,
            expansion=_chosen(found, expansion),
            risk=expansion.risk,
            error=expansion.error,
            tried=tuple(choice for one in compared.values() if (choice := _as_tried(one))),
        )

    def _rough(
        self, compare: Compare, trial: CrossValidation, ways: list[Iteration]
    ) -> CrossValidation | None:
        """Return a comparison of fewer rows, to begin with; None where that would save little."""
        count, n_features = trial.rows.shape
        enough = enough_at_first(min(count, self.most_rows), trial.n_held, n_features)
        return None if enough is None else compare(ways=ways, enough=enough, most=ROUGH_ROWS)

    def _found(
        self,
        compare: Compare,
        trial: CrossValidation,
        rough: CrossValidation | None,
        scale: float,
        n_samples: int,
        outlook: Outlook,
    ) -> tuple[CrossValidation, Expansion]:
        """Return the best expansion for a fit to so many rows, and what its weights come from."""
        more, progress = _more_directions(trial), trial.progress
        bands = low_bands(trial) if self.gamma == "auto" else []
        outlook.narrow(smoothed=True, bands=len(bands))
        if self.gamma == "auto":
            first = search_both(rough or trial, self.second_gamma, scale)
            found = max((rough or trial).components[gamma] for gamma in first.gammas)
            refining, likely = len(first.gammas) + 1, (1 + len(first.gammas)) / 2
            outlook.narrow(found, searched=0, refined=refining, own=likely)
            expansion = first if rough is None else refined(trial, first, scale)
        else:
            first = expansion = trial.best(self.gamma)
        if isinstance(self.second_gamma, float | int):
            expansion = trial.best(expansion.gammas[0], float(self.second_gamma))
        outlook.narrow(searched=0, refined=0, own=len(expansion.gammas))
        if bands:
            coarse = (rough, first) if rough else None
            expansion = with_low_pass(trial, expansion, self.fits, bands, rough=coarse)
        n_low = sum(isinstance(gamma, LowPass) for gamma in expansion.gammas)
        outlook.narrow(own=len(expansion.gammas) - n_low, bands=0, low=n_low)
        if more:
            # Gammas are told apart by few directions, as all see the same; weights need more.
            surer = compare(
                ways=trial.ways,
                enough=self.enough,
                most=self.most_rows,
                windows=partial(with_those_of, trial.trials),
                probes=more,
                stage="weighing",
            )
            surer.lowered = trial.lowered
            progress("smoothing", 1, 1)
            trial, expansion = surer, surer.best(*expansion.gammas)
        expansion = or_components(trial, or_no_windows(trial, expansion))
        return trial, trial.fair_risk(trial.full_risk(expansion, n_samples))


def _chosen(trial: CrossValidation, expansion: Expansion) -> ChosenExpansion:
    """Return what a fit needs to know of the expansion that was chosen."""
    own, low = _parted(expansion)
    smoothing, windows = apart(trial, expansion)
    return ChosenExpansion(
        gammas=tuple(gamma for gamma, _ in own),
        weights=tuple(weights for _, weights in own),
        noise_variance=trial.noise_variance,
        rows=trial.rows,
        varying=trial.varying,
        order=trial.order,
        smoothing=smoothing,
        windows=windows,
        low_pass=low[0] if low and low[0][1] else None,
    )


def _parted(expansion: Expansion) -> tuple[_Own, _Low]:
    """Return what has weights: the first gamma and others, and models of low frequencies."""
    pairs = list(zip(expansion.gammas, expansion.weights, strict=True))
    own = [(gamma, weights) for gamma, weights in pairs if not isinstance(gamma, LowPass)]
    low = [(gamma, weights) for gamma, weights in pairs if isinstance(gamma, LowPass)]
    return [own[0], *((gamma, weights) for gamma, weights in own[1:] if weights)], low


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
