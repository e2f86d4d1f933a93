"""Text tables of every dialect: csv, tsv, blanks, decimal commas, gzip."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from typing import BinaryIO, cast

import numpy as np

from ikpca_cli.data.row_source import Progress, silent
from ikpca_cli.errors import IkpcaError, InputError, about
from ikpca_cli.formats.csv.alignment import gap_of, widths_of
from ikpca_cli.formats.csv.faults.below_each_other import refuse_counted, refuse_tables
from ikpca_cli.formats.csv.faults.lost_rows import refuse_late_numbers
from ikpca_cli.formats.csv.first_lines import first_lines
from ikpca_cli.formats.csv.form.arrangement import check_axis
from ikpca_cli.formats.csv.form.footer import tells_no_numbers
from ikpca_cli.formats.csv.form.table_form import TableForm
from ikpca_cli.formats.csv.parsing.parse import Matrix, Parsed, parse_table
from ikpca_cli.formats.csv.parsing.table_text import TableText
from ikpca_cli.formats.csv.table_style import style_of
from ikpca_cli.formats.csv.told_of_table import told_of
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.foreign import kind_of_packed
from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.formats.rows.mapped import Mapped


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
    found = first_lines(text, name, options)
    parsed = parse_table(text, found, size=size, progress=progress)
    _check_parsed(found, parsed)
    samples = _samples(found, parsed)
    turned, stacked = found.arranged.turned, found.arranged.stacked
    no_numbers = options.recording and tells_no_numbers(parsed.footer, found.dialect)
    footer_kept = turned or stacked or no_numbers
    aligned = None
    if not found.dialect.trailing:
        aligned = widths_of(found.lines, found.dialect.delimiter)
    gap = "" if aligned else gap_of(found.lines, found.dialect.delimiter)
    style = style_of(text, found, parsed, path, aligned, gap, whole_footer=footer_kept)
    layout = Layout(
        format="csv",
        dtype=np.dtype(np.int64 if parsed.digits.whole else np.float64),
        sample_shape=samples.shape[1:],
        transposed=turned,
        stacked=stacked,
        table=style,
    )
    told = told_of(found, parsed, footer_kept=footer_kept)
    return Rows(
        Mapped.of(samples),
        name,
        layout,
        missing=options.missing,
        warnings=tuple(about(name, line) for line in told),
    )


def _check_parsed(found: TableForm, parsed: Parsed) -> None:
    """Refuse a table of which the first lines told another form than those below have."""
    options, how = found.options, found.arranged
    if options.columns is None:
        refuse_late_numbers(found, parsed.labels[len(found.cells) :])
    if options.orientation == "rows":
        return
    if not (how.turned or how.stacked or options.recording):
        refuse_tables(parsed, found.name)
    refuse_counted(found, len(parsed.values))


def _samples(found: TableForm, parsed: Parsed) -> Matrix:
    """Return the numbers of a table as samples (n, p)."""
    turned, stacked = found.arranged.turned, found.arranged.stacked
    samples = parsed.values.T if turned else parsed.values
    if stacked or (turned and found.labels and not found.options.transpose):
        length = check_axis(found, [cells[found.axis_at] for cells in parsed.labels])
        samples = samples.reshape(-1, length) if stacked else samples
    return samples
