"""The bytes of a file that claims to be a model, and a guess at what it is when it is none."""

from __future__ import annotations

import mmap
import os
import stat

from ikpca_cli.errors import ModelError

MAP_FROM = 64 * 2**20
"""Files of this many bytes or more are mapped, smaller ones are read."""

_COMPRESSED = "a compressed file, not written by ikpca"
_SIGNATURES = {
    b"\x93NUMPY": "a numpy array (.npy)",
    b"PK\x03\x04": "a zip archive or numpy .npz file",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file",
    b"MATLAB 5.0 MAT-file": "a MATLAB file",
    b"\x1f\x8b": _COMPRESSED,  # gzip
    b"BZh": _COMPRESSED,  # bzip2
    b"\xfd7zXZ": _COMPRESSED,  # xz
    b"\x5d\x00\x00": _COMPRESSED,  # lzma
    b"\x04\x22\x4d\x18": _COMPRESSED,  # lz4
    b"\x28\xb5\x2f\xfd": _COMPRESSED,  # zstd
    b"\x78": _COMPRESSED,  # zlib; a text that begins with x is told apart before
}
_TEXT_CONTROLS = frozenset(b"\t\n\f\r")


def read_bytes(path: str) -> memoryview:
    """Return the content of a file, read or mapped.

    Parameters
    ----------
    path : str
        A regular file.

    Returns
    -------
    memoryview
        Read-only bytes, at least one; they keep what they need alive.

    Raises
    ------
    ModelError
        If there is no such file, it cannot be read, is no regular file or is empty.
    """
    try:
        # Not blocking: opening a named pipe without a writer would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            data = _content(path, descriptor)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise ModelError(f"{path}: there is no such file; check the path of the model") from None
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        raise ModelError(f"{path}: cannot be read: {reason}; check the file") from None
    if not data:
        raise ModelError(f"{path}: is empty; fit the model again or get an intact copy")
    return data


def looks_like(data: memoryview) -> str | None:
    """Guess what a file is that is not a pickle.

    Parameters
    ----------
    data : memoryview
        Its bytes.

    Returns
    -------
    str or None
        The kind of file, for a message; None if it begins as a pickle does.
    """
    head = bytes(data[:1024])
    if head.startswith(b"\x80"):
        return None
    if all(byte >= 32 or byte in _TEXT_CONTROLS for byte in head):
        return "a text file, such as CSV"
    for signature, kind in _SIGNATURES.items():
        if head.startswith(signature):
            return kind
    return "some other binary file"


def _content(path: str, descriptor: int) -> memoryview:
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise ModelError(f"{path}: is a folder; name the model file in it")
    if not stat.S_ISREG(status.st_mode):
        raise ModelError(f"{path}: is not a regular file; save the model to one first")
    if status.st_size >= MAP_FROM:
        return memoryview(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ))
    with os.fdopen(descriptor, "rb", closefd=False) as handle:
        return memoryview(handle.read(status.st_size))
