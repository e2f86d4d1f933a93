"""Read joblib files of plain values without running anything that they say.

`joblib.load` is `pickle.load`: it imports and calls whatever the file names. This module is no
unpickler with some doors shut but a reader for the little language that `joblib.dump` writes for
dicts with text keys, text, numbers, booleans, None and float arrays, in pickle protocols 4 and 5.

- Nothing is imported, is_read up or called. The three names that joblib needs for an array are
  tokens to compare with; any other name, opcode or form is refused.
- Nothing is allocated on the word of the file. An array is a read-only view of bytes that are
  there; it is copied only when they are in the other byte order or not aligned, and no byte is
  part of two arrays. The number of opcodes is limited, and what one can allocate is. So reading
  takes, beyond the buffer, which may be a memory map, at most its size plus `OVERHEAD`.

An array in such a file is a pickled `NumpyArrayWrapper` (shape, order, dtype) followed, outside
the pickle's grammar, by one byte with the length of a padding, the padding, and the array's bytes.
"""

from __future__ import annotations

import pickle
import struct
from typing import Any

from ikpca_cli.modelfile.joblib_arrays import (
    ArrayForm,
    Dtype,
    Name,
    NotPlainError,
    TruncatedError,
    Wrapper,
    equal,
)

OVERHEAD = 32 * 2**20
"""Bytes that reading may allocate for other things than arrays."""

MAX_OPCODES = 10_000
MAX_TEXT_BYTES = 255  # longer text has another opcode, which is refused
MAX_INT_BYTES = 16


_CONSTANTS: dict[bytes, Any] = {
    pickle.NONE: None,
    pickle.NEWTRUE: True,
    pickle.NEWFALSE: False,
    pickle.EMPTY_TUPLE: (),
}
_NUMBERS = {
    pickle.BININT1: struct.Struct("<B"),
    pickle.BININT2: struct.Struct("<H"),
    pickle.BININT: struct.Struct("<i"),
    pickle.BINFLOAT: struct.Struct(">d"),
}
_TUPLES = {pickle.TUPLE1: 1, pickle.TUPLE2: 2, pickle.TUPLE3: 3}
_GETS = {pickle.BINGET: struct.Struct("<B"), pickle.LONG_BINGET: struct.Struct("<I")}
_BYTE = struct.Struct("<B")
_FRAME = struct.Struct("<Q")


def loads(data: memoryview) -> object:
    """Read the one value that `data` holds.

    Parameters
    ----------
    data : memoryview
        The whole file, as contiguous read-only bytes. Arrays are views of it where that is
        possible.

    Returns
    -------
    object
        Dicts with text keys, tuples, text, int, float, bool, None, and read-only float arrays of
        1 to 4 dimensions, C-ordered, in native byte order, none of them empty. Containers may be
        nested or contain themselves; a caller that walks them has to expect a certain form.

    Raises
    ------
    TruncatedError
        If the bytes end before the value does.
    NotPlainError
        If they hold anything else.
    """
    return _Reader(data).run()


