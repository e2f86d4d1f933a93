"""The samples of several files, each file by itself, with a few of them open at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ikpca_cli.formats.csv.parsing.spool import Spool
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.rows.few_open import FewOpen, is_kept, named_warnings
from ikpca_cli.formats.rows.mapped import Mapped
from ikpca_cli.formats.rows.row_slices import BLOCK


class Apart:
    """Files that need not be alike: recordings of other lengths, pictures of other sizes.

    Parameters
    ----------
    opens : sequence of callables
        Each opens a file.

    Attributes
    ----------
    files : list of OneFile
        Their samples.
    warnings : list of (str, str)
        Lines that the user should see: the name of a file, and what is said of it.
    """

    def __init__(self, opens: Sequence[Callable[[], Rows]]) -> None:
        self.files: list[OneFile] = []
        self.warnings: list[tuple[str, str]] = []
        self._files = FewOpen(lambda place: opens[place]())
        self._spool: Spool | None = None  # of all numbers that are kept, one after another
        try:
            for place, opened in enumerate(opens):
                with opened() as rows:
                    self._take(rows, place)
        except BaseException:
            self.close()
            raise
        kept = None if self._spool is None else self._spool.rows()
        self._kept = None if kept is None else Mapped.of(kept)

    def close(self) -> None:
        """Close what is open."""
        self._files.close()
        if self._spool is not None:
            self._spool.close()

    def __enter__(self) -> Apart:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, place: int, rows: slice) -> npt.NDArray[Any]:
        """Return some samples of a file, (k, p)."""
        file = self.files[place]
        start, stop, _ = rows.indices(file.shape[0])
        if file.spooled is None:
            return self._files.read(place, slice(start, stop))
        assert self._kept is not None
        width = file.shape[1]
        first, count = file.spooled + start * width, max(stop - start, 0)
        return np.asarray(self._kept[first : first + count * width]).reshape(count, width)

    def _take(self, rows: Rows, place: int) -> None:
        """Take in a file that was opened, and keep its samples if they are few."""
        self.warnings += named_warnings(rows)
        spooled = self._keep(rows) if is_kept(rows) else None
        self.files.append(OneFile(self, place, rows, spooled))

    def _keep(self, rows: Rows) -> int:
        """Keep the samples of a file, and return where they begin."""
        if self._spool is None:
            self._spool = Spool(1, rows.name)
        begins = self._spool.count
        step = max(1, BLOCK // rows.shape[1])
        for start in range(0, len(rows), step):
            numbers = np.asarray(rows[start : start + step], np.float64).reshape(-1, 1)
            self._spool.add(numbers, self._spool.count + len(numbers))
        return begins


class OneFile:
    """The samples of one of several files.

    Attributes
    ----------
    name, shape, layout, dtype, has_holes
        As for `Rows`.
    spooled : int or None
        Where its numbers begin among those that are kept; None if they are read from the file.
    """

    def __init__(self, files: Apart, place: int, rows: Rows, spooled: int | None) -> None:
        self.name: str = rows.name
        self.shape: tuple[int, int] = rows.shape
        self.layout: Layout = rows.layout
        self.dtype, self.has_holes = rows.dtype, rows.has_holes
        self.spooled = spooled
        self._files, self._place = files, place

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> npt.NDArray[Any]:
        """Return the samples of a slice with step 1, (k, p)."""
        return self._files.read(self._place, rows)
