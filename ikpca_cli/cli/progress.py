"""A progress bar on stderr for what takes longer than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    bars = Bars(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bars.add_task("reading", total=None)
    stage = "reading"

    def report(name: str, done: int, total: int) -> None:
        nonlocal stage
        if name != stage:
            stage = name
            bars.reset(task, description=name)
        # A stage of unknown length has total 0 and pulses.
        bars.update(task, completed=done, total=total or None)

    timer = Timer(PATIENCE, bars.start)
    timer.daemon = True
    timer.start()
    try:
        yield report
    finally:
        timer.cancel()
        timer.join()
        bars.stop()


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
