"""WFDB records, as PhysioNet has them: a header of text, and binary files beside it (header(5)).

The signals of a record are the channels of a recording. Outputs are of other formats: a record is
several files, whose header tells more of its numbers than a cleaned copy would keep.
"""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ikpca_cli.data.row_source import FloatArray, Progress
from ikpca_cli.errors import InputError, OutputError
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format import Array, Format, Input, Output, Write
from ikpca_cli.formats.layout import Layout, ReadOptions

_RECORD = re.compile(
    r"(?P<name>[\w-]+)(?P<parts>/\d+)? (?P<signals>\d+) (?P<rate>\d[\d.]*)(?:/\S+)?"
    r"(?: (?P<count>\d+))?(?: .*)?"
)
_SIGNAL = re.compile(
    r"(?P<file>~|[\w.-]*\.[A-Za-z]\w*)\s+(?P<form>\d+)(?P<frames>x\d+)?(?P<skew>:\d+)?(?:\+(?P<offset>\d+))?"
    r"(?:\s+(?P<gain>[-+.\deE]+)(?:\((?P<baseline>-?\d+)\))?(?:/\S+)?)?"
    r"(?:\s+\d+(?:\s+(?P<zero>-?\d+)(?:\s.*)?)?)?\s*"
)
_GAIN = 200.0  # where none is told
_HEAD = 4096


def _of_212(data: Array) -> Array:
    """Return numbers of 12 bits, two of which share three bytes."""
    whole = np.zeros((math.ceil(len(data) / 3), 3), np.uint8)
    whole.reshape(-1)[: len(data)] = data
    low, shared, high = (column.astype(np.int16) for column in whole.T)
    both = np.stack([low | (shared & 0x0F) << 8, high | (shared & 0xF0) << 4], axis=1)
    return (both.reshape(-1) << 4) >> 4  # the sign is in the twelfth bit


