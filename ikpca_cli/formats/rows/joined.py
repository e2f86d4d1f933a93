"""The samples of several files, read as those of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ikpca_cli.errors import InputError
from ikpca_cli.formats.file_rows import Rows


class Joined:
    """Samples of several files, one file after another, read by slices.

    Parameters
    ----------
    parts : sequence of Rows
        The files; columns of the same names are read in the order of the first.

    Raises
    ------
    InputError
        If the samples of a file are not those of the first in number, shape or names of columns,
        naming the file.
    """

    def __init__(self, parts: Sequence[Rows]) -> None:
        first = parts[0]
        for part in parts[1:]:
            part.match(first.feature_names)
            if part.shape[1] != first.shape[1]:
                raise InputError(
                    f"{part.name} has {part.shape[1]} columns but {first.name} has "
                    f"{first.shape[1]}: give files of the same kind of rows"
                )
            if part.layout.sample_shape != first.layout.sample_shape:
                raise InputError(
                    f"{part.name} has samples of shape {part.layout.sample_shape} but "
                    f"{first.name} of {first.layout.sample_shape}: give files of the same kind"
                )
        self._parts = parts
        self._starts = np.cumsum([0, *(len(part) for part in parts)])
        self.shape = (int(self._starts[-1]), first.shape[1])
        self.dtype = np.result_type(*(part.dtype for part in parts))

    def __getitem__(self, rows: slice) -> npt.NDArray[Any]:
        """Return the samples of a slice with step 1, (k, p)."""
        start, stop, _ = rows.indices(self.shape[0])
        pieces = [
            part[max(start - first, 0) : stop - first]
            for part, first in zip(self._parts, self._starts[:-1].tolist(), strict=True)
            if first < stop and start < first + len(part)
        ]
        return np.concatenate(pieces) if pieces else np.empty((0, self.shape[1]), self.dtype)
