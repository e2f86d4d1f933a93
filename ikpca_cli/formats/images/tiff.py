"""TIFF stacks through tifffile: each page is a sample."""

from __future__ import annotations

import io
import logging
import math
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

from ikpca_cli.data.row_source import Progress
from ikpca_cli.errors import InputError, OutputError
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format import Format, Input, Output, Write
from ikpca_cli.formats.npy import array_rows
from ikpca_cli.formats.read_options import ReadOptions

_BEST_COMPRESSION = 10_000
_LARGEST_CLASSIC = 2**32 - 2**25  # bytes up to which offsets of 4 bytes will do
_TELLING = (
    "ImageDescription",
    "DateTime",
    "Artist",
    "XResolution",
    "IJMetadata",
    "GeoKeyDirectoryTag",
)
_ALPHA = {1, 2}
"""Kinds of a further sample of each pixel that are transparency (TIFF 6.0, section 18)."""

_NO_UNIT = 1  # of a resolution
_MISSING = "TIFF files need tifffile, which is not installed: pip install 'ikpca-cli[tiff]'"


def _read(file: Input, options: ReadOptions, _: Progress) -> Rows:
    """Read the stack of a file; one that holds several, of other shapes, is refused."""
    try:
        import tifffile
    except ImportError:
        raise InputError(f"{file.name}: {_MISSING}") from None
    # What it logs of damaged tags is not for the user, who gets one line.
    logging.getLogger("tifffile").setLevel(logging.CRITICAL)
    with file.open() as stream:
        _check_directories(stream, file)
        stream.seek(0)
        return _read_series(tifffile.TiffFile(stream), file, options)


def _check_directories(stream: BinaryIO, file: Input) -> None:
    """Refuse pages that declare more tags than the file can hold, each of which tifffile tries.

    (TIFF revision 6.0, section 2, and the BigTIFF proposal.)
    """
    head, length = stream.read(16), file.length()
    order = "<" if head[:1] == b"I" else ">"
    big = b"+" in head[2:4]
    count, tag, link = ("Q", 20, "Q") if big else ("H", 12, "I")
    offset = struct.unpack_from(order + link, head, 8 if big else 4)[0]
    seen: set[int] = set()
    while offset:
        if offset in seen:
            raise InputError(f"{file.name}: its pages are a circle; write it again")
        seen.add(offset)
        stream.seek(min(offset, length))
        tags = struct.unpack(order + count, stream.read(struct.calcsize(count)))[0]
        end = stream.tell() + tags * tag
        if end + struct.calcsize(link) > length:
            raise InputError(f"{file.name}: is damaged: a page has {tags} tags; copy it again")
        stream.seek(end)
        offset = struct.unpack(order + link, stream.read(struct.calcsize(link)))[0]


def _read_series(opened: Any, file: Input, options: ReadOptions) -> Rows:
    with opened as tiff:
        if not tiff.series:
            raise InputError(f"{file.name}: holds no picture; give a TIFF file with pages")
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
        meaning = getattr(series.keyframe.photometric, "name", "")
        if meaning == "PALETTE":
            raise InputError(
                f"{file.name}: holds places in a palette, which are no brightness; save it in grey "
                "or in colour"
            )
        if set(series.keyframe.extrasamples) & _ALPHA:
            raise InputError(
                f"{file.name}: has transparency, which is no brightness; save it without, flattened"
            )
        array, others = np.asarray(series.asarray()).reshape(shape), _told(series.keyframe)
    return array_rows(array, file.name, "tiff", options, beside=meaning, others=others)


def _told(page: Any) -> tuple[str, ...]:
    """Return the tags of a page that tell of what is in the picture, which no output has."""
    values = {name: page.tags[name].value for name in _TELLING if name in page.tags}
    if str(values.get("ImageDescription", "")).startswith('{"shape"'):  # which tifffile writes
        del values["ImageDescription"]
    if page.tags.valueof("ResolutionUnit", default=_NO_UNIT) == _NO_UNIT:
        values.pop("XResolution", None)
    return tuple(values)


@contextmanager
def _writer(output: Output) -> Iterator[Write]:
    try:
        import tifffile
    except ImportError:
        raise OutputError(f"{output.target}: {_MISSING}") from None
    sample = output.shape[1:] if len(output.shape) > 2 else (1, *output.shape[1:])
    colour = len(sample) > 2 and sample[-1] in (3, 4) and output.layout.format in ("tiff", "png")
    inverted = output.layout.format == "tiff" and output.layout.beside == "MINISWHITE"
    grey = "miniswhite" if inverted else "minisblack"
    how: dict[str, Any] = {"photometric": "rgb" if colour else grey}
    size = math.prod(output.shape) * output.dtype.itemsize
    on_disk = output.handle.readable() and output.handle.seekable()
    place: Any = output.handle if on_disk else io.BytesIO()  # a pipe cannot seek
    with tifffile.TiffWriter(place, bigtiff=size > _LARGEST_CLASSIC) as tiff:

        def write(block: np.ndarray[Any, Any]) -> None:
            for values in block:
                tiff.write(np.ascontiguousarray(values.reshape(sample)), contiguous=True, **how)

        yield write
    if not on_disk:
        output.handle.write(place.getbuffer())


TIFF = Format(
    name="tiff",
    suffixes=(".tif", ".tiff"),
    sniff=lambda head, _: head.startswith((b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")),
    read=_read,
    writer=_writer,
    rounds=True,
)
