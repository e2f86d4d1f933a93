"""Whether the tags in a MATLAB 5 file are ones that scipy's reader survives.

That reader trusts the type in the tag of a data element: one that it does not know ends the
process. So every tag that it would meet is looked at first.
(MathWorks, MAT-File Level 5 File Format.)
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

_HEADER = 128
_INT8, _INT32, _UINT32, _MATRIX, _COMPRESSED, _UTF8 = 1, 5, 6, 14, 15, 16
_NUMBERS = frozenset({1, 2, 3, 4, 5, 6, 7, 9, 12, 13})
_TEXT = frozenset({1, 2, 3, 4, 16, 17, 18})
_CELL, _STRUCT, _OBJECT, _CHAR, _SPARSE = 1, 2, 3, 4, 5
_NUMERIC = range(6, 16)
_COMPLEX = 0x08
_FRONT = 1 << 14  # bytes in which flags, dimensions and name of a variable are
_DEEPEST = 32
_LARGEST = 1 << 31  # bytes of a variable, by the format


class TagError(ValueError):
    """A tag is not one that a file of version 5 may have there; the text says which."""


@dataclass(frozen=True)
class _Front:
    """The first elements of a matrix."""

    kind: int
    is_complex: bool
    dims: tuple[int, ...]
    name: str
    end: int


def check_tags(data: bytes, names: set[str] | None = None) -> None:
    """Check the fronts of all variables, and the whole of some.

    Parameters
    ----------
    data
        The bytes of a file of version 5.
    names
        Of the variables to look through; only fronts if None.

    Raises
    ------
    TagError
        If scipy must not be given the file.
    """
    order = {b"IM": "<", b"MI": ">"}.get(data[126:128])
    if order is None:
        raise TagError("its header does not tell the byte order")
    tags = _Tags(order)
    for packed, content in _variables(memoryview(data), order):
        head = _inflated(content, _FRONT) if packed else content
        front = tags.front(_matrix(head, order, whole=not packed))
        if names is not None and front.name in names:
            body = _inflated(content, _LARGEST) if packed else content
            tags.look_through(_matrix(body, order, whole=True), 0)


def _variables(data: memoryview, order: str) -> Iterator[tuple[bool, memoryview]]:
    """Yield each variable: whether it is compressed, and its bytes."""
    place = _HEADER
    while place < len(data):
        if place + 8 > len(data):
            raise TagError("it ends within a tag")
        kind, size = struct.unpack_from(f"{order}2I", data, place)
        if kind not in (_MATRIX, _COMPRESSED) or place + 8 + size > len(data):
            raise TagError(f"a variable has the type {kind} and {size} bytes")
        inner = data[place + 8 : place + 8 + size] if kind == _COMPRESSED else data[place:]
        yield kind == _COMPRESSED, inner
        place += 8 + size


def _inflated(content: memoryview, most: int) -> memoryview:
    return memoryview(zlib.decompressobj().decompress(content, most))


def _matrix(data: memoryview, order: str, *, whole: bool) -> memoryview:
    """Return what is in the matrix that `data` begins with; its front alone may be there."""
    if len(data) < 8:
        raise TagError("a variable has no tag")
    kind, size = struct.unpack_from(f"{order}2I", data)
    if kind != _MATRIX or (whole and len(data) < 8 + size):
        raise TagError(f"a variable has the type {kind} and {size} bytes")
    return data[8 : 8 + size]


class _Tags:
    """Looks at tags in one byte order."""

    def __init__(self, order: str) -> None:
        self._order = order

    def _element(self, data: memoryview, place: int) -> tuple[int, memoryview, int]:
        """Return the type and content of an element, and the place of the next."""
        if place + 8 > len(data):
            raise TagError("it ends within a variable")
        word, size = struct.unpack_from(f"{self._order}2I", data, place)
        if word >> 16:  # a small element: size and type in one word, and the content after it
            size, kind = word >> 16, word & 0xFFFF
            if size > 4:
                raise TagError(f"a small element has {size} bytes")
            return kind, data[place + 4 : place + 4 + size], place + 8
        if place + 8 + size > len(data):
            raise TagError(f"an element of {size} bytes ends beyond its variable")
        return word, data[place + 8 : place + 8 + size], place + 8 + -(-size // 8) * 8

    def _expect(
        self, data: memoryview, place: int, kinds: frozenset[int]
    ) -> tuple[memoryview, int]:
        kind, content, end = self._element(data, place)
        if kind not in kinds:
            raise TagError(f"an element has the type {kind}")
        return content, end

    def front(self, data: memoryview) -> _Front:
        """Return flags, dimensions and name of a matrix."""
        flags, place = self._expect(data, 0, frozenset({_UINT32}))
        if len(flags) != 8:
            raise TagError("its flags are not 8 bytes")
        word = struct.unpack_from(f"{self._order}I", flags)[0]
        dims, place = self._expect(data, place, frozenset({_INT32, _UINT32}))
        if len(dims) < 8 or len(dims) % 4 or len(dims) > 4 * _DEEPEST:
            raise TagError(f"its dimensions are {len(dims)} bytes")
        lengths = struct.unpack(f"{self._order}{len(dims) // 4}i", dims)
        if min(lengths) < 0:
            raise TagError(f"its dimensions are {lengths}")
        name, place = self._expect(data, place, frozenset({_INT8, _UTF8}))
        text = bytes(name).decode("latin-1")
        return _Front(word & 0xFF, bool(word >> 8 & _COMPLEX), lengths, text, place)

    def look_through(self, data: memoryview, depth: int) -> None:
        """Check all elements of a matrix, and of those in it."""
        if depth > _DEEPEST:
            raise TagError("its cells are nested without end")
        if not data:
            return  # an empty cell
        front = self.front(data)
        place, parts = front.end, 1 + front.is_complex
        if front.kind in _NUMERIC:
            self._skip(data, place, [_NUMBERS] * parts)
        elif front.kind == _CHAR:
            self._skip(data, place, [_TEXT])
        elif front.kind == _SPARSE:
            self._skip(data, place, [frozenset({_INT32})] * 2 + [_NUMBERS] * parts)
        elif front.kind in (_CELL, _STRUCT, _OBJECT):
            count = math.prod(front.dims)
            if front.kind != _CELL:
                fields, place = self._fields(data, place, front.kind == _OBJECT)
                count *= fields
            self._matrices(data, place, count, depth)
        else:
            raise TagError(f"a variable is of the class {front.kind}")

    def _skip(self, data: memoryview, place: int, kinds: list[frozenset[int]]) -> None:
        for allowed in kinds:
            _, place = self._expect(data, place, allowed)

    def _fields(self, data: memoryview, place: int, is_object: bool) -> tuple[int, int]:
        """Return how many fields a struct has, and the place after their names."""
        if is_object:
            _, place = self._expect(data, place, frozenset({_INT8}))
        length, place = self._expect(data, place, frozenset({_INT32}))
        names, place = self._expect(data, place, frozenset({_INT8}))
        size = struct.unpack(f"{self._order}i", length)[0] if len(length) == 4 else 0
        if size < 1 or len(names) % size:
            raise TagError("the names of its fields have no length")
        return len(names) // size, place

    def _matrices(self, data: memoryview, place: int, count: int, depth: int) -> None:
        if count * 8 > len(data) - place:
            raise TagError("it declares more cells than it holds")
        for _ in range(count):
            inner, place = self._expect(data, place, frozenset({_MATRIX}))
            self.look_through(inner, depth + 1)
