"""Arrays of two axes that windows are cut from: stretches of a recording, and single rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray, RowSource, check_quickly, row_name


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
    """Some columns of a stretch of rows."""

    rows: RowSource
    columns: NDArray[np.intp]
    start: int
    stop: int

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
        first, last, _ = rows.indices(self.stop - self.start)
        part = slice(self.start + first, self.start + max(first, last))
        block = np.asarray(self.rows[part], dtype=np.float64)
        check_quickly(self.rows, part, block)
        channels: FloatArray = block[:, self.columns]
        return channels


@dataclass(frozen=True)
class Sample:
    """One row, as an array of two axes. It is read when it is needed, as a whole."""

    rows: RowSource
    place: int
    shape: tuple[int, int]

    @property
    def name(self) -> str:
        """What messages call the file."""
        return row_name(self.rows)

    def __getitem__(self, rows: slice) -> FloatArray:
        part = slice(self.place, self.place + 1)
        row = np.asarray(self.rows[part], dtype=np.float64)
        check_quickly(self.rows, part, row)
        return row.reshape(self.shape)[rows]
