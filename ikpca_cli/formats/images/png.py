"""PNG pictures through Pillow, of 8 and 16 bits: a picture is one sample."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ikpca_cli.data.row_source import Progress
from ikpca_cli.errors import InputError, OutputError
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format import Array, Format, Input, Output, Write, at_once
from ikpca_cli.formats.npy import array_rows
from ikpca_cli.formats.read_options import ReadOptions

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GREY, _COLOUR = 0, 2  # of the header's colour types; others have palettes or transparency
_OPAQUE = (255, 255)
_MOST_PIXELS = 1 << 27
_MISSING = "PNG files need Pillow, which is not installed: pip install 'ikpca-cli[png]'"


def _read(file: Input, options: ReadOptions, _: Progress) -> Rows:
    """Read a picture in grey, or in colour of 8 bits; Pillow would cut what has more.

    One with a palette, or with transparency that shows nowhere, is one in colour.
    """
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise InputError(f"{file.name}: {_MISSING}") from None
    with file.open() as stream:
        head = stream.read(26)
        if len(head) < 26:
            raise InputError(f"{file.name}: is not a whole PNG file; copy it again")
        bits, colours = head[24], head[25]
        if colours != _GREY and bits > 8:
            raise InputError(
                f"{file.name}: is in colour of {bits} bits, which is not read; save it in grey, or "
                "in colour of 8 bits"
            )
        width, height = (int.from_bytes(head[at : at + 4], "big") for at in (16, 20))
        if width * height > _MOST_PIXELS:
            raise InputError(f"{file.name}: declares {width} x {height} pixels; save it as TIFF")
        stream.seek(0)
        try:
            with Image.open(stream, formats=["PNG"]) as image:
                if getattr(image, "n_frames", 1) > 1:
                    raise InputError(f"{file.name}: is animated; save its frames as a TIFF stack")
                pixels = image.copy() if colours in (_GREY, _COLOUR) else image.convert("RGBA")
                if pixels.mode == "RGBA":
                    if pixels.getchannel("A").getextrema() != _OPAQUE:
                        raise InputError(
                            f"{file.name}: is transparent in places, which is not read; save it "
                            "without"
                        )
                    pixels = pixels.convert("RGB")
                array = np.asarray(pixels)
        except UnidentifiedImageError:
            raise InputError(f"{file.name}: is a damaged PNG file; save it again") from None
    if bits == 16:
        array = array.astype(np.uint16)  # older Pillow has 32 bits for them
    return array_rows(array[np.newaxis], file.name, "png", options)


@contextmanager
def _writer(output: Output) -> Iterator[Write]:
    try:
        from PIL import Image
    except ImportError:
        raise OutputError(f"{output.target}: {_MISSING}") from None
    count, *sample = output.shape
    whole = output.dtype in (np.dtype(bool), np.dtype(np.uint8), np.dtype(np.uint16))
    grey = len(sample) == 2
    colour = len(sample) == 3 and sample[2] == 3 and output.dtype == np.uint8
    if count != 1 or not whole or not (grey or colour):
        raise OutputError(
            f"{output.target}: a PNG file holds one picture of whole numbers from 0 to 255 or "
            f"65535, not {count} samples of shape {tuple(sample)} and type {output.dtype}; "
            "write .tif or .npy"
        )

    def save(values: Array) -> None:
        Image.fromarray(np.ascontiguousarray(values[0])).save(output.handle, format="PNG")

    with at_once(output, save) as write:
        yield write


PNG = Format(
    name="png",
    suffixes=(".png",),
    sniff=lambda head, _: head.startswith(_SIGNATURE),
    read=_read,
    writer=_writer,
    rounds=True,
)
