"""The samples of several files, each file by itself, with a few of them open at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy.typing as npt

from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.rows.few_open import FewOpen


class Apart(FewOpen):
    """Files that need not be alike: recordings of other lengths, pictures of other sizes.

    Parameters
    ----------
    opens : sequence of callables
        Each opens a file.

    Attributes
    ----------
    files : list of OneFile
        Their samples.
    """

    def __init__(self, opens: Sequence[Callable[[], Rows]]) -> None:
        super().__init__(lambda place: opens[place]())
        self.files: list[OneFile] = []
        try:
            for place, opened in enumerate(opens):
                with opened() as rows:
                    self.take(rows)
                    self.files.append(OneFile(self, place, rows))
        except BaseException:
            self.close()
            raise


class OneFile:
    """The samples of one of several files.

    Attributes
    ----------
    name, shape, layout, dtype, has_holes
        As for `Rows`.
    """

    def __init__(self, files: Apart, place: int, rows: Rows) -> None:
        self.name: str = rows.name
        self.shape: tuple[int, int] = rows.shape
        self.layout: Layout = rows.layout
        self.dtype, self.has_holes = rows.dtype, rows.has_holes
        self._files, self._place = files, place

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> npt.NDArray[Any]:
        """Return the samples of a slice with step 1, (k, p)."""
        return self._files.read(self._place, rows)
