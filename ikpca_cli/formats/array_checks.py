"""Which arrays are stacks of samples, and what to say of those that are not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ikpca_cli.errors import InputError
from ikpca_cli.formats.read_options import ReadOptions

_SPARSE, _MATLAB_SPARSE = {"data", "indices", "indptr"}, {"data", "ir", "jc"}
"""The parts of a sparse matrix, as scipy and AnnData, and MATLAB, name them."""


def check_numbers(name: str, dtype: np.dtype[Any]) -> None:
    """Refuse an array that does not hold real numbers.

    Parameters
    ----------
    name
        What messages call the array.
    dtype
        Its type; booleans count as the numbers 0 and 1.

    Raises
    ------
    InputError
        If the numbers are complex, or there are none.
    """
    if dtype.names is not None:
        fields = ", ".join(repr(field) for field in dtype.names)
        raise InputError(
            f"{name}: is a structured array with the fields {fields}; "
            "save the numbers of the fields you need as a plain two-dimensional array"
        )
    if dtype.kind == "c":
        raise InputError(
            f"{name}: holds complex numbers, and the imaginary part would be lost; "
            "save the real and imaginary parts side by side as features"
        )
    if dtype.kind == "O":
        raise InputError(
            f"{name}: holds Python objects (a pickle), which are never loaded; "
            "save the rows as one array of numbers, all of the same length"
        )
    if dtype.kind not in "biuf" or dtype.subdtype is not None:
        remedy = "as seconds since the first" if dtype.kind in "mM" else "as numbers"
        raise InputError(f"{name}: holds {_kind(dtype)}, not numbers; save them {remedy}")


def check_shape(name: str, shape: tuple[int, ...], options: ReadOptions) -> bool:
    """Refuse an array that is not a stack of samples, and tell whether it is a vector, of one.

    Parameters
    ----------
    name
        What messages call the array.
    shape
        Its shape in the file.
    options
        Of which `transpose` matters, and whether one axis will do: that of a recording, or of one
        sample.

    Raises
    ------
    InputError
        If there are fewer axes than two, or one for a recording, no numbers, or more than two axes
        and transposed ones are asked for.
    """
    if len(shape) == 0:
        raise InputError(
            f"{name}: is a single number, of shape (); "
            "a table of numbers with one sample per row is needed"
        )
    if min(shape) < 1:
        raise InputError(f"{name}: is empty, of shape {shape}; give one that holds samples")
    if len(shape) == 1 and not (options.recording or options.takes_vectors):
        raise InputError(
            f"{name}: is one vector of shape {shape}, which could be a recording (fit it with "
            "--window auto), one sample or many; give several such files, or their folder, for one "
            f"sample each, or give it two axes: (1, {shape[0]}) for one sample, ({shape[0]}, 1) "
            "for samples of one number"
        )
    if options.transpose and len(shape) > 2:
        raise InputError(
            f"{name}: has shape {shape}, and --transpose is for two axes; "
            "save it with the samples along the first axis, as numpy.moveaxis does"
        )
    return len(shape) == 1 and options.takes_vectors


def as_one_sample(shape: tuple[int, ...], options: ReadOptions) -> ReadOptions:
    """Return the options that take a column of MATLAB's, where vectors have two axes, for a sample.

    Parameters
    ----------
    shape
        Of the array.
    options
        As they were given.
    """
    turns = options.of_signals and len(shape) == 2 and shape[1] == 1
    return replace(options, transpose=True) if turns else options


def only_vector(shapes: Mapping[str, tuple[int, ...]]) -> list[str]:
    """Return the one array of more than one number, where single numbers stand beside it.

    A rate beside a recording, say.

    Parameters
    ----------
    shapes
        Of arrays of numbers, by name.
    """
    several = [name for name, shape in shapes.items() if math.prod(shape) > 1]
    return several if len(several) == 1 else []


def refuse_sparse(name: str, keys: Iterable[str]) -> None:
    """Refuse arrays that are the parts of one sparse matrix, none of which is a table.

    Parameters
    ----------
    name
        What messages call the file.
    keys
        The names of its arrays.

    Raises
    ------
    InputError
    """
    groups: dict[str, set[str]] = {}
    for key in keys:
        group, _, own = key.rpartition("/")
        groups.setdefault(group, set()).add(own)
    for group, found in groups.items():
        if found >= _SPARSE or found >= _MATLAB_SPARSE:
            raise InputError(
                f"{name}: {group + ': ' if group else ''}is a sparse matrix, in parts; save it "
                "with all its zeros, as a plain array (toarray(), or full() in MATLAB)"
            )


def _kind(dtype: np.dtype[Any]) -> str:
    """Name a type that is not numeric."""
    names = {"S": "text", "U": "text", "T": "text", "M": "dates", "m": "time spans"}
    return names.get(dtype.kind, f"values of type {dtype}")
