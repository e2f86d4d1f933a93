"""A progress bar on stderr for what takes longer than two seconds."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ikpca_cli.data.row_source import Progress

PATIENCE = 2.0
"""Seconds before a bar appears."""


@contextmanager
def progress_bar(*, quiet: bool, verbose: bool = False) -> Iterator[Progress]:
    """Yield a function to report progress to; it shows nothing when stderr is no terminal.

    With `verbose` it prints a line for each stage instead, wherever stderr goes.
    """
    if verbose and not quiet:
        stages = _Stages()
        try:
            yield stages
        finally:
            stages.end()
        return
    if quiet or not sys.stderr.isatty():
        yield _nothing
        return
    from rich.console import Console
    from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    left = TimeLeft()

    class TimeLeftColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(str(left), style="progress.remaining")

    bars = Bars(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
        TimeLeftColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bars.add_task("reading", total=None)

    def report(name: str, done: int, total: int) -> None:
        if left.report(name, done, total):
            bars.reset(task)
        # A stage of unknown length has total 0 and pulses.
        bars.update(task, description=name, completed=done, total=total or None)

    timer = Timer(PATIENCE, bars.start)
    timer.daemon = True
    timer.start()
    try:
        yield report
    finally:
        timer.cancel()
        timer.join()
        bars.stop()


class TimeLeft:
    """The time left by the pace so far, counted down between reports.

    Stages that are parts of one whole count on to one total; any other begins anew.

    Parameters
    ----------
    clock : callable
        Returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stage, self._done, self._total = "reading", 0, 0
        self._begun = self._last = clock()
        self._end: float | None = None

    def report(self, stage: str, done: int, total: int) -> bool:
        """Take in how far a stage is, and return whether it begins anew."""
        now = self._clock()
        goes_on = stage == self._stage or (total == self._total > 0 and done >= self._done)
        if not goes_on:
            # What was done before the first report of a stage took the time since the last one.
            self._begun, self._end = (self._last if done else now), None
        # A report of nothing new tells no pace.
        if total and done > (self._done if goes_on else 0):
            self._end = now + (now - self._begun) * (total - done) / done
        self._stage, self._done, self._total, self._last = stage, done, total, now
        return not goes_on

    def seconds(self) -> float | None:
        """Return the seconds left, None where they are not known."""
        return None if self._end is None else max(self._end - self._clock(), 0.0)

    def __str__(self) -> str:
        """Return hours, minutes and seconds."""
        seconds = self.seconds()
        return "-:--:--" if seconds is None else str(timedelta(seconds=math.ceil(seconds)))


class _Stages:
    """A line for each stage when it ends, with the seconds that it took."""

    def __init__(self) -> None:
        self._name, self._start = "", time.perf_counter()

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._name:
            self.end()
            self._name, self._start = stage, time.perf_counter()

    def end(self) -> None:
        """Print the line of the stage that has ended."""
        if self._name:
            seconds = time.perf_counter() - self._start
            sys.stderr.write(f"{self._name}: {seconds:.1f} s\n")
            self._name = ""


def _nothing(stage: str, done: int, total: int) -> None:
    """Report no progress."""
