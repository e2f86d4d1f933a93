"""The forms in which WFDB records store whole numbers (signal(5))."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ikpca_cli.formats.format import Array


@dataclass(frozen=True)
class Form:
    """How whole numbers are stored.

    Attributes
    ----------
    numbers, size
        So many of them take so many bytes.
    least
        The least of them, which means a missing one.
    read
        Returns the numbers of bytes.
    write
        Returns the bytes of int32 numbers, whose count is even but for the last ones of a file.
    """

    numbers: int
    size: int
    least: int
    read: Callable[[Array], Array]
    write: Callable[[Array], Array]

    def holds(self, low: int, high: int) -> bool:
        """Whether numbers between two are none that this form lacks, or takes for missing."""
        return self.least < low and high < -self.least


def _of_212(data: Array) -> Array:
    """Return numbers of 12 bits, two of which share three bytes."""
    whole = np.zeros((math.ceil(len(data) / 3), 3), np.uint8)
    whole.reshape(-1)[: len(data)] = data
    low, shared, high = (column.astype(np.int16) for column in whole.T)
    both = np.stack([low | (shared & 0x0F) << 8, high | (shared & 0xF0) << 4], axis=1)
    return (both.reshape(-1) << 4) >> 4  # the sign is in the twelfth bit


def _to_212(numbers: Array) -> Array:
    pairs = np.pad(numbers, (0, len(numbers) % 2)).reshape(-1, 2)
    first, second = (pairs & 0xFFF).T
    whole = np.stack([first & 0xFF, first >> 8 | (second >> 8) << 4, second & 0xFF], axis=1)
    return whole.astype(np.uint8).reshape(-1)[: math.ceil(len(numbers) * 3 / 2)]


def _of_24(data: Array) -> Array:
    whole = np.zeros((len(data) // 3, 4), np.uint8)
    whole[:, 1:] = data.reshape(-1, 3)
    return whole.view("<i4").reshape(-1) >> 8


def _to_24(numbers: Array) -> Array:
    return numbers.astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3]


def _plain(kind: str) -> Form:
    """Return the form of whole numbers of a type."""
    size = np.dtype(kind).itemsize
    least = np.iinfo(kind).min
    return Form(1, size, least, lambda data: data.view(kind), lambda found: found.astype(kind))


FORMS = {
    "80": Form(
        1,
        1,
        -(2**7),
        lambda data: data.astype(np.int16) - 128,
        lambda numbers: (numbers + 128).astype(np.uint8),
    ),
    "212": Form(2, 3, -(2**11), _of_212, _to_212),
    "16": _plain("<i2"),
    "61": _plain(">i2"),
    "24": Form(1, 3, -(2**23), _of_24, _to_24),
    "32": _plain("<i4"),
}
"""By their numbers, the narrowest first."""

WIDEST = FORMS["32"]


def form_for(own: Iterable[str], low: int, high: int) -> str:
    """Return the form for some numbers: the widest of their own, or the next that holds them.

    Parameters
    ----------
    own
        Names of the forms that they come from.
    low, high
        The least and the most of them, within the widest form.
    """
    names = list(FORMS)
    widest = max(own, key=names.index)
    wider = names[names.index(widest) :]
    return next(name for name in wider if FORMS[name].holds(low, high))
