"""Learning a model from files: from their rows, as more rows for a model, or from windows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ikpca_cli.cli.given.looks import check_rows
from ikpca_cli.cli.given.window_options import fit_windows
from ikpca_cli.cli.several import open_all, open_apart
from ikpca_cli.cli.sources import opener
from ikpca_cli.data.first_pass import FirstPass
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.errors import UsageError
from ikpca_cli.estimators.ikpca import IKPCA
from ikpca_cli.estimators.missing_values import FilledRows, fit_filled
from ikpca_cli.evaluation.diagnostics import noise_flaw

if TYPE_CHECKING:
    from ikpca_cli.data.row_source import Progress
    from ikpca_cli.estimators.denoiser import Denoiser
    from ikpca_cli.formats.arrays import ReadOptions, Rows
    from ikpca_cli.recordings.windowed import Windowed


@dataclass(frozen=True)
class Lesson:
    """What a model is learned from, and how.

    Attributes
    ----------
    sources
        The files; of windows each by itself, else as one set of rows.
    reading
        How they are read.
    window, hop, fs
        What stands on the command line for these.
    keep_sums
        As for `ikpca_cli.estimators.ikpca.IKPCA.fit`.
    on_cluster
        Whether the workers of a cluster read the file themselves.
    """

    sources: Sequence[str]
    reading: ReadOptions
    window: str | None = None
    hop: int | None = None
    fs: float | None = None
    keep_sums: bool = False
    on_cluster: bool = False


@dataclass(frozen=True)
class Learned:
    """What came of a lesson.

    Attributes
    ----------
    model
        The fitted model.
    seen
        What it was fitted on; of windows the first file.
    seconds
        How long that took, without opening files.
    flaw
        What the user should know of its noise, if anything.
    """

    model: Denoiser | Windowed
    seen: Any  # rows, as they are or looked through, or a recording
    seconds: float
    flaw: str | None = None


def learn(
    lesson: Lesson,
    chosen: Denoiser,
    old: Denoiser | None,
    progress: Progress,
    opened: ExitStack,
) -> Learned:
    """Learn a model from files, which stay open for as long as `opened` does.

    Parameters
    ----------
    lesson
        What to learn from.
    chosen
        What is fitted, with its parameters and what is known of the noise.
    old
        A model that takes in the rows instead; None for a new one.
    progress
        As for `Denoiser.fit`.
    opened
        Closes the files in the end.

    Raises
    ------
    InputError
        If a file cannot be learned from.
    """
    if lesson.window is not None and lesson.window != "none":
        files = opened.enter_context(open_apart(lesson.sources, lesson.reading, progress))
        start = time.perf_counter()
        windowed = fit_windows(chosen, files, lesson.window, lesson.hop, lesson.fs, progress)
        return Learned(windowed, files[0], time.perf_counter() - start)
    known = None if old is None else old.feature_names_
    check = check_rows if lesson.window is None and old is None else None
    rows = opened.enter_context(open_all(lesson.sources, lesson.reading, progress, known, check))
    start = time.perf_counter()
    opens = opener(rows, lesson.sources[0], lesson.reading) if lesson.on_cluster else None
    if old is not None:
        more = _more_rows(rows, old, opens)
        if not isinstance(old, IKPCA):
            raise UsageError(f"{old.method} cannot learn from more rows: fit it on all of them")
        updated = old.partial_fit(more, progress=progress)
        return Learned(updated, more, time.perf_counter() - start)
    seen: FilledRows | FirstPass
    if rows.has_holes:
        seen = filled = FilledRows(rows)

        def fit_once() -> Denoiser:
            return chosen.fit(filled, keep_sums=lesson.keep_sums, progress=progress)

        model = fit_filled(filled, fit_once, chosen.seed)
    else:
        seen = FirstPass(rows, chosen.seed, opens)
        model = chosen.fit(seen, keep_sums=lesson.keep_sums, progress=progress)
    flaw = noise_flaw(chosen, seen)
    return Learned(model, seen, time.perf_counter() - start, flaw)


def _more_rows(
    rows: Rows, old: Denoiser, opens: Callable[[], Rows] | None
) -> Rows | FilledRows | FirstPass:
    """Return rows as a model takes them in: what is missing is filled in by it."""
    if rows.has_holes:
        filled = FilledRows(rows)
        filled.refill(old, model_rng(old.seed, Stream.MISSING))
        return filled
    return rows if opens is None else FirstPass(rows, old.seed, opens)
