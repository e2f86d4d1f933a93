"""Rows of a table as they are parsed: in memory, or in a temporary file where they are many."""

from __future__ import annotations

import tempfile
from typing import IO

import numpy as np
import numpy.typing as npt

from ikpca_cli.errors import InputError
from ikpca_cli.formats.output import write_at

IN_MEMORY = 256 << 20
"""Bytes of numbers that are kept in memory."""

Matrix = npt.NDArray[np.float64]


class Spool:
    """Rows that come block by block.

    Parameters
    ----------
    columns
        Numbers of a row.
    name
        What messages call the table.
    """

    def __init__(self, columns: int, name: str) -> None:
        self.count = 0
        self._name = name
        self._values: Matrix = np.empty((0, columns))
        self._file: IO[bytes] | None = None

    def add(self, block: Matrix, expected: int) -> None:
        """Add rows.

        Parameters
        ----------
        block : ndarray of shape (k, columns)
        expected
            How many rows there will be, as far as one can tell.

        Raises
        ------
        InputError
            If the disk for temporary files is full.
        """
        end = self.count + len(block)
        columns = self._values.shape[1]
        if self._file is None and max(end, expected) * columns * 8 > IN_MEMORY:
            self._file = tempfile.TemporaryFile(prefix="ikpca-", buffering=0)  # noqa: SIM115
            self._write(self._values[: self.count], 0)
            self._values = np.empty((0, columns))
        if self._file is not None:
            self._write(block, self.count)
        else:
            if end > len(self._values):
                self._grow(max(end, expected))
            self._values[self.count : end] = block
        self.count = end

    def rows(self) -> Matrix:
        """Return all rows, read-only: an array, or a map of the file, which has no name."""
        if self._file is None:
            values = self._values[: self.count]
            values.flags.writeable = False
            return values
        with self._file as file:
            return np.memmap(file, np.float64, "r", 0, (self.count, self._values.shape[1]))

    def close(self) -> None:
        """Drop what was added; what `rows` returned stays."""
        if self._file is not None:
            self._file.close()

    def _write(self, block: Matrix, row: int) -> None:
        if self._file is None or not block.size:
            return
        data = np.ascontiguousarray(block).data.cast("B")
        try:
            write_at(self._file.fileno(), data, row * block.shape[1] * 8)
        except OSError as error:
            raise InputError(
                f"{self._name}: its numbers do not fit into the folder for temporary files, "
                f"{tempfile.gettempdir()}; set TMPDIR to a folder with more room, or save the "
                "table as .npy or .h5"
            ) from error

    def _grow(self, expected: int) -> None:
        """Make room in memory.

        Memory never written to costs nothing: what is allocated may be too long, and the first
        guess from the length of the file is, so that rows are seldom copied.
        """
        length = max(2 * self.count, expected + expected // 16)
        longer = np.empty((length, self._values.shape[1]))
        longer[: self.count] = self._values[: self.count]
        self._values = longer
