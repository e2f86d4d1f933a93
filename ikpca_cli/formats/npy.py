"""NumPy's own files: npy, mapped and never loaded whole to be opened, and npz."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from ikpca_cli.errors import InputError
from ikpca_cli.formats.array_checks import check_numbers, check_shape
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.guarded import write_at
from ikpca_cli.formats.layout import Layout, ReadOptions
from ikpca_cli.formats.mapped import Mapped

Array = npt.NDArray[Any]
Header = tuple[tuple[int, ...], bool, np.dtype[Any]]


def read_npy(path: str, name: str, data: bytes | None, options: ReadOptions) -> Rows:
    """Open an npy file.

    Parameters
    ----------
    path
        The file, unless `data` holds its bytes.
    name
        What messages call it.
    data
        The bytes of standard input, or None.
    options
        Only `transpose` and `missing` matter.

    Returns
    -------
    Rows
        Over a memory map.

    Raises
    ------
    InputError
        If the array is not a stack of samples, or the file is damaged or incomplete.
    """
    with open(path, "rb") if data is None else io.BytesIO(data) as file:
        shape, fortran, dtype = _header(file, name)
        offset = file.tell()
        length = file.seek(0, io.SEEK_END)
    _check(name, shape, dtype, options.transpose)
    needed = math.prod(shape) * dtype.itemsize
    if length - offset < needed:
        raise InputError(
            f"{name}: is incomplete: shape {shape} needs {needed} bytes, and "
            f"{length - offset} are there"
        )
    order: Any = "F" if fortran else "C"
    if data is None:
        return _rows(np.memmap(path, dtype, "r", offset, shape, order), name, "npy", options)
    return _rows(np.ndarray(shape, dtype, data, offset, order=order), name, "npy", options)


def read_npz(path: str, name: str, data: bytes | None, options: ReadOptions) -> Rows:
    """Read one array of an npz file; parameters and errors as for `read_npy`.

    `options.dataset` names the array where the file holds several.
    """
    try:
        with zipfile.ZipFile(path if data is None else io.BytesIO(data)) as archive:
            members = [i for i in archive.infolist() if i.filename.endswith(".npy")]
            if not members:
                raise InputError(f"{name}: is a zip archive without arrays, not an npz file")
            headers = {}
            for member in members:
                with archive.open(member) as file:
                    headers[member.filename[:-4]] = _header(cast(BinaryIO, file), name)
            chosen = _choose(name, headers, options.dataset)
            member = next(i for i in members if i.filename[:-4] == chosen)
            name = f"{name}: {chosen}"
            shape, fortran, dtype = headers[chosen]
            _check(name, shape, dtype, options.transpose)
            if math.prod(shape) * dtype.itemsize > member.file_size:
                raise InputError(f"{name}: is incomplete: shape {shape} is more than is there")
            with archive.open(member) as file:
                _header(cast(BinaryIO, file), name)
                flat = np.frombuffer(file.read(), dtype, math.prod(shape))
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name}: is not a whole npz file ({error}); save it again") from error
    array = flat.reshape(shape, order="F" if fortran else "C")
    compressed = member.compress_type != zipfile.ZIP_STORED
    return _rows(array, name, "npz", options, dataset=chosen, compressed=compressed)


@contextmanager
def npy_writer(
    handle: BinaryIO, shape: tuple[int, ...], dtype: np.dtype[Any], *, last: bool = False
) -> Iterator[Callable[[Array], None]]:
    """Write an npy file in C order and native byte order, sample by sample.

    Parameters
    ----------
    handle
        Where to; a pipe will do unless `last`.
    shape
        The number of samples, then the shape of one.
    dtype
        The type of the numbers.
    last
        Whether the samples, of one axis, are the columns of the file.

    Yields
    ------
    callable
        Takes the next samples, of shape (k, ...).
    """
    header = {
        "shape": shape[::-1] if last else shape,
        "fortran_order": False,
        "descr": np.lib.format.dtype_to_descr(dtype),
    }
    np.lib.format.write_array_header_1_0(handle, header)

    def append(block: Array) -> None:
        handle.write(np.ascontiguousarray(block, dtype).data.cast("B"))

    if not last:
        yield append
        return
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


@contextmanager
def npz_writer(
    handle: BinaryIO,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    dataset: str,
    *,
    compressed: bool,
) -> Iterator[Callable[[Array], None]]:
    """Write an npz file of one array, named `dataset`, sample by sample, as `npy_writer` does."""
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with (
        zipfile.ZipFile(handle, "w", method) as archive,
        archive.open(f"{dataset}.npy", "w", force_zip64=True) as file,
        npy_writer(cast(BinaryIO, file), shape, dtype) as write,
    ):
        yield write


def _header(file: BinaryIO, name: str) -> Header:
    """Return shape, order and type, leaving the file at the first number."""
    try:
        version = np.lib.format.read_magic(file)
        if version == (1, 0):
            return np.lib.format.read_array_header_1_0(file)
        if version == (2, 0):
            return np.lib.format.read_array_header_2_0(file)
    except (ValueError, TypeError, SyntaxError, EOFError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{name}: has a damaged npy header ({reason}); save it again") from error
    raise InputError(f"{name}: has npy format {version}, written for fields with Unicode names")


def _check(name: str, shape: tuple[int, ...], dtype: np.dtype[Any], transpose: bool) -> None:
    check_numbers(name, dtype)
    check_shape(name, shape, transpose=transpose)


def _choose(name: str, headers: dict[str, Header], dataset: str | None) -> str:
    """Return the array asked for, or the only one that could be meant."""
    listed = ", ".join(f"{key} {shape}" for key, (shape, _, _) in headers.items())
    if dataset is not None:
        if dataset not in headers:
            raise InputError(f"{name}: has no array {dataset!r}; it holds {listed}")
        return dataset
    usable = [k for k, (s, _, d) in headers.items() if len(s) > 1 and d.kind in "biuf"]
    if len(headers) == 1:
        return next(iter(headers))
    if len(usable) == 1:
        return usable[0]
    raise InputError(f"{name}: holds several arrays; name one with --dataset: {listed}")


def _rows(
    array: Array,
    name: str,
    kind: str,
    options: ReadOptions,
    *,
    dataset: str | None = None,
    compressed: bool = False,
) -> Rows:
    """Wrap an array with its samples along the first axis, or the last if transposed."""
    samples = array.T if options.transpose else array
    layout = Layout(
        format=kind,
        dtype=array.dtype,
        sample_shape=samples.shape[1:],
        transposed=options.transpose,
        dataset=dataset,
        compressed=compressed,
    )
    return Rows(Mapped.of(samples), name, layout, missing=options.missing)
