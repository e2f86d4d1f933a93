"""What a reader is told about a file, and what a writer has to know to mirror it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What cannot be known from the file itself.

    Attributes
    ----------
    dataset
        The dataset of an HDF5 file, or the array of an npz or mat file; with ``*`` or ``?`` in it,
        all datasets of an HDF5 file whose paths are like it.
    transpose
        Whether the samples are the file's columns.
    columns
        The columns of a table that are data, see `ikpca_cli.formats.csv.columns.select`.
    delimiter, decimal
        The delimiter and the decimal mark of a table, where they are not found rightly.
    missing
        ``"error"`` refuses a missing value, ``"drop"`` leaves out its sample, ``"mean"`` fills in
        the mean of its feature.
    """

    dataset: str | None = None
    transpose: bool = False
    columns: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    missing: str = "error"


@dataclass(frozen=True, kw_only=True)
class TableStyle:
    """How a text table is written.

    Attributes
    ----------
    delimiter, decimal, newline
        Between cells, in numbers, after lines.
    names
        The names of the data columns, or None without a header.
    quoted
        Whether the names are quoted.
    index_name, index
        Header and cells of a first column that is kept as it is; None where there is none.
    preamble
        Comment lines before the header, or before the data.
    header_prefix
        What stands before the first name, as ``"# "`` in numpy's files.
    bom, gzip
        Whether a byte-order mark leads; whether the file is compressed.
    suffix
        The file's suffix; a target with another one may ask for another delimiter.
    """

    delimiter: str = ","
    decimal: str = "."
    newline: str = "\n"
    names: tuple[str, ...] | None = None
    quoted: bool = False
    index_name: str = ""
    index: tuple[str, ...] | None = None
    preamble: tuple[str, ...] = ()
    header_prefix: str = ""
    bom: bool = False
    gzip: bool = False
    suffix: str = ".csv"


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
    dataset
        The name of the array in its file, where it has one.
    compressed
        Whether the array was compressed in an HDF5 or npz file.
    table
        The style of a text table.
    others
        The names of what else the file holds.
    beside
        What a writer of the same format needs to keep that; a format's own.
    parts
        The datasets that the samples come from, in order, where they are several.
    """

    format: str
    dtype: np.dtype[np.generic]
    sample_shape: tuple[int, ...]
    transposed: bool = False
    dataset: str | None = None
    compressed: bool = False
    table: TableStyle | None = None
    others: tuple[str, ...] = ()
    beside: object = None
    parts: tuple[Part, ...] = ()

    def keep(self, samples: npt.NDArray[np.bool_]) -> Layout:
        """Return the layout of the chosen samples, a mask of shape (n,)."""
        if self.parts:
            ends = np.cumsum([part.count for part in self.parts])[:-1]
            counts = [int(some.sum()) for some in np.split(samples, ends)]
            parts = zip(self.parts, counts, strict=True)
            return replace(self, parts=tuple(replace(p, count=n) for p, n in parts if n))
        if self.table is None:
            return self
        labels = self.table.names if self.transposed else self.table.index
        if labels is None:
            return self
        kept = tuple(label for label, keep in zip(labels, samples, strict=True) if keep)
        table = (
            replace(self.table, names=kept) if self.transposed else replace(self.table, index=kept)
        )
        return replace(self, table=table)
