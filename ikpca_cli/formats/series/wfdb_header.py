"""The header of a WFDB record (header(5)): what it says of its signals, and writing it anew."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ikpca_cli.errors import InputError
from ikpca_cli.formats.series.wfdb_forms import FORMS

NAME = re.compile(r"[\w-]+", re.ASCII)
"""What a record may be called."""

_RECORD = re.compile(
    r"(?P<name>[\w-]+)(?P<parts>/\d+)? (?P<signals>\d+) (?P<rate>\d[\d.]*)(?:/\S+)?"
    r"(?: (?P<count>\d+))?(?: .*)?"
)
_SIGNAL = re.compile(
    r"(?P<file>~|[\w.-]*\.[A-Za-z]\w*)\s+"
    r"(?P<stored>(?P<form>\d+)(?P<frames>x\d+)?(?P<skew>:\d+)?(?:\+(?P<offset>\d+))?)"
    r"(?:\s+(?P<gain>[-+.\deE]+)(?:\((?P<baseline>-?\d+)\))?(?:/\S+)?)?"
    r"(?:\s+\d+(?:\s+(?P<zero>-?\d+)(?:\s+(?P<first>-?\d+)(?=\s|$))?(?:\s+(?P<sum>-?\d+)(?=\s|$))?"
    r"(?:\s.*)?)?)?\s*"
)
_GAIN = 200.0  # where none is told


@dataclass(frozen=True)
class Signal:
    """One signal: its file, form, bytes before the numbers, and what they mean."""

    file: str
    form: str
    offset: int
    gain: float
    baseline: float


@dataclass(frozen=True)
class Header:
    """What a header says.

    Attributes
    ----------
    text
        All of it.
    signals
        In their order.
    rate
        Samples a second.
    count
        Samples of each signal, 0 if it does not say.
    """

    text: str
    signals: tuple[Signal, ...]
    rate: float
    count: int

    def rewritten(
        self, name: str, file: str, form: str, count: int, ends: Sequence[tuple[int, int]]
    ) -> str:
        """Return the header of other numbers of the same signals, all in one file.

        Parameters
        ----------
        name
            What the record is called.
        file, form
            Where its numbers are, and in which form.
        count
            Samples of each signal.
        ends
            First number and checksum of each. What the header does not say it need not say now.
        """
        lines = self.text.splitlines(keepends=True)
        places = _places(lines)
        first = next(places)
        changes = {"name": name, "count": str(count)}
        lines[first] = _changed(_RECORD, lines[first], changes)
        for place, (begin, total) in zip(places, ends, strict=False):  # more lines may follow
            told = {"file": file, "stored": form, "first": str(begin), "sum": str(total)}
            lines[place] = _changed(_SIGNAL, lines[place], told)
        return "".join(lines)


def _places(lines: Sequence[str]) -> Iterator[int]:
    """Yield which of the lines are no comments."""
    return (k for k, line in enumerate(lines) if line.strip() and line[:1] != "#")


def _changed(pattern: re.Pattern[str], line: str, texts: dict[str, str]) -> str:
    """Return a line with other texts for groups of its pattern, where it has these."""
    found = pattern.fullmatch(line.rstrip())
    assert found is not None  # it was read
    spans = sorted(((found.span(group), text) for group, text in texts.items()), reverse=True)
    for (start, end), text in spans:
        if start >= 0:
            line = line[:start] + text + line[end:]
    return line


def read_header(text: str, name: str) -> Header:
    """Read a header that is one.

    Parameters
    ----------
    text
        All of it.
    name
        What messages call it.

    Raises
    ------
    InputError
        If it is damaged, or the record of several segments or of forms that are not read.
    """
    record, *lines = _lines(text)
    about = _RECORD.fullmatch(record.rstrip())
    assert about is not None  # it was sniffed
    if about["parts"]:
        raise InputError(f"{name}: is a record of several segments; give one of these")
    signals = tuple(_signal(line, name) for line in lines[: int(about["signals"])])
    if len(signals) < int(about["signals"]):
        raise InputError(f"{name}: tells of fewer signals than it has; copy it again")
    return Header(text, signals, float(about["rate"]), int(about["count"] or 0))


def is_header(text: str) -> bool:
    """Tell whether a text begins as a header does."""
    lines = _lines(text)
    about = _RECORD.fullmatch(lines[0].rstrip()) if len(lines) > 1 else None
    if about is None or about["parts"]:
        return about is not None
    count = int(about["signals"])
    return count > 0 and all(map(_SIGNAL.fullmatch, lines[1 : count + 1]))


def _lines(text: str) -> list[str]:
    lines = text.splitlines()
    return [lines[place] for place in _places(lines)]


def _signal(line: str, name: str) -> Signal:
    found = _SIGNAL.fullmatch(line)
    if found is None:
        raise InputError(f"{name}: has a damaged line on a signal: {line.strip()}")
    if found["form"] not in FORMS or found["frames"] not in (None, "x1") or found["skew"]:
        raise InputError(
            f"{name}: has signals of format {line.split()[1]}, which is not read; export them as a "
            "text table (rdsamp -c -ps)"
        )
    zero = float(found["zero"] or 0)
    gain = float(found["gain"] or 0.0) or _GAIN
    baseline = zero if found["baseline"] is None else float(found["baseline"])
    return Signal(found["file"], found["form"], int(found["offset"] or 0), gain, baseline)
