"""Any array a user owns, in and out: the one door to npy, npz, csv, HDF5 and MATLAB files."""

from __future__ import annotations

import sys
from pathlib import Path, PurePath
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ikpca_cli.errors import InputError, OutputError
from ikpca_cli.files.layout import Layout, ReadOptions, TableStyle
from ikpca_cli.files.output import STDOUT, atomic_write, check_target
from ikpca_cli.files.rows import Rows

__all__ = [
    "Layout",
    "ReadOptions",
    "Rows",
    "TableStyle",
    "check_target",
    "default_output",
    "read_rows",
    "write_rows",
]

STDIN = "-"
_NPY, _HDF5, _ZIP = b"\x93NUMPY", b"\x89HDF\r\n\x1a\n", b"PK\x03\x04"
_TABLES = (".csv", ".tsv", ".txt")
_FORMATS = {
    ".npy": "npy",
    ".npz": "npz",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
    ".mat": "mat",
    **dict.fromkeys(_TABLES, "csv"),
}


def read_rows(path: str, options: ReadOptions = ReadOptions()) -> Rows:  # noqa: B008
    """Open an array file, told by its content, whatever its name.

    Parameters
    ----------
    path
        The file; ``"-"`` is the standard input.
    options
        What cannot be known from the file.

    Returns
    -------
    Rows
        Its samples.

    Raises
    ------
    InputError
        If the file is not there, is no stack of samples, or is damaged.
    UsageError
        If an option cannot be right.
    """
    name, data = path, None
    if path == STDIN:
        name, data = "standard input", sys.stdin.buffer.read()
    try:
        kind = _sniff(path, name, data)
        if kind == "csv":
            from ikpca_cli.files.tables import read_table

            return read_table(path, name, data, options)
        if options.columns is not None:
            raise InputError(f"{name}: is no text table; --columns cannot choose from it")
        if kind == "hdf5":
            from ikpca_cli.files.hdf5 import read_hdf5

            return read_hdf5(path, name, data, options)
        if kind == "mat":
            from ikpca_cli.files.mat import read_mat

            return read_mat(path, name, data, options)
        from ikpca_cli.files.npy import read_npy, read_npz

        return (read_npz if kind == "npz" else read_npy)(path, name, data, options)
    except OSError as error:
        if error.errno is None or isinstance(error, OutputError):
            raise
        raise InputError(f"{name}: cannot be read: {(error.strerror or '').lower()}") from error
    except MemoryError as error:
        raise InputError(f"{name}: does not fit in memory; save it as .npy or .h5") from error


def write_rows(
    target: str,
    values: npt.NDArray[Any],
    layout: Layout,
    *,
    force: bool = False,
    round_to_input: bool = False,
) -> None:
    """Write samples in the form of the array they came from.

    The target's suffix decides the format; with one that says nothing the input's is kept. Files
    are written in C order and native byte order.

    Parameters
    ----------
    target
        Where to; ``"-"`` is the standard output.
    values : ndarray of shape (n, p)
        One sample per row.
    layout
        The form of the input.
    force
        Whether an existing file may be replaced.
    round_to_input
        Whether to give back integers, booleans and half precision as they came, rounded and
        limited to what the type holds.

    Raises
    ------
    OutputError
        If the target exists without `force` or cannot be written; it is then as it was.
    """
    stem, kind = _format_of(target, layout)
    if round_to_input:
        values = _rounded(values, layout.dtype)
    shaped = values.reshape(len(values), *layout.sample_shape)
    if layout.transposed:
        shaped = shaped.T
    dataset = layout.dataset or "data"
    with atomic_write(target, force=force) as handle:
        _write(handle, shaped, kind, stem, dataset, layout, target)


