"""The samples of several files, read as those of one, with a few of the files open at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ikpca_cli.errors import InputError
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.rows.few_open import FewOpen

_NAMED = 10  # files that cannot be read, which an error names


@dataclass(frozen=True)
class Part:
    """One of the files.

    Attributes
    ----------
    name
        What messages call it.
    start, count
        Its samples among all, and how many it has.
    kept
        As for `Rows`.
    """

    name: str
    start: int
    count: int
    kept: npt.NDArray[np.intp] | None


class Joined(FewOpen):
    """Samples of several files, one file after another, read by slices.

    Parameters
    ----------
    opens : sequence of callables
        Each opens a file. Columns of the same names are read in the order of the first.
    resample : bool
        Whether signals of another axis are brought to that of the first file.

    Attributes
    ----------
    parts : list of Part
    first : Rows
        The first file; closed.

    Raises
    ------
    InputError
        If the samples of a file are not those of the first in number, shape, axis or names of
        columns, naming the file.
    """

    def __init__(self, opens: Sequence[Callable[[], Rows]], *, resample: bool = False) -> None:
        super().__init__(self._matched)
        self.parts: list[Part] = []
        self.first: Rows
        self._opens, self._resample = opens, resample
        dtypes, start = [], 0
        try:
            for place in range(len(opens)):
                try:
                    with self._matched(place) as rows:
                        self.first = self.first if place else rows
                        self._check(rows)
                        self.take(rows)
                except InputError as error:
                    raise InputError(f"{error}{self._also_unreadable(place)}") from error
                self.parts.append(Part(rows.name, start, len(rows), rows.kept))
                dtypes.append(rows.dtype)
                start += len(rows)
        except BaseException:
            self.close()
            raise
        self.shape = (start, self.first.shape[1])
        self.dtype = np.result_type(*dtypes)

    def __getitem__(self, rows: slice) -> npt.NDArray[Any]:
        """Return the samples of a slice with step 1, (k, p)."""
        start, stop, _ = rows.indices(self.shape[0])
        block = np.empty((max(stop - start, 0), self.shape[1]), self.dtype)
        for place, part in enumerate(self.parts):
            low, high = max(part.start, start), min(part.start + part.count, stop)
            if low < high:
                inner = slice(low - part.start, high - part.start)
                block[low - start : high - start] = self.read(place, inner)
        return block

    def _also_unreadable(self, place: int) -> str:
        """Return which files after one cannot be read, so that all are mended at once."""
        found = []
        for opens in self._opens[place + 1 :]:
            try:
                opens().close()
            except InputError as error:
                found.append(str(error).partition(": ")[0])
        others = len(self._opens) - 1
        if not found:
            return f" (the other {others} files can be read)" if others > 1 else ""
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        return f" (nor can these be read: {', '.join(found[:_NAMED])}{more})"

    def _matched(self, place: int) -> Rows:
        rows = self._opens[place]()
        # What was matched to other names, as those of a model, is not matched anew.
        if place and rows.feature_names != self.first.feature_names:
            try:
                rows.match(self.first.feature_names, resample=self._resample, whose=self.first.name)
            except BaseException:
                rows.close()
                raise
        return rows

    def _check(self, rows: Rows) -> None:
        first = self.first
        if rows.shape[1] != first.shape[1]:
            raise InputError(
                f"{rows.name} has {rows.shape[1]} columns but {first.name} has "
                f"{first.shape[1]}: give files of the same kind of rows"
            )
        flat = rows.layout.table is not None or first.layout.table is not None
        if not flat and rows.layout.sample_shape != first.layout.sample_shape:
            raise InputError(
                f"{rows.name} has samples of shape {rows.layout.sample_shape} but "
                f"{first.name} of {first.layout.sample_shape}: give files of the same kind"
            )


class JoinedRows(Rows):
    """Samples of several files, as those of one.

    Parameters
    ----------
    joined : Joined
    missing : str
        As for `Rows`: values that the files leave as they are.

    Attributes
    ----------
    parts : list of Part
        The files.
    """

    def __init__(self, joined: Joined, *, missing: str = "error") -> None:
        first = joined.first
        name = f"{first.name} and {len(joined.parts) - 1} more"
        self.parts = joined.parts
        names = first.feature_names
        super().__init__(
            joined, name, first.layout, missing=missing, names=names, close=joined.close
        )
