"""Many files that are read by turns, with a few of them open at a time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy.typing as npt

from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format_registry import format_named

SMALL = 1 << 21
"""Numbers of a file up to which they are kept and the file is not opened again."""

OPEN = 8
"""Files that are open at a time."""


class FewOpen:
    """Files that are opened when they are read, and closed when others have been read since.

    Parameters
    ----------
    opened : callable
        Opens the file at a place.
    """

    def __init__(self, opened: Callable[[int], Rows]) -> None:
        self._opened = opened
        self._lock = threading.Lock()
        self._open: OrderedDict[int, Rows] = OrderedDict()

    def read(self, place: int, rows: slice) -> npt.NDArray[Any]:
        """Return some samples of a file, (k, p)."""
        with self._lock:
            file = self._open.pop(place, None) or self._opened(place)
            self._open[place] = file
            if len(self._open) > OPEN:
                self._open.popitem(last=False)[1].close()
            return file[rows]

    def close(self) -> None:
        """Close what is open."""
        for rows in self._open.values():
            rows.close()
        self._open.clear()


def is_kept(rows: Rows) -> bool:
    """Tell whether the samples of a file are kept, as they are few or cannot be read in part."""
    small = rows.shape[0] * rows.shape[1] <= SMALL
    return small or not format_named(rows.layout.format).sliceable


def named_warnings(rows: Rows) -> list[tuple[str, str]]:
    """Return what a file warns of: its name, and what is said of it."""
    return [(rows.name, line.removeprefix(f"{rows.name}: ")) for line in rows.warnings]
