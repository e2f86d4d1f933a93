"""MATLAB files up to version 7, through scipy: one variable is cleaned, the others are kept."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ikpca_cli.data.row_source import Progress
from ikpca_cli.errors import InputError, OutputError
from ikpca_cli.formats.array_checks import as_one_sample, only_vector
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format import Array, Format, Input, Output, Write, at_once
from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.matlab.mat5_tags import check_tags
from ikpca_cli.formats.matlab.matlab_names import matlab_name, renaming
from ikpca_cli.formats.npy import array_rows
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.formats.rows.rates import is_rate, rate_in

_NUMERIC = (
    "double single int8 int16 int32 int64 uint8 uint16 uint32 uint64 logical".split()  # noqa: SIM905
)
_LARGEST = 2**31 - 4096  # bytes of one variable in version 5
_BEST_COMPRESSION = 1100
_VERSION_5 = b"MATLAB 5.0 MAT-file"


_REMEDIES = {
    "struct": "save its field as a variable: x = {0}.FIELD",
    "cell": "save its matrices one below the other: x = cell2mat({0}(:))",
    "sparse": "save x = full({0})",
    "char": "name another variable (--dataset)",
    "string": "name another variable (--dataset)",
    "table": "save x = table2array({0})",
}
"""What makes a matrix of a variable of another class."""


@dataclass
class _Others:
    """The variables of a file beside the one that is read."""

    file: Input
    names: tuple[str, ...]
    logical: frozenset[str] = frozenset()
    _loaded: dict[str, Any] | None = field(default=None, repr=False)

    def load(self) -> dict[str, Any]:
        """Return those that a file of version 5 can hold again, and keep them for the next call."""
        if self._loaded is None:
            self._loaded = {}
            with self.file.open() as stream:
                data = stream.read()
            for name in self.names:
                try:
                    value = _load(data, name)
                    if name in self.logical:  # which scipy reads as uint8
                        value = value.astype(bool)
                    _save(io.BytesIO(), {name: value})
                except Exception:  # whatever scipy cannot read or write is told to the user
                    continue
                self._loaded[name] = value
        return self._loaded

    def rate(self, _: str) -> float:
        """Return the samples a second of a recording, 0 if no variable tells them."""
        return rate_in(self.load()) if any(map(is_rate, self.names)) else 0.0


def _load(data: bytes, name: str) -> Any:
    from scipy.io import loadmat

    if data.startswith(_VERSION_5):
        check_tags(data, {name})
    return loadmat(io.BytesIO(data), variable_names=[name], mat_dtype=False)[name]


def _save(handle: Any, variables: dict[str, Any]) -> None:
    from scipy.io import savemat

    savemat(handle, variables, long_field_names=True)


def _read(file: Input, options: ReadOptions, _: Progress) -> Rows:
    """Read one variable; `options.dataset` names it where several could be meant."""
    from scipy.io import whosmat

    with file.open() as stream:
        data = stream.read()
    name = file.name
    try:
        if data.startswith(_VERSION_5):
            check_tags(data)
        variables = {key: (shape, kind) for key, shape, kind in whosmat(io.BytesIO(data))}
        chosen = _choose(name, variables, options.dataset)
        name = f"{name}: {chosen}"
        shape, kind = variables[chosen]
        if kind not in _NUMERIC:
            remedy = _REMEDIES.get(kind, "save it as double").format(chosen)
            raise InputError(f"{name}: is of MATLAB's class {kind}, and no matrix; {remedy}")
        if math.prod(shape) > len(data) * _BEST_COMPRESSION:
            raise InputError(f"{name}: declares shape {shape}, more than is there; save it again")
        array = _load(data, chosen)
    except InputError:
        raise
    except Exception as error:  # scipy lets whatever damaged bytes provoke pass through
        reason = " ".join(str(error).split())
        raise InputError(f"{name}: is not a whole MATLAB file ({reason}); save it again") from error
    if not isinstance(array, np.ndarray):
        raise InputError(f"{name}: is a sparse matrix; save full({chosen}) instead")
    options = as_one_sample(array.shape, options)
    others = tuple(key for key in variables if key != chosen)
    logical = frozenset(key for key, (_, kind) in variables.items() if kind == "logical")
    beside = _Others(file, others, logical)
    return array_rows(array, name, "mat", options, dataset=chosen, others=others, beside=beside)


def _choose(name: str, variables: dict[str, tuple[tuple[int, ...], str]], asked: str | None) -> str:
    """Return the variable asked for, or the only one that could be meant."""
    listed = ", ".join(f"{key} {shape} {kind}" for key, (shape, kind) in variables.items())
    if asked is not None:
        if asked not in variables:
            raise InputError(f"{name}: has no variable {asked!r}; it holds {listed or 'none'}")
        return asked
    if not variables:
        raise InputError(f"{name}: holds no variable; save a matrix in it")
    shapes = {key: shape for key, (shape, kind) in variables.items() if kind in _NUMERIC}
    usable = [key for key, shape in shapes.items() if min(shape, default=0) > 1]
    usable = usable or only_vector(shapes)
    if len(variables) == 1:
        return next(iter(variables))
    if len(usable) == 1:
        return usable[0]
    raise InputError(f"{name}: holds several variables; name one with --dataset: {listed}")


def _sniff(head: bytes, path: str) -> bool:
    version_4 = path.lower().endswith(".mat") and b"\0" in head
    return head.startswith(_VERSION_5) or version_4


def _notes(layout: Layout) -> tuple[str, ...]:
    lines = renaming(layout)
    if isinstance(layout.beside, _Others):
        lost = [name for name in layout.beside.names if name not in layout.beside.load()]
        if lost:
            lines += (f"not copied to the output, as scipy cannot write it: {', '.join(lost)}",)
    return lines


@contextmanager
def _writer(output: Output) -> Iterator[Write]:
    variable = matlab_name(output.dataset)

    def save(values: Array) -> None:
        if values.nbytes > _LARGEST:
            raise OutputError(
                f"{output.target}: a MATLAB 5 file holds at most 2 GB, and {variable} has "
                f"{values.nbytes} bytes; write .npy or .h5"
            )
        beside = output.layout.beside
        others = beside.load() if isinstance(beside, _Others) else {}
        buffer = io.BytesIO()  # scipy seeks, which a pipe cannot
        _save(buffer, {variable: values, **others})
        output.handle.write(buffer.getbuffer())

    with at_once(output, save) as write:
        yield write


MAT = Format(
    name="mat",
    suffixes=(".mat",),
    sniff=_sniff,
    read=_read,
    writer=_writer,
    named=True,
    keeps=True,
    notes=_notes,
)
