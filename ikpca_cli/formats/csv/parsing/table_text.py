"""The text of a table, whatever its encoding, line ends and compression, in bounded memory."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from typing import BinaryIO, cast

from ikpca_cli.errors import InputError
from ikpca_cli.formats.format_names import read_formats

LONGEST_LINE = 64 << 20
"""Bytes of a line; a longer one is no row of a table."""

_HEAD = 1 << 20  # bytes that are looked at first
_BLOCK = 8 << 20  # bytes of text parsed together
_LINES = 8  # lines that are looked at, however long they are
_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_BOM = b"\xef\xbb\xbf"
_LETTER = re.compile(rb"[A-Za-z]")
_PLAIN = frozenset(b"\t\n\r" + bytes(range(0x20, 0x7F)))


class TableText:
    """Text whose lines end in a line feed, read block by block.

    Parameters
    ----------
    stream
        The bytes, no longer compressed.
    name
        What messages call the file.
    zipped
        Whether they were compressed.

    Attributes
    ----------
    encoding, inner_encoding
        That of the file; that of `head` and of the blocks, which is UTF-8 for UTF-16.
    bom
        Whether a byte-order mark leads.
    newline
        What ends most lines of the file.
    whole
        Whether `head` is all of it.
    head
        The first bytes.

    Raises
    ------
    InputError
        If this is no text, empty, or has a line that is too long.
    """

    def __init__(self, stream: BinaryIO, name: str, *, zipped: bool = False) -> None:
        self.zipped = zipped
        self._name = name
        self._stream = stream
        start = stream.read(4)
        self.bom = start[:2] in _UTF16
        self.encoding = _UTF16.get(start[:2], _bare_utf16(start))
        if self.encoding != "utf-8":
            ahead = start[2:] if self.bom else start
            self._stream = cast(BinaryIO, _Decoded(stream, self.encoding, name, ahead))
            start = b""
        self.whole = False
        raw = self._more(start, _HEAD)
        while raw.count(b"\n") + raw.count(b"\r") < _LINES and not self.whole:
            raw = self._more(raw, min(2 * len(raw), len(raw) + _BLOCK))
            if len(raw) - max(raw.rfind(b"\n"), raw.rfind(b"\r")) > LONGEST_LINE:
                raise self._too_long(_normal(raw).count(b"\n") + 1)
        if raw.startswith(_BOM):
            self.bom, raw = True, raw[len(_BOM) :]
        if b"\0" in raw and not _only_pads(raw):
            before = _normal(raw[: raw.index(b"\0")])
            line = before.count(b"\n") + 1
            if line > _LINES and _is_utf8(before):
                raise InputError(
                    f"{name}: line {line} holds zero bytes, as a file does that a logger or a copy "
                    "did not finish; take them out"
                )
            raise InputError(
                f"{name}: is not an array file; give one of {read_formats()}; programs of "
                "instruments can export text"
            )
        if not raw.strip():
            raise InputError(f"{name}: is empty; copy or export it again")
        self.newline = _newline(raw)
        self._carried = raw.endswith(b"\r") and not self.whole  # half of a line end, perhaps
        self.head = _normal(raw[:-1] if self._carried else raw)
        if not _is_utf8(self.head):
            self.encoding = "latin-1"  # names in an older encoding; numbers are the same in all
        self.inner_encoding = "latin-1" if self.encoding == "latin-1" else "utf-8"

    def decode(self, text: bytes) -> str:
        """Return bytes of the head, or of a block, as text that can be encoded again."""
        return text.decode(self.inner_encoding, "surrogateescape")

    def first_lines(self) -> list[str]:
        """Return the complete lines of the head; one with a quote still open goes on."""
        text = self.head if self.whole else self.head[: self.head.rfind(b"\n") + 1] or self.head
        lines: list[str] = []
        pending: list[str] = []
        for line in self.decode(text.removesuffix(b"\n")).split("\n"):
            pending.append(line)
            if pending[1:] and line.count('"') % 2:
                lines.append("\n".join(pending))
                pending = []
            elif len(pending) > _LINES or not _opens(pending[0]):
                lines += pending
                pending = []
        return lines + pending

    def blocks(self, first: int) -> Iterator[tuple[bytes, bool]]:
        """Yield blocks of whole lines, and whether it is the last, after the first lines.

        Raises
        ------
        InputError
            If a line is too long.
        """
        start = 0
        for _ in range(first):
            start = self.head.find(b"\n", start) + 1 or len(self.head)
        rest, held, count = b"", b"", first
        for more in self._chunks(start):
            cut = more.rfind(b"\n") + 1
            if cut:
                if held:
                    count += held.count(b"\n")
                    yield held, False
                held, rest = rest + more[:cut], more[cut:]
            else:
                rest += more
            if len(rest) > LONGEST_LINE:
                raise self._too_long(count + held.count(b"\n") + 1)
        yield held + rest, True

    def _chunks(self, start: int) -> Iterator[bytes]:
        yield self.head[start:]
        carried = b"\r" if self._carried else b""
        while more := self._stream.read(_BLOCK):
            more = carried + more
            carried = b"\r" if more.endswith(b"\r") else b""
            yield _normal(more[: len(more) - len(carried)])
        if carried:
            yield b"\n"

    def _more(self, raw: bytes, length: int) -> bytes:
        """Return bytes with as many behind them as `length` in all."""
        parts = [raw]
        missing = max(length, 1) - len(raw)
        while missing > 0:
            part = self._stream.read(missing)
            if not part:
                self.whole = True
                break
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _too_long(self, line: int) -> InputError:
        return InputError(
            f"{self._name}: line {line} is longer than {LONGEST_LINE >> 20} MB: this is no table; "
            "save it with line ends, or as .npy or .h5"
        )


class _Decoded(io.RawIOBase):
    """A stream of UTF-16 text in UTF-8, some bytes of which were read ahead."""

    def __init__(self, stream: BinaryIO, encoding: str, name: str, ahead: bytes) -> None:
        super().__init__()
        self._stream, self._ahead = stream, ahead
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._name = name

    def read(self, size: int = -1) -> bytes:
        """Return some bytes, none at the end."""
        while True:
            data, self._ahead = self._ahead or self._stream.read(max(size, 2)), b""
            try:
                text = self._decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                line = f"{self._name}: is damaged UTF-16 text; save it as UTF-8"
                raise InputError(line) from error
            if text or not data:
                return text.encode("utf-8", "surrogatepass")


def _bare_utf16(start: bytes) -> str:
    """Return the encoding of text without a mark, from its first four bytes."""
    for place, encoding in ((0, "utf-16-le"), (1, "utf-16-be")):
        signs, zeros = start[place::2], start[1 - place :: 2]
        if zeros == b"\0\0" and all(sign in _PLAIN for sign in signs):
            return encoding
    return "utf-8"


def _only_pads(raw: bytes) -> bool:
    """Tell whether zero bytes do nothing but fill up words of a preamble to a fixed length."""
    for line in raw.splitlines(keepends=True):
        text = line.rstrip(b"\r\n").rstrip(b"\0")
        if b"\0" in line and (b"\0" in text or line[-1:] == b"\0" or not _LETTER.search(text)):
            return False
    return True


def _opens(line: str) -> bool:
    """Tell whether the last quote of a line begins a cell that goes on in the next line."""
    place = line.rfind('"')
    return line.count('"') % 2 == 1 and line[:place].strip(" ")[-1:] in ("", ",", ";", "\t", "|")


def _newline(text: bytes) -> str:
    """Return what ends most lines."""
    both = text.count(b"\r\n")
    counts = {"\n": text.count(b"\n") - both, "\r\n": both, "\r": text.count(b"\r") - both}
    return max(counts, key=lambda end: counts[end])


def _normal(text: bytes) -> bytes:
    """Return text whose lines end in a line feed."""
    if b"\r" not in text:
        return text
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _is_utf8(text: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(text)
    except UnicodeDecodeError:
        return False
    return True
