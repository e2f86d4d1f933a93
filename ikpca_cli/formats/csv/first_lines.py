"""What the first lines of a text table tell: its form, and which columns are what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ikpca_cli.data.axes import SHORTEST
from ikpca_cli.errors import InputError
from ikpca_cli.formats.csv.faults.kept_marks import check_kept_marks
from ikpca_cli.formats.csv.faults.lost_rows import empty_columns, refuse_open_quotes
from ikpca_cli.formats.csv.faults.no_table import refuse_other_text
from ikpca_cli.formats.csv.faults.split_numbers import refuse_split_numbers
from ikpca_cli.formats.csv.form.arrangement import Arrangement, arrangement, times_apart
from ikpca_cli.formats.csv.form.axis import rises
from ikpca_cli.formats.csv.form.cells import numbers
from ikpca_cli.formats.csv.form.clock import take_start
from ikpca_cli.formats.csv.form.dialect import (
    check_comment,
    data_lines,
    find_dialect,
)
from ikpca_cli.formats.csv.form.first_rows import FirstRows
from ikpca_cli.formats.csv.form.head import read_head
from ikpca_cli.formats.csv.parsing.table_text import TableText
from ikpca_cli.formats.csv.plan import Plan, choose_columns
from ikpca_cli.formats.read_options import ReadOptions

_SAMPLE, _LEAST, _BYTES = 400, 8, 64 << 10
"""Lines that tell the form of a table, how many at least, and about how many characters."""

_LATER = 100
"""Lines after these that are searched for marks."""


@dataclass(frozen=True, kw_only=True)
class FirstLines(FirstRows):
    """The form of a table, and its first rows.

    Attributes
    ----------
    above
        The lines before the first row.
    skipped
        How many of these were skipped unread.
    marks_decided
        As `ikpca_cli.formats.csv.form.marks.Marks.decided`.
    columns, labels
        The places of the data, and of the columns that are kept as they are, counted from 0.
    spare
        Those of `labels` that were thought to hold no data.
    arranged
        How samples are arranged.
    parted
        After how many rows blank lines end a signal, and how many these are; None if none do.
    """

    above: Sequence[str]
    skipped: int
    marks_decided: bool
    columns: Sequence[int]
    labels: Sequence[int]
    spare: Sequence[int]
    arranged: Arrangement
    parted: tuple[int, int] | None = None

    @property
    def axis_at(self) -> int:
        """The place of the axis among `labels`, where there is one."""
        places = self.arranged.labels
        return self.labels.index(places[-1]) if places else 0

    def plan(self, encoding: str) -> Plan:
        """Return what is to be read of the whole table."""
        return Plan(
            dialect=self.dialect,
            columns=tuple(self.columns),
            labels=tuple(self.labels),
            name=self.name,
            texts=tuple(label for label in self.labels if label in self.head.texts),
            names=self.head.names,
            first=sum(line.count("\n") + 1 for line in self.above),
            allow_missing=self.options.missing != "error",
            encoding=encoding,
            marks_decided=self.marks_decided,
            empty=empty_columns(self.cells, self.columns),
            most=len(self.dialect.cells(self.head.header or "")),
        )


def first_lines(text: TableText, name: str, options: ReadOptions) -> FirstLines:
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
    refuse_open_quotes(lines[: head.first], dialect, name)
    found = FirstLines(
        lines=below,
        cells=rows,
        dialect=dialect,
        head=head,
        options=options,
        name=name,
        above=lines[: head.first],
        skipped=skipped,
        marks_decided=marks.decided,
        columns=columns,
        labels=labels,
        spare=[label for label in labels if label in head.spare],
        arranged=Arrangement(turned=options.transpose),
    )
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


def _arranged(found: FirstLines) -> FirstLines:
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
        columns=[column for column in columns if column not in how.labels],
        labels=sorted({*found.labels, *times, *how.labels}),
        arranged=replace(how, turned=how.turned or found.options.transpose),
    )


def _parted(found: FirstLines, lines: Sequence[str], places: Sequence[int]) -> FirstLines | None:
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
    return replace(found, columns=[1], labels=[0], arranged=arranged, parted=(count, len(blank)))
