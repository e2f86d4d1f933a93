"""What rows look like, where they are taken for samples without being told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ikpca_cli.errors import IkpcaWarning, InputError, Note, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ikpca_cli.formats.arrays import Rows
    from ikpca_cli.recordings.sniffing import Guess

_FEW_ROWS = 8  # from which hardly anything is learned, where they are long


def check_rows(rows: Rows, source: str, *, compared: bool = False) -> None:
    """Refuse a recording or picture where rows are to be samples, for which methods are `compared`.

    Raises
    ------
    InputError
        That says what the file looks like, and which option takes it as that.
    """
    from ikpca_cli.recordings.guesses.disorder import disorder_of
    from ikpca_cli.recordings.sniffing import counts_rows, times_among

    table = rows.layout.table
    signals = table is not None and (rows.layout.transposed or rows.layout.stacked)
    _check_count(rows, source, signals=signals)
    unnamed = table is not None and table.names is not None and table.names[0] == ""
    counted = unnamed and counts_rows(rows)
    files = [slice(one.start, one.start + one.count) for one in getattr(rows, "parts", ())]
    named = f"{source} and {len(files) - 1} more" if len(files) > 1 else source
    guess = _guess_of(rows, counted=counted)
    if guess is not None:
        takes = f"give {guess.option} to clean it as that"
        if compared:
            takes = f"methods are compared for rows; fit takes {guess.option} with one --method"
        raise InputError(
            f"{named}: looks like {guess.what}: {takes}; if its rows are "
            "samples as they are, --window none"
            f"{'' if guess.is_wrapped else _other_ways(rows)}"
        )
    disorder = "" if counted or rows.shape[1] != 2 else disorder_of(rows)
    if disorder:
        raise InputError(f"{source}: {disorder}; if they are samples as they are, --window none")
    if len(rows.layout.sample_shape) != 1:
        return
    times = "" if signals or counted else times_among(rows)
    if times:
        raise InputError(f"{source}: {times}; if it is a part of each row, --window none")
    note = _what_else(rows, named, () if signals else files)
    if note:
        tell(Note(note))


def _check_count(rows: Rows, source: str, *, signals: bool) -> None:
    """Refuse one signal as a set of them; warn of a few long rows."""
    import warnings

    from ikpca_cli.recordings.sniffing import LONG_ROW

    count, width = rows.shape
    if signals and count == 1:
        raise InputError(
            f"{source}: holds one signal of {width} numbers: give several such files, or "
            "their folder, to learn from each as a row; or --window auto, to clean it by windows"
        )
    if 1 < count < _FEW_ROWS and width >= LONG_ROW and len(rows.layout.sample_shape) < 2:
        channels = "; if they are channels of one recording, --transpose --window auto"
        warnings.warn(
            f"{source}: {count} {'signals' if signals else 'long rows'} "
            "are few to learn from as rows; --window auto cleans each by its windows"
            f"{channels * (not signals)}",
            IkpcaWarning,
            stacklevel=3,
        )


def _guess_of(rows: Rows, *, counted: bool) -> Guess | None:
    """Return the recording or picture that rows are, or look like."""
    from ikpca_cli.formats.format_registry import format_named
    from ikpca_cli.recordings.sniffing import Guess, looks_like

    if format_named(rows.layout.format).recordings:
        what = f"a recording of {rows.shape[0]} samples and {rows.shape[1]} channels"
        return Guess(what, "signal")
    return looks_like(rows, rows.layout.sample_shape, counted=counted)


def _what_else(rows: Rows, named: str, files: Sequence[slice]) -> str:
    """Return what is noted of rows of numbers that may be something else, of several files, too."""
    from ikpca_cli.recordings.sniffing import each_file_looks_like, may_be_columns, may_follow

    each = each_file_looks_like(rows, files) if files else None
    if each is not None:
        stack = f"({len(files)}, {files[0].stop}, {rows.shape[1]})"
        return (
            f"{named}: each file looks like {each.what}, and its "
            f"rows were taken for samples (--window none: they are); {each.option} takes it as "
            f"that; if each file is one sample, save them as one array of shape {stack}"
        )
    if may_follow(rows):
        return (
            f"{named}: each row is like the next, as in a recording of {rows.shape[1]} "
            "channels; if it is one, --window auto cleans it better (--window none: it is not)"
        )
    if not rows.layout.transposed and may_be_columns(rows):
        return (
            f"{named}: each row is like the next, and columns are not like their neighbours; "
            "if the columns are the samples, give --transpose (--window none: they are not)"
        )
    return ""


def _other_ways(rows: Rows) -> str:
    """Say what else a table of columns in order may be."""
    from ikpca_cli.recordings.sniffing import as_labels
    from ikpca_cli.recordings.times import column_name, time_columns

    if rows.layout.table is None or rows.layout.transposed or not 1 < rows.shape[1] < rows.shape[0]:
        return ""
    if rows.shape[1] == 2:
        return "; if it is a signal along its first column, give several such files or their folder"
    turned = "; if its columns are signals along the first one, --transpose"
    if 0 not in time_columns(rows):
        return turned
    aside = f"{as_labels(rows, [0])} --window none"
    return f"; if {column_name(rows, 0)} numbers samples, one a row, {aside}{turned}"
