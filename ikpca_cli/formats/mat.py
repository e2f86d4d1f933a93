"""MATLAB files: version 5 through scipy, and writing version 7.3."""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ikpca_cli.errors import InputError, OutputError
from ikpca_cli.formats.array_checks import check_numbers, check_shape
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.guarded import hdf5_writer
from ikpca_cli.formats.layout import Layout, ReadOptions

_NUMERIC = (
    "double single int8 int16 int32 int64 uint8 uint16 uint32 uint64 logical".split()  # noqa: SIM905
)
_LARGEST = 2**31 - 4096  # bytes of one variable in version 5
_BEST_COMPRESSION = 1100
_CLASSES = {"float64": "double", "float32": "single", "bool": "logical"}


def read_mat(path: str, name: str, data: bytes | None, options: ReadOptions) -> Rows:
    """Read one variable of a MATLAB file up to version 7.

    Parameters
    ----------
    path
        The file, unless `data` holds its bytes.
    name
        What messages call it.
    data
        The bytes of standard input, or None.
    options
        `dataset` names the variable, where several could be meant.

    Returns
    -------
    Rows
        The variable's rows.

    Raises
    ------
    InputError
        If no variable is a stack of samples, several are, or the file is damaged.
    """
    from scipy.io import loadmat, whosmat

    if data is None:
        with open(path, "rb") as file:
            data = file.read()
    try:
        variables = {key: (shape, kind) for key, shape, kind in whosmat(io.BytesIO(data))}
        chosen = _choose(name, variables, options.dataset)
        name = f"{name}: {chosen}"
        shape, kind = variables[chosen]
        if kind not in _NUMERIC:
            raise InputError(f"{name}: is of MATLAB's class {kind}, not a matrix of numbers")
        if math.prod(shape) > len(data) * _BEST_COMPRESSION:
            raise InputError(f"{name}: declares shape {shape}, more than the file can hold")
        array = loadmat(io.BytesIO(data), variable_names=[chosen], mat_dtype=False)[chosen]
    except InputError:
        raise
    except Exception as error:  # scipy lets whatever damaged bytes provoke pass through
        reason = " ".join(str(error).split())
        raise InputError(f"{name}: is not a whole MATLAB file ({reason})") from error
    if not isinstance(array, np.ndarray):
        raise InputError(f"{name}: is a sparse matrix; save full({chosen}) instead")
    check_numbers(name, array.dtype)
    check_shape(name, array.shape, transpose=options.transpose)
    samples = array.T if options.transpose else array
    layout = Layout(
        format="mat",
        dtype=array.dtype,
        sample_shape=samples.shape[1:],
        transposed=options.transpose,
        dataset=chosen,
    )
    return Rows(samples, name, layout, missing=options.missing)


def write_mat(handle: BinaryIO, values: npt.NDArray[Any], dataset: str) -> None:
    """Write a MATLAB file of version 5 with one variable.

    Raises
    ------
    OutputError
        If the variable is larger than the format allows.
    """
    from scipy.io import savemat

    if values.nbytes > _LARGEST:
        raise OutputError(
            f"a MATLAB 5 file holds at most 2 GB, and {dataset} has {values.nbytes} bytes; "
            "write .npy or .h5"
        )
    savemat(handle, {dataset: values})


@contextmanager
def mat73_writer(
    handle: BinaryIO,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    variable: str,
    *,
    transposed: bool,
) -> Iterator[Callable[[npt.NDArray[Any]], None]]:
    """Write a MATLAB file of version 7.3 sample by sample: HDF5 behind a block of 512 bytes.

    Parameters and errors are those of `hdf5_writer`; MATLAB's axes are HDF5's reversed.
    """
    kind = _CLASSES.get(dtype.name, dtype.name)
    top = b"MATLAB 7.3 MAT-file".ljust(116) + bytes(8) + struct.pack("<HH", 512, 0x4D49)
    with hdf5_writer(
        handle,
        shape,
        dtype,
        variable,
        last=not transposed,
        userblock=top.ljust(512, b"\0"),
        attributes={"MATLAB_class": np.bytes_(kind)},
    ) as write:
        yield write


def _choose(name: str, variables: dict[str, tuple[tuple[int, ...], str]], asked: str | None) -> str:
    """Return the variable asked for, or the only one that could be meant."""
    listed = ", ".join(f"{key} {shape} {kind}" for key, (shape, kind) in variables.items())
    if asked is not None:
        if asked not in variables:
            raise InputError(f"{name}: has no variable {asked!r}; it holds {listed or 'none'}")
        return asked
    if not variables:
        raise InputError(f"{name}: holds no variable")
    usable = [
        key
        for key, (shape, kind) in variables.items()
        if kind in _NUMERIC and min(shape, default=0) > 1
    ]
    if len(variables) == 1:
        return next(iter(variables))
    if len(usable) == 1:
        return usable[0]
    raise InputError(f"{name}: holds several variables; name one with --dataset: {listed}")
