"""What a file format is: how it is told, read and written. One module a format, one registry line.

A format is a value of `Format`. Everything else in the package asks the registry for one and uses
what it says; nothing asks for a format by its name.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, BinaryIO, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ikpca_cli.data.row_source import Progress
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format_names import TITLES
from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.read_options import ReadOptions

Array: TypeAlias = npt.NDArray[Any]

Write: TypeAlias = Callable[[Array], None]
"""Takes the next samples, of shape (k, p) or (k, ...)."""


@dataclass(frozen=True)
class Input:
    """A file to read.

    Attributes
    ----------
    path
        Where it is, unless `data` holds its bytes.
    name
        What messages call it.
    data
        The bytes of standard input or a pipe, or None.
    """

    path: str
    name: str
    data: bytes | None = None

    def open(self) -> BinaryIO:
        """Open it for reading, at its start."""
        return open(self.path, "rb") if self.data is None else io.BytesIO(self.data)

    def length(self) -> int:
        """Return its length in bytes."""
        with self.open() as file:
            return file.seek(0, io.SEEK_END)


@dataclass(frozen=True)
class Output:
    """An array to write.

    Attributes
    ----------
    handle
        Where to: a file that can be read and sought, or a pipe.
    target
        What the user called it.
    shape
        The number of samples, then the shape of one.
    dtype
        The type of its numbers, in native byte order.
    layout
        The form of the input.
    force
        Whether files beside the target may be replaced, as it may.
    """

    handle: BinaryIO
    target: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    layout: Layout
    force: bool = False

    @property
    def dataset(self) -> str:
        """The name of the array in its file, where such have names."""
        return self.layout.dataset or "data"


class Read(Protocol):
    """Opens a file; whatever it raises is told as a failure of that file."""

    def __call__(self, file: Input, options: ReadOptions, progress: Progress, /) -> Rows:
        """Return the samples."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """A file format.

    Attributes
    ----------
    name
        What `Layout.format` calls it.
    suffixes
        Of its files, in small letters. Where formats share one, an input's own format is kept.
    sniff
        Whether a file is of this format, from its first 4096 bytes and its path.
    read
        Opens a file.
    writer
        A context in which an array is written sample by sample.
    sliceable
        Whether rows are read from a file without what stands before them.
    named
        Whether its arrays have names, for ``--dataset``.
    tabular
        Whether it has the columns that ``--columns`` chooses.
    in_digits
        Whether numbers are written as text, with as many digits as are asked for.
    gzip
        Whether a target's further suffix ``.gz`` asks for compression.
    rounds
        Whether whole numbers come back as whole numbers without being asked for.
    flat
        Whether a sample is a row of numbers whatever its shape was.
    keeps
        Whether an output keeps the other arrays of an input of the same format.
    recordings
        Whether its rows are the samples of a recording.
    joint
        What stands between the name of an input and what is put behind it in that of its output.
    notes
        What else the user should know of an output of an array in the form `Layout`, in lines.
    """

    name: str
    suffixes: tuple[str, ...]
    sniff: Callable[[bytes, str], bool]
    read: Read
    writer: Callable[[Output], AbstractContextManager[Write]]
    sliceable: bool = False
    named: bool = False
    tabular: bool = False
    in_digits: bool = False
    gzip: bool = False
    rounds: bool = False
    flat: bool = False
    keeps: bool = False
    recordings: bool = False
    joint: str = "."
    notes: Callable[[Layout], tuple[str, ...]] = lambda _: ()

    @property
    def title(self) -> str:
        """What messages call it."""
        return TITLES[self.name]


def suffix_of(path: str) -> str:
    """Return the suffix of a file in small letters, without a further ``.gz``."""
    return PurePath(path.lower().removesuffix(".gz")).suffix


@contextmanager
def at_once(output: Output, save: Callable[[Array], None]) -> Iterator[Write]:
    """Collect all samples in memory, and write them when they are complete.

    Parameters
    ----------
    output
        The array to write.
    save
        Takes it as the file has it: (n, ...), or (p, n) if the input's samples were its columns.

    Yields
    ------
    callable
        Takes the next samples.
    """
    values = np.empty(output.shape, output.dtype)
    done = 0

    def write(block: Array) -> None:
        nonlocal done
        values[done : done + len(block)] = block
        done += len(block)

    yield write
    save(values.T if output.layout.transposed else values)
