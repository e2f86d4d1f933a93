"""Rows of several files as one set, and the clean version of each, by the names of the files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import takewhile
from pathlib import PurePath
from typing import TYPE_CHECKING

from ikpca_cli.cli.given.gathered import gathered
from ikpca_cli.cli.given.values import MEAN
from ikpca_cli.cli.given.window_options import times_as_labels
from ikpca_cli.cli.sources import open_rows, quietly_open, split_source, warn_of_itself
from ikpca_cli.cli.words.grouped import grouped
from ikpca_cli.errors import InputError, tell

if TYPE_CHECKING:
    from ikpca_cli.data.row_source import Progress, RowSource
    from ikpca_cli.formats.arrays import ReadOptions, Rows
    from ikpca_cli.formats.rows.apart import OneFile
    from ikpca_cli.recordings.cutting import Kind


@contextmanager
def open_all(
    sources: Sequence[str],
    options: ReadOptions,
    progress: Progress | None = None,
    names: Sequence[str] | None = None,
    check: Callable[[Rows, str], None] | None = None,
) -> Iterator[Rows]:
    """Open the rows of one or several sources for a while, as one set.

    What `check` refuses is refused before any warning. Of several, each may be a signal alone, and
    missing values are treated over the whole set.

    Raises
    ------
    InputError
        If a source does not fit the first, before any work.
    """
    if len(sources) == 1:
        with open_rows(sources[0], options, progress, names, check) as rows:
            yield rows
        return
    from ikpca_cli.formats.rows.joined import Joined, JoinedRows
    from ikpca_cli.formats.rows.missing import UNTREATED

    alone = options.missing in ("error", "drop")
    each = replace(options, missing=options.missing if alone else UNTREATED)
    each = each.of_files(len(sources))
    opens = [partial(quietly_open, source, each, progress, names) for source in sources]
    joined = Joined(opens, resample=options.resample)
    with JoinedRows(joined, missing="error" if alone else options.missing) as rows:
        if check is not None:
            check(rows, sources[0])
        for line in grouped(joined.warnings):
            tell(line, stacklevel=2)
        for line in rows.warnings:
            tell(line, stacklevel=2)
        yield rows


@contextmanager
def open_apart(
    sources: Sequence[str], options: ReadOptions, progress: Progress | None = None
) -> Iterator[Sequence[Rows | OneFile]]:
    """Open one or several recordings or pictures for a while, each by itself.

    Raises
    ------
    InputError
        If one cannot be read, before any work.
    """
    if len(sources) == 1:
        with open_rows(sources[0], times_as_labels(sources[0], options), progress) as rows:
            yield [rows]
        return
    from ikpca_cli.formats.rows.apart import Apart

    def opened(source: str) -> Rows:
        return quietly_open(source, times_as_labels(source, options), progress)

    with Apart([partial(opened, source) for source in sources]) as found:
        for line in grouped(found.warnings):
            tell(line, stacklevel=2)
        yield found.files


@contextmanager
def open_clean(source: str | None, options: ReadOptions, noisy: Rows) -> Iterator[Rows | None]:
    """Open the clean rows of `noisy` for a while; None stands for their mean, or for no source.

    A source may be a folder or a list; its files are those of the noisy ones' names.

    Raises
    ------
    InputError
        If the clean rows are not as many and as wide as the noisy ones, or a file has no clean
        version.
    """
    if source is None or source == MEAN:
        yield None
        return
    from ikpca_cli.formats.rows.joined import Joined, JoinedRows

    parts = noisy.parts if isinstance(noisy, JoinedRows) else None
    whole = noisy.kept is not None or noisy.has_holes
    whole |= any(part.kept is not None for part in parts or ())
    own = replace(options, missing="error") if whole else options
    files = gathered([source])
    if parts is None or files == [source]:
        if any(part.kept is not None for part in parts or ()):
            raise InputError(
                f"{source}: samples were dropped of {noisy.name}: give a folder with the clean "
                "version of each file"
            )
        named = files[0] if files == [source] else clean_of(noisy.name, files, source)
        warn_of_itself(named, noisy.name)
        with open_rows(named, own, names=noisy.feature_names) as clean:
            if noisy.kept is not None:
                clean.keep(noisy.kept)
            _check_shape(clean, noisy.name, noisy.shape)
            yield clean
        return
    clean_files = [clean_of(part.name, files, source) for part in parts]
    own = own.of_files(len(clean_files))

    def opened(place: int) -> Rows:
        part = parts[place]
        warn_of_itself(clean_files[place], part.name)
        clean = quietly_open(clean_files[place], own, None, noisy.feature_names)
        if part.kept is not None:
            clean.keep(part.kept)
        _check_shape(clean, part.name, (part.count, noisy.shape[1]))
        return clean

    joined = Joined([partial(opened, place) for place in range(len(parts))])
    with JoinedRows(joined) as rows:
        yield rows


@contextmanager
def open_clean_recording(
    source: str | None, options: ReadOptions, noisy: Rows, kind: Kind
) -> Iterator[RowSource | None]:
    """Open the clean version of one recording or picture for a while; None where there is none.

    It is read by its own form, and its channels are brought to where the noisy one has them.

    Raises
    ------
    InputError
        If it is not of as many samples and channels.
    """
    if source is None:
        yield None
        return
    from ikpca_cli.recordings.canvases.clean_version import matched
    from ikpca_cli.recordings.recording import recording_of

    files = gathered([source])
    named = files[0] if files == [source] else clean_of(noisy.name, files, source)
    warn_of_itself(named, noisy.name)
    whole = options.missing != "error"
    own = times_as_labels(named, replace(options, missing="error") if whole else options)
    with open_rows(named, own) as clean:
        if clean.shape == noisy.shape:
            yield clean
            return
        channels = [
            recording_of(rows, kind, rows.layout.sample_shape).columns for rows in (clean, noisy)
        ]
        yield matched(clean, noisy, *channels)


def clean_of(noisy: str, files: Sequence[str], source: str) -> str:
    """Return the one of some files that has the name of a noisy one, but for its suffix perhaps.

    Of several it is the one whose folders are called as those of the noisy one, most of them.

    Raises
    ------
    InputError
        If there is none, or several; `source` is what the message calls the files.
    """
    own = PurePath(split_source(noisy)[0])
    paths = [PurePath(split_source(file)[0]) for file in files]
    for same in (
        [file for file, path in zip(files, paths, strict=True) if path.name == own.name],
        [file for file, path in zip(files, paths, strict=True) if path.stem == own.stem],
    ):
        shared = [_shared_folders(own, PurePath(split_source(file)[0])) for file in same]
        if same and shared.count(max(shared)) == 1:
            return same[shared.index(max(shared))]
    raise InputError(
        f"{source}: has {'several files' if same else 'no file'} of the name {own.name}, for the "
        f"clean version of {noisy}; name them alike"
    )


def _shared_folders(one: PurePath, other: PurePath) -> int:
    """Return how many of the folders that two files lie in have the same names, from below."""
    pairs = zip(reversed(one.parent.parts), reversed(other.parent.parts), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _check_shape(clean: Rows, noisy: str, shape: tuple[int, ...]) -> None:
    if clean.shape != shape:
        raise InputError(
            f"{clean.name} has shape {clean.shape} but {noisy} has {shape}: "
            "give the clean version of the same rows"
        )
