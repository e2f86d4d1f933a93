"""What the first lines of a text table tell: its form, and which columns are what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ikpca_cli.data.axes import SHORTEST
from ikpca_cli.errors import InputError
from ikpca_cli.formats.csv.chosen_columns import choose_columns
from ikpca_cli.formats.csv.faults.kept_marks import check_kept_marks
from ikpca_cli.formats.csv.faults.lost_rows import refuse_open_quotes
from ikpca_cli.formats.csv.faults.no_table import refuse_other_text
from ikpca_cli.formats.csv.faults.split_numbers import refuse_split_numbers
from ikpca_cli.formats.csv.form.arrangement import arrangement, times_apart
from ikpca_cli.formats.csv.form.axis import rises
from ikpca_cli.formats.csv.form.cells import numbers
from ikpca_cli.formats.csv.form.clock import take_start
from ikpca_cli.formats.csv.form.dialect import (
    check_comment,
    data_lines,
    find_dialect,
)
from ikpca_cli.formats.csv.form.head import read_head
from ikpca_cli.formats.csv.form.table_form import Arrangement, TableForm
from ikpca_cli.formats.csv.parsing.table_text import TableText
from ikpca_cli.formats.read_options import ReadOptions

_SAMPLE, _LEAST, _BYTES = 400, 8, 64 << 10
"""Lines that tell the form of a table, how many at least, and about how many characters."""

_LATER = 100
"""Lines after these that are searched for marks."""


def first_lines(text: TableText, name: str, options: ReadOptions) -> TableForm:
    """Find the form of a table.

    Parameters
    ----------
    text
        The table, of which nothing was read yet.
    name
        What messages call it.
    options
        What cannot be known from it.

    Raises
    ------
    InputError
        If there are no rows of numbers, or if their form is in doubt.
    """
    lines = text.first_lines()
    skipped, hint = options.skip_rows, None
    if lines[0].lower().startswith("sep=") and len(lines[0]) == 5:  # Excel's own hint
        skipped, hint = max(1, skipped), lines[0][4]
    refuse_other_text(lines, name)
    places = _rows_among(lines, skipped, options, name)
    some = _sample(lines, places)
    later = [lines[place] for place in places[len(some) :: 1 + len(places) // _LATER]]
    sample = [lines[place] for place in some]
    dialect, marks = find_dialect(sample, later, name, options, hint)
    check_kept_marks(sample, dialect, name, options, hint)
    head = read_head(
        lines[: some[-1] + 1],
        skipped,
        dialect,
        name,
        header=options.header,
        whole=text.whole and len(some) == len(places),
    )
    if marks.found:
        head.guesses.append(f"{marks.thousands!r} for the mark between thousands")
    if marks.doubt is not None:
        head.doubts.append(marks.doubt)
    columns, labels = choose_columns(options, head, dialect.width)
    whole = [place for place in some if len(dialect.cells(lines[place])) == dialect.width]
    whole = [place for place in whole if place >= head.first]
    below = [lines[place] for place in whole]
    rows = [dialect.cells(line) for line in below]
    found = TableForm(
        lines=below,
        cells=rows,
        dialect=dialect,
        head=head,
        options=options,
        name=name,
        above=lines[: head.first],
        skipped=skipped,
        encoding=text.inner_encoding,
        marks_decided=marks.decided,
        columns=tuple(columns),
        labels=tuple(labels),
        spare=tuple(label for label in labels if label in head.spare),
        arranged=Arrangement(turned=options.transpose),
    )
    refuse_open_quotes(found)
    begin = take_start(found, columns)
    if begin:
        above = lines[: head.first]
        found = replace(found, lines=below[begin:], cells=rows[begin:], above=above)
    if dialect.delimiter == "," and (options.delimiter, options.decimal, hint) == (None,) * 3:
        refuse_split_numbers(found, columns)
    if options.labels is not None:
        return found
    first = whole[begin] if whole[begin:] else len(lines)
    parted = _parted(found, lines, [place for place in places if place >= first])
    return _arranged(found) if parted is None else parted


def _rows_among(
    lines: Sequence[str], skipped: int, options: ReadOptions, name: str
) -> Sequence[int]:
    """Return the places of all lines that may be rows."""
    if skipped >= len(lines):
        raise InputError(f"{name}: --skip-rows {skipped} leaves out all its lines; give fewer")
    comment = check_comment(options.comment)
    places = [place + skipped for place in data_lines(lines[skipped:], comment)]
    if not places:
        raise InputError(
            f"{name}: holds no rows of numbers, only {len(lines)} blank or comment lines "
            "(--comment says what these begin with)"
        )
    return places


def _sample(lines: Sequence[str], places: Sequence[int]) -> Sequence[int]:
    """Return the places of the first lines that tell the form of a table."""
    length = 0
    for count, place in enumerate(places[:_SAMPLE]):
        length += len(lines[place])
        if length > _BYTES and count >= _LEAST:
            return places[:count]
    return places[:_SAMPLE]


def _arranged(found: TableForm) -> TableForm:
    """Return the form of a table with times, places and axes among its labels."""
    rows = found.cells
    while rows and any(found.dialect.grammar.number(rows[-1][c]) is None for c in found.columns):
        rows = rows[:-1]  # what stands below
    first = replace(found, cells=rows)
    times = times_apart(first, found.columns)
    columns = [column for column in found.columns if column not in times]
    how = arrangement(first, columns)
    return replace(
        found,
        columns=tuple(column for column in columns if column not in how.labels),
        labels=tuple(sorted({*found.labels, *times, *how.labels})),
        arranged=replace(how, turned=how.turned or found.options.transpose),
    )


def _parted(found: TableForm, lines: Sequence[str], places: Sequence[int]) -> TableForm | None:
    """Return the form of signals along one axis that blank lines part; None of other tables.

    `places` are those of the rows among `lines`.
    """
    options = found.options
    asked = options.recording or options.transpose or options.orientation == "rows"
    gaps = np.flatnonzero(np.diff(places) > 1)
    if asked or [*found.columns] != [0, 1] or found.dialect.width != 2 or not gaps.size:
        return None
    count = int(gaps[0]) + 1
    blank = lines[places[count - 1] + 1 : places[count]]
    cells = (found.dialect.cells(lines[place])[0] for place in places[: count + 1])
    *axis, again = numbers(cells, found.dialect.grammar)
    if (
        count < SHORTEST
        or again != axis[0]
        or not rises(np.array(axis))
        or any(map(str.strip, blank))
    ):
        return None
    found.head.guesses.append("column 1 for the axis of signals that blank lines part")
    arranged = Arrangement(stacked=True, labels=(0,))
    return replace(found, columns=(1,), labels=(0,), arranged=arranged, parted=(count, len(blank)))
