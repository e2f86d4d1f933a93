"""The form of a file as it was read, which a writer has to know to mirror it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, kw_only=True)
class TableStyle:
    """How a text table is written.

    Attributes
    ----------
    delimiter, gap, newline
        Between cells, behind every delimiter, after lines.
    decimal, thousands
        The marks in numbers, the latter None where there is none.
    names, quoted, quoted_numbers
        The names of the data columns, or None; whether they are quoted, and the numbers.
    trailing
        Whether rows end in a delimiter.
    widths
        How many signs the number of each column takes, or None where they are not aligned.
    label_names, labels
        Headers and, by sample, whole cells of the columns that are kept as they are; None if none.
    label_places, places
        Where these are among the columns of the table, and data in the one read, counted from 0.
    preamble, footer
        The lines before the header, or before the data, and those after the rows.
    header, units
        The header, and the lines between it and the data, as they are; None and empty where
        something about the columns has changed, so that the names have to be written anew.
    header_prefix
        What stands before the first name, as ``"# "`` in numpy's files.
    encoding, bom, gzip
        The encoding of the text; whether a byte-order mark leads; whether the file is compressed.
    suffix
        The file's suffix; a target with another one may ask for another delimiter.
    decimals
        The most and the fewest decimals, by column; None for as many as give the same numbers.
    digits
        Digits behind the decimal mark of all numbers, where they were asked for.
    significant, exponent
        Significant digits, where numbers have exponents, and what begins these where all have one,
        as e or Fortran's D.
    missing
        What stands for a missing value.
    least_mantissa
        The fewest digits behind the decimal mark of such a number.
    parted, remarks
        After how many rows blank lines stand, and how many; what is behind each row, or None.
    """

    delimiter: str = ","
    decimal: str = "."
    newline: str = "\n"
    gap: str = ""
    thousands: str | None = None
    names: tuple[str, ...] | None = None
    quoted: bool = False
    quoted_numbers: bool = False
    trailing: bool = False
    widths: tuple[int, ...] | None = None
    label_names: tuple[str, ...] = ()
    labels: tuple[tuple[str, ...], ...] | None = None
    label_places: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    preamble: tuple[str, ...] = ()
    header: str | None = None
    units: tuple[str, ...] = ()
    footer: tuple[str, ...] = ()
    header_prefix: str = ""
    encoding: str = "utf-8"
    bom: bool = False
    gzip: bool = False
    suffix: str = ".csv"
    decimals: tuple[tuple[int, int] | None, ...] | None = None
    digits: int | None = None
    significant: int | None = None
    exponent: str | None = None
    least_mantissa: int = 0
    missing: str = "nan"
    parted: tuple[int, int] | None = None
    remarks: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Part:
    """One of several datasets whose samples are read as one.

    Attributes
    ----------
    dataset
        Its path.
    count
        How many samples it holds.
    vector
        Whether it has one axis, and is one sample.
    """

    dataset: str
    count: int
    vector: bool = False


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The form of an array as it was read, for an output to take the same.

    Attributes
    ----------
    format
        Its name in `ikpca_cli.formats.format_registry.FORMATS`.
    dtype
        The type of the file's numbers.
    sample_shape
        The shape of one sample; its product is the number of features.
    transposed
        Whether the samples are the file's columns.
    stacked
        Whether they stand below each other in one column of a table, the last of whose labels is
        the axis of each.
    dataset
        The name of the array in its file, where it has one.
    compressed
        Whether the array was compressed in an HDF5 or npz file.
    table
        The style of a text table.
    others
        The names of what else the file holds.
    beside
        What a writer of the same format needs to keep that; a format's own. Its method `keep`, if
        it has one, returns what it is for the chosen samples.
    parts
        The datasets that the samples come from, in order, where they are several.
    vector
        Whether the array has one axis, and is one sample.
    """

    format: str
    dtype: np.dtype[np.generic]
    sample_shape: tuple[int, ...]
    transposed: bool = False
    stacked: bool = False
    dataset: str | None = None
    compressed: bool = False
    table: TableStyle | None = None
    others: tuple[str, ...] = ()
    beside: object = None
    parts: tuple[Part, ...] = ()
    vector: bool = False

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """What the file calls the features, in its order; None where it does not."""
        if self.table is None:
            return None
        labels = self.table.labels
        if self.stacked and labels is not None:
            return tuple(cells[-1] for cells in labels[: self.sample_shape[0]])
        if not self.transposed or labels is None:
            return None if self.transposed else self.table.names
        return tuple(" ".join(dict.fromkeys(filter(None, cells))) for cells in labels)

    def with_digits(self, digits: int | None) -> Layout:
        """Return the layout with that many digits behind the decimal mark in text tables."""
        if digits is None:
            return self
        return replace(self, table=replace(self.table or TableStyle(suffix=""), digits=digits))

    def place(self, row: int, column: int) -> str:
        """Name the place of a sample's number as the file has it, counted from 1."""
        shape = self.sample_shape
        if len(shape) > 1:
            within = ", ".join(str(int(i) + 1) for i in np.unravel_index(column, shape))
            return f"row {row + 1}, column {column + 1} (element {within} of the sample)"
        for part in self.parts:
            if row < part.count:
                return f"row {row + 1}, column {column + 1} of {part.dataset}"
            row -= part.count
        if self.stacked:
            return f"row {row * shape[0] + column + 1}, the last column"
        if self.transposed:
            row, column = column, row
        return f"row {row + 1}, column {column + 1}"

    def keep(self, samples: npt.NDArray[np.bool_]) -> Layout:
        """Return the layout of the chosen samples, a mask of shape (n,)."""
        keep = getattr(self.beside, "keep", None)
        beside = self.beside if keep is None else keep(samples)
        return replace(self, beside=beside)._keep(samples)

    def _keep(self, samples: npt.NDArray[np.bool_]) -> Layout:
        if self.parts:
            ends = np.cumsum([part.count for part in self.parts])[:-1]
            counts = [int(some.sum()) for some in np.split(samples, ends)]
            parts = zip(self.parts, counts, strict=True)
            return replace(self, parts=tuple(replace(p, count=n) for p, n in parts if n))
        table = self.table
        if table is None:
            return self
        if self.stacked:
            samples = np.repeat(samples, self.sample_shape[0])
        if self.transposed:
            names, decimals = _kept(table.names, samples), _kept(table.decimals, samples)
            table = replace(table, names=names, decimals=decimals, header=None, units=())
        else:
            labels, remarks = _kept(table.labels, samples), _kept(table.remarks, samples)
            table = replace(table, labels=labels, remarks=remarks)
        return replace(self, table=table)


def _kept(labels: Any, samples: npt.NDArray[np.bool_]) -> Any:
    return labels and tuple(label for label, keep in zip(labels, samples, strict=True) if keep)
