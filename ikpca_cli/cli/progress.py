"""A progress bar on stderr for what takes longer than two seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ikpca_cli.data.row_source import Progress

PATIENCE = 2.0
"""Seconds before a bar appears."""


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress]:
    """Yield a function to report progress to; it shows nothing when stderr is no terminal."""
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


def _nothing(stage: str, done: int, total: int) -> None:
    """Report no progress."""
