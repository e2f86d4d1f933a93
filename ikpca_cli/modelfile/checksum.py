"""A sum over what a model holds, by which damage on the way from disk to disk is told."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

_PARTS = ("method", "params", "state", "windows", "reading")


def checksum(content: dict[str, Any]) -> int:
    """Return the CRC-32 of what a model file holds, but for versions and the sum itself.

    Parameters
    ----------
    content : dict
        Numbers, text, None, arrays, and dicts of these, as in `ikpca_cli.modelfile.storage`.
    """
    value = 0
    for part in _PARTS:
        value = _added(content.get(part), value)
    return value


def _added(item: Any, value: int) -> int:
    if isinstance(item, dict):
        for key in sorted(item):
            value = _added(item[key], zlib.crc32(repr(key).encode(), value))
        return value
    if isinstance(item, np.ndarray):
        kind = item.dtype.newbyteorder("<")
        value = zlib.crc32(f"{kind.str} {item.shape}".encode(), value)
        return zlib.crc32(np.ascontiguousarray(item, kind).reshape(-1).view(np.uint8).data, value)
    return zlib.crc32(repr(item).encode(), value)
