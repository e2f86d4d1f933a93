"""Arrays out, in the form of the array they came from."""

from __future__ import annotations

import io
from pathlib import PurePath
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ikpca_cli.files.layout import Layout
from ikpca_cli.files.output import atomic_write

_FORMATS = {
    ".npy": "npy",
    ".npz": "npz",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
    ".mat": "mat",
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
}


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
    else:
        # In memory first: the HDF5 library crashes when a disk is full, and pipes have no way back.
        buffer = io.BytesIO()
        if kind == "hdf5":
            from ikpca_cli.files.hdf5 import write_hdf5

            write_hdf5(buffer, values, dataset, compressed=layout.compressed)
        elif kind == "mat73":
            from ikpca_cli.files.mat import write_mat73

            write_mat73(buffer, values, dataset)
        else:
            from ikpca_cli.files.mat import write_mat

            write_mat(buffer, values, dataset)
        handle.write(buffer.getbuffer())
