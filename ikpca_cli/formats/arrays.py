"""Any array a user owns, in and out: the one door to npy, npz, csv, HDF5 and MATLAB files."""

from __future__ import annotations

import sys
from pathlib import Path, PurePath

from ikpca_cli.data.row_source import Progress, silent
from ikpca_cli.errors import InputError, UsageError
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.layout import Layout, ReadOptions, TableStyle
from ikpca_cli.formats.output import STDOUT, check_target
from ikpca_cli.formats.writing import open_output, write_rows

__all__ = [
    "Layout",
    "ReadOptions",
    "Rows",
    "TableStyle",
    "check_target",
    "default_output",
    "open_output",
    "read_rows",
    "write_rows",
]

STDIN = "-"
_NPY, _HDF5, _ZIP = b"\x93NUMPY", b"\x89HDF\r\n\x1a\n", b"PK\x03\x04"


def read_rows(
    path: str,
    options: ReadOptions = ReadOptions(),  # noqa: B008
    progress: Progress = silent,
) -> Rows:
    """Open an array file, told by its content, whatever its name.

    Parameters
    ----------
    path
        The file; ``"-"`` is the standard input.
    options
        What cannot be known from the file.
    progress
        Told of a long text table that is parsed.

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
    if not path:
        raise InputError("an input has an empty name; name a file")
    try:
        if data is None and Path(path).is_fifo():
            data = Path(path).read_bytes()  # a pipe gives its bytes once
        kind = _sniff(path, name, data)
        if kind == "csv":
            from ikpca_cli.formats.csv.table import read_table

            return read_table(path, name, data, options, progress)
        if options.columns is not None:
            raise UsageError(
                f"--columns: {name} is no text table, and only those have such columns"
            )
        if kind == "hdf5":
            from ikpca_cli.formats.hdf5 import read_hdf5

            return read_hdf5(path, name, data, options)
        if kind == "mat":
            from ikpca_cli.formats.mat import read_mat

            return read_mat(path, name, data, options)
        from ikpca_cli.formats.npy import read_npy, read_npz

        return (read_npz if kind == "npz" else read_npy)(path, name, data, options)
    except OSError as error:
        reason = " ".join((error.strerror or str(error)).split())
        raise InputError(f"{name}: cannot be read: {reason.lower()}") from error
    except MemoryError as error:
        raise InputError(f"{name}: does not fit in memory; save it as .npy or .h5") from error


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
