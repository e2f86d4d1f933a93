"""WFDB records, as PhysioNet has them: a header of text, and binary files beside it (header(5)).

The signals of a record are the channels of a recording. An output is a record, too: the lines of
its input's header, and one file of numbers. The package wfdb reads and writes more forms, but
brings pandas, matplotlib and a client of the web, and whole records into memory.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO
from warnings import warn

import numpy as np

from ikpca_cli.data.row_source import FloatArray, Progress
from ikpca_cli.errors import IkpcaNote, InputError, OutputError
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format import Array, Format, Input, Output, Write
from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.output import atomic_write, check_target
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.formats.series.wfdb_forms import FORMS, WIDEST, form_for
from ikpca_cli.formats.series.wfdb_header import NAME, Header, is_header, read_header

_HEAD = 4096
_NUMBERS = 1 << 20
"""Numbers that are stored at a time, about."""


@dataclass(frozen=True)
class _Signals:
    """The signals of a record, as samples by channels that are read as they are needed."""

    folder: Path
    header: Header
    count: int

    chunks = None
    dtype = np.dtype(np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and channels."""
        return self.count, len(self.header.signals)

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files of numbers."""
        return tuple(dict.fromkeys(signal.file for signal in self.header.signals))

    @property
    def scales(self) -> tuple[FloatArray, FloatArray]:
        """Gain and baseline of each signal."""
        pairs = np.array([(signal.gain, signal.baseline) for signal in self.header.signals])
        return pairs[:, 0], pairs[:, 1]

    def rate(self, _: str | None) -> float:
        """Return the samples a second."""
        return self.header.rate

    def __getitem__(self, part: slice) -> FloatArray:
        """Return some samples in their units, NaN where the record has none."""
        found = np.empty((part.stop - part.start, len(self.header.signals)))
        for file in self.files:
            places = [k for k, signal in enumerate(self.header.signals) if signal.file == file]
            form = FORMS[self.header.signals[places[0]].form]
            stored = self._numbers(file, part, len(places)).astype(np.float64)
            stored[stored == form.least] = np.nan
            found[:, places] = stored
        gains, baselines = self.scales
        return (found - baselines) / gains

    def _numbers(self, file: str, part: slice, width: int) -> Array:
        """Return whole numbers (k, width) of a file whose signals take turns."""
        first = next(signal for signal in self.header.signals if signal.file == file)
        form = FORMS[first.form]
        begin = part.start * width // form.numbers
        skipped = part.start * width - begin * form.numbers
        needed = (part.stop - part.start) * width
        size = math.ceil((skipped + needed) * form.size / form.numbers)
        with (self.folder / file).open("rb") as stream:
            stream.seek(first.offset + begin * form.size)
            data = np.frombuffer(stream.read(size), np.uint8)
        if len(data) < size:
            raise OSError("it ends before its last number: it was cut short meanwhile")
        return form.read(data)[skipped : skipped + needed].reshape(-1, width)

    def length(self, file: str, name: str) -> int:
        """Return how many samples of each of its signals a file holds."""
        own = [signal for signal in self.header.signals if signal.file == file]
        form = FORMS[own[0].form]
        if len({replace(signal, gain=1.0, baseline=0.0) for signal in own}) > 1:
            raise InputError(
                f"{name}: has signals of several formats in {file}; export them as CSV"
            )
        try:
            size = os.stat(self.folder / file).st_size - own[0].offset
        except OSError:
            raise InputError(
                f"{name}: its numbers are in {file}, which is not beside it; copy it there"
            ) from None
        return size * form.numbers // form.size // len(own)


def _read(file: Input, options: ReadOptions, _: Progress) -> Rows:
    """Open the signals of a record; InputError if they are not stored as samples by channels."""
    if file.data is not None:
        raise InputError(f"{file.name}: is a header, whose numbers lie beside it: name its file")
    with file.open() as stream:
        header = read_header(stream.read().decode("utf-8", "surrogateescape"), file.name)
    found = _Signals(Path(file.path).parent, header, header.count)
    there = min(found.length(name, file.name) for name in found.files)
    if header.count > there:
        raise InputError(
            f"{file.name}: is incomplete: of {header.count} samples {there} are there; "
            "copy it again"
        )
    found = replace(found, count=header.count or there)
    layout = Layout(format="wfdb", dtype=found.dtype, sample_shape=found.shape[1:], beside=found)
    return Rows(found, file.name, layout, missing=options.missing)


def _sniff(head: bytes, path: str) -> bool:
    whole = len(head) < _HEAD
    text = head.decode("latin-1") if b"\0" not in head else ""
    return is_header(text if whole else text.rpartition("\n")[0])


@contextmanager
def _writer(output: Output) -> Iterator[Write]:
    """Write the numbers, and then the header: without it they are no record."""
    signals = output.layout.beside
    if not isinstance(signals, _Signals) or output.shape[1:] != signals.shape[1:]:
        raise OutputError(
            f"{output.target}: a WFDB record is written of another alone, whose header it keeps; "
            "write .npy or .csv"
        )
    target = Path(output.target)
    if target.suffix != ".hea" or NAME.fullmatch(target.stem) is None:
        raise OutputError(
            f"{output.target}: a WFDB record is two files, named by its header: end it in .hea "
            "behind letters, digits, _ and - alone; or write .npy or .csv"
        )
    numbers = str(target.with_suffix(".dat"))
    inputs = [str(signals.folder / file) for file in signals.files]
    check_target(numbers, inputs=inputs, force=output.force)
    gains, baselines = signals.scales
    low = high = 0
    with atomic_write(numbers, force=output.force) as data:

        def write(block: Array) -> None:
            nonlocal low, high
            stored = np.rint(block * gains + baselines)
            missing = np.isnan(stored)
            stored[missing] = 0.0
            low, high = min(low, int(stored.min())), max(high, int(stored.max()))
            if not WIDEST.holds(low, high):
                raise OutputError(
                    f"{output.target}: a value is beyond the whole numbers of 32 bits that a WFDB "
                    "record may hold; write .npy"
                )
            stored[missing] = WIDEST.least
            data.write(WIDEST.write(stored).tobytes())

        yield write
        own = [signal.form for signal in signals.header.signals]
        form = form_for(own, low, high)
        ends = _stored_as(form, data, output.shape)
        header = signals.header.rewritten(
            target.stem, Path(numbers).name, form, output.shape[0], ends
        )
        output.handle.write(header.encode("utf-8", "surrogateescape"))
        output.handle.flush()
    if form not in own:
        warn(
            f"{output.target}: what was cleaned leaves the range of form {own[0]}: its numbers are "
            f"stored in form {form}",
            IkpcaNote,
            stacklevel=2,
        )


def _stored_as(form: str, data: BinaryIO, shape: tuple[int, ...]) -> list[tuple[int, int]]:
    """Store the numbers of a file of 32 bits in a form, in their place.

    Returns the first number and the checksum of each signal.
    """
    kind, (count, width) = FORMS[form], shape
    step = max(2, _NUMBERS // width // 2 * 2)  # even, as two numbers may share a byte
    sums, first = np.zeros(width, np.int64), np.zeros(width, np.int64)
    end = 0
    for start in range(0, count, step):
        data.seek(start * width * WIDEST.size)
        raw = data.read(min(step, count - start) * width * WIDEST.size)
        found = WIDEST.read(np.frombuffer(raw, np.uint8)).copy()
        found[found == WIDEST.least] = kind.least
        if start == 0:
            first = found[:width].astype(np.int64)
        sums += found.reshape(-1, width).sum(axis=0, dtype=np.int64)
        data.seek(end)
        end += data.write(kind.write(found).tobytes())
    data.truncate(end)
    checksums = sums.astype(np.int16)  # the lowest 16 bits, with their sign
    return [(int(begin), int(total)) for begin, total in zip(first, checksums, strict=True)]


WFDB = Format(
    name="wfdb",
    suffixes=(".hea",),
    sniff=_sniff,
    read=_read,
    writer=_writer,
    sliceable=True,
    recordings=True,
    joint="_",
)