def _of_24(data: Array) -> Array:
    whole = np.zeros((len(data) // 3, 4), np.uint8)
    whole[:, 1:] = data.reshape(-1, 3)
    return whole.view("<i4").reshape(-1) >> 8


@dataclass(frozen=True)
class _Form:
    """How whole numbers are stored: so many, in so many bytes; the least means a missing one."""

    numbers: int
    size: int
    read: Callable[[Array], Array]
    least: int


_FORMS = {
    "16": _Form(1, 2, lambda data: data.view("<i2"), -(2**15)),
    "61": _Form(1, 2, lambda data: data.view(">i2"), -(2**15)),
    "24": _Form(1, 3, _of_24, -(2**23)),
    "32": _Form(1, 4, lambda data: data.view("<i4"), -(2**31)),
    "80": _Form(1, 1, lambda data: data.astype(np.int16) - 128, -(2**7)),
    "212": _Form(2, 3, _of_212, -(2**11)),
}


@dataclass(frozen=True)
class _Signal:
    """One signal: its file, form, bytes before the numbers, and what they mean."""

    file: str
    form: str
    offset: int
    gain: float
    baseline: float


@dataclass(frozen=True)
class _Signals:
    """The signals of a record, as samples by channels that are read as they are needed."""

    folder: Path
    signals: tuple[_Signal, ...]
    count: int
    fs: float

    chunks = None
    dtype = np.dtype(np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and channels."""
        return self.count, len(self.signals)

    def rate(self, _: str | None) -> float:
        """Return the samples a second."""
        return self.fs

    def __getitem__(self, part: slice) -> FloatArray:
        """Return some samples in their units, NaN where the record has none."""
        found = np.empty((part.stop - part.start, len(self.signals)))
        for file in dict.fromkeys(signal.file for signal in self.signals):
            places = [k for k, signal in enumerate(self.signals) if signal.file == file]
            form = _FORMS[self.signals[places[0]].form]
            stored = self._numbers(file, part, len(places)).astype(np.float64)
            stored[stored == form.least] = np.nan
            gains, baselines = (
                np.array([getattr(self.signals[place], name) for place in places])
                for name in ("gain", "baseline")
            )
            found[:, places] = (stored - baselines) / gains
        return found

    def _numbers(self, file: str, part: slice, width: int) -> Array:
        """Return whole numbers (k, width) of a file whose signals take turns."""
        first = next(signal for signal in self.signals if signal.file == file)
        form = _FORMS[first.form]
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


def _read(file: Input, options: ReadOptions, _: Progress) -> Rows:
    """Open the signals of a record; InputError if they are not stored as samples by channels."""
    if file.data is not None:
        raise InputError(f"{file.name}: is a header, whose numbers lie beside it: name its file")
    with file.open() as stream:
        record, *lines = _lines(stream.read().decode("utf-8", "replace"))
    about = _RECORD.fullmatch(record)
    assert about is not None  # it was sniffed
    if about["parts"]:
        raise InputError(f"{file.name}: is a record of several segments; give one of these")
    signals = tuple(_signal(line, file.name) for line in lines[: int(about["signals"])])
    if len(signals) < int(about["signals"]):
        raise InputError(f"{file.name}: tells of fewer signals than it has; copy it again")
    folder = Path(file.path).parent
    counts = [_length(folder, signals, signal.file, file.name) for signal in signals]
    count = int(about["count"] or 0) or min(counts)
    if count > min(counts):
        raise InputError(
            f"{file.name}: is incomplete: of {count} samples {min(counts)} are there; copy it again"
        )
    found = _Signals(folder, signals, count, float(about["rate"]))
    layout = Layout(format="wfdb", dtype=found.dtype, sample_shape=(len(signals),), beside=found)
    return Rows(found, file.name, layout, missing=options.missing)


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip() and line[:1] != "#"]


def _signal(line: str, name: str) -> _Signal:
    found = _SIGNAL.fullmatch(line)
    if found is None:
        raise InputError(f"{name}: has a damaged line on a signal: {line.strip()}")
    if found["form"] not in _FORMS or found["frames"] not in (None, "x1") or found["skew"]:
        raise InputError(
            f"{name}: has signals of format {line.split()[1]}, which is not read; export them as a "
            "text table (rdsamp -c -ps)"
        )
    zero = float(found["zero"] or 0)
    gain = float(found["gain"] or 0.0) or _GAIN
    baseline = zero if found["baseline"] is None else float(found["baseline"])
    offset = int(found["offset"] or 0)
    return _Signal(found["file"], found["form"], offset, gain, baseline)


def _length(folder: Path, signals: tuple[_Signal, ...], file: str, name: str) -> int:
    """Return how many samples of each of its signals a file holds."""
    own = [signal for signal in signals if signal.file == file]
    form = _FORMS[own[0].form]
    if len({replace(signal, gain=1.0, baseline=0.0) for signal in own}) > 1:
        raise InputError(f"{name}: has signals of several formats in {file}; export them as CSV")
    try:
        size = os.stat(folder / file).st_size - own[0].offset
    except OSError:
        raise InputError(
            f"{name}: its numbers are in {file}, which is not beside it; copy it there"
        ) from None
    return size * form.numbers // form.size // len(own)


def _sniff(head: bytes, path: str) -> bool:
    whole = len(head) < _HEAD
    text = head.decode("latin-1") if b"\0" not in head else ""
    lines = _lines(text if whole else text.rpartition("\n")[0])
    about = _RECORD.fullmatch(lines[0]) if len(lines) > 1 else None
    if about is None or about["parts"]:
        return about is not None
    count = int(about["signals"])
    return count > 0 and all(map(_SIGNAL.fullmatch, lines[1 : count + 1]))


@contextmanager
def _writer(output: Output) -> Iterator[Write]:
    raise OutputError(
        f"{output.target}: WFDB records are not written: end it in .npy, .npz, .csv, .h5 or .mat"
    )
    yield io.BytesIO().write


WFDB = Format(
    name="wfdb",
    suffixes=(".hea",),
    sniff=_sniff,
    read=_read,
    writer=_writer,
    sliceable=True,
    recordings=True,
    written_as=".npy",
)