def default_output(path: str, directory: str | None = None, tag: str = "denoised") -> str:
    """Name the output for an input: ``noisy.csv.gz`` becomes ``noisy.denoised.csv.gz``.

    Parameters
    ----------
    path
        The input.
    directory
        The output's folder; that of the input if None.
    tag
        What is put before the suffix.

    Returns
    -------
    str
        The output's path; ``"-"`` for the standard input.
    """
    if path == STDIN and directory is None:
        return STDOUT
    file = PurePath("stdin" if path == STDIN else path)
    suffix = file.suffix
    if suffix.lower() == ".gz":
        suffix = PurePath(file.stem).suffix + suffix
    name = f"{file.name.removesuffix(suffix)}.{tag}{suffix}"
    return str(PurePath(directory) / name if directory is not None else file.with_name(name))


def _sniff(path: str, name: str, data: bytes | None) -> str:
    """Tell the format from the first bytes."""
    if data is None:
        if Path(path).is_dir():
            raise InputError(f"{name}: is a folder; name the files in it")
        with open(path, "rb") as file:
            start = file.read(4096)
    else:
        start = data[:4096]
    if not start:
        raise InputError(f"{name}: is empty")
    if start.startswith(_NPY):
        return "npy"
    if start.startswith(_ZIP):
        return "npz"
    # HDF5 allows a block of its user's before the file: 512 bytes, or a power of two more.
    if any(start.startswith(_HDF5, offset) for offset in (0, 512, 1024, 2048)):
        return "hdf5"
    old_mat = path.lower().endswith(".mat") and b"\0" in start
    if start.startswith(b"MATLAB 5.0 MAT-file") or old_mat:
        return "mat"
    if start[:1] == b"\x80" and start[1:2] in b"\x02\x03\x04\x05":
        raise InputError(f"{name}: is a pickle, which is never loaded; save the array as .npy")
    return "csv"


def _format_of(target: str, layout: Layout) -> tuple[str, str]:
    """Return the target's suffix without ``.gz``, and its format."""
    suffix = PurePath(target.lower().removesuffix(".gz")).suffix
    kind = _FORMATS.get(suffix, layout.format)
    if target.lower().endswith(".gz") and kind != "csv":
        kind = layout.format
    if kind == "mat" and layout.format == "mat73":
        kind = "mat73"
    return suffix, kind


def _rounded(values: npt.NDArray[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return values in a type of the input, rounded and limited to its range."""
    native = dtype.newbyteorder("=")
    if dtype.kind == "b":
        return values >= 0.5
    if dtype.kind in "iu":
        info = np.iinfo(native)
        # float(info.max) may be one too large: compare first, convert what is in range.
        high = values >= float(info.max)
        low = values <= float(info.min)
        inner = np.where(high | low, 0, np.rint(values)).astype(native)
        inner[high], inner[low] = info.max, info.min
        return inner
    if dtype == np.float16:
        limit = float(np.finfo(np.float16).max)
        values = np.clip(values, -limit, limit).astype(np.float16)
    return values


def _write(
    handle: BinaryIO,
    values: npt.NDArray[Any],
    kind: str,
    suffix: str,
    dataset: str,
    layout: Layout,
    target: str,
) -> None:
    """Write an array in one format."""
    if kind == "csv":
        from ikpca_cli.files.table_output import styled, write_table

        style = styled(layout.table, suffix, gzip=target.lower().endswith(".gz"))
        write_table(handle, values.reshape(len(values), -1), style)
    elif kind == "npy":
        from ikpca_cli.files.npy import write_npy

        write_npy(handle, values)
    elif kind == "npz":
        from ikpca_cli.files.npy import write_npz

        write_npz(handle, values, dataset, compressed=layout.compressed)
    elif kind == "hdf5":
        from ikpca_cli.files.hdf5 import write_hdf5

        write_hdf5(handle, values, dataset, compressed=layout.compressed)
    else:
        from ikpca_cli.files.mat import write_mat, write_mat73

        if kind == "mat73":
            write_mat73(handle.name, values, dataset)
        else:
            write_mat(handle, values, dataset)
