"""Many files that are read by turns, with a few of them open at a time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ikpca_cli.formats.csv.parsing.spool import Spool
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format_registry import format_named
from ikpca_cli.formats.rows.mapped import Mapped
from ikpca_cli.formats.rows.row_slices import BLOCK

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

    Attributes
    ----------
    warnings : list of (str, str)
        Lines that the user should see: the name of a file, and what is said of it.
    """

    def __init__(self, opened: Callable[[int], Rows]) -> None:
        self.warnings: list[tuple[str, str]] = []
        self._opened = opened
        self._lock = threading.Lock()
        self._open: OrderedDict[int, Rows] = OrderedDict()
        self._shapes: list[tuple[int, int]] = []
        self._begins: list[int | None] = []  # where the numbers of each file begin among those kept
        self._spool: Spool | None = None  # of all numbers that are kept, one after another
        self._kept: Any = None

    def take(self, rows: Rows) -> None:
        """Take in the next file, and keep its samples if they are few or not to be read in part."""
        own = [(rows.name, line.removeprefix(f"{rows.name}: ")) for line in rows.warnings]
        self.warnings += own
        count, width = rows.shape
        begins = None
        if count * width <= SMALL or not format_named(rows.layout.format).sliceable:
            self._spool = self._spool or Spool(1, rows.name)
            begins, step = self._spool.count, max(1, BLOCK // width)
            for start in range(0, count, step):
                numbers = np.asarray(rows[start : start + step], np.float64).reshape(-1, 1)
                self._spool.add(numbers, self._spool.count + len(numbers))
        self._begins.append(begins)
        self._shapes.append((count, width))

    def read(self, place: int, rows: slice) -> npt.NDArray[Any]:
        """Return some samples of a file, (k, p), when all are taken in."""
        count, width = self._shapes[place]
        start, stop, _ = rows.indices(count)
        begins = self._begins[place]
        with self._lock:
            if begins is None:
                file = self._open.pop(place, None) or self._opened(place)
                self._open[place] = file
                if len(self._open) > OPEN:
                    self._open.popitem(last=False)[1].close()
                return file[start:stop]
            if self._kept is None and self._spool is not None:
                self._kept = Mapped.of(self._spool.rows())
        kept = self._kept[begins + start * width : begins + max(stop, start) * width]
        return np.asarray(kept).reshape(-1, width)

    def close(self) -> None:
        """Close what is open."""
        for rows in self._open.values():
            rows.close()
        self._open.clear()
        if self._spool is not None:
            self._spool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
