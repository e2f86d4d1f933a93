"""What a format hands over, and checks of the numbers in it."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

BLOCK = 1 << 20  # numbers read at together, so that checks need little memory

Array = npt.NDArray[Any]


class Source(Protocol):
    """What a format hands over: samples along the first axis, read by slices."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of samples, then the shape of one."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers in the file."""

    def __getitem__(self, rows: slice, /) -> Array:
        """Return the samples of a slice with step 1."""


def plain_reason(error: Exception) -> str:
    """Return what a library says of damaged bytes on one line, or the kind of error it raised."""
    return " ".join(str(error).split()) or type(error).__name__


def first_not_finite(block: Array, *, with_nan: bool = False) -> tuple[int, int] | None:
    """Return the place of the first infinity, or NaN unless that may be."""
    size = max(1, BLOCK // block.shape[1])
    for start in range(0, block.shape[0], size):
        some = block[start : start + size]
        fine = ~np.isinf(some) if with_nan else np.isfinite(some)
        if not fine.all():
            row, column = np.argwhere(~fine)[0]
            return start + int(row), int(column)
    return None
