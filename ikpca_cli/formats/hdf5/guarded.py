"""HDF5 files written through a file that never fails while the library is at work.

The HDF5 library crashes when a write of its own fails, as on a full disk, and a Ctrl-C must not
strike while it calls back into Python. So what it writes goes through a file that keeps the first
error to itself, in a thread that no signal reaches; the error is raised between two calls.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np

from ikpca_cli.formats.format import Array, Output, Write
from ikpca_cli.formats.layout import Part
from ikpca_cli.formats.output import write_at

_CHUNK = 1 << 20  # bytes compressed together
_CACHE = 32 << 20  # bytes of chunks that wait for their other rows


class _Guarded(io.RawIOBase):
    """A file as h5py asks for, whose writes always seem to succeed."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self.error: OSError | None = None
        self.end = 0
        self._descriptor = descriptor
        self._place = 0
        self._lost: list[tuple[int, bytes]] = []

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move, and return the place."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self.end}[whence]
        self._place = base + offset
        return self._place

    def tell(self) -> int:
        """Return the place."""
        return self._place

    def readinto(self, buffer: Any) -> int:
        """Read what was written, also what the disk refused."""
        view = memoryview(buffer).cast("B")
        found = os.pread(self._descriptor, len(view), self._place)
        view[: len(found)] = found
        view[len(found) :] = bytes(len(view) - len(found))
        for start, data in self._lost:
            low = max(start, self._place)
            high = min(start + len(data), self._place + len(view))
            if low < high:
                view[low - self._place : high - self._place] = data[low - start : high - start]
        self._place += len(view)
        return len(view)

    def write(self, data: Any) -> int:
        """Write, or keep the error and what could not be written."""
        view = memoryview(data).cast("B")
        try:
            if self.error is None:
                write_at(self._descriptor, view, self._place)
        except OSError as error:
            self.error = error
        if self.error is not None:
            self._lost.append((self._place, bytes(view)))
        self._place += len(view)
        self.end = max(self.end, self._place)
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        """Set the length, which the disk learns of at the end."""
        self.end = self._place if size is None else size
        return self.end

    def flush(self) -> None:
        """Do nothing: nothing is held back."""


@contextmanager
def hdf5_writer(
    output: Output,
    *,
    last: bool,
    name_of: Callable[[str], str] = str,
    userblock: bytes = b"",
    attributes: dict[str, Any] | None = None,
) -> Iterator[Write]:
    """Write an HDF5 file of one dataset, or of those that the samples came from, in order.

    Parameters
    ----------
    output
        The array to write; for a pipe the file is kept in memory.
    last
        Whether the samples lie along the last axis, and all axes are turned round.
    name_of
        What a dataset is called in this file.
    userblock
        What stands before the HDF5 file: 512 bytes, or a power of two more.
    attributes
        What is attached to each dataset, beside what `Layout.beside` has for it.

    Yields
    ------
    callable
        Takes the next samples, of shape (k, ...).

    Raises
    ------
    OSError
        If the disk is full or refuses.
    """
    import h5py

    from ikpca_cli.formats.hdf5.attributes import Attachments

    handle, layout, shape = output.handle, output.layout, output.shape
    on_disk = handle.readable() and handle.seekable()
    guarded = _Guarded(handle.fileno()) if on_disk else None
    buffer: Any = guarded or io.BytesIO()
    parts = layout.parts or (Part(output.dataset, shape[0]),)
    ends = np.cumsum([part.count for part in parts])

    def check() -> None:
        if guarded is not None and guarded.error is not None:
            raise guarded.error

    def start() -> tuple[Any, list[Any]]:
        file = h5py.File(buffer, "w", userblock_size=len(userblock), rdcc_nbytes=_CACHE)
        datasets = [_create(file, name_of(part.dataset), part, output, last) for part in parts]
        for data in datasets:
            data.attrs.update(attributes or {})
        return file, datasets

    with ThreadPoolExecutor(1) as thread:
        file, datasets = thread.submit(start).result()
        done = 0

        def write(block: Array) -> None:
            nonlocal done
            while len(block):
                place = int(np.searchsorted(ends, done, side="right"))
                start = done - int(ends[place] - parts[place].count)
                some = block[: int(ends[place]) - done]
                thread.submit(_put, datasets[place], parts[place], start, some, last).result()
                check()
                done, block = done + len(some), block[len(some) :]

        try:
            yield write
            if isinstance(layout.beside, Attachments):
                thread.submit(layout.beside.attach, file).result()
        finally:
            thread.submit(file.close).result()
        check()
    if guarded is not None:
        os.ftruncate(handle.fileno(), guarded.end)
        write_at(handle.fileno(), memoryview(userblock), 0)
    else:
        handle.write(userblock)
        handle.write(buffer.getbuffer()[len(userblock) :])


def _create(file: Any, name: str, part: Part, output: Output, last: bool) -> Any:
    """Make the dataset of a part of the samples of an output, with room for all of them."""
    form = (part.count, *output.shape[1:])
    stored = form[1:] if part.vector else form[::-1] if last else form
    how: dict[str, Any] = {}
    if output.layout.compressed:
        how = {"chunks": True if part.vector else _chunks(form, output.dtype.itemsize, last)}
        how["compression"] = "gzip"
    return file.create_dataset(name, stored, output.dtype, **how)


def _put(data: Any, part: Part, start: int, block: Array, last: bool) -> None:
    """Write samples (k, ...) of a part into its dataset, from a place on."""
    if part.vector:
        data[...] = block[0]
    elif last:
        data[..., start : start + len(block)] = block.T
    else:
        data[start : start + len(block)] = block


def _chunks(shape: tuple[int, ...], itemsize: int, last: bool) -> tuple[int, ...] | bool:
    """Return chunks of whole samples, or leave it to h5py where one sample is too large."""
    sample = int(np.prod(shape[1:])) * itemsize
    if sample > _CHUNK:
        return True
    chunk = (min(shape[0], max(1, _CHUNK // sample)), *shape[1:])
    return chunk[::-1] if last else chunk
