"""What of a file is signal: canvases to cut windows from, and columns that stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray, RowSource, row_name
from ikpca_cli.errors import InputError
from ikpca_cli.recordings.cutting import Cutting, Kind

LOOKED_AT = 4096
"""Rows at both ends of a file that tell whether a column is one of times."""

_FEWEST = 16  # rows that tell it
_BENT = 0.05  # distance from a straight line, over its length, of times that were rounded

Blocks = Iterator[tuple[slice, FloatArray]]


class Canvas(Protocol):
    """An array of two axes, read by slices of the first."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(length, width)."""

    def __getitem__(self, rows: slice, /) -> Any:
        """Rows as an array."""


@dataclass(frozen=True)
class _Channels:
    """Some columns of rows."""

    rows: RowSource
    columns: NDArray[np.intp]

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.shape[0], len(self.columns)

    def __getitem__(self, rows: slice) -> FloatArray:
        block: FloatArray = np.asarray(self.rows[rows], dtype=np.float64)[:, self.columns]
        return block


@dataclass(frozen=True)
class _Sample:
    """One row, as an array of two axes. It is read when it is needed, as a whole."""

    rows: RowSource
    place: int
    shape: tuple[int, int]

    def __getitem__(self, rows: slice) -> FloatArray:
        row = np.asarray(self.rows[self.place : self.place + 1], dtype=np.float64)
        return row.reshape(self.shape)[rows]


@dataclass(frozen=True)
class Recording:
    """The canvases of a file, in its order.

    Attributes
    ----------
    rows : RowSource, shape (n, p)
        The file as it is read.
    canvases : tuple of Canvas
        One whose first axis is that of the rows, or one a row.
    columns : ndarray of int
        The columns of the rows that the only canvas has; all where there is one a row.
    time : tuple of int
        Columns that hold times.
    """

    rows: RowSource
    canvases: tuple[Canvas, ...]
    columns: NDArray[np.intp]
    time: tuple[int, ...] = ()

    @property
    def by_rows(self) -> bool:
        """Whether each row is a canvas of its own."""
        return isinstance(self.canvases[0], _Sample)

    @property
    def width(self) -> int:
        """Columns of the canvases."""
        return int(self.canvases[0].shape[1])

    def check(self, cutting: Cutting) -> None:
        """Refuse a recording that windows cannot be cut from.

        Raises
        ------
        InputError
        """
        name, shape = row_name(self.rows), self.canvases[0].shape
        if cutting.kind == "image":
            if shape[0] < cutting.height or shape[1] < cutting.width:
                raise InputError(
                    f"{name}: a picture of {shape[0]} x {shape[1]} is smaller than the window "
                    f"{cutting.text}; give a smaller one (--window)"
                )
            return
        if shape[1] != cutting.width:
            raise InputError(
                f"{name}: has {shape[1]} channels, but the model was fitted on {cutting.width}; "
                "give a recording of the same channels"
            )
        if cutting.kind == "signal" and shape[0] < cutting.height:
            raise InputError(
                f"{name}: has {shape[0]} samples, fewer than the window {cutting.height}; give a "
                "longer recording, or a smaller window (--window)"
            )

    def cleaned(self, clean: Callable[[Canvas], Blocks]) -> Iterator[tuple[slice, FloatArray]]:
        """Yield (slice, rows with their canvases cleaned), what is no signal as it is."""
        if not self.by_rows:
            for part, block in clean(self.canvases[0]):
                rows = np.array(self.rows[part], dtype=np.float64)
                rows[:, self.columns] = block
                yield part, rows
            return
        for place, canvas in enumerate(self.canvases):
            whole = np.concatenate([block for _, block in clean(canvas)])
            yield slice(place, place + 1), whole.reshape(1, -1)


def recording_of(rows: RowSource, kind: Kind, sample_shape: tuple[int, ...] = ()) -> Recording:
    """Find the canvases of a file.

    Parameters
    ----------
    rows : RowSource, shape (n, p)
        Samples by channels; or channels by samples, each row a recording of its own, where rows are
        longer than there are many; or a picture; or a stack of pictures.
    kind : {"signal", "image", "beats"}
    sample_shape : tuple of int
        The shape of what a row was in its file; two numbers for a stack of pictures.

    Raises
    ------
    InputError
        If there is no signal in it.
    """
    n_rows, n_columns = rows.shape
    every = np.arange(n_columns)
    if kind == "image":
        shape = sample_shape if len(sample_shape) > 1 else (n_rows, n_columns)
        if len(shape) != 2:
            raise InputError(
                f"{row_name(rows)}: holds pictures of shape {sample_shape}; give pictures of two "
                "axes, one channel a file"
            )
        if len(sample_shape) > 1:
            samples = (_Sample(rows, place, shape) for place in range(n_rows))
            return Recording(rows, tuple(samples), every)
        return Recording(rows, (_Channels(rows, every),), every)
    if n_columns > n_rows:
        samples = (_Sample(rows, place, (n_columns, 1)) for place in range(n_rows))
        return Recording(rows, tuple(samples), every)
    time = time_columns(rows)
    columns = np.setdiff1d(every, time)
    if len(columns) == 0:
        raise InputError(f"{row_name(rows)}: holds times alone, and no signal")
    return Recording(rows, (_Channels(rows, columns),), columns, time)


def time_columns(rows: RowSource) -> tuple[int, ...]:
    """Return the columns that rise from row to row, as times or a count of the rows do.

    Rounded times may stay the same for some rows if they lie along a straight line.
    """
    n_rows, n_columns = rows.shape
    if n_rows < _FEWEST or n_columns < 2:
        return ()
    ends = [
        np.asarray(rows[part], dtype=np.float64)
        for part in (slice(0, LOOKED_AT), slice(max(0, n_rows - LOOKED_AT), n_rows))
    ]
    found = []
    for column in range(n_columns):
        first, last = (end[:, column] for end in ends)
        if first[0] < last[-1] and _rises(first) and _rises(last):
            found.append(column)
    return tuple(found)


def _rises(values: FloatArray) -> bool:
    steps = np.diff(values)
    if (steps > 0.0).all():
        return True
    line = np.linspace(values[0], values[-1], len(values))
    straight = np.abs(values - line).max() <= _BENT * (values[-1] - values[0])
    return bool((steps >= 0.0).all() and np.mean(steps > 0.0) >= 0.5 and straight)
