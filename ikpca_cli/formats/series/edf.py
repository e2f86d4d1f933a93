"""EDF, EDF+ and BDF recordings (Kemp et al. 1992, Kemp and Olivan 2003; BioSemi's of 24 bits).

A header of text is followed by records of equal time, in which each signal has its whole numbers
one behind the other. Signals of one rate are the channels of a recording. An output is a copy of
its input but for their numbers, so that marks, other signals and all that is told of them stay.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np

from ikpca_cli.data.row_source import FloatArray, Progress
from ikpca_cli.errors import InputError, OutputError
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format import Array, Format, Input, Output, Write
from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.formats.series.edf_header import Header, Signal, read_header

_STARTS = (b"0       ", b"\xffBIOSEMI")
_SAMPLES = 1 << 20
"""Samples that are copied at a time, about."""


@dataclass(frozen=True)
class _Signals:
    """The signals of one rate, as samples by channels that are read as they are needed.

    Attributes
    ----------
    file
        The recording.
    header
        What it says.
    chosen
        The signals.
    """

    file: Input
    header: Header
    chosen: tuple[Signal, ...]

    chunks = None
    dtype = np.dtype(np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and channels."""
        return self.header.n_records * self.chosen[0].count, len(self.chosen)

    def rate(self, _: str) -> float:
        """Return the samples a second; 0 if the file does not say."""
        return self.header.rate(self.chosen[0])

    def __getitem__(self, part: slice) -> FloatArray:
        """Return some samples in their units."""
        count = self.chosen[0].count
        first, last = part.start // count, math.ceil(part.stop / count)
        raw = self.records(first, last)
        found = np.empty(((last - first) * count, len(self.chosen)))
        for place, signal in enumerate(self.chosen):
            found[:, place] = signal.in_units(self.header.numbers(raw, signal))
        return found[part.start - first * count : part.stop - first * count]

    def records(self, first: int, last: int) -> Array:
        """Return the bytes of some records, one a row."""
        size = self.header.record_size
        with self.file.open() as stream:
            stream.seek(self.header.size + first * size)
            data = stream.read((last - first) * size)
        if len(data) < (last - first) * size:
            raise OSError("it ends before its last number: it was cut short meanwhile")
        return np.frombuffer(data, np.uint8).reshape(last - first, size)


def _read(file: Input, options: ReadOptions, _: Progress) -> Rows:
    """Open the signals of one rate; `options.dataset` names it where there are several."""
    with file.open() as stream:
        header = read_header(stream, file.name, file.length())
    groups: dict[str, list[Signal]] = {}
    for signal in header.signals:
        if not signal.are_marks:
            groups.setdefault(header.rate_name(signal), []).append(signal)
    listed = ", ".join(f"{name!r} ({_labels(group)})" for name, group in groups.items())
    if options.dataset is not None and options.dataset not in groups:
        raise InputError(f"{file.name}: has no rate {options.dataset!r}; it holds {listed}")
    if options.dataset is None and len(groups) > 1:
        raise InputError(
            f"{file.name}: holds signals of {len(groups)} rates; name one with --dataset: {listed}"
        )
    if not groups:
        raise InputError(f"{file.name}: holds marks alone, and no signal; give a recording")
    name = options.dataset or next(iter(groups))
    signals = _Signals(file, header, tuple(groups[name]))
    for signal in signals.chosen:
        if signal.scale == 0.0 or not math.isfinite(signal.scale):
            raise InputError(
                f"{file.name}: signal {signal.label} has one value for all its numbers by the "
                "header; export the file again"
            )
    others = tuple(one.label for one in header.signals if one not in signals.chosen)
    layout = Layout(
        format="edf",
        dtype=signals.dtype,
        sample_shape=(len(signals.chosen),),
        dataset=name,
        others=others,
        beside=signals,
    )
    title = file.name if options.dataset is None else f"{file.name}: {name}"
    return Rows(signals, title, layout, missing=options.missing)


def _labels(signals: list[Signal]) -> str:
    return ", ".join(signal.label for signal in signals)


@contextmanager
def _writer(output: Output) -> Iterator[Write]:
    signals = output.layout.beside
    if not isinstance(signals, _Signals) or output.shape != signals.shape:
        raise OutputError(
            f"{output.target}: an EDF file is written of all samples of another alone, whose marks "
            "it keeps; write .npy or .csv"
        )
    header, count = signals.header, signals.chosen[0].count
    with signals.file.open() as source:
        output.handle.write(source.read(header.size))
    waiting, record = np.empty((0, output.shape[1])), 0

    def write(block: Array) -> None:
        nonlocal waiting, record
        waiting = np.concatenate([waiting, block])
        step = max(1, _SAMPLES // header.record_size)
        while len(waiting) >= count:
            last = min(record + step, record + len(waiting) // count)
            raw = signals.records(record, last).copy()
            some, waiting = np.split(waiting, [(last - record) * count])
            for place, signal in enumerate(signals.chosen):
                header.put(raw, signal, signal.as_stored(some[:, place]))
            output.handle.write(raw.tobytes())
            record = last

    yield write
    with signals.file.open() as source:  # what some recorders leave behind the records
        source.seek(header.size + header.n_records * header.record_size)
        for data in iter(partial(source.read, _SAMPLES), b""):
            output.handle.write(data)


def _sniff(head: bytes, _: str) -> bool:
    return (
        head.startswith(_STARTS)
        and head[168:176].count(b".") == 2
        and head[252:256].strip().isdigit()
    )


EDF = Format(
    name="edf",
    suffixes=(".edf", ".bdf"),
    sniff=_sniff,
    read=_read,
    writer=_writer,
    sliceable=True,
    named=True,
    keeps=True,
    recordings=True,
)
