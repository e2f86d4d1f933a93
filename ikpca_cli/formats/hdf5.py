"""HDF5 files, and MATLAB's version 7.3, which is HDF5 with the axes reversed."""

from __future__ import annotations

import io
import math
import threading
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ikpca_cli.errors import InputError
from ikpca_cli.formats.array_checks import check_numbers, check_shape
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.layout import Layout, ReadOptions

_WINDOW = 32 << 20  # bytes read at once
_LARGEST_WINDOW = 256 << 20  # beyond it, chunks are decompressed more than once instead
_LISTED = 20


class Window:
    """Samples of a dataset, read in long stretches that end where chunks end.

    A chunk is decompressed as a whole, and a column of a contiguous dataset costs a seek for each
    row: reading a few samples at a time must not pay for that each time. Samples that are picked
    here and there are read alone.

    Parameters
    ----------
    dataset
        An h5py dataset, not empty.
    reverse
        Whether the samples lie along the last axis, and all axes are to be turned round.
    """

    def __init__(self, dataset: Any, *, reverse: bool) -> None:
        self._dataset = dataset
        self._reverse = reverse
        self.shape: tuple[int, ...] = dataset.shape[::-1] if reverse else dataset.shape
        self.dtype: np.dtype[Any] = dataset.dtype
        sample = math.prod(self.shape[1:]) * self.dtype.itemsize
        chunk = 1 if dataset.chunks is None else dataset.chunks[-1 if reverse else 0]
        self._step = min(chunk, max(1, _LARGEST_WINDOW // sample))
        self._least = max(1, _WINDOW // sample)
        self._start = 0
        self._held: npt.NDArray[Any] = np.empty((0, *self.shape[1:]), self.dtype)
        self._lock = threading.Lock()

    def __getitem__(self, rows: slice) -> npt.NDArray[Any]:
        """Return the samples of a slice with step 1."""
        start, stop = rows.start, rows.stop
        with self._lock:
            end = self._start + len(self._held)
            if start < self._start or stop > end:
                if not self._start <= start <= end:
                    block = self._read(start, stop)
                    self._start, self._held = stop, block[:0]
                    return block
                first = start // self._step * self._step
                last = -(-max(stop, first + self._least) // self._step) * self._step
                self._held = self._read(first, min(last, self.shape[0]))
                self._start = first
            return self._held[start - self._start : stop - self._start]

    def _read(self, start: int, stop: int) -> npt.NDArray[Any]:
        """Read samples from the file."""
        if self._reverse:
            block: npt.NDArray[Any] = self._dataset[..., start:stop].T
        else:
            block = self._dataset[start:stop]
        return block


def read_hdf5(path: str, name: str, data: bytes | None, options: ReadOptions) -> Rows:
    """Open a dataset of an HDF5 file.

    Parameters
    ----------
    path
        The file, unless `data` holds its bytes.
    name
        What messages call it.
    data
        The bytes of standard input, or None.
    options
        `dataset` names one; needed only where several could be meant.

    Returns
    -------
    Rows
        Over the dataset, which stays in the file.

    Raises
    ------
    InputError
        If no dataset is a stack of samples, several are, the one named is not, its numbers are
        not all in this file, or the file is damaged.
    """
    import h5py

    try:
        # A larger chunk cache than HDF5's 1 MB keeps a row of chunks between two windows.
        file = h5py.File(path if data is None else io.BytesIO(data), "r", rdcc_nbytes=_WINDOW)
    except OSError as error:
        raise InputError(f"{name}: is a damaged or incomplete HDF5 file ({error})") from error
    try:
        length = Path(path).stat().st_size if data is None else len(data)
        return _open(file, name, length, options)
    except InputError:
        file.close()
        raise
    except (OSError, RuntimeError, KeyError, ValueError, TypeError) as error:
        file.close()
        reason = " ".join(str(error).split())
        raise InputError(f"{name}: is a damaged HDF5 file ({reason})") from error


def _open(file: Any, name: str, length: int, options: ReadOptions) -> Rows:
    from ikpca_cli.formats.hdf5_trust import check_content

    chosen = _choose(file, name, options.dataset)
    dataset = file[chosen]
    matlab = "MATLAB_class" in dataset.attrs
    called = f"{name}: {chosen}"
    shape = dataset.shape[::-1] if matlab else dataset.shape
    check_numbers(called, dataset.dtype)
    check_shape(called, shape, transpose=options.transpose)
    check_content(file, dataset, called, length)
    samples = Window(dataset, reverse=matlab != options.transpose)
    layout = Layout(
        format="mat73" if matlab else "hdf5",
        dtype=dataset.dtype,
        sample_shape=samples.shape[1:],
        transposed=options.transpose,
        dataset=chosen,
        compressed=dataset.compression is not None,
    )
    return Rows(samples, called, layout, missing=options.missing, close=file.close)


def _choose(file: Any, name: str, asked: str | None) -> str:
    """Return the path of the dataset asked for, or of the only one that could be meant."""
    import h5py

    from ikpca_cli.formats.hdf5_trust import datasets, resolve

    found = datasets(file, name)
    listed = ", ".join(f"{key} {_describe(item)}" for key, item in list(found.items())[:_LISTED])
    if len(found) > _LISTED:
        listed += f" and {len(found) - _LISTED} more"
    if asked is not None:
        item = resolve(file, asked, name)
        if item is None:
            raise InputError(f"{name}: has no dataset {asked!r}; it holds {listed or 'none'}")
        if not isinstance(item, h5py.Dataset):
            raise InputError(f"{name}: {asked!r} is a group; its file holds {listed or 'none'}")
        if item.shape is None:
            raise InputError(f"{name}: {asked} is a null dataset, without any values")
        return str(item.name).strip("/")
    if not found:
        raise InputError(f"{name}: holds no dataset (links to other files are not followed)")
    usable = [key for key, item in found.items() if _usable(item)]
    if len(usable) == 1:
        return usable[0]
    if len(found) == 1 and found[(only := next(iter(found)))].shape is not None:
        return only  # to be refused with its own reason
    if usable:
        raise InputError(f"{name}: holds several datasets; name one with --dataset: {listed}")
    raise InputError(f"{name}: no dataset is a table of numbers: {listed}")


def _usable(item: Any) -> bool:
    """Tell whether a dataset could be a stack of samples."""
    shape = item.shape
    return (
        shape is not None and len(shape) > 1 and math.prod(shape) > 0 and item.dtype.kind in "biuf"
    )


def _describe(item: Any) -> str:
    """Say what a dataset is, in few words."""
    if item.shape is None:
        return "(null)"
    shape = item.shape[::-1] if "MATLAB_class" in item.attrs else item.shape
    if item.dtype.kind in "SUO":
        return f"{shape} text"
    return str(shape) if item.dtype.kind in "biuf" else f"{shape} {item.dtype.kind}"
