"""From what stands on the command line to rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ikpca_cli.errors import Note, UsageError, tell

if TYPE_CHECKING:
    from ikpca_cli.data.row_source import Progress
    from ikpca_cli.formats.arrays import ReadOptions, Rows


def split_source(source: str) -> tuple[str, str | None]:
    """Split ``FILE::DATASET``; a file whose own name holds ``::`` is taken whole."""
    path, separator, dataset = source.rpartition("::")
    if not separator or not path or os.path.exists(source):
        return source, None
    return path, dataset


def warn_of_itself(clean: str, noisy: str) -> None:
    """Warn of clean rows that are the noisy ones, also by a link: any cleaning then seems harm."""
    (path, own), (other, dataset) = split_source(clean), split_source(noisy)
    both = os.path.exists(path) and os.path.exists(other)
    if own == dataset and both and os.path.samefile(path, other):
        tell(
            f"{clean}: is given as clean and is the noisy file itself, so that whatever is removed "
            "counts as error: give the rows before noise was added, or leave --clean out",
            stacklevel=2,
        )


def absolute(source: str) -> str:
    """Return a source that means the same from any folder; standard input stays what it is."""
    return source if source == "-" else os.path.abspath(source)


def opener(rows: Rows, source: str, options: ReadOptions) -> Callable[[], Rows]:
    """Return what opens the rows of a source in another process, also on another machine.

    Raises
    ------
    UsageError
        If only this process can read the source, or it cannot be read by slices.
    """
    from ikpca_cli.formats.arrays import read_rows
    from ikpca_cli.formats.format_registry import format_named

    path, own = located(source, options)
    sliced = format_named(rows.layout.format).sliceable
    if path == "-" or Path(path).is_fifo() or not sliced:
        raise UsageError(
            f"--cluster: its workers cannot read slices of {source}; give an .npy or HDF5 file"
        )
    return partial(read_rows, os.path.abspath(path), own)


def located(source: str, options: ReadOptions) -> tuple[str, ReadOptions]:
    """Return the file that a source names, and the options with the dataset that it names."""
    path, dataset = split_source(source)
    return path, replace(options, dataset=dataset) if dataset else options


def open_rows(
    source: str,
    options: ReadOptions,
    progress: Progress | None = None,
    names: Sequence[str] | None = None,
    check: Callable[[Rows, str], None] | None = None,
) -> Rows:
    """Open the rows of ``FILE`` or ``FILE::DATASET`` and pass on what the reader tells.

    Columns come in the order of `names`, where the file has these names in another one. What a
    `check` refuses needs no more words.
    """
    rows = quietly_open(source, options, progress, names)
    try:
        if check is not None:
            check(rows, source)
    except BaseException:
        rows.close()
        raise
    for line in rows.warnings:
        tell(line, stacklevel=2)
    return rows


def quietly_open(
    source: str,
    options: ReadOptions,
    progress: Progress | None = None,
    names: Sequence[str] | None = None,
) -> Rows:
    """Open rows as `open_rows` does, and leave what is told to the caller.

    How a file was read is no news where its axis or names are the known ones.
    """
    from ikpca_cli.data.row_source import silent
    from ikpca_cli.formats.arrays import read_rows

    rows = read_rows(*located(source, options), progress or silent)
    try:
        rows.match(names, resample=options.resample)
    except BaseException:
        rows.close()
        raise
    if names is not None and rows.layout.feature_names == tuple(names):
        rows.warnings = tuple(line for line in rows.warnings if not isinstance(line, Note))
    return rows
