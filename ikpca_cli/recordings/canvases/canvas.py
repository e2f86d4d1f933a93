"""Arrays of two axes that windows are cut from: stretches of a recording, and single rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
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
        canvas = self._row().reshape(self.shape)
        if self.stds is None:
            return canvas[rows]
        first, last, _ = rows.indices(self.shape[0])
        some = slice(first, max(first, last))
        return read_without(canvas.__getitem__, some, self.shape[0], self.stds)

    def _row(self) -> FloatArray:
        part = slice(self.place, self.place + 1)
        row = np.asarray(self.rows[part], dtype=np.float64)
        check_quickly(self.rows, part, row)
        return row


@dataclass(frozen=True)
class Plane(Sample):
    """One plane of a coloured picture, from a row: what `turn`, (3,), makes of its colours."""

    turn: FloatArray = field(kw_only=True)

    def __getitem__(self, rows: slice) -> FloatArray:
        plane: FloatArray = self._row().reshape(*self.shape, 3)[rows] @ self.turn
        return plane


_OPPONENTS = np.array([[1.0, 1.0, 1.0], [1.0, 0.0, -1.0], [1.0, -2.0, 1.0]])
_OPPONENTS /= np.linalg.norm(_OPPONENTS, axis=1, keepdims=True)
"""What turns red, green and blue to brightness and two opponent colours.

It is orthogonal: white noise is as strong in each plane as it was in each colour.
"""

_RED = np.array([[1.0, 0.0, 0.0]])
"""All that there is in pictures whose colours are the same."""


def samples_of(rows: RowSource, shape: tuple[int, ...]) -> tuple[Sample, ...]:
    """Return the canvases of rows: one of each, or the planes of (height, width, 3) numbers."""
    places = range(int(rows.shape[0]))
    high, wide, *colours = shape
    if not colours:
        return tuple(Sample(rows, place, (high, wide)) for place in places)
    grey = all(
        not np.ptp(np.reshape(rows[place : place + 1], (-1, 3)), axis=1).any() for place in places
    )
    pairs = ((place, turn) for place in places for turn in (_RED if grey else _OPPONENTS))
    return tuple(Plane(rows, place, (high, wide), turn=turn) for place, turn in pairs)


def planes_of(canvases: Sequence[Canvas], one: Canvas) -> Sequence[Canvas]:
    """Return the canvases that are planes of the same picture as one of them, in their order."""
    if not isinstance(one, Plane):
        return [one]
    planes = (other for other in canvases if isinstance(other, Plane))
    return [other for other in planes if other.rows is one.rows and other.place == one.place]


def row_of(planes: Sequence[FloatArray], width: int) -> FloatArray:
    """Return the row, (1, width), of the canvases that `samples_of` makes of it."""
    if len(planes) == len(_OPPONENTS):
        row: FloatArray = np.stack(planes, axis=-1) @ _OPPONENTS
        return row.reshape(1, -1)
    return np.repeat(planes[0].reshape(1, -1), width // planes[0].size, axis=1)
