"""The stages of a fit as parts of one whole, so that the time left is that of all of them.

How many candidates a search will try, and how long each takes, is known before by their usual
number and by the sizes of the arrays. What has been done of it so far sets the pace of the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ikpca_cli.data.row_source import Progress

TICKS = 1000
"""The total that a whole is reported in."""


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
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._expected: list[Stage] = []
        self._passes, self._part = 0.0, 0.0
        self._done, self._told = 0.0, 0

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
        self._expected = [stage for stage in stages if stage.passes > 0.0]
        self._passes = self._part = 0.0
        if self._expected:
            self._tell(self._expected[0].name)

    def _advance(self, done: int, total: int) -> None:
        """Count what was done of the first stage since the call before."""
        if total:
            part = done / total
            more = part if part < self._part else part - self._part
            self._part = part
        else:
            more = float(done > 0)
        self._passes += more
        self._done += more * self._expected[0].seconds

    def _tell(self, name: str) -> None:
        first, *stages = self._expected
        left = first.seconds * max(first.passes - self._passes, 0.0)
        left += sum(stage.seconds * stage.passes for stage in stages)
        share = self._done / max(self._done + left, 1e-300)
        self._told = max(self._told, round(TICKS * share))
        self._progress(name, self._told, TICKS)


def expect(progress: Progress, stages: Sequence[Stage]) -> None:
    """Tell a whole what is to come; any other progress is left to tell stages one by one."""
    if isinstance(progress, Whole):
        progress.expect(stages)
