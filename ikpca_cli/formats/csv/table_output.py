"""Text tables out, in the style they came in."""

from __future__ import annotations

import gzip as gzip_module
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from ikpca_cli.formats.csv.alignment import aligned
from ikpca_cli.formats.csv.form.cells import quoted, split, unquoted
from ikpca_cli.formats.layout import TableStyle

_TOGETHER = 1 << 18  # numbers formatted at once
_WHOLE_PART = re.compile(r"(?<![\d.])\d{4,}")  # in more than one group


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
    style = style or TableStyle(suffix="")
    if not known:
        return style
    style = replace(style, gzip=gzip)
    if suffix in (style.suffix, ".txt"):
        return style
    comma = "," if style.decimal == "." else ";"
    delimiter = "\t" if suffix == ".tsv" else comma
    return style if delimiter == style.delimiter else _delimited(style, delimiter)


def _delimited(style: TableStyle, delimiter: str) -> TableStyle:
    """Return a style with another delimiter, and all cells written for it."""

    def line(cells: list[str]) -> str:
        return delimiter.join(quoted(cell, delimiter) for cell in cells)

    labels = style.labels
    if labels is not None:
        labels = tuple(
            tuple(quoted(unquoted(cell), delimiter) for cell in cells) for cells in labels
        )
    return replace(
        style,
        delimiter=delimiter,
        gap="",
        trailing=False,
        widths=None,
        preamble=tuple(text for text in style.preamble if not text.lower().startswith("sep=")),
        header=None,
        units=tuple(line(split(unit, style.delimiter)) for unit in style.units),
        labels=labels,
        remarks=style.remarks
        and tuple(one.replace(style.delimiter, delimiter) for one in style.remarks),
    )


@contextmanager
def table_writer(
    handle: BinaryIO, shape: tuple[int, int], style: TableStyle
) -> Iterator[Callable[[npt.NDArray[Any]], None]]:
    """Write a matrix as text, row by row.

    Parameters
    ----------
    handle
        Where to.
    shape
        Rows and columns.
    style
        How; names and labels are written if they are as many as columns and rows.

    Yields
    ------
    callable
        Takes the next rows, of shape (k, columns).
    """
    if not style.gzip:
        yield _start(handle, shape, style)
        _put(handle, style, style.footer)
        return
    # No name and no time in the header: equal outputs are equal bytes.
    with gzip_module.GzipFile(filename="", mode="wb", fileobj=handle, mtime=0) as stream:
        yield _start(cast(BinaryIO, stream), shape, style)
        _put(cast(BinaryIO, stream), style, style.footer)


