"""What a reader is told about a file, of which a model keeps what is told of text tables."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace

OF_TABLES: dict[str, type] = {
    "columns": str,
    "labels": str,
    "header": str,
    "skip_rows": int,
    "comment": str,
    "delimiter": str,
    "decimal": str,
    "thousands": str,
    "na": str,
}
"""Options that only text tables have, by the names that `ReadOptions` has for them."""


class Standing(str):
    """An option of text tables that stands in settings, for all files: no other file minds it."""

    __slots__ = ()


def option_of(name: str) -> str:
    """Return an option as it stands on the command line."""
    return f"--{name.replace('_', '-')}"


def told_of(options: Mapping[str, str | int]) -> str:
    """Return options as they stand on the command line."""
    return " ".join(
        f"{option_of(name)} {shlex.quote(str(value))}" for name, value in options.items()
    )


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What cannot be known from the file itself.

    Attributes
    ----------
    dataset
        Of an HDF5 file, or the array of an npz or mat file; with ``*`` or ``?``, all like it.
    transpose
        Whether the samples are the file's columns.
    columns
        The columns of a table that are data, see `ikpca_cli.formats.csv.columns.select`.
    delimiter, decimal, thousands
        The marks of a table, between cells and in numbers, where they are not found rightly.
    header
        Whether a table's first line of cells is its header: ``"auto"``, ``"yes"`` or ``"no"``.
    skip_rows
        Lines at the top of a table that are not looked at.
    comment
        What a table's comment lines begin with.
    na
        Words of a table that stand for a missing value, with commas between them.
    labels
        The columns of a table that are no data and are kept as they are, as for `columns`.
    missing
        ``"error"`` refuses a missing value, ``"drop"`` leaves out its sample, ``"mean"`` fills in
        the mean of its feature, ``"fill"`` and ``"keep"`` leave it to the model to fill it in, and
        ``"keep"`` has it missing in the output.
    recording
        Whether an array of one axis is the signal of a recording, and the columns of a table are
        its channels.
    orientation
        What the rows of a table are: ``"rows"`` for samples whatever they look like, ``"auto"``
        for samples or the points of an axis, along which each column is a signal, ``"signals"``
        where several files are read, of which each may be a signal alone.
    resample
        Whether signals of another axis are brought to the one that is known.
    width, axis
        The numbers of a sample, and their names, where they are known.
    kept
        Which of these a model kept from its training tables; they mean nothing for other files.
    """

    dataset: str | None = None
    transpose: bool = False
    columns: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: str = "auto"
    skip_rows: int = 0
    comment: str | None = None
    na: str | None = None
    labels: str | None = None
    missing: str = "error"
    recording: bool = False
    orientation: str = "auto"
    resample: bool = False
    width: int | None = None
    axis: tuple[str, ...] | None = None
    kept: tuple[str, ...] = ()

    @property
    def of_signals(self) -> bool:
        """Whether a column of numbers is one sample, and not samples of one number each."""
        several = self.orientation == "signals" if self.width is None else self.width > 1
        return several and not self.recording

    @property
    def takes_vectors(self) -> bool:
        """Whether an array of one axis is one sample: it is not told from a recording alone."""
        return self.orientation == "signals" and not self.recording

    def of_files(self, count: int) -> ReadOptions:
        """Return the options where so many files are read: of several each may be a signal."""
        is_open = count > 1 and self.orientation == "auto"
        return replace(self, orientation="signals") if is_open else self

    def of_tables(self) -> tuple[str, ...]:
        """Return the options that are given and that mean nothing but for text tables."""
        return tuple(
            option_of(name)
            for name in OF_TABLES
            if getattr(self, name) not in (None, 0, "auto")
            and name not in self.kept
            and not isinstance(getattr(self, name), Standing)
        )

    def from_model(self) -> str | None:
        """Return a line on what a model kept of how its training tables were read."""
        if not self.kept:
            return None
        options = told_of({name: getattr(self, name) for name in self.kept})
        return f"read with {options}, as the training data were"
