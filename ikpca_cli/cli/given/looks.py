"""What rows look like, where they are taken for samples without being told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ikpca_cli.errors import IkpcaWarning, InputError, Note, tell

if TYPE_CHECKING:
    from ikpca_cli.formats.arrays import Rows

_FEW_ROWS = 8  # from which hardly anything is learned, where they are long


def check_rows(rows: Rows, source: str, *, compared: bool = False) -> None:
    """Refuse a recording or picture where rows are to be samples, for which methods are `compared`.

    Raises
    ------
    InputError
        That says what the file looks like, and which option takes it as that.
    """
    import warnings

    from ikpca_cli.formats.format_registry import format_named
    from ikpca_cli.recordings.guesses.disorder import disorder_of
    from ikpca_cli.recordings.sniffing import (
        LONG_ROW,
        Guess,
        counts_rows,
        each_file_looks_like,
        looks_like,
        may_be_columns,
        may_follow,
        times_among,
    )

    table = rows.layout.table
    signals = table is not None and (rows.layout.transposed or rows.layout.stacked)
    if signals and len(rows) == 1:
        raise InputError(
            f"{source}: holds one signal of {rows.shape[1]} numbers: give several such files, or "
            "their folder, to learn from each as a row; or --window auto, to clean it by windows"
        )
    if (
        1 < len(rows) < _FEW_ROWS
        and rows.shape[1] >= LONG_ROW
        and len(rows.layout.sample_shape) < 2
    ):
        channels = "; if they are channels of one recording, --transpose --window auto"
        warnings.warn(
            f"{source}: {len(rows)} {'signals' if signals else 'long rows'} "
            "are few to learn from as rows; --window auto cleans each by its windows"
            f"{channels * (not signals)}",
            IkpcaWarning,
            stacklevel=2,
        )
    unnamed = table is not None and table.names is not None and table.names[0] == ""
    counted = unnamed and counts_rows(rows)
    if format_named(rows.layout.format).recordings:
        what = f"a recording of {rows.shape[0]} samples and {rows.shape[1]} channels"
        guess: Guess | None = Guess(what, "signal")
    else:
        guess = looks_like(rows, rows.layout.sample_shape, counted=counted)
    disorder = disorder_of(rows) if guess is None and rows.shape[1] == 2 else ""
    if disorder and not counted:
        raise InputError(f"{source}: {disorder}; if they are samples as they are, --window none")
    files = [slice(one.start, one.start + one.count) for one in getattr(rows, "parts", ())]
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    if guess is not None:
        takes = f"give {guess.option} to clean it as that"
        if compared:
            takes = f"methods are compared for rows; fit takes {guess.option} with one --method"
        raise InputError(
            f"{source}{more}: looks like {guess.what}: {takes}; if its rows are "
            "samples as they are, --window none"
            f"{'' if guess.is_wrapped else _other_ways(rows)}"
        )
    if len(rows.layout.sample_shape) != 1:
        return
    times = "" if signals or counted else times_among(rows)
    if times:
        raise InputError(f"{source}: {times}; if it is a part of each row, --window none")
    each = each_file_looks_like(rows, files) if files and not signals else None
    if each is not None:
        stack = f"({len(files)}, {files[0].stop}, {rows.shape[1]})"
        tell(
            Note(
                f"{source}{more}: each file looks like {each.what}, and its "
                f"rows were taken for samples (--window none: they are); {each.option} takes it as "
                f"that; if each file is one sample, save them as one array of shape {stack}"
            )
        )
    elif may_follow(rows):
        tell(
            Note(
                f"{source}: each row is like the next, as in a recording of {rows.shape[1]} "
                "channels; if it is one, --window auto cleans it better (--window none: it is not)"
            )
        )
    elif not rows.layout.transposed and may_be_columns(rows):
        tell(
            Note(
                f"{source}: each row is like the next, and columns are not like their neighbours; "
                "if the columns are the samples, give --transpose (--window none: they are not)"
            )
        )


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
