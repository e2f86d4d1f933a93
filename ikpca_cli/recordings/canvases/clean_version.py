"""The clean version of a recording, which need not be of its form: an array beside a table, say."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray, RowSource, row_name
from ikpca_cli.errors import InputError
from ikpca_cli.recordings.canvases.canvas import in_memory


class Moved:
    """Rows some of whose columns stand at other places; 0 at all others.

    Parameters
    ----------
    rows : RowSource, shape (n, p)
    own, places : ndarray of int
        Columns of the rows, and where they are to be.
    width : int
        Columns in all.
    """

    def __init__(
        self, rows: RowSource, own: NDArray[np.intp], places: NDArray[np.intp], width: int
    ) -> None:
        self.rows, self.own, self.places = rows, own, places
        self.shape = (int(rows.shape[0]), width)

    def __getattr__(self, name: str) -> Any:
        """Return what the rows themselves have."""
        return getattr(self.rows, name)

    def __getitem__(self, part: slice) -> FloatArray:
        """Return the rows of a slice with step 1."""
        block = np.asarray(self.rows[part], dtype=np.float64)
        moved = np.zeros((len(block), self.shape[1]))
        moved[:, self.places] = block[:, self.own]
        return moved


def matched(
    clean: RowSource, noisy: RowSource, own: NDArray[np.intp], places: NDArray[np.intp]
) -> RowSource:
    """Return the clean version of a recording with its channels where the noisy one has them.

    Times may be in one of the files alone, and the samples of an array may be its columns.

    Parameters
    ----------
    clean, noisy : RowSource, shape (n, p) and (n, q)
    own, places : ndarray of int
        The channels of either.

    Raises
    ------
    InputError
        If it has another number of samples or channels.
    """
    if clean.shape == noisy.shape:
        return clean
    if clean.shape[0] == noisy.shape[0] and len(own) == len(places):
        return Moved(clean, own, places, int(noisy.shape[1]))
    if clean.shape[::-1] == (noisy.shape[0], len(places)):
        turned = in_memory(clean).T
        return Moved(turned, np.arange(len(places)), places, int(noisy.shape[1]))
    raise InputError(
        f"{row_name(clean)} has shape {clean.shape} but {row_name(noisy)} has {noisy.shape}: give "
        "the clean version of the same recording"
    )
