"""Cleaning one file into another: the work of ``ikpca denoise`` that other processes can do."""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from ikpca_cli.cli.batch.job import Job, Outcome, Stopped
from ikpca_cli.cli.sources import located, quietly_open
from ikpca_cli.errors import IkpcaError, IkpcaWarning, InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ikpca_cli.data.row_source import FloatArray, Progress
    from ikpca_cli.estimators.denoiser import Denoiser
    from ikpca_cli.formats.arrays import Rows
    from ikpca_cli.formats.format import Write
    from ikpca_cli.formats.layout import Layout
    from ikpca_cli.formats.read_options import ReadOptions
    from ikpca_cli.plots.shown import Shown
    from ikpca_cli.plots.stretch import Stretch
    from ikpca_cli.recordings.windowed import Windowed


def model_of(path: str) -> Denoiser | Windowed:
    """Load a model, or return the one that this process loaded last."""
    found = os.stat(path) if os.path.exists(path) else None
    return _load(path, found and (found.st_ino, found.st_mtime_ns, found.st_size))


@lru_cache(maxsize=1)
def _load(path: str, _version: tuple[int, int, int] | None) -> Denoiser | Windowed:
    from ikpca_cli.modelfile.storage import load_model

    return load_model(path)


def checked_model(path: str, rows_alone: Mapping[str, bool]) -> Denoiser | Windowed:
    """Load a model, and say if little is to be expected of it.

    Parameters
    ----------
    path
        Its file.
    rows_alone
        Options that are not for windows, and whether they are given.

    Raises
    ------
    UsageError
        If one is, and the model is for windows.
    """
    from ikpca_cli.cli.given.window_options import refuse_for_windows
    from ikpca_cli.recordings.windowed import Windowed

    model = model_of(path)
    if model.is_useless():
        warnings.warn(
            f"{path}: when it was fitted, it was not expected to bring rows closer to clean ones; "
            "where it did not know their noise (`ikpca info`), fit it with --noise-std",
            IkpcaWarning,
            stacklevel=2,
        )
    if isinstance(model, Windowed):
        refuse_for_windows(rows_alone, f"{path} for windows: leave it out")
    return model


def clean(job: Job, progress: Progress) -> Outcome:
    """Clean one file into another, block by block.

    Parameters
    ----------
    job
        What to do.
    progress
        Called as ``progress(stage, done, total)``.

    Returns
    -------
    Outcome
        Also of what failed: whatever is wrong with one file is no reason to leave out the others.
    """
    from ikpca_cli.formats.output import ExistsError

    outcome = Outcome(job)
    in_the_way = os.path.exists(job.target) and not os.path.isdir(job.target)
    if job.skip_existing and job.target != "-" and in_the_way:
        outcome.skipped = True
        return outcome
    try:
        outcome.record = _clean(job, outcome, progress)
    except ExistsError as error:
        # Another batch beside this one may have been quicker.
        outcome.skipped = job.skip_existing and job.residual is None
        outcome.error = None if outcome.skipped else error
    except IkpcaError as error:
        outcome.error = error
    except (Stopped, BrokenPipeError):
        raise
    except MemoryError:
        outcome.error = IkpcaError(f"{job.source}: there is not enough memory to clean it")
    except Exception as error:
        outcome.error = IkpcaError(
            f"{job.source}: {type(error).__name__}: {error}; run it alone with --debug for details"
        )
        outcome.error.__cause__ = error
    return outcome


