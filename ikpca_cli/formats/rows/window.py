"""Samples read in long stretches, where reading a few at a time would cost as much."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import numpy.typing as npt

_WINDOW = 32 << 20  # bytes read at once
_LARGEST_WINDOW = 256 << 20  # beyond it, chunks are decompressed more than once instead


class Window:
    """Samples of a dataset, read in long stretches that end where chunks end.

    A chunk is decompressed as a whole, and a column of a contiguous dataset costs a seek for each
    row: reading a few samples at a time must not pay for that each time. Samples that are picked
    here and there are read alone.

    Parameters
    ----------
    dataset
        An h5py dataset or what is read like one, not empty.
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
