"""MATLAB files of version 7.3: HDF5 behind a block of 512 bytes, with the axes reversed."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ikpca_cli.formats.format import Format, Output, Write
from ikpca_cli.formats.hdf5.guarded import hdf5_writer
from ikpca_cli.formats.hdf5.hdf5_format import read_hdf5
from ikpca_cli.formats.matlab.matlab_names import matlab_name, renaming

_CLASSES = {"float64": "double", "float32": "single", "bool": "logical"}
_TOP = b"MATLAB 7.3 MAT-file".ljust(116) + bytes(8) + struct.pack("<HH", 512, 0x4D49)


@contextmanager
def _writer(output: Output) -> Iterator[Write]:
    kind = _CLASSES.get(output.dtype.name, output.dtype.name)
    with hdf5_writer(
        output,
        last=not output.layout.transposed,
        name_of=lambda name: "/".join(map(matlab_name, name.strip("/").split("/"))),
        userblock=_TOP.ljust(512, b"\0"),
        attributes={"MATLAB_class": np.bytes_(kind)},
    ) as write:
        yield write


MAT73 = Format(
    name="mat73",
    suffixes=(".mat",),
    sniff=lambda head, _: head.startswith(b"MATLAB 7.3 MAT-file"),
    read=read_hdf5,
    writer=_writer,
    sliceable=True,
    named=True,
    notes=renaming,
)
