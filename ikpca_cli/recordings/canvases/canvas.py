"""Arrays of two axes that windows are cut from: stretches of a recording, and single rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray, RowSource, check_quickly, row_name
from ikpca_cli.recordings.canvases.lone_samples import read_without


class Canvas(Protocol):
    """An array of two axes, read by slices of the first."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(length, width)."""

    def __getitem__(self, rows: slice, /) -> Any:
        """Rows as an array."""


def in_memory(canvas: Canvas) -> FloatArray:
    """Return a whole canvas as one array."""
    return np.asarray(canvas[0 : int(canvas.shape[0])], dtype=np.float64)


@dataclass(frozen=True)
class Channels:
    """Some columns of a stretch of rows, without spikes if these are measured by `stds`."""

    rows: RowSource
    columns: NDArray[np.intp]
    start: int
    stop: int
    stds: FloatArray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """(length, channels)."""
        return self.stop - self.start, len(self.columns)

    @property
    def name(self) -> str:
        """What messages call the file."""
        return row_name(self.rows)

    @property
    def is_part(self) -> bool:
        """Whether there is more of the recording, beyond a leap."""
        return self.stop - self.start < self.rows.shape[0]

    def __getitem__(self, rows: slice) -> FloatArray:
        length = self.stop - self.start
        first, last, _ = rows.indices(length)
        some = slice(first, max(first, last))
        return (
            self._read(some)
            if self.stds is None
            else read_without(self._read, some, length, self.stds)
        )

    def _read(self, rows: slice) -> FloatArray:
        part = slice(self.start + rows.start, self.start + rows.stop)
        block = np.asarray(self.rows[part], dtype=np.float64)
        check_quickly(self.rows, part, block)
        channels: FloatArray = block[:, self.columns]
        return channels


@dataclass(frozen=True)
class Sample:
    """One row, as an array of two axes; as `Channels`. It is read when needed, as a whole."""

    rows: RowSource
    place: int
    shape: tuple[int, int]
    stds: FloatArray | None = None

    @property
    def name(self) -> str:
        """What messages call the file."""
        return row_name(self.rows)

    def __getitem__(self, rows: slice) -> FloatArray:
        part = slice(self.place, self.place + 1)
        row = np.asarray(self.rows[part], dtype=np.float64)
        check_quickly(self.rows, part, row)
        canvas = row.reshape(self.shape)
        if self.stds is None:
            return canvas[rows]
        first, last, _ = rows.indices(self.shape[0])
        some = slice(first, max(first, last))
        return read_without(canvas.__getitem__, some, self.shape[0], self.stds)