def _start(
    stream: BinaryIO, shape: tuple[int, int], style: TableStyle
) -> Callable[[npt.NDArray[Any]], None]:
    """Write what stands above the numbers, and return what writes these."""
    if style.labels is not None and len(style.labels) != shape[0]:
        style = replace(style, labels=None, label_names=(), label_places=(), header=None, units=())
    remarks = style.remarks if len(style.remarks or ()) == shape[0] else None
    step = max(1, _TOGETHER // shape[1])
    width = shape[1] + len(style.label_places if style.labels is not None else ())
    done = 0

    def write(values: npt.NDArray[Any]) -> None:
        nonlocal done
        if values.dtype.kind == "b":
            values = values.astype(np.uint8)
        for start in range(0, len(values), step):
            lines = _lines(values[start : start + step], style)
            if style.labels is not None:
                labels = style.labels[done + start : done + start + len(lines)]
                lines = [_merged(*pair, style) for pair in zip(labels, lines, strict=True)]
            if style.widths is not None and len(style.widths) == width:
                lines = [aligned(line, style.widths, style.delimiter) for line in lines]
            if style.trailing:
                lines = [line + style.delimiter for line in lines]
            if remarks is not None:
                behind = remarks[done + start : done + start + len(lines)]
                lines = [line + remark for line, remark in zip(lines, behind, strict=True)]
            if style.parted is not None:
                lines = _parted(lines, done + start, *style.parted)
            _put(stream, style, lines)
        done += len(values)

    if style.bom:
        stream.write("\ufeff".encode(style.encoding))
    _put(stream, style, _above(style, shape[1]))
    return write


def _parted(lines: list[str], done: int, every: int, blanks: int) -> list[str]:
    """Return lines, before which others were written, with blank ones where signals end."""
    parted: list[str] = []
    for place, line in enumerate(lines, done):
        parted += [""] * blanks if place and place % every == 0 else []
        parted.append(line)
    return parted


def _put(stream: BinaryIO, style: TableStyle, lines: Sequence[str]) -> None:
    """Write lines."""
    text = "".join(line.replace("\n", style.newline) + style.newline for line in lines)
    escape = "surrogateescape" if style.encoding in ("utf-8", "latin-1") else "surrogatepass"
    stream.write(text.encode(style.encoding, escape))


def _above(style: TableStyle, width: int) -> list[str]:
    """Return the lines above the numbers."""
    if style.names is None or len(style.names) != width:
        return [*style.preamble]
    header = style.header
    if header is None:
        names = [quoted(name, style.delimiter, always=style.quoted) for name in style.names]
        labels = [quoted(name, style.delimiter, always=style.quoted) for name in style.label_names]
        line = style.delimiter.join(_placed(labels, names, style.label_places))
        header = style.header_prefix + line
    return [*style.preamble, header, *style.units]


def _placed(labels: list[str], cells: list[str], places: tuple[int, ...]) -> list[str]:
    """Return cells with the labels at their places among them."""
    merged = list(cells)
    for place, label in sorted(zip(places, labels, strict=True)):
        merged.insert(place, label)
    return merged


def _merged(labels: tuple[str, ...], line: str, style: TableStyle) -> str:
    """Return a line of numbers with its labels."""
    mark = style.delimiter
    if style.label_places == tuple(range(len(labels))):
        return mark.join((*labels, style.gap + line))
    form = style.gap + ('"{}"' if _quotes(style) else "{}")
    cells = [form.format(cell) for cell in line.strip('"').split(_between(style))]
    merged = mark.join(_placed(list(labels), cells, style.label_places))
    return merged if 0 in style.label_places else merged.removeprefix(style.gap)


def _lines(block: npt.NDArray[Any], style: TableStyle) -> list[str]:
    """Return the rows of a block as text."""
    between = _between(style)
    block = _without_signs(block, style) if block.dtype.kind == "f" else block
    if block.dtype.kind != "f":
        lines = [between.join(map(str, row)) for row in block.tolist()]
    elif style.significant is not None or style.digits is not None:
        form = _form(style)
        whole_line = between.join([form] * block.shape[1])
        lines = [whole_line % tuple(row) for row in block.tolist()]
        lines = _with_exponents(lines, style)
    elif style.decimals is None or len(style.decimals) != block.shape[1]:
        lines = [between.join(row) for row in _shortest(block)]
    elif len(set(style.decimals)) == 1 and style.decimals[0] is not None:
        most, least = style.decimals[0]
        whole_line = between.join([f"%.{most}f"] * block.shape[1])
        lines = _without_zeros([whole_line % tuple(row) for row in block.tolist()], most, least)
    else:
        columns = [
            _column(block[:, place], decimals) for place, decimals in enumerate(style.decimals)
        ]
        lines = [between.join(row) for row in zip(*columns, strict=True)]
    if style.thousands is not None:
        lines = [_WHOLE_PART.sub(lambda part: f"{int(part[0]):_}", line) for line in lines]
    if style.decimal == ",":
        lines = [line.replace(".", ",") for line in lines]
    if style.thousands is not None:
        lines = [line.replace("_", style.thousands) for line in lines]
    if style.missing != "nan" and (style.missing or style.labels or block.shape[1] > 1):
        apart = style.delimiter in style.missing
        word = quoted(style.missing, style.delimiter) if apart else style.missing
        lines = [line.replace("nan", word) for line in lines]
    return [f'"{line}"' for line in lines] if _quotes(style) else lines


def _without_signs(block: npt.NDArray[Any], style: TableStyle) -> npt.NDArray[Any]:
    """Return the rows of a block with 0 for what is below it by less than is written: no -0.0."""
    decimals: Sequence[tuple[int, int] | None] = style.decimals or ()
    if style.digits is not None:
        decimals = [(style.digits, 0)] * (block.shape[1] if style.significant is None else 0)
    if len(decimals) != block.shape[1]:
        return block
    least = [-0.5 * 10.0 ** -one[0] if one is not None else 0.0 for one in decimals]
    return np.where((block < 0.0) & (block > np.array(least)), block.dtype.type(0.0), block)


def _quotes(style: TableStyle) -> bool:
    """Tell whether numbers are in quotes."""
    return style.quoted_numbers or style.delimiter in (style.decimal, style.thousands)


def _between(style: TableStyle) -> str:
    """Return what stands between two numbers."""
    between = style.delimiter + style.gap
    return f'"{between}"' if _quotes(style) else between


def _form(style: TableStyle) -> str:
    """Return the form of every number, where one is for all."""
    if style.digits is None and style.significant is not None and style.exponent is not None:
        return f"%.{style.significant - 1}e"
    if style.digits is None:
        return f"%.{style.significant}g"
    return f"%.{style.digits}f" if style.significant is None else f"%.{style.digits}e"


def _with_exponents(lines: list[str], style: TableStyle) -> list[str]:
    """Return lines whose exponents begin as those of the input do, without zeros before them."""
    if style.exponent is None or not lines:
        return lines
    text = "\n".join(lines)
    if style.digits is None:
        text = re.sub(rf"(\.\d{{{style.least_mantissa}}}\d*?)0+(?=e)", r"\1", text)
    return text.replace("e", style.exponent).split("\n")


def _shortest(block: npt.NDArray[Any]) -> list[list[str]]:
    """Return the rows of a block, each number as short as gives it back."""
    if block.dtype.itemsize < 8:
        texts: list[list[str]] = block.astype(np.str_).tolist()
        return texts
    return [list(map(repr, row)) for row in block.tolist()]


def _column(values: npt.NDArray[Any], decimals: tuple[int, int] | None) -> list[str]:
    """Return the numbers of a column."""
    if decimals is None:
        return [row[0] for row in _shortest(values[:, None])]
    form = f"%.{decimals[0]}f"
    return _without_zeros([form % value for value in values.tolist()], *decimals)


def _without_zeros(lines: list[str], most: int, least: int) -> list[str]:
    """Return lines without the zeros that end a number with more than the fewest decimals."""
    if most <= least or not lines:
        return lines
    pattern = rf"(\.\d{{{least}}}\d*?)0+(?!\d)"
    return re.sub(pattern, r"\1", "\n".join(lines)).split("\n")