class _Reader:
    """A stack machine for the opcodes that plain values need."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0
        self._stack: list[Any] = []
        self._below: list[list[Any]] = []  # the stacks under each MARK
        self._memo: list[Any] = []

    def run(self) -> object:
        if bytes(self._take(1)) != pickle.PROTO or self._number(_BYTE) not in (4, 5):
            raise NotPlainError("it is not a joblib file")
        for _ in range(MAX_OPCODES):
            opcode = bytes(self._take(1))
            if opcode == pickle.STOP:
                return self._finish()
            self._step(opcode)
        raise NotPlainError(f"it has more than {MAX_OPCODES} steps")

    def _finish(self) -> object:
        value = self._pop()
        if self._stack or self._below:
            raise NotPlainError("it holds more than one value")
        if self._at != len(self._data):
            raise NotPlainError(f"{len(self._data) - self._at} bytes follow its end")
        return value

    def _step(self, opcode: bytes) -> None:
        """Obey one opcode; the tables above hold those that differ in a constant only."""
        push = self._stack.append
        if opcode in _CONSTANTS:
            push(_CONSTANTS[opcode])
        elif opcode in _NUMBERS:
            push(self._number(_NUMBERS[opcode]))
        elif opcode in _TUPLES:
            push(tuple([self._pop() for _ in range(_TUPLES[opcode])][::-1]))
        elif opcode in _GETS:
            self._recall(self._number(_GETS[opcode]))
        elif opcode in _ACTIONS:
            _ACTIONS[opcode](self)
        else:
            raise NotPlainError(f"it holds the opcode {opcode!r} at byte {self._at - 1}")

    def _frame(self) -> None:
        """Check the length of a frame, which groups opcodes and means nothing else."""
        if self._number(_FRAME) > len(self._data) - self._at:
            raise TruncatedError("a frame is longer than the file")

    def _mark(self) -> None:
        self._below.append(self._stack)
        self._stack = []

    def _tuple(self) -> None:
        items = self._since_mark()
        self._stack.append(tuple(items))

    def _empty_dict(self) -> None:
        self._stack.append({})

    def _memoize(self) -> None:
        self._memo.append(self._top())

    def _recall(self, index: int) -> None:
        if index >= len(self._memo):
            raise NotPlainError("it recalls a value that is not there")
        self._stack.append(self._memo[index])

    def _text(self) -> None:
        try:
            self._stack.append(str(self._take(self._number(_BYTE)), "utf-8"))
        except UnicodeDecodeError:
            raise NotPlainError("it holds a text that is not UTF-8") from None

    def _long(self) -> None:
        size = self._number(_BYTE)
        if size > MAX_INT_BYTES:
            raise NotPlainError(f"it holds an integer of {size} bytes")
        self._stack.append(int.from_bytes(self._take(size), "little", signed=True))

    def _set_item(self) -> None:
        value, key = self._pop(), self._pop()
        self._update([key, value])

    def _set_items(self) -> None:
        self._update(self._since_mark())

    def _update(self, pairs: list[Any]) -> None:
        target = self._top()
        if type(target) is not dict or len(pairs) % 2:
            raise NotPlainError("it sets items of what is not a dict")
        for key, value in zip(pairs[::2], pairs[1::2], strict=True):
            if type(key) is not str or key in target:
                raise NotPlainError("it has a dict with a key that is not text, or twice the same")
            target[key] = value

    def _stack_global(self) -> None:
        name, module = self._pop(), self._pop()
        if type(module) is not str or type(name) is not str:
            raise NotPlainError("it looks up a name that is not text")
        try:
            self._stack.append(Name((module, name)))
        except ValueError:
            raise NotPlainError(f"it names {module + '.' + name!r}") from None

    def _new_object(self) -> None:
        args, name = self._pop(), self._pop()
        if name is not Name.WRAPPER or not equal(args, ()):
            raise NotPlainError("it makes an object that is not an array")
        self._stack.append(Wrapper())

    def _reduce(self) -> None:
        args, name = self._pop(), self._pop()
        if name is not Name.DTYPE:
            raise NotPlainError("it calls something")
        self._stack.append(Dtype.of_call(args))

    def _build(self) -> None:
        state, target = self._pop(), self._top()
        if isinstance(target, Dtype):
            target.set_state(state)
        elif isinstance(target, Wrapper):
            form = ArrayForm.of_state(state)
            self._take(self._number(_BYTE))  # padding
            self._stack[-1] = form.view(self._take(form.size))
        else:
            raise NotPlainError("it sets the state of what is not an array")

    def _take(self, size: int) -> memoryview:
        """Return the next `size` bytes, without a copy."""
        if size > len(self._data) - self._at:
            raise TruncatedError(f"{size} bytes are due at byte {self._at}")
        self._at += size
        return self._data[self._at - size : self._at]

    def _number(self, form: struct.Struct) -> Any:
        return form.unpack(self._take(form.size))[0]

    def _top(self) -> Any:
        if not self._stack:
            raise NotPlainError("it uses a value that is not there")
        return self._stack[-1]

    def _pop(self) -> Any:
        self._top()
        return self._stack.pop()

    def _since_mark(self) -> list[Any]:
        if not self._below:
            raise NotPlainError("it uses a mark that is not there")
        items, self._stack = self._stack, self._below.pop()
        return items


_ACTIONS = {
    pickle.FRAME: _Reader._frame,
    pickle.MARK: _Reader._mark,
    pickle.TUPLE: _Reader._tuple,
    pickle.EMPTY_DICT: _Reader._empty_dict,
    pickle.MEMOIZE: _Reader._memoize,
    pickle.SHORT_BINUNICODE: _Reader._text,
    pickle.LONG1: _Reader._long,
    pickle.SETITEM: _Reader._set_item,
    pickle.SETITEMS: _Reader._set_items,
    pickle.STACK_GLOBAL: _Reader._stack_global,
    pickle.NEWOBJ: _Reader._new_object,
    pickle.REDUCE: _Reader._reduce,
    pickle.BUILD: _Reader._build,
}
