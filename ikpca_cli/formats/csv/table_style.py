"""The style of a table that was read, for an output to take the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePath

from ikpca_cli.formats.csv.form.cells import BLANK, is_comment
from ikpca_cli.formats.csv.form.table_form import TableForm
from ikpca_cli.formats.csv.parsing.digits import LONGEST, MANY, Digits
from ikpca_cli.formats.csv.parsing.parse import Parsed
from ikpca_cli.formats.csv.parsing.table_text import TableText
from ikpca_cli.formats.layout import Layout, TableStyle

_SPARE = 1
"""Digits beyond those of the input: what rounding adds to an error is then below a hundredth."""

_LEAST_SIGNIFICANT, _MOST_SIGNIFICANT = 4, 15
_EXACT = 17
"""Digits that give any number back."""


def style_of(
    text: TableText,
    table: TableForm,
    parsed: Parsed,
    path: str,
    widths: tuple[int, ...] | None,
    gap: str,
    *,
    whole_footer: bool,
) -> TableStyle:
    """Return how a table is written.

    Parameters
    ----------
    text
        The file.
    table, parsed
        Its form, and what it holds.
    path
        The file's.
    widths
        Those of aligned columns.
    gap
        What stands behind every delimiter.
    whole_footer
        Whether all of what is below the rows is kept: it is no summary of rows.
    """
    head = table.head
    names, dialect = head.names, table.dialect
    order = [*table.labels, *table.columns]
    if list(table.columns) == sorted(table.columns):
        order.sort()
    whole = order == list(range(dialect.width))
    picked = [_picked(line, order, table, whole=whole) for line in (head.header, *head.units)]
    return TableStyle(
        delimiter=dialect.delimiter,
        decimal=dialect.grammar.decimal,
        thousands=parsed.digits.thousands,
        newline=text.newline,
        names=None if names is None else tuple(names[column] for column in table.columns),
        quoted=head.quoted,
        quoted_numbers=parsed.digits.quoted,
        trailing=dialect.trailing and whole and dialect.delimiter != BLANK,
        widths=widths if whole else None,
        gap=gap,
        label_names=() if names is None else tuple(names[label] for label in table.labels),
        labels=tuple(parsed.labels) if table.labels else None,
        label_places=tuple(order.index(label) for label in table.labels),
        places=table.columns,
        preamble=head.preamble,
        header=picked[0],
        units=tuple(line for line in picked[1:] if line is not None),
        header_prefix=head.prefix,
        encoding=text.encoding,
        bom=text.bom,
        gzip=text.zipped,
        suffix=PurePath(path.removesuffix(".gz")).suffix.lower(),
        footer=tuple(
            line
            for line in parsed.footer
            if whole_footer or (line.strip() and is_comment(line, dialect.comment))
        ),
        decimals=_decimals(parsed.digits),
        significant=_significant(parsed.digits),
        exponent=parsed.digits.exponent,
        missing="nan" if parsed.digits.missing is None else parsed.digits.missing,
        least_mantissa=parsed.digits.least_mantissa,
        parted=table.parted,
        remarks=_remarks(parsed),
    )


def as_written(layout: Layout, columns: Iterable[int]) -> Layout:
    """Return the layout of an output some columns of which are those of the input.

    They need no digit more than they had: whole numbers stay whole.
    """
    table = layout.table
    if table is None or table.decimals is None or layout.transposed:
        return layout
    decimals = list(table.decimals)
    for column in columns:
        own = decimals[column]
        if own is not None:
            most = own[0] - _SPARE
            decimals[column] = (most, min(most, own[1]))
    return replace(layout, table=replace(table, decimals=tuple(decimals)))


def _remarks(parsed: Parsed) -> tuple[str, ...] | None:
    """Return what stands behind the rows, one by one; None if nothing does."""
    rows = range(len(parsed.values) if parsed.remarks else 0)
    return tuple(parsed.remarks.get(row, "") for row in rows) or None


def _picked(line: str | None, order: list[int], table: TableForm, *, whole: bool) -> str | None:
    """Return a line with the chosen columns as they stand there, None if that cannot be."""
    if line is None or whole:
        return line
    cells = table.dialect.raw_cells(line)
    if len(cells) != table.dialect.width:
        return None
    between = " " if table.dialect.delimiter == BLANK else table.dialect.delimiter
    return between.join(cells[column] for column in order)


def _decimals(digits: Digits) -> tuple[tuple[int, int] | None, ...] | None:
    """Return the most and the fewest decimals of each column of an output."""
    if digits.exponents:
        return None
    return tuple(
        None if most >= MANY else (most + _SPARE, max(1, least or 1))
        for most, least in zip(digits.most, digits.least, strict=True)
    )


def _significant(digits: Digits) -> int | None:
    """Return the significant digits of an output whose input has exponents."""
    count = max(_LEAST_SIGNIFICANT, digits.significant + _SPARE)
    if digits.exponent is not None and count > _MOST_SIGNIFICANT:
        return min(max(digits.significant, _EXACT), LONGEST)
    return count if digits.exponents and count <= _MOST_SIGNIFICANT else None
