"""Text tables of every dialect: csv, tsv, blanks, decimal commas, gzip."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Sequence
from typing import BinaryIO, cast

import numpy as np

from ikpca_cli.data.row_source import Progress, silent
from ikpca_cli.errors import IkpcaError, InputError, Note, about
from ikpca_cli.formats.csv.faults.below_each_other import refuse_counted, refuse_tables
from ikpca_cli.formats.csv.faults.lost_rows import (
    empty_columns,
    refuse_late_numbers,
    refuse_open_quotes,
)
from ikpca_cli.formats.csv.faults.no_table import refuse_other_text
from ikpca_cli.formats.csv.faults.split_numbers import refuse_split_numbers
from ikpca_cli.formats.csv.form.alignment import gap_of, widths_of
from ikpca_cli.formats.csv.form.arrangement import arrangement, check_axis, times_apart
from ikpca_cli.formats.csv.form.cells import is_comment
from ikpca_cli.formats.csv.form.clock import take_start
from ikpca_cli.formats.csv.form.dialect import (
    check_comment,
    check_kept_marks,
    data_lines,
    find_dialect,
)
from ikpca_cli.formats.csv.form.doubts import doubts_about, row_left_out
from ikpca_cli.formats.csv.form.footer import summary_among, tells_no_numbers
from ikpca_cli.formats.csv.form.head import Head, read_head
from ikpca_cli.formats.csv.parse import Parsed, parse_table
from ikpca_cli.formats.csv.plan import Plan, choose_columns
from ikpca_cli.formats.csv.table_style import style_of
from ikpca_cli.formats.csv.table_text import TableText
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.foreign import kind_of_packed
from ikpca_cli.formats.layout import Layout, ReadOptions
from ikpca_cli.formats.rows.mapped import Mapped

_SAMPLE, _LEAST, _BYTES = 400, 8, 64 << 10
"""Lines that tell the form of a table, how many at least, and about how many characters."""

_LATER = 100
"""Lines after these that are searched for marks."""


def read_table(
    path: str,
    name: str,
    data: bytes | None,
    options: ReadOptions,
    progress: Progress = silent,
) -> Rows:
    """Read a text table.

    Parameters
    ----------
    path
        The file, unless `data` holds its bytes.
    name
        What messages call it.
    data
        The bytes of standard input, or None.
    options
        What cannot be known from the file.

    progress
        Told of the bytes that were parsed.

    Returns
    -------
    Rows
        The numbers, in memory or a temporary file.

    Raises
    ------
    InputError
        If a cell is text or infinite, or missing unless `options.missing` says what to do; if the
        lines are not equally long; if there are no rows.
    """
    with open(path, "rb") if data is None else io.BytesIO(data) as file:
        zipped = file.read(2) == b"\x1f\x8b"
        size = None if zipped else file.seek(0, os.SEEK_END)
        file.seek(0)
        stream = cast(BinaryIO, gzip.GzipFile(fileobj=file)) if zipped else file
        try:
            inner = kind_of_packed(stream.peek(16)) if zipped else None  # type: ignore[attr-defined]
            if inner is not None:
                raise InputError(f"{name}: {inner}")
            text = TableText(stream, name, zipped=zipped)
            rows = _read(text, path, name, options, size, progress)
            if data is None and size not in (None, os.fstat(file.fileno()).st_size):
                grew = (
                    "another program wrote to it while it was read: its last row may be incomplete"
                )
                rows.warnings += (about(name, f"{grew}; read it again when that is done"),)
            return rows
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(f"{name}: is a damaged gzip file ({error}); copy it again") from error
        except IkpcaError as error:
            kept = options.from_model()
            if kept is None:
                raise
            told = str(error) if str(error).startswith(name) else f"{name}: {error}"
            hint = f"it was {kept}; give these options to read it otherwise"
            raise InputError(f"{told} ({hint})") from error


def _read(
    text: TableText,
    path: str,
    name: str,
    options: ReadOptions,
    size: int | None,
    progress: Progress,
) -> Rows:
    lines = text.first_lines()
    skipped, hint = options.skip_rows, None
    if lines[0].lower().startswith("sep=") and len(lines[0]) == 5:  # Excel's own hint
        skipped, hint = max(1, skipped), lines[0][4]
    refuse_other_text(lines, name)
    if skipped >= len(lines):
        raise InputError(f"{name}: --skip-rows {skipped} leaves out all its lines; give fewer")
    comment = check_comment(options.comment)
    places = [place + skipped for place in data_lines(lines[skipped:], comment)]
    if not places:
        raise InputError(
            f"{name}: holds no rows of numbers, only {len(lines)} blank or comment lines "
            "(--comment says what these begin with)"
        )
    some = _sample(lines, places)
    later = places[len(some) :: 1 + len(places) // _LATER]
    dialect, marks = find_dialect(
        [lines[place] for place in some], [lines[place] for place in later], name, options, hint
    )
    check_kept_marks([lines[place] for place in some], dialect, name, options, hint)
    whole = text.whole and len(some) == len(places)
    above = lines[: some[-1] + 1]
    head = read_head(above, skipped, dialect, name, header=options.header, whole=whole)
    if marks.found:
        head.guesses.append(f"{marks.thousands!r} for the mark between thousands")
    if marks.doubt is not None:
        head.doubts.append(marks.doubt)
    columns, labels = choose_columns(options, head, dialect.width)
    below = [lines[place] for place in some if place >= head.first]
    below = [line for line in below if len(dialect.cells(line)) == dialect.width]
    rows = [dialect.cells(line) for line in below]
    begin = take_start(below, rows, head, dialect, columns)
    below, rows = below[begin:], rows[begin:]
    refuse_open_quotes(lines[: head.first], dialect, name)
    if dialect.delimiter == "," and (options.delimiter, options.decimal, hint) == (None,) * 3:
        refuse_split_numbers(below, head, dialect, columns, name)
    widths = widths_of(below, dialect.delimiter) if not dialect.trailing else None
    spare = [label for label in labels if label in head.spare]
    turned, stacked, axis_at = options.transpose, False, 0
    if options.labels is None:
        clock = times_apart(rows, dialect, head, columns, options)
        labels = sorted({*labels, *clock})
        columns = [column for column in columns if column not in clock]
        found = arrangement(rows, dialect, head, columns, options, name)
        turned, stacked = turned or found.turned, found.stacked
        labels = sorted({*labels, *found.labels})
        columns = [column for column in columns if column not in found.labels]
        axis_at = labels.index(found.labels[-1]) if found.labels else 0
    plan = Plan(
        dialect=dialect,
        columns=tuple(columns),
        labels=tuple(labels),
        name=name,
        texts=tuple(label for label in labels if label in head.texts),
        names=head.names,
        first=sum(line.count("\n") + 1 for line in lines[: head.first]),
        allow_missing=options.missing != "error",
        encoding=text.inner_encoding,
        marks_decided=marks.decided,
        empty=empty_columns(rows, columns),
    )
    parsed = parse_table(text, plan, size=size, progress=progress)
    if options.columns is None:
        refuse_late_numbers(parsed.labels[len(rows) :], labels, spare, dialect.grammar, name)
    samples = parsed.values.T if turned else parsed.values
    if options.orientation != "rows":
        if not (turned or stacked or options.recording):
            refuse_tables(parsed, name)
        if len(columns) == 1:
            refuse_counted(lines[: head.first], len(parsed.values), name)
    if stacked or (turned and labels and not options.transpose):
        axis = check_axis(
            [cells[axis_at] for cells in parsed.labels], dialect, head, name, stacked=stacked
        )
        samples = samples.reshape(-1, axis) if stacked else samples
    kept = turned or stacked or (options.recording and tells_no_numbers(parsed.footer, dialect))
    layout = Layout(
        format="csv",
        dtype=np.dtype(np.int64 if parsed.digits.whole else np.float64),
        sample_shape=samples.shape[1:],
        transposed=turned,
        stacked=stacked,
        table=style_of(
            text,
            head,
            plan,
            parsed,
            path,
            widths=widths,
            gap="" if widths else gap_of(below, dialect.delimiter),
            whole_footer=kept,
        ),
    )
    known = options.from_model()
    warnings: list[str] = [] if known is None else [Note(known)]
    warnings += [*_statement(head, plan, parsed, options, kept=kept), *head.doubts]
    if parsed.cut_off is not None:
        warnings.append(
            f"the file ends in {parsed.cut_off}, with fewer digits than all above it and without a "
            "line end, as one that was cut off: copy it again, if it was"
        )
    summary = summary_among(parsed.labels)
    if summary is not None:
        warnings.append(
            f"row {summary + 1} is called {parsed.labels[summary][0].strip()}, and was read as a "
            "sample; if it sums up others, take it out"
        )
    warnings += parsed.left_out.said(0 if stacked else len(parsed.values))
    if "skip_rows" in options.kept:  # told of another file
        warnings += row_left_out(lines[:skipped], head, dialect, columns)
    all_columns = options.columns is None and options.labels is None
    warnings += doubts_about(
        rows,
        head,
        dialect,
        parsed.values,
        parsed.digits,
        columns,
        all_columns=all_columns and not turned,
        index_told=options.columns is not None or turned,
    )
    return Rows(
        Mapped.of(samples),
        name,
        layout,
        missing=options.missing,
        warnings=tuple(about(name, line) for line in warnings),
    )


def _sample(lines: Sequence[str], places: Sequence[int]) -> Sequence[int]:
    """Return the places of the first lines that tell the form of a table."""
    length = 0
    for count, place in enumerate(places[:_SAMPLE]):
        length += len(lines[place])
        if length > _BYTES and count >= _LEAST:
            return places[:count]
    return places[:_SAMPLE]


def _statement(
    head: Head, plan: Plan, parsed: Parsed, options: ReadOptions, *, kept: bool
) -> list[str]:
    """Return the line that says what was taken for what, where anything was guessed."""
    guesses = list(head.guesses)
    found = [label for label in plan.labels if label in head.texts]
    if found and options.labels is None and options.columns is None:
        guesses.append(_columns(found, head) + " for labels")
    spare = [label for label in plan.labels if label in head.spare]
    if spare and options.columns is None:
        guesses.append(_columns(spare, head) + " for no data (empty, or remarks)")
    footer = [line for line in parsed.footer if line.strip(" \t,;|")]
    footer = [line for line in footer if not is_comment(line, plan.dialect.comment)]
    if footer:
        first = plan.dialect.cells(footer[0])[0] or footer[0]
        left = "" if kept else ", left out"
        guesses.append(f"{_count(len(footer))} from {first[:20]!r} on for no rows{left}")
    if not guesses:
        return []
    mended_by = "--columns, --labels, --header, --skip-rows, --thousands; --window none: rows"
    return [Note(f"took {', '.join(guesses)} (if that is wrong: {mended_by})")]


def _columns(places: Sequence[int], head: Head) -> str:
    """Name some columns."""
    named = [
        f"{place + 1}" + (f" {head.names[place]!r}" if head.names and head.names[place] else "")
        for place in places
    ]
    return f"column{'s' * (len(named) > 1)} {', '.join(named)}"


def _count(lines: int) -> str:
    return "the last line" if lines == 1 else f"the last {lines} lines"
