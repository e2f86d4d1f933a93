"""NumPy's npy files: rows are read from the file as they are needed."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import EllipsisType
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from ikpca_cli.data.row_source import Progress
from ikpca_cli.errors import InputError
from ikpca_cli.formats.array_checks import check_numbers, check_shape
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format import Array, Format, Input, Output, Write, at_once
from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.output import write_at
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.formats.rows.window import Window

SIGNATURE = b"\x93NUMPY"

Header: TypeAlias = tuple[tuple[int, ...], bool, np.dtype[Any]]


class _Stored:
    """An array as it lies in a file, in C order.

    It is read, not mapped: where a mapped file is cut short by someone else, the process dies.

    Parameters
    ----------
    file
        Open for reading; it may be closed then.
    offset
        Bytes before the first number.
    shape, dtype
        Of the array in the file.
    """

    chunks = None

    def __init__(
        self, file: BinaryIO, offset: int, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self._descriptor = os.dup(file.fileno())
        self._offset = offset

    def close(self) -> None:
        """Close the file; also done when nobody holds the array any more."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        self.close()

    def __getitem__(self, part: slice | tuple[EllipsisType, slice]) -> Array:
        """Return ``[start:stop]``, or ``[..., start:stop]``."""
        if isinstance(part, slice):
            row = math.prod(self.shape[1:])
            block = np.empty((part.stop - part.start, *self.shape[1:]), self.dtype)
            self._fill(block, part.start * row)
            return block
        start, stop = part[1].start, part[1].stop
        lines = np.empty((math.prod(self.shape[:-1]), stop - start), self.dtype)
        for place, line in enumerate(lines):
            self._fill(line, place * self.shape[-1] + start)
        return lines.reshape(*self.shape[:-1], stop - start)

    def _fill(self, block: Array, first: int) -> None:
        """Read numbers from the `first` one on."""
        view = block.reshape(-1).view(np.uint8).data
        place = self._offset + first * self.dtype.itemsize
        while view:
            count = os.preadv(self._descriptor, [view], place)
            if count == 0:
                raise OSError("it ends before its last number: it was cut short meanwhile")
            view, place = view[count:], place + count


def _read(file: Input, options: ReadOptions, _: Progress) -> Rows:
    """Open an npy file; InputError if it is no stack of samples, damaged or incomplete."""
    with file.open() as stream:
        shape, fortran, dtype = npy_header(stream, file.name)
        offset = stream.tell()
        check_numbers(file.name, dtype)
        vector = check_shape(file.name, shape, options)
        needed, there = math.prod(shape) * dtype.itemsize, file.length() - offset
        if there < needed:
            raise InputError(
                f"{file.name}: is incomplete: shape {shape} needs {needed} bytes, and "
                f"{there} are there"
            )
        stream.seek(needed, io.SEEK_CUR)
        check_end(stream, file.name)
        if file.data is not None:
            flat = np.frombuffer(file.data, dtype, math.prod(shape), offset)
            array = flat.reshape(shape, order="F" if fortran else "C")
            return array_rows(array, file.name, "npy", options)
        shape = (1, *shape) if vector else shape[::-1] if fortran else shape
        stored = _Stored(stream, offset, shape, dtype)
    turned = options.transpose and not vector
    reverse = (fortran and not vector) != turned
    samples = Window(stored, reverse=True) if reverse else stored
    layout = Layout(
        format="npy",
        dtype=dtype,
        sample_shape=samples.shape[1:],
        transposed=turned,
        vector=vector,
    )
    return Rows(samples, file.name, layout, missing=options.missing, close=stored.close)


