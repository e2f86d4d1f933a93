"""From what stands on the command line to rows."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ikpca_cli.cli.given.values import MEAN
from ikpca_cli.errors import IkpcaWarning, InputError, UsageError

if TYPE_CHECKING:
    from ikpca_cli.data.row_source import Progress
    from ikpca_cli.formats.arrays import ReadOptions, Rows


def split_source(source: str) -> tuple[str, str | None]:
    """Split ``FILE::DATASET``; a file whose own name holds ``::`` is taken whole."""
    path, separator, dataset = source.rpartition("::")
    if not separator or not path or os.path.exists(source):
        return source, None
    return path, dataset


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
) -> Rows:
    """Open the rows of ``FILE`` or ``FILE::DATASET`` and pass on the reader's warnings.

    Columns come in the order of `names`, where the file has these names in another one.
    """
    rows = _quietly_open(source, options, progress, names)
    for line in rows.warnings:
        warnings.warn(line, IkpcaWarning, stacklevel=2)
    return rows


def _quietly_open(
    source: str,
    options: ReadOptions,
    progress: Progress | None = None,
    names: Sequence[str] | None = None,
) -> Rows:
    from ikpca_cli.data.row_source import silent
    from ikpca_cli.formats.arrays import read_rows

    rows = read_rows(*located(source, options), progress or silent)
    try:
        rows.match(names, resample=options.resample)
    except BaseException:
        rows.close()
        raise
    return rows


@contextmanager
def open_all(
    sources: Sequence[str],
    options: ReadOptions,
    progress: Progress | None = None,
    names: Sequence[str] | None = None,
) -> Iterator[Rows]:
    """Open the rows of one or several sources for a while, as one set.

    Of several, each may be a signal alone, and missing values are treated over the whole set.

    Raises
    ------
    InputError
        If a source does not fit the first, before any work.
    """
    if len(sources) == 1:
        with open_rows(sources[0], options, progress, names) as rows:
            yield rows
        return
    from ikpca_cli.formats.rows.missing import UNTREATED

    alone = options.missing in ("error", "drop")
    each = replace(options, missing=options.missing if alone else UNTREATED)
    opens = [partial(_quietly_open, source, each, progress, names) for source in sources]
    with _joined(opens, options, "error" if alone else options.missing) as rows:
        for line in rows.warnings:
            warnings.warn(line, IkpcaWarning, stacklevel=2)
        yield rows


@contextmanager
def _joined(
    opens: Sequence[Callable[[], Rows]], options: ReadOptions, missing: str
) -> Iterator[Rows]:
    """Open the rows of several sources as one set; it has the warnings of all, by kind."""
    from ikpca_cli.cli.words.grouped import grouped
    from ikpca_cli.formats.arrays import Rows
    from ikpca_cli.formats.rows.joined import Joined

    joined = Joined(opens, resample=options.resample)
    first = joined.first
    with Rows(
        joined,
        f"{first.name} and {len(opens) - 1} more",
        first.layout,
        missing=missing,
        names=first.feature_names,
        warnings=grouped(joined.warnings),
        close=joined.close,
    ) as rows:
        yield rows


@contextmanager
def open_clean(source: str | None, options: ReadOptions, noisy: Rows) -> Iterator[Rows | None]:
    """Open the clean rows of `noisy` for a while; None stands for their mean, or for no source.

    Raises
    ------
    InputError
        If the clean rows are not as many and as wide as the noisy ones.
    """
    if source is None or source == MEAN:
        yield None
        return
    whole = noisy.kept is not None or noisy.has_holes
    own = replace(options, missing="error") if whole else options
    with open_rows(source, own, names=noisy.feature_names) as clean:
        if noisy.kept is not None:
            clean.keep(noisy.kept)
        if clean.shape != noisy.shape:
            raise InputError(
                f"{clean.name} has shape {clean.shape} but {noisy.name} has {noisy.shape}: "
                "give the clean version of the same rows"
            )
        yield clean
