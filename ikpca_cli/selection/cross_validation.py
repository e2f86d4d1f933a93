"""Gamma, shrinkage and refinement from noisy rows alone, by cross-validated Stein risk.

For each gamma, rows are held out in turn and cleaned by the spectrum of the others in several ways
at once (`ikpca_cli.models.preimage`). Stein's identity turns what happened to them into an unbiased
estimate of the squared error of each way, and of any expansion of ways: with displacements f_k and
divergences d_k,

    risk(t) = sigma^2 + mean |sum_k t_k f_k|^2 / p + 2 sigma^2 sum_k t_k mean d_k / p

(Stein 1981; the divergence along random directions as in Ramani, Blu and Unser 2008, but by exact
derivatives). It is a quadratic form in t, so the best expansion with t >= 0 is a small
least-squares problem. Where all rows show one signal, or clean rows are at hand, the inner products
of the displacements with the true errors take the place of ``sigma^2 d_k``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray, Progress, silent
from ikpca_cli.data.threads import chunks, parallel_map
from ikpca_cli.models.preimage import Iteration
from ikpca_cli.models.smoothing.candidates import SmoothingFit
from ikpca_cli.models.smoothing.order import RowOrder
from ikpca_cli.selection.all_rows import for_all_rows
from ikpca_cli.selection.choice import Oracle
from ikpca_cli.selection.displacements import Candidates, Displacements, SmoothDisplacements
from ikpca_cli.selection.far_rows import weights_for_most
from ikpca_cli.selection.held_out import (
    ENOUGH,
    PROBES,
    Trial,
    more_or_fewer,
    trials_of,
    varying_columns,
)
from ikpca_cli.selection.least_risk import best_weights, optimism, risks_of
from ikpca_cli.selection.outcome import LOW_FREQUENCIES, Bandwidth, Expansion, Fit, LowPass

WORTH_A_PAIR = 0.005
"""Share of the risk that a second gamma has to save."""

_CHUNK_ROWS = 128  # held-out rows that are moved at once: their kernel values stay in the cache
_STEEPEST = 10.0  # change of a row's displacement over its own, per column


class CrossValidation:
    """Held-out rows, spectra of the others, and the risk of what these do to them.

    Parameters
    ----------
    rows : ndarray, shape (n, p)
        Centred noisy rows in random order.
    fit : callable
        Called as ``fit(places, gamma)``; returns what learned from the rows at some places.
    most : int
        The first rows up to this number take part in the comparison; `full_risk` sees all.
    noise_variance : float
    ways : list of Iteration
    rng : numpy.random.Generator
        Draws the directions of the divergence.
    enough : int
        Held-out numbers after which no more folds are tried.
    replicates : bool
        All rows show one signal: held-out rows should become their mean.
    oracle : Oracle, optional
        Centred noisy rows to clean instead of held-out ones, and what they should become.
    order : RowOrder, optional
        Order along the rows; smoothers along it take part in every expansion.
    offset : ndarray, shape (p,)
        What was taken off the rows to centre them.
    windows : callable, optional
        Called as ``windows(trials)``; returns these with what windows of other rows tell.
    probes : int
        Numbers in the directions of the divergence, at least.
    stage : str
        What trying a gamma is called, to `progress`.
    progress : callable
    """

    def __init__(
        self,
        rows: FloatArray,
        fit: Fit,
        noise_variance: float,
        ways: list[Iteration],
        rng: np.random.Generator,
        enough: int = ENOUGH,
        *,
        most: int | None = None,
        replicates: bool = False,
        oracle: Oracle | None = None,
        order: RowOrder | None = None,
        offset: FloatArray | float = 0.0,
        windows: Callable[[list[Trial]], list[Trial]] | None = None,
        probes: int = PROBES,
        stage: str = "choosing",
        progress: Progress = silent,
    ) -> None:
        self.stage, self.progress = stage, progress
        self.rows, self.fit = rows, fit
        self.order, self.offset = order, np.broadcast_to(offset, rows.shape[1])
        self.varying = varying_columns(rows)
        self.lowered: dict[int, Fit] = {}
        self.smoothed: SmoothDisplacements | None = None
        self.reach = 2.0 * float(np.sqrt((rows**2).sum(axis=1).max()))
        self.noise_variance, self.ways = noise_variance, ways
        self.replicates = replicates
        self.seen: dict[Bandwidth, Displacements] = {}
        self.components: dict[Bandwidth, int] = {}
        self.found: dict[tuple[Bandwidth, ...], Expansion] = {}
        self.trials = trials_of(
            rows,
            most,
            enough,
            noise_variance,
            rng,
            replicates=replicates,
            oracle=oracle,
            probes=probes,
        )
        if windows is not None:
            self.trials = windows(self.trials)
        if order is not None:  # once for all gammas
            self.smoothed = SmoothDisplacements.joined(
                parallel_map(self._try_smoothers, self.trials)
            )

    @property
    def n_held(self) -> int:
        """Number of rows that are held out, in all folds."""
        return sum(len(trial.held) for trial in self.trials)

    def best(self, *gammas: Bandwidth, windows: bool = True) -> Expansion:
        """Return the expansion of least estimated risk at one gamma, or at several together."""
        self.see(*gammas)
        parts, before = self.parts(gammas), self.seen[gammas[0]].before
        asked = parts, self.usable(parts), len(self.ways) * len(gammas)
        asked[1][-1] &= windows
        if self.trials[0].reference is None:
            found, risks, near = weights_for_most(*asked, before, self.noise_variance)
        else:
            found, near = best_weights(*asked), None
            risks = risks_of(parts, found, before)
        iterations = found[: len(self.ways) * len(gammas)].reshape(len(gammas), -1)
        weights = tuple(
            {way: float(weight) for way, weight in zip(self.ways, part, strict=True) if weight}
            for part in iterations
        )
        smoothing = None if self.smoothed is None else found[iterations.size :]
        error = float(risks.std() / np.sqrt(len(risks)))
        expansion = Expansion(gammas, weights, float(risks.mean()), error, smoothing, near)
        self.found[gammas] = expansion
        return expansion

    def see(self, *gammas: Bandwidth) -> None:
        """Try gammas that have not been, all at once: `best` has less to wait for then."""
        new = [gamma for gamma in dict.fromkeys(gammas) if gamma not in self.seen]
        asked = [(gamma, trial) for gamma in new for trial in self.trials]
        tried = parallel_map(lambda one: self._try(*one), asked)
        for gamma in new:
            self.seen[gamma] = Displacements.joined(islice(tried, len(self.trials)))
            name = f"{self.stage} {LOW_FREQUENCIES}" if isinstance(gamma, LowPass) else self.stage
            self.progress(name, len(self.seen), 0)

    def lower(self, n_coefficients: int, fit: Fit) -> None:
        """Let `fit` stand for rows of which only some coefficients of low frequency are seen."""
        self.lowered[n_coefficients] = fit

    def parts(self, gammas: tuple[Bandwidth, ...]) -> list[Candidates]:
        """Return all that takes part in an expansion at some gammas."""
        smoothed = [] if self.smoothed is None else [self.smoothed]
        return [*(self.seen[gamma] for gamma in gammas), *smoothed]

    def usable(self, parts: list[Candidates], *, linear: bool = False) -> NDArray[np.bool_]:
        """Tell which ways stay near the rows: where rows hardly differ, a spectrum can explode."""
        usable: NDArray[np.bool_] = np.concatenate([part.farthest <= self.reach for part in parts])
        if linear and self.smoothed is not None:
            components = self.smoothed.linear
            usable &= np.pad(components, (len(usable) - len(components), 0))
        if self.trials[0].reference is None:
            steepest = np.concatenate([np.abs(part.gains).max(axis=1) for part in parts])
            usable &= steepest <= _STEEPEST * self.noise_variance
        return usable

    def with_partner(self, main: Expansion) -> Expansion:
        """Return the best expansion of a gamma with one of the others tried, where that is better.

        A coarse and a fine kernel make different errors; better means by more than chance would.
        """
        others = (gamma for gamma in self.seen if gamma not in main.gammas)
        pairs = [self.best(*main.gammas, other) for other in others]
        pair = min(pairs, key=lambda expansion: expansion.risk, default=main)
        return pair if pair.saves(WORTH_A_PAIR, main) else main

    def full_risk(self, expansion: Expansion, n_samples: int) -> Expansion:
        """Return an expansion with its risk for a fit on `n_samples` rows.

        A fit on more rows than those of the comparison, or else on fewer, shows how fast the risk
        falls, on rows that both clean; it is taken to fall as one over the number of rows.
        """
        first = self.trials[0]
        few, held = len(first.places), len(first.held)
        if first.reference is not None:
            return expansion
        places = more_or_fewer(first.places, held, len(self.rows))
        if not 0 < len(places) < n_samples:
            return expansion
        finer = replace(first, places=places)
        before = self.seen[expansion.gammas[0]].before
        coarse = risks_of(self.parts(expansion.gammas), expansion.as_array(self.ways), before)
        self.progress("estimating", 0, 1)
        pairs = zip(expansion.gammas, expansion.weights, strict=True)
        parts: list[Candidates] = list(
            parallel_map(
                lambda pair: self._try(pair[0], finer, pair[1]), [pair for pair in pairs if pair[1]]
            )
        )
        if self.smoothed is not None:
            parts.append(self._try_smoothers(finer))
        self.progress("estimating", 1, 1)
        if not parts:
            return expansion
        given = [weight for part in expansion.weights for weight in part.values()]
        if expansion.smoothing is not None:
            given.extend(expansion.smoothing)
        changes = risks_of(parts, np.array(given), before[:held]) - coarse[:held]
        if expansion.near is not None:
            changes = changes * np.isin(np.arange(held), expansion.near)
        risk, error = for_all_rows(
            expansion.risk, expansion.error, changes, (few, len(places), n_samples)
        )
        return replace(expansion, risk=risk, error=error)

    def fair_risk(self, expansion: Expansion) -> Expansion:
        """Return an expansion with the risk of its weights on rows that did not choose them."""
        known, near = self.parts(expansion.gammas), expansion.near
        known = known if near is None else [part.some(near) for part in known]
        usable = self.usable(known, linear=expansion.linear)
        over = optimism(known, usable, len(self.ways) * len(expansion.gammas))
        return replace(expansion, risk=expansion.risk + over)

    def _try(
        self, gamma: Bandwidth, trial: Trial, ways: Collection[Iteration] | None = None
    ) -> Displacements:
        """Return what a spectrum at this gamma does to the held-out rows of a trial.

        In all ways, or in some of them alone.
        """
        ways = self.ways if ways is None else ways
        if isinstance(gamma, LowPass):
            count, width = gamma
            assert self.order is not None
            forward, fit = self.order.forward, self.lowered[count]
            held = forward(trial.held)[:, :count]
            tangents = [forward(tangent)[:, :count] for tangent in trial.tangents]
        else:
            width, fit, held, tangents = gamma, self.fit, trial.held, trial.tangents
        preimage = fit(trial.places, width)
        variances = preimage.component_variances[0]
        self.components[gamma], dtype = len(variances), variances.dtype
        parts = []
        for part in chunks(len(held), _CHUNK_ROWS):
            moved = preimage.displacements(
                self.noise_variance,
                held[part].astype(dtype, copy=False),
                ways,
                [tangent[part].astype(dtype, copy=False) for tangent in tangents],
            )
            found = {way: (steps, divergence) for way, steps, divergence in moved}
            parts.append([found[way] for way in ways])
        steps = np.concatenate([[f for f, _ in found] for found in parts], axis=1)
        if self.order is not None and not isinstance(gamma, LowPass):
            steps = np.array([self.order.forward(step) for step in steps])
        steps = steps.astype(np.float64, copy=False)
        n_features, error = trial.held.shape[1], trial.error
        if isinstance(gamma, LowPass):
            steps = np.pad(steps, [(0, 0), (0, 0), (0, n_features - steps.shape[2])])
        if error is None:
            divergences = np.concatenate([[d for _, d in found] for found in parts], axis=1)
            gains = divergences.astype(np.float64) * self.noise_variance
        else:
            error = error if self.order is None else self.order.forward(error)
            gains = np.einsum("kij,ij->ki", steps, error)
        return Displacements(steps, gains / n_features, trial.mean_squares)

    def _try_smoothers(self, trial: Trial) -> SmoothDisplacements:
        """Return what the smoothers do to the held-out rows of a trial."""
        assert self.order is not None
        some = self.rows[trial.places]
        given = self.offset, self.noise_variance, trial.windows
        fit = SmoothingFit.of(self.order, some, *given)
        return SmoothDisplacements.of(fit, trial.held, trial.tangents, self.varying, trial.error)
