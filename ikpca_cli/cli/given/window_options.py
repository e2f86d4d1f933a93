"""``--window``: from what stands on the command line to windows of a recording or picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ikpca_cli.cli.sources import located
from ikpca_cli.errors import InputError, UsageError
from ikpca_cli.estimators.methods import METHODS, WINDOW_METHODS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ikpca_cli.data.row_source import Progress, RowSource
    from ikpca_cli.estimators.denoiser import Denoiser
    from ikpca_cli.formats.arrays import Rows
    from ikpca_cli.formats.read_options import ReadOptions
    from ikpca_cli.formats.rows.apart import OneFile
    from ikpca_cli.plots.stretch import Stretch
    from ikpca_cli.recordings.windowed import Windowed

WORDS = ("auto", "none", "beats")

LONGEST_WINDOW = 1 << 14
"""Samples that a window has at most."""


def default_method(method: str | None, window: str | None) -> str:
    """Return the method that was asked for, or the one for rows or for windows.

    Raises
    ------
    UsageError
        If there is no such method, or the best of all is asked for, which are not compared by
        windows.
    """
    known = (*METHODS, *WINDOW_METHODS, "auto")
    if method is not None and method not in known:
        raise UsageError(f"unknown method {method!r}: choose from {', '.join(known)}")
    if method == "auto" and window not in (None, "none"):
        raise UsageError("--method auto compares methods for rows: name one for windows")
    return method or ("ikpca" if window in (None, "none") else "mixture")


def window_size(
    window: str | None, hop: int | None = None, fs: float | None = None
) -> tuple[int, ...] | None:
    """Return the numbers of ``128`` or ``8x8``; None for a word or no text.

    Raises
    ------
    UsageError
        If the text is neither, or the hop is longer than the window.
    """
    if fs is not None and window != "beats":
        raise UsageError("--fs is the rate of a recording for --window beats: give that, too")
    if window is None or window in WORDS:
        if hop is not None and window != "auto":
            raise UsageError("--hop is the step from window to window: give --window too")
        return None
    parts = window.lower().split("x")
    good = len(parts) in (1, 2) and all(part.isascii() and part.isdigit() for part in parts)
    size = tuple(map(int, parts)) if good else ()
    if not size or not min(size) >= 2 or max(size) > LONGEST_WINDOW:
        raise UsageError(
            f"--window {window}: give samples, as in 128 (2 to {LONGEST_WINDOW}), height and "
            "width, as in 8x8, auto, beats, or none for rows that are samples as they are"
        )
    if hop is not None and hop > min(size):
        raise UsageError(f"--hop {hop} is longer than the window {window}: some would be left out")
    return size


def as_rows_of(options: ReadOptions, window: str | None) -> ReadOptions:
    """Return options of a command that is for rows, which ``--window none`` says that files hold.

    Raises
    ------
    UsageError
        If windows are asked for.
    """
    from dataclasses import replace

    if window is None:
        return options
    if window != "none":
        raise UsageError(
            f"--window {window}: compare takes rows alone; of a recording, fit a model with each "
            "--method and evaluate these (--window none: its rows are samples)"
        )
    return replace(options, orientation="rows")


def check_windows(
    noise_model: str | None, noise_file: str | None, rows_alone: Mapping[str, bool]
) -> None:
    """Refuse for windows what is said of noise that is not white, and options for rows alone.

    Raises
    ------
    UsageError
    """
    if noise_model not in (None, "auto", "white") or noise_file is not None:
        raise UsageError(
            "the noise of windows is taken to be white: leave --noise-model and --noise-rows out, "
            "and give one number as --noise-std"
        )
    refuse_for_windows(rows_alone, "not for --window: leave one of them out")


def refuse_for_windows(given: Mapping[str, bool], instead: str) -> None:
    """Refuse options for rows alone, of which each is given or not; say what is instead.

    Raises
    ------
    UsageError
        That names the first of them.
    """
    for option, there in given.items():
        if there:
            raise UsageError(f"{option} is for rows, {instead}")


def of_recording(options: ReadOptions) -> ReadOptions:
    """Return options for a recording.

    Raises
    ------
    UsageError
        If the mean of a channel is to stand where it has no value, which its neighbours contradict,
        or samples are to be brought to an axis: windows have none.
    """
    from dataclasses import replace

    if options.resample:
        raise UsageError(
            "--resample is for signals of one axis, a row each: windows are cut as samples come; "
            "leave it out"
        )
    if options.missing == "mean":
        raise UsageError(
            "--missing mean is for rows: in a recording, a mean is no neighbour; give --missing "
            "fill, for a line through what is missing, or keep"
        )
    return replace(options, recording=True)


def times_as_labels(source: str, options: ReadOptions) -> ReadOptions:
    """Return options for a recording: an array may have one axis, a table its times as labels.

    Raises
    ------
    UsageError
        As `of_recording` says.
    """
    from dataclasses import replace
    from pathlib import Path

    from ikpca_cli.formats.arrays import read_rows
    from ikpca_cli.recordings.times import time_columns

    options = of_recording(options)
    path, own = located(source, options)
    chosen = own.labels is not None or own.columns is not None or own.transpose
    if chosen or path == "-" or not Path(path).is_file():
        return options
    with read_rows(path, own) as rows:
        table = rows.layout.table
        if table is None or rows.layout.transposed or rows.layout.stacked:
            return options
        times = time_columns(rows)
        if not times or len(times) == rows.shape[1]:
            return options
        places = table.places or range(rows.shape[1])
        labels = sorted({*table.label_places, *(places[column] for column in times)})
    return replace(options, labels=",".join(str(place + 1) for place in labels))


def fit_windows(
    model: Denoiser,
    files: Sequence[Rows | OneFile],
    window: str,
    hop: int | None,
    fs: float | None,
    progress: Progress,
) -> Windowed:
    """Fit a model to the windows of files: none spans two of them.

    Raises
    ------
    InputError
        If windows cannot be cut from one.
    """
    from ikpca_cli.recordings import fitting
    from ikpca_cli.recordings.recording import recording_of
    from ikpca_cli.recordings.sniffing import FEW_CHANNELS, looks_like

    size = window_size(window, hop, fs)
    if window == "beats":
        fs = recording_of(files[0], "beats").rate_or(fs)
        return fitting.fit_beats(model, files, fs=fs, progress=progress)
    shapes = [rows.layout.sample_shape for rows in files]
    image = len(shapes[0]) == 2 if size is None else len(size) == 2
    narrow = int(files[0].shape[1]) <= FEW_CHANNELS
    guess = looks_like(files[0], shapes[0]) if size is None or narrow or not image else None
    if guess is not None and guess.is_wrapped:
        raise InputError(
            f"{files[0].name}: looks like {guess.what}: give {guess.option} to clean it as that"
        )
    if size is None:
        image = image or (guess is not None and guess.kind == "image")
    elif image and guess is not None and guess.kind == "signal":
        raise InputError(
            f"{files[0].name}: looks like {guess.what}, and --window {window} is for pictures: "
            f"give {guess.option} to clean it as a recording"
        )
    kind: Any = "image" if image else "signal"
    return fitting.fit_windows(
        model, files, kind=kind, window=size, hop=hop, shapes=shapes, progress=progress
    )


def stretch_of(model: Windowed, rows: Rows | OneFile, clean: RowSource | None = None) -> Stretch:
    """Return the middle of a file's longest recording or picture, before and after cleaning.

    Where the clean file is given, it has what that holds there, too.
    """
    from dataclasses import replace
    from pathlib import PurePath

    import numpy as np

    from ikpca_cli.plots.stretch import LARGEST, LONGEST, Stretch
    from ikpca_cli.recordings.canvases.canvas import Plane
    from ikpca_cli.recordings.times import names_of, shown_times

    recording = model.recording(rows, rows.layout.sample_shape)
    canvas = recording.longest
    image = model.cutting.kind == "image"
    length, width = canvas.shape
    most, margin = (LARGEST if image else LONGEST), model.cutting.height
    if model.combination is not None:
        margin = max(margin, model.combination.reach)
    first = max(0, (length - most) // 2)
    last = min(length, first + most)
    start = max(0, first - margin)
    # What lies beside it decides about its ends.
    part = np.asarray(canvas[start : last + margin], dtype=np.float64)
    left = max(0, (width - LARGEST) // 2) if image else 0
    inner = slice(first - start, last - start), slice(left, left + LARGEST if image else None)
    cleaned = model.suited(recording).clean_array(part)
    raw: Any = replace(canvas, stds=None)  # type: ignore[type-var]  # with its spikes
    noisy = np.asarray(raw[first:last], dtype=np.float64)[:, inner[1]]
    name, begin = PurePath(rows.name).name, int(getattr(canvas, "start", 0))
    # Of a coloured picture its brightness is shown, on the scale of its colours.
    scale = float(canvas.turn.sum()) if isinstance(canvas, Plane) else 1.0
    found = Stretch(noisy / scale, cleaned[inner] / scale, begin + first + 1, length, image, name)
    if clean is not None:
        true = np.asarray(replace(raw, rows=clean)[first:last], dtype=np.float64)
        found = replace(found, clean=true[:, inner[1]] / scale)
    if image:
        return found
    names, place = names_of(rows), slice(begin + first, begin + last)
    timeless = recording.by_rows and not recording.times.step
    times = None if timeless else shown_times(rows, recording.time, place)
    found = replace(found, times=times and times[0], x_label=times and times[1])
    if recording.by_rows:
        return found
    return replace(
        found,
        total=int(rows.shape[0]),
        channels=names and tuple(names[column] for column in recording.columns),
    )
