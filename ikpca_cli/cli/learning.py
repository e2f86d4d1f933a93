"""Learning a model from files: from their rows, as more rows for a model, or from windows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ikpca_cli.cli.given.looks import check_rows
from ikpca_cli.cli.given.window_options import fit_windows, stretch_of
from ikpca_cli.cli.pictures import picture_of_fit, show
from ikpca_cli.cli.several import open_all, open_apart
from ikpca_cli.cli.sources import opener
from ikpca_cli.data.first_pass import FirstPass
from ikpca_cli.data.random import Stream, model_rng
from ikpca_cli.errors import UsageError
from ikpca_cli.estimators.ikpca import IKPCA
from ikpca_cli.estimators.missing_values import FilledRows, fit_filled
from ikpca_cli.evaluation.diagnostics import noise_flaw
from ikpca_cli.modelfile.storage import load_model, save_model
from ikpca_cli.recordings.windowed import Windowed

if TYPE_CHECKING:
    from ikpca_cli.cli.given.fit_options import ModelFile, Windows
    from ikpca_cli.cli.given.reading_options import Reading
    from ikpca_cli.data.row_source import Progress, RowSource
    from ikpca_cli.estimators.denoiser import Denoiser
    from ikpca_cli.formats.arrays import ReadOptions, Rows
    from ikpca_cli.formats.output import Identity


@dataclass(frozen=True)
class Lesson:
    """What a model is learned from, and how.

    Attributes
    ----------
    sources
        The files; of windows each by itself, else as one set of rows.
    files
        How they are read.
    windows
        How they are cut, if they are.
    keep_sums
        As for `ikpca_cli.estimators.ikpca.IKPCA.fit`.
    old
        A model that takes in the rows, None for a new one.
    replaces
        The identity of its file when it was read: another run may have added to it since.
    on_cluster
        Whether the workers of a cluster read the file themselves.
    """

    sources: Sequence[str]
    files: ReadOptions
    windows: Windows
    keep_sums: bool = False
    old: Denoiser | None = None
    replaces: Identity | None = None
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

    @property
    def inner(self) -> Denoiser:
        """The model of rows, or that of windows."""
        return self.model.model if isinstance(self.model, Windowed) else self.model


def model_to_update(path: str | None) -> Denoiser | None:
    """Return a model that is to take in more rows, if there is one.

    Raises
    ------
    UsageError
        If it is of windows.
    """
    old = None if path is None else load_model(path)
    if isinstance(old, Windowed):
        raise UsageError(f"{path} is for windows and cannot take in more: fit all files at once")
    return old


def files_of(reading: Reading, windows: Windows, old: Denoiser | None) -> ReadOptions:
    """Return how the files of a lesson are read: as before, where a model takes in more rows."""
    files = reading.options(fills=True, known=None if old is None else old.reading_)
    if windows.window == "none":
        files = replace(files, orientation="rows")
    if old is not None:
        files = replace(files, width=old.n_features_in_, axis=old.feature_names_)
    return files


def learn(lesson: Lesson, chosen: Denoiser, progress: Progress, opened: ExitStack) -> Learned:
    """Learn a model from files, which stay open for as long as `opened` does.

    Parameters
    ----------
    lesson
        What to learn from.
    chosen
        What is fitted, with its parameters and what is known of the noise.
    progress
        As for `Denoiser.fit`.
    opened
        Closes the files in the end.

    Raises
    ------
    InputError
        If a file cannot be learned from.
    """
    sources, files, windows, old = lesson.sources, lesson.files, lesson.windows, lesson.old
    if windows.window is not None and windows.are_asked:
        apart = opened.enter_context(open_apart(sources, files, progress))
        start = time.perf_counter()
        cut = windows.window, windows.hop, windows.fs
        windowed = fit_windows(chosen, apart, *cut, progress)
        return Learned(windowed, apart[0], time.perf_counter() - start)
    known = None if old is None else old.feature_names_
    check = check_rows if windows.window is None and old is None else None
    rows = opened.enter_context(open_all(sources, files, progress, known, check))
    start = time.perf_counter()
    opens = opener(rows, sources[0], files) if lesson.on_cluster else None
    if old is not None:
        more = _more_rows(rows, old, opens)
        if not isinstance(old, IKPCA):
            raise UsageError(f"{old.method} cannot learn from more rows: fit it on all of them")
        updated = old.partial_fit(more, progress=progress)
        return Learned(updated, more, time.perf_counter() - start)
    is_asked = not chosen.level_given and chosen.noise_model == "auto"
    if is_asked and len(sources) == 1 and rows.layout.beside is not None:
        from ikpca_cli.recordings.beats.cut_file import noise_told

        chosen.set_noise(noise_told(rows))
    seen: FilledRows | FirstPass
    if rows.has_holes:
        seen = filled = FilledRows(rows)

        def fit_once(some: RowSource) -> Denoiser:
            return chosen.fit(some, keep_sums=lesson.keep_sums, progress=progress)

        model = fit_filled(filled, fit_once, chosen.seed)
    else:
        seen = FirstPass(rows, chosen.seed, opens)
        model = chosen.fit(seen, keep_sums=lesson.keep_sums, progress=progress)
    flaw = noise_flaw(chosen, seen)
    return Learned(model, seen, time.perf_counter() - start, flaw)


def keep(
    learned: Learned,
    lesson: Lesson,
    told: Mapping[str, str | int],
    file: ModelFile,
    plot: str | None,
    *,
    force: bool,
) -> None:
    """Write a model, which keeps what was told of its files, and draw what it made of them."""
    replaces = lesson.replaces if file.path == file.update else None
    learned.inner.reading_ = told if lesson.old is None else lesson.old.reading_
    save_model(file.path, learned.model, force=force, replaces=replaces)
    if plot is None:
        return
    if isinstance(learned.model, Windowed):
        show(stretch_of(learned.model, learned.seen), plot, force=force)
    else:
        others = len(lesson.sources) - 1
        name = lesson.sources[0] + (f" and {others} more" if others else "")
        picture_of_fit(plot, learned.model, name, learned.seen, force=force)


def _more_rows(
    rows: Rows, old: Denoiser, opens: Callable[[], Rows] | None
) -> Rows | FilledRows | FirstPass:
    """Return rows as a model takes them in: what is missing is filled in by it."""
    if rows.has_holes:
        filled = FilledRows(rows)
        filled.refill(old, model_rng(old.seed, Stream.MISSING))
        return filled
    return rows if opens is None else FirstPass(rows, old.seed, opens)
