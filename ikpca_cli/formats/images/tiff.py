"""TIFF stacks through tifffile: each page is a sample."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ikpca_cli.data.row_source import Progress
from ikpca_cli.errors import InputError, OutputError
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format import Format, Input, Output, Write
from ikpca_cli.formats.layout import ReadOptions
from ikpca_cli.formats.npy import array_rows

_BEST_COMPRESSION = 10_000
_LARGEST_CLASSIC = 2**32 - 2**25  # bytes up to which offsets of 4 bytes will do
_MISSING = "TIFF files need tifffile, which is not installed: pip install 'ikpca-cli[tiff]'"


def _read(file: Input, options: ReadOptions, _: Progress) -> Rows:
    """Read the stack of a file; one that holds several, of other shapes, is refused."""
    try:
        import tifffile
    except ImportError:
        raise InputError(f"{file.name}: {_MISSING}") from None
    with file.open() as stream, tifffile.TiffFile(stream) as tiff:
        if not tiff.series:
            raise InputError(f"{file.name}: holds no picture")
        if len(tiff.series) > 1:
            shapes = ", ".join(str(series.shape) for series in tiff.series[:5])
            raise InputError(
                f"{file.name}: holds {len(tiff.series)} stacks, of shapes {shapes}; save the one "
                "that is meant in a file of its own"
            )
        series = tiff.series[0]
        shape = series.shape if len(series.shape) > 2 else (1, *series.shape)
        if "S" in series.axes and len(series.shape) == 3:  # one picture in colour
            shape = (1, *series.shape)
        declared = math.prod(shape) * np.dtype(series.dtype).itemsize
        if declared > file.length() * _BEST_COMPRESSION:
            raise InputError(
                f"{file.name}: declares shape {shape}, {declared} bytes, more than the file can "
                "hold; write it again"
            )
        array = np.asarray(series.asarray()).reshape(shape)
    return array_rows(array, file.name, "tiff", options)


@contextmanager
def _writer(output: Output) -> Iterator[Write]:
    try:
        import tifffile
    except ImportError:
        raise OutputError(f"{output.target}: {_MISSING}") from None
    sample = output.shape[1:] if len(output.shape) > 2 else (1, *output.shape[1:])
    colour = len(sample) > 2 and sample[-1] in (3, 4) and output.layout.format in ("tiff", "png")
    how: dict[str, Any] = {"photometric": "rgb" if colour else "minisblack"}
    size = math.prod(output.shape) * output.dtype.itemsize
    on_disk = output.handle.readable() and output.handle.seekable()
    place: Any = output.handle if on_disk else io.BytesIO()  # a pipe has no way back
    with tifffile.TiffWriter(place, bigtiff=size > _LARGEST_CLASSIC) as tiff:

        def write(block: np.ndarray[Any, Any]) -> None:
            for values in block:
                tiff.write(np.ascontiguousarray(values.reshape(sample)), contiguous=True, **how)

        yield write
    if not on_disk:
        output.handle.write(place.getbuffer())


TIFF = Format(
    name="tiff",
    title="TIFF",
    suffixes=(".tif", ".tiff"),
    sniff=lambda head, _: head.startswith((b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")),
    read=_read,
    writer=_writer,
    rounds=True,
)
