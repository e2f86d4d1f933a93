"""The stages of a fit as parts of one whole, so that the time left is that of all of them.

How many candidates a search will try, and how long each takes, is known before by their usual
number and by the sizes of the arrays. How long it really takes is measured while a fit runs: what
was done sets the pace of what is left.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ikpca_cli.data.row_source import Progress

TICKS = 10_000
"""The total that a whole is reported in."""

_LITTLE = 0.1  # foretold seconds: a pace that was measured on less is not trusted alone


class Stage(NamedTuple):
    """What is to come: a name that is reported, seconds of one pass, and how many passes."""

    name: str
    seconds: float
    passes: float = 1.0


class Grid(NamedTuple):
    """What a search of a grid looks at: rows to learn from and to compare by, and candidates.

    Attributes
    ----------
    n_fitted, n_held : int
        Rows.
    n_gammas, ways : int
        Gammas, and what is compared at each.
    shape : tuple of int
        Of all rows.
    """

    n_fitted: int
    n_held: int
    n_gammas: int
    ways: int
    shape: tuple[int, int]


class Whole:
    """Progress of stages that are expected one after the other, told as one.

    It is called like any progress. A call with a total is part of a pass; one with a count but no
    total is the end of a pass of a search whose length is not known. Stages that are not expected
    are told by their names alone, and as they are while nothing is expected.

    Parameters
    ----------
    progress : callable
        What it is told to.
    clock : callable
        Returns seconds.
    """

    def __init__(self, progress: Progress, clock: Callable[[], float] = time.perf_counter) -> None:
        self._progress, self._clock = progress, clock
        self._expected: list[Stage] = []
        self._passes, self._part = 0.0, 0.0
        self._begun = self._last = 0.0
        self._foretold = self._taken = 0.0
        self._told = 0

    def __call__(self, name: str, done: int, total: int) -> None:
        """Tell how far a stage is."""
        if not self._expected:
            self._progress(name, done, total)
            return
        at = next((at for at, stage in enumerate(self._expected) if stage.name == name), None)
        if at is not None:
            if at > 0:  # those before are over, however many passes were expected
                self._expected = self._expected[at:]
                self._passes = self._part = 0.0
            self._advance(done, total)
        self._tell(name)

    def expect(self, stages: Sequence[Stage]) -> None:
        """Set what is to come, in order, instead of what was."""
        self._last = self._clock()
        if not self._expected:
            self._begun = self._last
        self._expected = [stage for stage in stages if stage.passes > 0.0]
        self._passes = self._part = 0.0
        if self._expected:
            self._tell(self._expected[0].name)

    def _advance(self, done: int, total: int) -> None:
        """Count what was done of the first stage since the call before, and how long that took."""
        part, now = done / total if total else 0.0, self._clock()
        more = part - self._part * (part >= self._part) if total else float(done > 0)
        self._part, self._passes = part, self._passes + more
        if more > 0.0:  # what went before the beginning of a stage is no part of it
            self._foretold += more * self._expected[0].seconds
            self._taken += now - self._last
        self._last = now

    def _left(self) -> float:
        """Return the seconds left: all goes on at the pace of what was done."""
        first, *others = self._expected
        left = max(first.passes - self._passes, 0.0) * first.seconds
        left += sum(stage.passes * stage.seconds for stage in others)
        return left * (self._taken + _LITTLE) / (self._foretold + _LITTLE)

    def _tell(self, name: str) -> None:
        gone = self._last - self._begun
        share = gone / max(gone + self._left(), 1e-300)
        self._told = max(self._told, round(TICKS * share))
        self._progress(name, self._told, TICKS)


def expect(progress: Progress, stages: Sequence[Stage]) -> None:
    """Tell a whole what is to come; any other progress is left to tell stages one by one."""
    if isinstance(progress, Whole):
        progress.expect(stages)
