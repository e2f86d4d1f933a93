"""NumPy's npz files: zip archives of npy files, of which one is cleaned and the others are kept."""

from __future__ import annotations

import math
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import BinaryIO, cast

import numpy as np

from ikpca_cli.data.row_source import Progress
from ikpca_cli.errors import InputError
from ikpca_cli.formats.array_checks import check_numbers, check_shape, only_vector, refuse_sparse
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.foreign import kind_of_archive
from ikpca_cli.formats.format import Array, Format, Input, Output, Write, at_once
from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.npy import Header, array_rows, check_end, npy_header, start_npy
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.formats.rows.rates import is_rate, rate_in
from ikpca_cli.formats.rows.row_slices import plain_reason

_MOST_KEPT = 1 << 30
"""Bytes of other arrays that an output keeps: a small file may declare any number of them."""


@dataclass(frozen=True)
class _Others:
    """The members of an archive beside the one that is read."""

    file: Input
    members: tuple[str, ...]
    size: int

    def rate(self, _: str) -> float:
        """Return the samples a second of a recording, 0 if no array tells them."""
        for member in self.members:
            name = member.removesuffix(".npy")
            if not is_rate(name):
                continue
            with _opened(self.file) as source:
                header = _header(source, source.getinfo(member), self.file.name)
                if header is None or math.prod(header[0]) != 1 or header[2].kind not in "iuf":
                    continue
                with suppress(Exception), source.open(member) as stream:  # if it is not whole
                    value = np.lib.format.read_array(cast(BinaryIO, stream), allow_pickle=False)
                    if told := rate_in({name: value}):
                        return told
        return 0.0

    def copy(self, archive: zipfile.ZipFile) -> None:
        """Put them into another archive as they are."""
        try:
            with _opened(self.file) as source:
                for member in self.members:
                    info = source.getinfo(member)
                    with (
                        source.open(info) as old,
                        archive.open(_named_like(info), "w", force_zip64=True) as new,
                    ):
                        shutil.copyfileobj(old, new, 1 << 20)
        except OSError:  # of the output
            raise
        except Exception as error:  # whatever damaged bytes provoke
            raise InputError(
                f"{self.file.name}: the other arrays of it cannot be copied "
                f"({plain_reason(error)}); write .npy, or take them out"
            ) from error


def _opened(file: Input) -> zipfile.ZipFile:
    return zipfile.ZipFile(file.path if file.data is None else file.open())


def _named_like(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """Return the entry of a copy; equal inputs give equal bytes, so it has the same date."""
    new = zipfile.ZipInfo(info.filename, info.date_time)
    deflated = info.compress_type != zipfile.ZIP_STORED
    new.compress_type = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
    return new


def _read(file: Input, options: ReadOptions, _: Progress) -> Rows:
    """Read one array of an npz file; `options.dataset` names it where there are several."""
    with _opened(file) as archive:
        everything = archive.infolist()
        members = [info for info in everything if info.filename.endswith(".npy")]
        if not members:
            raise InputError(f"{file.name}: {kind_of_archive(archive.namelist())}")
        headers: dict[str, Header | None] = {}
        for info in members:
            if info.filename[:-4] in headers:
                raise InputError(
                    f"{file.name}: holds {info.filename[:-4]} twice, and which is meant is not "
                    "known; save it again, each array under a name of its own"
                )
            headers[info.filename[:-4]] = _header(archive, info, file.name)
        chosen = _choose(file.name, headers, options.dataset)
        info = next(i for i in members if i.filename[:-4] == chosen)
        name = f"{file.name}: {chosen}"
        with archive.open(info) as stream:
            shape, fortran, dtype = npy_header(cast(BinaryIO, stream), name)
            check_numbers(name, dtype)
            check_shape(name, shape, options)
            if math.prod(shape) * dtype.itemsize > info.file_size:
                raise InputError(f"{name}: is incomplete for its shape {shape}; save it again")
            flat = np.frombuffer(stream.read(math.prod(shape) * dtype.itemsize), dtype)
            check_end(cast(BinaryIO, stream), name)
    rest = [i for i in everything if i.filename != info.filename]
    others = _Others(file, tuple(i.filename for i in rest), sum(i.file_size for i in rest))
    return array_rows(
        flat.reshape(shape, order="F" if fortran else "C"),
        name,
        "npz",
        options,
        dataset=chosen,
        compressed=info.compress_type != zipfile.ZIP_STORED,
        others=tuple(member.removesuffix(".npy") for member in others.members),
        beside=others,
    )


def _header(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> Header | None:
    """Return the header of a member, or None if that one cannot be read."""
    try:
        with archive.open(info) as stream:
            return npy_header(cast(BinaryIO, stream), name)
    except Exception:  # only a member that is asked for has to be whole
        return None


def _choose(name: str, headers: dict[str, Header | None], dataset: str | None) -> str:
    """Return the array asked for, or the only one that could be meant."""
    listed = ", ".join(f"{key} {head[0] if head else '(damaged)'}" for key, head in headers.items())
    if dataset is not None:
        if dataset not in headers:
            raise InputError(f"{name}: has no array {dataset!r}; it holds {listed}")
        return dataset
    if len(headers) == 1:
        return next(iter(headers))
    shapes = {key: head[0] for key, head in headers.items() if head and head[2].kind in "biuf"}
    usable = [key for key, shape in shapes.items() if len(shape) > 1] or only_vector(shapes)
    if len(usable) == 1:
        return usable[0]
    refuse_sparse(name, headers)
    raise InputError(f"{name}: holds several arrays; name one with --dataset: {listed}")


def _kept(layout: Layout) -> _Others | None:
    others = layout.beside if isinstance(layout.beside, _Others) else None
    return others if others is not None and others.size <= _MOST_KEPT else None


def _notes(layout: Layout) -> tuple[str, ...]:
    if isinstance(layout.beside, _Others) and _kept(layout) is None:
        return ("the other arrays of an npz input have more than 1 GB, and are not in the output",)
    return ()


@contextmanager
def _writer(output: Output) -> Iterator[Write]:
    compressed = output.layout.compressed
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    member = f"{output.dataset}.npy"
    with zipfile.ZipFile(output.handle, "w", method) as archive:
        if output.layout.transposed:

            def save(values: Array) -> None:
                with archive.open(member, "w", force_zip64=True) as file:
                    start_npy(cast(BinaryIO, file), values.shape, output.dtype)(values)

            with at_once(output, save) as write:
                yield write
        else:
            with archive.open(member, "w", force_zip64=True) as file:
                yield start_npy(cast(BinaryIO, file), output.shape, output.dtype)
        others = _kept(output.layout)
        if others is not None:
            others.copy(archive)


NPZ = Format(
    name="npz",
    suffixes=(".npz",),
    sniff=lambda head, _: head.startswith((b"PK\x03\x04", b"PK\x05\x06")),
    read=_read,
    writer=_writer,
    named=True,
    keeps=True,
    notes=_notes,
)
