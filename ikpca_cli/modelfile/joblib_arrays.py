"""How joblib describes an array in a pickle: the names it mentions, the dtype, the wrapper's state.

Descriptions are compared with what joblib writes for a plain float array; nothing is imported or
made from them but a shape and one of four dtypes.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

MAX_DIMENSIONS = 4


class NotPlainError(ValueError):
    """The bytes are not a joblib file of plain values; the text says what was met."""


class TruncatedError(NotPlainError):
    """The bytes end before the value does."""


class Name(enum.Enum):
    """The names a file may mention."""

    WRAPPER = ("joblib.numpy_pickle", "NumpyArrayWrapper")
    NDARRAY = ("numpy", "ndarray")
    DTYPE = ("numpy", "dtype")


class Wrapper:
    """A NumpyArrayWrapper whose attributes have not come yet."""


@dataclass
class Dtype:
    """A numpy dtype: its code, then its byte order once that has come."""

    code: str
    order: str = ""

    @classmethod
    def of_call(cls, args: object) -> Dtype:
        """Return the dtype that `numpy.dtype` called with these arguments is."""
        code = _key_of(args, _DTYPE_ARGS)
        if code is None:
            raise NotPlainError("it has an array that is not of float32 or float64")
        return cls(code)

    def set_state(self, state: object) -> None:
        """Take the byte order from a pickled state."""
        order = _key_of(state, _DTYPE_STATES)
        if order is None:
            raise NotPlainError("it has an array of an unusual dtype")
        self.order = order


# What numpy.dtype is called with, and the state it then gets, by code and by byte order.
_DTYPE_ARGS = {code: (code, False, True) for code in ("f4", "f8")}
_DTYPE_STATES = {order: (3, order, None, None, None, -1, -1, 0) for order in "<>"}
_WRAPPER_KEYS = {
    "subclass",
    "shape",
    "order",
    "dtype",
    "allow_mmap",
    "numpy_array_alignment_bytes",
}


@dataclass(frozen=True)
class ArrayForm:
    """The shape and dtype of an array whose bytes are still to be read."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @classmethod
    def of_state(cls, state: object) -> ArrayForm:
        """Return what a wrapper's attributes describe.

        Raises
        ------
        NotPlainError
            If that is anything else than a C-ordered float array that is not empty.
        """
        if type(state) is not dict or state.keys() != _WRAPPER_KEYS:
            raise NotPlainError("it has an array with other attributes than joblib writes")
        shape, dtype = state["shape"], state["dtype"]
        if state["subclass"] is not Name.NDARRAY or not equal((state["order"],), ("C",)):
            raise NotPlainError("it has an array that is not a C-ordered numpy.ndarray")
        if not isinstance(dtype, Dtype) or not dtype.order:
            raise NotPlainError("it has an array without a dtype")
        if type(shape) is not tuple or not 1 <= len(shape) <= MAX_DIMENSIONS:
            raise NotPlainError(f"it has an array that is not of 1 to {MAX_DIMENSIONS} dimensions")
        if any(type(length) is not int or length < 1 for length in shape):
            raise NotPlainError("it has an array of an impossible shape")
        return cls(shape, np.dtype(dtype.order + dtype.code))

    @property
    def size(self) -> int:
        """Number of bytes: a product of Python integers, which cannot overflow."""
        return math.prod(self.shape) * self.dtype.itemsize

    def view(self, content: memoryview) -> np.ndarray[Any, Any]:
        """Return the array in these bytes, a copy only where it has to be swapped or aligned."""
        array = np.frombuffer(content, self.dtype).reshape(self.shape)
        if not array.flags.aligned or not array.dtype.isnative:
            array = array.astype(self.dtype.newbyteorder("="))
            array.flags.writeable = False
        return array


def equal(value: object, wanted: tuple[Any, ...]) -> bool:
    """Compare with care: an array in a file has its own ideas of equality, and True is not 1."""
    return (
        type(value) is tuple
        and len(value) == len(wanted)
        and all(type(a) is type(b) and a == b for a, b in zip(value, wanted, strict=True))
    )


def _key_of(value: object, table: Mapping[str, tuple[Any, ...]]) -> str | None:
    return next((key for key, wanted in table.items() if equal(value, wanted)), None)
