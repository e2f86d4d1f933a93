"""Text tables as a format."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from ikpca_cli.data.row_source import Progress
from ikpca_cli.formats.csv.table import read_table
from ikpca_cli.formats.csv.table_output import styled, table_writer
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format import Array, Format, Input, Output, Write, at_once, suffix_of
from ikpca_cli.formats.read_options import ReadOptions


def _read(file: Input, options: ReadOptions, progress: Progress) -> Rows:
    return read_table(file.path, file.name, file.data, options, progress)


@contextmanager
def _writer(output: Output) -> Iterator[Write]:
    zipped = output.target.lower().endswith(".gz")
    style = styled(output.layout.table, suffix_of(output.target), gzip=zipped)
    if zipped:
        style = replace(style, gzip=True)
    if output.layout.stacked:
        with table_writer(output.handle, (int(np.prod(output.shape)), 1), style) as write:
            yield lambda block: write(block.reshape(-1, 1))
        return
    if not output.layout.transposed:
        shape = (output.shape[0], int(np.prod(output.shape[1:])))
        with table_writer(output.handle, shape, style) as write:
            yield write
        return

    def save(values: Array) -> None:
        with table_writer(output.handle, (values.shape[0], values.shape[1]), style) as write:
            write(values)

    with at_once(output, save) as write:
        yield write


CSV = Format(
    name="csv",
    suffixes=(".csv", ".tsv", ".txt"),
    sniff=lambda head, path: True,
    read=_read,
    writer=_writer,
    tabular=True,
    in_digits=True,
    gzip=True,
    flat=True,
)
