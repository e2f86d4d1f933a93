"""Text tables out, in the style they came in."""

from __future__ import annotations

import gzip as gzip_module
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from ikpca_cli.formats.layout import TableStyle

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


@contextmanager
def table_writer(
    handle: BinaryIO, shape: tuple[int, int], style: TableStyle
) -> Iterator[Callable[[npt.NDArray[Any]], None]]:
    """Write a matrix as text, row by row, with as many digits as give back the same numbers.

    Parameters
    ----------
    handle
        Where to.
    shape
        Rows and columns.
    style
        How; names and index are written if they are as many as columns and rows.

    Yields
    ------
    callable
        Takes the next rows, of shape (k, columns).
    """
    if not style.gzip:
        yield _start(handle, shape, style)
        return
    # No name and no time in the header: equal outputs are equal bytes.
    with gzip_module.GzipFile(filename="", mode="wb", fileobj=handle, mtime=0) as stream:
        yield _start(cast(BinaryIO, stream), shape, style)


def _start(
    stream: BinaryIO, shape: tuple[int, int], style: TableStyle
) -> Callable[[npt.NDArray[Any]], None]:
    """Write what stands above the numbers, and return what writes these."""
    index = style.index if style.index is not None and len(style.index) == shape[0] else None
    top = [*style.preamble]
    if style.names is not None and len(style.names) == shape[1]:
        names = style.names if index is None else (style.index_name, *style.names)
        cells = [_quoted(name, style, always=style.quoted) for name in names]
        top.append(style.header_prefix + style.delimiter.join(cells))
    if style.bom:
        stream.write(b"\xef\xbb\xbf")
    stream.write("".join(line + style.newline for line in top).encode())
    step = max(1, _TOGETHER // shape[1])
    many = shape[0] * shape[1] > _MANY and style.delimiter != style.decimal
    done = 0

    def write(values: npt.NDArray[Any]) -> None:
        nonlocal done
        if values.dtype.kind == "b":
            values = values.astype(np.uint8)
        fast = many and values.dtype != np.float16  # polars has no half precision
        form = _fast_lines if fast else _lines
        for start in range(0, len(values), step):
            rows = form(values[start : start + step], style)
            if index is not None:
                labels = index[done + start : done + min(start + step, len(values))]
                marks = (_quoted(label, style) for label in labels)
                rows = (mark + style.delimiter + row for mark, row in zip(marks, rows, strict=True))
            stream.write("".join(row + style.newline for row in rows).encode())
        done += len(values)

    return write


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
