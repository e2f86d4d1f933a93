"""Text tables out, in the style they came in."""

from __future__ import annotations

import gzip as gzip_module
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from ikpca_cli.files.layout import TableStyle

_TOGETHER = 1 << 18  # numbers formatted at once
_MANY = 1 << 18  # numbers that are worth the import of polars


def styled(style: TableStyle | None, suffix: str, *, gzip: bool) -> TableStyle:
    """Fit the style of an input to an output's name.

    Parameters
    ----------
    style
        That of the input, or None if it was no table.
    suffix
        The output's, without ``.gz``: one other than the input's may ask for another delimiter.
    gzip
        Whether the output's name ends in ``.gz``.

    Returns
    -------
    TableStyle
        The output's style.
    """
    known = suffix in (".csv", ".tsv", ".txt")
    if style is None:
        return TableStyle(delimiter="\t" if suffix == ".tsv" else ",", gzip=gzip)
    if not known:
        return style
    style = replace(style, gzip=gzip)
    if suffix == style.suffix or suffix == ".txt":
        return style
    comma = "," if style.decimal == "." else ";"
    delimiter = "\t" if suffix == ".tsv" else comma
    hints = tuple(line for line in style.preamble if not line.lower().startswith("sep="))
    return replace(style, delimiter=delimiter, preamble=hints)


def write_table(handle: BinaryIO, values: npt.NDArray[Any], style: TableStyle) -> None:
    """Write a matrix as text, with as many digits as give back the same numbers.

    Parameters
    ----------
    handle
        Where to.
    values : ndarray of shape (rows, columns)
        In the order of the file.
    style
        How; names and index are written if they are as many as columns and rows.
    """
    if not style.gzip:
        _write(handle, values, style)
        return
    # No name and no time in the header: equal outputs are equal bytes.
    with gzip_module.GzipFile(filename="", mode="wb", fileobj=handle, mtime=0) as stream:
        _write(cast(BinaryIO, stream), values, style)


def _write(stream: BinaryIO, values: npt.NDArray[Any], style: TableStyle) -> None:
    index = style.index if style.index is not None and len(style.index) == len(values) else None
    if values.dtype.kind == "b":
        values = values.astype(np.uint8)
    top = [*style.preamble]
    if style.names is not None and len(style.names) == values.shape[1]:
        names = style.names if index is None else (style.index_name, *style.names)
        cells = [_quoted(name, style, always=style.quoted) for name in names]
        top.append(style.header_prefix + style.delimiter.join(cells))
    if style.bom:
        stream.write(b"\xef\xbb\xbf")
    stream.write("".join(line + style.newline for line in top).encode())
    quoted = style.delimiter == style.decimal
    plain = values.dtype != np.float16 and not quoted  # polars has no half precision
    form = _fast_lines if plain and values.size > _MANY else _lines
    step = max(1, _TOGETHER // values.shape[1])
    for start in range(0, len(values), step):
        rows = form(values[start : start + step], style)
        if index is not None:
            marks = (_quoted(cell, style) for cell in index[start : start + step])
            rows = (mark + style.delimiter + row for mark, row in zip(marks, rows, strict=True))
        stream.write("".join(row + style.newline for row in rows).encode())


def _lines(block: npt.NDArray[Any], style: TableStyle) -> Iterator[str]:
    """Return the rows of a block as text, each number as short as it can be."""
    quoted = style.delimiter == style.decimal
    between = '","' if quoted else style.delimiter
    short = block.dtype.kind == "f" and block.dtype.itemsize < 8
    cells = block.astype(np.str_).tolist() if short else block.tolist()
    for row in cells:
        line = between.join(row if short else map(repr, row))
        if style.decimal == ",":
            line = line.replace(".", ",")
        yield f'"{line}"' if quoted else line


def _fast_lines(block: npt.NDArray[Any], style: TableStyle) -> Iterator[str]:
    """Do the same with polars: worth its import for many numbers."""
    import polars

    names = [str(column) for column in range(block.shape[1])]
    frame = polars.DataFrame(block, schema=names, orient="row")
    text = frame.write_csv(include_header=False, separator=style.delimiter)
    if style.decimal == ",":
        text = text.replace(".", ",")
    return iter(text.splitlines())


def _quoted(cell: str, style: TableStyle, *, always: bool = False) -> str:
    """Return a cell that reads as itself."""
    special = any(mark in cell for mark in (style.delimiter, '"', "\n", "\r"))
    if always or special or cell.startswith("#"):
        return '"' + cell.replace('"', '""') + '"'
    return cell
