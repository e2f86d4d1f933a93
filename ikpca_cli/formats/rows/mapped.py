"""Arrays that lie in a file and are mapped into memory, without seeming to fill it."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

_HELD = 64 << 20  # bytes that stay mapped

Array = npt.NDArray[Any]


class Mapped:
    """Samples of a mapped array, whose pages leave this process again after a while.

    They stay in the system's cache and can be read again, but a file larger than memory must not
    look as if this process held it.

    Parameters
    ----------
    samples
        A memory map, or a transposed one.
    """

    def __init__(self, samples: np.memmap[Any, Any]) -> None:
        self.shape = samples.shape
        self.dtype = samples.dtype
        self._samples = samples
        self._mapping: mmap.mmap = samples._mmap  # type: ignore[attr-defined]
        self._seen = 0

    @classmethod
    def of(cls, samples: Array) -> Mapped | Array:
        """Wrap an array if it is mapped."""
        return cls(samples) if isinstance(samples, np.memmap) else samples

    def __getitem__(self, rows: slice) -> Array:
        """Return the samples of a slice."""
        block = self._samples[rows]
        self._seen += block.nbytes
        if self._seen > _HELD and hasattr(self._mapping, "madvise"):
            self._mapping.madvise(mmap.MADV_DONTNEED)
            self._seen = 0
        return block
