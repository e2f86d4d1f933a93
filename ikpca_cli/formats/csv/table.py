"""Text tables of every dialect: csv, tsv, blanks, decimal commas, gzip."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import PurePath
from typing import BinaryIO, cast

import numpy as np

from ikpca_cli.data.row_source import Progress, silent
from ikpca_cli.errors import InputError
from ikpca_cli.formats.csv.columns import select
from ikpca_cli.formats.csv.dialect import Dialect, sniff
from ikpca_cli.formats.csv.parse import parse_table
from ikpca_cli.formats.csv.plan import Plan
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.layout import Layout, ReadOptions, TableStyle
from ikpca_cli.formats.mapped import Mapped

_HEAD = 1 << 20
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"


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
        file.seek(0)
        stream = cast(BinaryIO, gzip.GzipFile(fileobj=file)) if zipped else file
        try:
            return _read(stream, path, name, options, progress, zipped=zipped)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(f"{name}: is a damaged or incomplete gzip file ({error})") from error


def _read(
    stream: BinaryIO,
    path: str,
    name: str,
    options: ReadOptions,
    progress: Progress,
    *,
    zipped: bool,
) -> Rows:
    head = stream.read(_HEAD)
    if head[:2] in _UTF16:
        try:
            text = (head + stream.read()).decode("utf-16")
        except UnicodeDecodeError as error:
            raise InputError(f"{name}: is damaged UTF-16 text; save it as UTF-8") from error
        stream = io.BytesIO(text.encode())
        head = stream.read(_HEAD)
    size = None if zipped else _length(stream)
    bom = head.startswith(_BOM)
    head = head.removeprefix(_BOM)
    if b"\0" in head:
        raise InputError(
            f"{name}: is not an array file: npy, npz, csv, HDF5 and mat files are read"
        )
    if not head.strip():
        raise InputError(f"{name}: is empty")
    newline = "\r\n" if b"\r\n" in head else "\n" if b"\n" in head else "\r"
    dialect = _dialect(head, name, options, newline, whole=len(head) < _HEAD - len(_BOM))
    columns, index = _columns(dialect, options)
    plan = Plan(dialect, tuple(columns), index, name, newline, options.missing != "error")
    values, labels, integers = parse_table(head, stream, plan, size=size, progress=progress)
    names = dialect.names
    style = TableStyle(
        delimiter=dialect.delimiter,
        decimal=dialect.decimal,
        newline=newline,
        names=None if names is None else tuple(names[column] for column in columns),
        quoted=dialect.quoted,
        index_name="" if names is None or index is None else names[index],
        index=None if index is None else labels,
        preamble=dialect.preamble,
        header_prefix=dialect.header_prefix,
        bom=bom,
        gzip=zipped,
        suffix=PurePath(path.removesuffix(".gz")).suffix.lower(),
    )
    samples = values.T if options.transpose else values
    layout = Layout(
        format="csv",
        dtype=np.dtype(np.int64 if integers else np.float64),
        sample_shape=samples.shape[1:],
        transposed=options.transpose,
        table=style,
    )
    warnings = [f"{name}: {doubt}" for doubt in dialect.doubts]
    if names is not None and options.columns is None and names[0] == "" and dialect.width > 1:
        warnings.append(
            f"{name}: the first column has no name, as pandas writes its index; it was read as "
            "data. To leave it out, and keep it in outputs, give --columns 2-"
        )
    return Rows(Mapped.of(samples), name, layout, missing=options.missing, warnings=tuple(warnings))


def _dialect(head: bytes, name: str, options: ReadOptions, newline: str, *, whole: bool) -> Dialect:
    """Find the dialect from the head of the file."""
    if not whole:
        head = head[: head.rfind(newline.encode()[-1:]) + 1] or head
    try:
        text = head.decode()
    except UnicodeDecodeError:
        text = head.decode("latin-1")  # names in an older encoding; numbers are the same in all
    lines = text.split(newline)
    return sniff(lines, name, delimiter=options.delimiter, decimal=options.decimal)


def _columns(dialect: Dialect, options: ReadOptions) -> tuple[list[int], int | None]:
    """Return the places of the data, and of a first column that is kept as it is.

    The first column is kept if it is the only one left out, or has an empty name: then it numbers
    or names the rows.
    """
    if options.columns is None:
        return list(range(dialect.width)), None
    columns = select(options.columns, dialect.names, dialect.width)
    if 0 in columns or (options.transpose and dialect.width == 1):
        return columns, None
    unnamed = dialect.names is not None and dialect.names[0] == ""
    return columns, 0 if unnamed or len(columns) == dialect.width - 1 else None


def _length(stream: BinaryIO) -> int:
    """Return the length of a stream in bytes, leaving it where it is."""
    here = stream.tell()
    length = stream.seek(0, io.SEEK_END)
    stream.seek(here)
    return length