def array_rows(
    array: Array,
    name: str,
    kind: str,
    options: ReadOptions,
    *,
    dataset: str | None = None,
    **form: Any,
) -> Rows:
    """Wrap an array with its samples along the first axis, or the last if transposed.

    Parameters
    ----------
    array
        As its file has it.
    name
        What messages call it.
    kind
        The name of its format.
    options
        Of which `transpose` and `missing` matter.
    dataset
        Its name in the file.
    **form
        Further attributes of its `Layout`.

    Raises
    ------
    InputError
        If it is no stack of samples.
    """
    check_numbers(name, array.dtype)
    vector = check_shape(name, array.shape, options)
    turned = options.transpose and not vector
    samples = array[np.newaxis] if vector else array.T if turned else array
    layout = Layout(
        format=kind,
        dtype=array.dtype,
        sample_shape=samples.shape[1:],
        transposed=turned,
        vector=vector,
        dataset=dataset,
        **form,
    )
    return Rows(samples, name, layout, missing=options.missing)


def npy_header(file: BinaryIO, name: str) -> Header:
    """Return shape, order and type, leaving the file at the first number.

    Raises
    ------
    InputError
        If the header is damaged; `name` is what the message calls the file.
    """
    try:
        version = np.lib.format.read_magic(file)
        if version == (1, 0):
            return _possible(np.lib.format.read_array_header_1_0(file))
        if version == (2, 0):
            return _possible(np.lib.format.read_array_header_2_0(file))
        if version == (3, 0):
            return _possible(np.lib.format.read_array_header_2_0(_as_version_2(file)))
    except Exception as error:  # numpy lets a header's parser raise what it likes
        reason = " ".join(str(error).split())
        raise InputError(f"{name}: has a damaged npy header ({reason}); save it again") from error
    raise InputError(f"{name}: has npy format {version}, which is not known; save it as version 1")


def check_end(file: BinaryIO, name: str) -> None:
    """Refuse what stands behind an array, as where several were saved into one file.

    Raises
    ------
    InputError
        `name` is what the message calls the file.
    """
    more = file.read(len(SIGNATURE))
    if more == SIGNATURE:
        raise InputError(
            f"{name}: holds several arrays one behind the other, of which only the first would be "
            "read; save one a file, or all of them as .npz"
        )
    if more:
        raise InputError(
            f"{name}: holds more numbers than its header says; save it again, all of it as one "
            "array"
        )


def _as_version_2(file: BinaryIO) -> BinaryIO:
    """Return a header of version 3, whose text is UTF-8, as one of version 2, in Latin-1.

    They differ in the names of fields alone, which plain numbers do not have.
    """
    text = file.read(int.from_bytes(file.read(4), "little")).decode()
    plain = text.encode("latin-1", "replace")
    return io.BytesIO(len(plain).to_bytes(4, "little") + plain)


def _possible(header: Header) -> Header:
    """Refuse a header that numpy lets pass although no array is like it."""
    if any(isinstance(length, bool) or length < 0 for length in header[0]):
        raise ValueError(f"shape {header[0]}")
    return header


def start_npy(handle: BinaryIO, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Write:
    """Write the header of an array in C order; what is returned writes its samples in turn."""
    header = {
        "shape": shape,
        "fortran_order": False,
        "descr": np.lib.format.dtype_to_descr(dtype),
    }
    np.lib.format.write_array_header_1_0(handle, header)

    def append(block: Array) -> None:
        handle.write(np.ascontiguousarray(block, dtype).data.cast("B"))

    return append


@contextmanager
def _writer(output: Output) -> Iterator[Write]:
    handle, shape, dtype = output.handle, output.shape, output.dtype
    if not output.layout.transposed:
        yield start_npy(handle, shape, dtype)
        return
    if not handle.readable():  # a pipe does not take columns

        def save(values: Array) -> None:
            start_npy(handle, values.shape, dtype)(values)

        with at_once(output, save) as write:
            yield write
        return
    start_npy(handle, shape[::-1], dtype)
    handle.flush()
    begin, done = handle.tell(), 0

    def insert(block: Array) -> None:
        nonlocal done
        columns = np.ascontiguousarray(block.T, dtype)
        for row, part in enumerate(columns):
            place = begin + (row * shape[0] + done) * dtype.itemsize
            write_at(handle.fileno(), part.data.cast("B"), place)
        done += len(block)

    yield insert


NPY = Format(
    name="npy",
    suffixes=(".npy",),
    sniff=lambda head, _: head.startswith(SIGNATURE),
    read=_read,
    writer=_writer,
    sliceable=True,
)