def _clean(job: Job, outcome: Outcome, progress: Progress) -> dict[str, Any]:
    from ikpca_cli.cli.batch.removed import Change
    from ikpca_cli.cli.batch.work import work_on
    from ikpca_cli.estimators.missing_values import refill
    from ikpca_cli.formats.arrays import output_notes
    from ikpca_cli.recordings.windowed import Windowed

    reading = _checked(job)
    model = model_of(job.model)
    start = time.perf_counter()
    reading = _known(reading, model, job.source)
    with ExitStack() as files:
        rows = files.enter_context(
            quietly_open(job.source, reading, progress, model.feature_names_)
        )
        outcome.told += rows.warnings + output_notes(job.target, rows.layout, job.digits)
        if rows.has_holes and not isinstance(model, Windowed):
            rows.fill_by(partial(refill, model))
        work = work_on(model, rows, job)
        outcome.told += work.remarks
        outcome.cleaned = work.counted
        first = next(work.blocks)  # what refuses the rows does so before an output is begun
        keeps_holes = rows.has_holes and reading.missing == "keep"
        write, keep = _outputs(job, rows, work.layout, files, with_missing=keeps_holes)
        unlike: list[int] = []
        left_out = 0
        change = Change(rows.shape, work.columns)
        for block in chain((first,), work.blocks):
            part = block.part
            unlike += [part.start + int(place) + 1 for place in block.unlike.nonzero()[0]]
            left_out += block.left_out
            cleaned = block.cleaned.astype(rows.dtype, copy=False)
            holes = rows.holes(part) if keeps_holes else None
            write(_with_holes(rows.in_file_order(cleaned, part), holes))
            change.add(part, block.rows, block.cleaned)
            work.look_at(block)
            if keep is not None:
                gone = block.rows.astype(rows.dtype, copy=False) - cleaned
                keep(_with_holes(rows.in_file_order(gone), holes))
            progress("denoise", part.stop, rows.shape[0])
        changed = change.record()
        outcome.told += work.verdict(changed["removed_rms"] or 0.0, unlike)
        if job.shows:
            outcome.shown = _shown(model, rows, job.image)
    return {
        "input": job.source,
        "output": job.target,
        "n_samples": rows.shape[0],
        "unlike": len(unlike),
        "unlike_rows": unlike,
        "spikes": left_out,
        **changed,
        "seconds": time.perf_counter() - start,
    }


def _checked(job: Job) -> ReadOptions:
    """Return how the source of a job is read, once it is there and its outputs may be written."""
    from ikpca_cli.formats.arrays import check_target

    path, reading = located(job.source, job.reading)
    if path != "-" and not os.path.lexists(path):
        raise InputError(f"{path}: there is no such file; check its path")
    for target in (job.target, job.residual):
        if target is not None:
            check_target(target, inputs=[path, job.model], force=job.force)
    return reading


def _known(reading: ReadOptions, model: Denoiser | Windowed, source: str) -> ReadOptions:
    """Return how a source is read, with what the model knows of it."""
    from ikpca_cli.cli.given.window_options import times_as_labels
    from ikpca_cli.recordings.windowed import Windowed

    if isinstance(model, Windowed):
        return times_as_labels(source, reading)
    return replace(reading, width=model.n_features_in_, axis=model.feature_names_)


def _outputs(
    job: Job, rows: Rows, layout: Layout, files: ExitStack, *, with_missing: bool
) -> tuple[Write, Write | None]:
    """Open what takes the cleaned rows, and what takes the residual if that is asked for."""
    from ikpca_cli.formats.arrays import open_output

    def opened(target: str, *, rounds: bool | None) -> Write:
        return files.enter_context(
            open_output(
                target,
                rows.shape[0],
                rows.dtype,
                layout,
                force=job.force,
                round_to_input=rounds,
                with_missing=with_missing,
            )
        )

    write = opened(job.target, rounds=job.round_to_input or None)
    return write, None if job.residual is None else opened(job.residual, rounds=False)


def _shown(
    model: Denoiser | Windowed, rows: Rows, image: tuple[int, int] | None
) -> Shown | Stretch:
    """Return what a picture of a file shows."""
    from ikpca_cli.plots.shown import Shown
    from ikpca_cli.recordings.windowed import Windowed

    if isinstance(model, Windowed):
        from ikpca_cli.cli.given.window_options import stretch_of

        return stretch_of(model, rows)
    return Shown.of(rows, model, image=image)


def _with_holes(values: FloatArray, holes: NDArray[np.bool_] | None) -> FloatArray:
    """Return values (k, p) without those that were missing."""
    if holes is None:
        return values
    kept: FloatArray = values.copy()
    kept[holes] = math.nan
    return kept
