"""Arrays out, in the form of the array they came from, block by block."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import PurePath
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import numpy.typing as npt

from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.output import atomic_write

Write: TypeAlias = Callable[[npt.NDArray[Any]], None]
"""Takes the next samples, of shape (k, p) or (k, ...)."""

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


@contextmanager
def open_output(
    target: str,
    n_samples: int,
    dtype: npt.DTypeLike,
    layout: Layout,
    *,
    force: bool = False,
    round_to_input: bool = False,
) -> Iterator[Write]:
    """Open an output that is written sample by sample, in the form of the array they came from.

    The target's suffix decides the format; with one that says nothing the input's is kept. Files
    are written in C order and native byte order. Memory does not grow with the number of samples,
    but for MATLAB's version 5, samples in the columns of a text table or npz file, and formats
    that a pipe does not take in order.

    Parameters
    ----------
    target
        Where to; ``"-"`` is the standard output.
    n_samples
        How many will come.
    dtype
        The type of their numbers.
    layout
        The form of the input.
    force
        Whether an existing file may be replaced.
    round_to_input
        Whether to give back integers, booleans and half precision as they came, rounded and
        limited to what the type holds.

    Yields
    ------
    callable
        Takes the next samples, of shape (k, p).

    Raises
    ------
    OutputError
        If the target exists without `force` or cannot be written; it is then as it was, as after
        any other error.
    """
    shape = (n_samples, *layout.sample_shape)
    kind = np.dtype(dtype).newbyteorder("=")
    if round_to_input:
        kind = _rounded(np.empty(0, kind), layout.dtype).dtype
    with (
        atomic_write(target, force=force) as handle,
        _writer(handle, shape, kind, layout, target) as write,
    ):

        def put(block: npt.NDArray[Any]) -> None:
            values = _rounded(block, layout.dtype) if round_to_input else block
            write(values.reshape(len(block), *layout.sample_shape))

        yield put


def write_rows(
    target: str,
    values: npt.NDArray[Any],
    layout: Layout,
    *,
    force: bool = False,
    round_to_input: bool = False,
) -> None:
    """Write samples, an ndarray of shape (n, p), at once; the rest is as for `open_output`."""
    with open_output(
        target, len(values), values.dtype, layout, force=force, round_to_input=round_to_input
    ) as write:
        write(values)


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


def _writer(
    handle: BinaryIO, shape: tuple[int, ...], dtype: np.dtype[Any], layout: Layout, target: str
) -> AbstractContextManager[Write]:
    """Return the writer of one format."""
    suffix, kind = _format_of(target, layout)
    dataset = layout.dataset or "data"
    in_columns = layout.transposed
    if kind == "hdf5":
        from ikpca_cli.formats.guarded import hdf5_writer

        compressed = layout.compressed
        return hdf5_writer(handle, shape, dtype, dataset, last=in_columns, compressed=compressed)
    if kind == "mat73":
        from ikpca_cli.formats.mat import mat73_writer

        return mat73_writer(handle, shape, dtype, dataset, transposed=in_columns)
    if kind == "npy" and not (in_columns and not handle.readable()):
        from ikpca_cli.formats.npy import npy_writer

        return npy_writer(handle, shape, dtype, last=in_columns)
    if kind == "mat" or in_columns:
        return _at_once(handle, shape, dtype, layout, target)
    if kind == "csv":
        from ikpca_cli.formats.csv.table_output import styled, table_writer

        style = styled(layout.table, suffix, gzip=target.lower().endswith(".gz"))
        return table_writer(handle, (shape[0], int(np.prod(shape[1:]))), style)
    from ikpca_cli.formats.npy import npz_writer

    return npz_writer(handle, shape, dtype, dataset, compressed=layout.compressed)


@contextmanager
def _at_once(
    handle: BinaryIO, shape: tuple[int, ...], dtype: np.dtype[Any], layout: Layout, target: str
) -> Iterator[Write]:
    """Collect all samples in memory, and write them when they are complete."""
    values = np.empty(shape, dtype)
    done = 0

    def write(block: npt.NDArray[Any]) -> None:
        nonlocal done
        values[done : done + len(block)] = block
        done += len(block)

    yield write
    stored = values.T if layout.transposed else values
    if _format_of(target, layout)[1] == "mat":
        from ikpca_cli.formats.mat import write_mat

        buffer = io.BytesIO()  # scipy seeks, and a pipe has no way back
        write_mat(buffer, stored, layout.dataset or "data")
        handle.write(buffer.getbuffer())
        return
    as_stored = replace(layout, transposed=False, sample_shape=stored.shape[1:])
    with _writer(handle, stored.shape, dtype, as_stored, target) as write_stored:
        write_stored(stored)
