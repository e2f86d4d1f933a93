"""Files of other kinds, told by how they begin, so that a refusal says what to make of them."""

from __future__ import annotations

from collections.abc import Sequence

_UNPACK = "unpack it first"
_SIGNALS = "save its signals as CSV or npy"
_TABLE = "save its numbers as CSV or npy"

_BEGINNINGS = (
    (b"%PDF", "a PDF document", "copy its numbers into a text table"),
    (b"{\\rtf", "rich text of a word processor", "save it as plain text"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old Office document (.xls) or a file of its kind",
        "save the sheet as CSV, or export its numbers",
    ),
    (b"PAR1", "a Parquet file", _TABLE),
    (b"ARROW1", "an Arrow or Feather file", _TABLE),
    (b"SQLite format 3", "an SQLite data base", _TABLE),
    (b"SIMPLE  =", "a FITS file", _TABLE),
    (b"CDF\x01", "a netCDF 3 file", "turn it into netCDF 4, which is HDF5 (nccopy -k nc4)"),
    (b"CDF\x02", "a netCDF 3 file", "turn it into netCDF 4, which is HDF5 (nccopy -k nc4)"),
    (b"CDF\x05", "a netCDF 3 file", "turn it into netCDF 4, which is HDF5 (nccopy -k nc4)"),
    (b"\x0e\x03\x13\x01", "an HDF4 file", "turn it into HDF5"),
    (b"BZh", "packed by bzip2", _UNPACK),
    (b"\xfd7zXZ\0", "packed by xz", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "packed by zstd", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (b"Rar!", "a RAR archive", _UNPACK),
    (b"GIF8", "a GIF picture", "save it as PNG or TIFF"),
    (b"\xff\xd8\xff", "a JPEG picture", "save it as PNG or TIFF"),
    (b"OggS", "an Ogg recording", "save its samples as npy"),
    (b"fLaC", "a FLAC recording", "save its samples as npy"),
    (b"GDF ", "a GDF recording", _SIGNALS),
    (b"XDF:", "an XDF recording", _SIGNALS),
    (b"\n\n\xfe\xfe", "an OPUS file", "export its spectra as data point tables"),
    (b"WDF1", "a WiRE file", "export its spectra as text"),
    (b"$FL2", "an SPSS file", _TABLE),
    (b"version https://git-lfs", "a pointer of Git LFS", "fetch the file itself (git lfs pull)"),
    (b"\xff\xfe\0\0", "UTF-32 text", "save it as UTF-8"),
    (b"\0\0\xfe\xff", "UTF-32 text", "save it as UTF-8"),
)

_PACKED = (
    (b"\x93NUMPY", "an npy file"),
    (b"\x89HDF\r\n", "an HDF5 file"),
    (b"PK\x03\x04", "a zip archive, such as npz,"),
    (b"MATLAB 5.0", "a MATLAB file"),
    (b"II*\0", "a TIFF file"),
    (b"MM\0*", "a TIFF file"),
    (b"\x89PNG", "a PNG file"),
)
"""What files packed by gzip begin with that are no tables."""

_INSIDE = (
    ("xl/workbook", "an Excel workbook", "save the sheet as CSV"),
    ("word/", "a Word document", "copy its numbers into a text table"),
    ("content.xml", "an OpenDocument file", "save the sheet as CSV"),
    (".zgroup", "a Zarr store", "save its array as npy or HDF5"),
    (".zarray", "a Zarr store", "save its array as npy or HDF5"),
)


def kind_of(head: bytes) -> str | None:
    """Say what a file is and what to do with it, if it is one of those; from its first bytes."""
    if head.startswith(b"RIFF") and head[8:12] == b"WAVE":
        return "is a WAV recording, which is not read; save its samples as npy"
    if head[128:132] == b"DICM":
        return "is a DICOM file, which is not read; save its pictures as PNG or TIFF"
    for beginning, kind, remedy in _BEGINNINGS:
        if head.startswith(beginning):
            return f"is {kind}, which is not read; {remedy}"
    return None


def kind_of_packed(head: bytes) -> str | None:
    """Say what a file packed by gzip holds and what to do, if it is no text; from its first bytes.

    Only tables are read as they are packed.
    """
    if head.startswith(b"\x1f\x8b"):
        return "is packed by gzip twice; unpack it once (gunzip), or pack the table again"
    inner = next((kind for start, kind in _PACKED if head.startswith(start)), None)
    return (
        None
        if inner is None
        else f"is {inner} packed by gzip, of which only tables are read; {_UNPACK}"
    )


def kind_of_archive(members: Sequence[str]) -> str:
    """Say what a zip archive without arrays is and what to do with it, from its members' names."""
    for part, kind, remedy in _INSIDE:
        if any(part in member for member in members):
            return f"is {kind}, which is not read; {remedy}"
    if members:
        return f"is a zip archive without arrays (of {members[0]} and such); unpack it first"
    return "is an empty zip archive; give an npz file"
