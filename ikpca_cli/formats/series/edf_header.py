"""What the header of an EDF or BDF recording says, and how its signals store their numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.errors import InputError
from ikpca_cli.formats.format import Array

_FIXED, _EACH = 256, 256
"""Bytes of a header, and further ones for each signal."""

_MARKS = ("EDF Annotations", "BDF Annotations", "Status")
"""Signals whose numbers are marks: text, or the bits of a trigger."""

_WIDTHS = (16, 80, 8, 8, 8, 8, 8, 80, 8, 32)
"""Characters of what is told of each signal: label, transducer, unit, physical and digital limits,
filters, samples in a record, and nothing yet."""


@dataclass(frozen=True)
class Signal:
    """One signal of a recording.

    Attributes
    ----------
    label
        Its name.
    start
        Bytes before it in a record.
    count
        Samples in a record.
    low, scale
        Its value where the whole number is `least`, and what one more adds.
    least, most
        The whole numbers that it may have.
    """

    label: str
    start: int
    count: int
    low: float
    scale: float
    least: int
    most: int

    @property
    def are_marks(self) -> bool:
        """Whether its numbers are no samples."""
        return self.label in _MARKS

    def in_units(self, stored: Array) -> FloatArray:
        """Return whole numbers in the unit of the signal."""
        found: FloatArray = (stored - float(self.least)) * self.scale + self.low
        return found

    def as_stored(self, values: FloatArray) -> Array:
        """Return the whole numbers nearest to values in the unit of the signal."""
        stored = np.rint((values - self.low) / self.scale + self.least)
        least, most = sorted((self.least, self.most))
        limited: Array = np.clip(stored, least, most).astype(np.int32)
        return limited


@dataclass(frozen=True)
class Header:
    """What stands above the records.

    Attributes
    ----------
    size
        Its bytes.
    n_records
        How many records follow.
    seconds
        How long each lasts; 0 if that is not told.
    width
        Bytes of a number: 2, in BDF 3.
    signals
        In their order.
    """

    size: int
    n_records: int
    seconds: float
    width: int
    signals: tuple[Signal, ...]

    @property
    def record_size(self) -> int:
        """Bytes of a record."""
        return self.width * sum(signal.count for signal in self.signals)

    def rate(self, signal: Signal) -> float:
        """Return the samples a second of a signal, 0 if that is not told."""
        return signal.count / self.seconds if self.seconds > 0.0 else 0.0

    def rate_name(self, signal: Signal) -> str:
        """Return the name of the signals that have the rate of this one."""
        rate = self.rate(signal)
        return f"{rate:g} Hz" if rate else f"{signal.count} a record"

    def numbers(self, raw: Array, signal: Signal) -> Array:
        """Return the whole numbers of a signal in records of bytes (k, record_size)."""
        data = raw[:, signal.start : signal.start + signal.count * self.width]
        whole = np.zeros((len(raw), signal.count, 4), np.uint8)
        whole[:, :, 4 - self.width :] = data.reshape(len(raw), signal.count, self.width)
        # In the highest bytes, so that the sign is theirs.
        numbers: Array = whole.reshape(-1).view("<i4") >> 8 * (4 - self.width)
        return numbers

    def put(self, raw: Array, signal: Signal, stored: Array) -> None:
        """Put whole numbers of a signal into records of bytes (k, record_size)."""
        data = stored.astype("<i4").view(np.uint8).reshape(len(raw), signal.count, 4)
        place = slice(signal.start, signal.start + signal.count * self.width)
        raw[:, place] = data[:, :, : self.width].reshape(len(raw), -1)


def read_header(stream: BinaryIO, name: str, length: int) -> Header:
    """Read the header of a recording.

    Parameters
    ----------
    stream : BinaryIO
        At the start of the file.
    name : str
        What messages call it.
    length : int
        Bytes of the file.

    Raises
    ------
    InputError
        If the header is damaged, records are missing, or not one behind the other in time.
    """
    fixed = stream.read(_FIXED)
    if fixed[192:197] in (b"EDF+D", b"BDF+D"):
        raise InputError(
            f"{name}: has pauses between its records (EDF+D); export it as EDF, or each part alone"
        )
    try:
        n_records, seconds = int(fixed[236:244]), float(fixed[244:252])
        n_signals = int(fixed[252:256])
        text = stream.read(_EACH * n_signals)
        size = _FIXED + len(text)
        if len(text) < _EACH * n_signals or n_signals < 1 or not 0.0 <= seconds < math.inf:
            raise ValueError("it is not whole")
        if int(fixed[184:192]) != size:
            raise ValueError("its length is another than it says")
        width = 3 if fixed[:1] == b"\xff" else 2
        signals = _signals(text.decode("latin-1"), n_signals, width)
    except ValueError as error:
        raise InputError(f"{name}: has a damaged EDF header ({error}); copy it again") from None
    found = Header(size, n_records, seconds, width, signals)
    there = (length - size) // found.record_size
    if n_records > there or there == 0:
        raise InputError(
            f"{name}: is incomplete: of {max(n_records, 1)} records {there} are there; "
            "copy it again"
        )
    # A recorder that was stopped by force did not count them.
    return found if n_records >= 0 else Header(size, there, seconds, width, signals)


def _signals(text: str, count: int, width: int) -> tuple[Signal, ...]:
    """Return the signals that a header tells of."""
    cells, place = [], 0
    for length in _WIDTHS:
        end = place + length * count
        cells.append([text[at : at + length].strip() for at in range(place, end, length)])
        place = end
    found, start = [], 0
    for label, _, _, low, high, least, most, _, samples, _ in zip(*cells, strict=True):
        if int(samples) < 1:
            raise ValueError(f"signal {label} has {samples} samples in a record")
        digits = int(most) - int(least)
        scale = (float(high) - float(low)) / digits if digits else 0.0
        signal = Signal(label, start, int(samples), float(low), scale, int(least), int(most))
        found.append(signal)
        start += width * signal.count
    return tuple(found)
