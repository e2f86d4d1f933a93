"""The file formats, and which of them a file is."""

from __future__ import annotations

from functools import cache

from ikpca_cli.errors import InputError, OutputError
from ikpca_cli.formats.foreign import kind_of
from ikpca_cli.formats.format import Format, suffix_of
from ikpca_cli.formats.layout import Layout
from ikpca_cli.registry import load_named

FORMATS = {
    "npy": "ikpca_cli.formats.npy:NPY",
    "npz": "ikpca_cli.formats.npz:NPZ",
    "mat73": "ikpca_cli.formats.matlab.mat73:MAT73",
    "hdf5": "ikpca_cli.formats.hdf5.hdf5_format:HDF5",
    "mat": "ikpca_cli.formats.matlab.mat:MAT",
    "tiff": "ikpca_cli.formats.images.tiff:TIFF",
    "png": "ikpca_cli.formats.images.png:PNG",
    "edf": "ikpca_cli.formats.series.edf:EDF",
    "wfdb": "ikpca_cli.formats.series.wfdb:WFDB",
    "ts": "ikpca_cli.formats.series.ts:TS",
    "csv": "ikpca_cli.formats.csv.csv_format:CSV",
}
"""By name, in the order in which a file is tried; the last takes every file."""


@cache
def format_named(name: str) -> Format:
    """Return the format that `Layout.format` calls `name`."""
    found: Format = load_named(FORMATS, "format", name)
    return found


def sniff(head: bytes, path: str, name: str) -> Format:
    """Tell the format of a file from its first 4096 bytes and its path.

    Raises
    ------
    InputError
        If the file is empty, a pickle, or of a kind that is not read; `name` is what the message
        calls it.
    """
    if not head:
        raise InputError(f"{name}: is empty; copy or export it again")
    other = kind_of(head)
    if other is not None:
        raise InputError(f"{name}: {other}")
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        raise InputError(
            f"{name}: is a pickle, which is never loaded; save the array as .npy, or, if it is a "
            "model, name its rows here"
        )
    return next(kind for kind in map(format_named, FORMATS) if kind.sniff(head, path))


def format_of_suffix(path: str) -> Format | None:
    """Return the format that files of this suffix usually have."""
    fitting = _fitting(path)
    return fitting[-1] if fitting else None


def output_format(target: str, layout: Layout) -> Format:
    """Return the format of an output: by its suffix, or else that of its input.

    Raises
    ------
    OutputError
        If the name asks for a compression that the format does not have.
    """
    own, fitting = format_named(layout.format), _fitting(target)
    table = layout.table
    same = table is not None and suffix_of(target) == table.suffix  # of whatever format it is
    kind = own if same or own in fitting or not fitting else fitting[-1]
    if target.lower().endswith(".gz") and not kind.gzip:
        raise OutputError(
            f"{target}: .gz is for text tables, and this would be a {kind.title} file; "
            f"name it {target[:-3]}"
        )
    return kind


def _fitting(path: str) -> list[Format]:
    """Return the formats whose files may have the suffix of a path."""
    suffix = suffix_of(path)
    return [kind for kind in map(format_named, FORMATS) if suffix in kind.suffixes]
