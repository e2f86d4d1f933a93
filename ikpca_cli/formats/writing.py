"""Arrays out, in the form of the array they came from, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ikpca_cli.errors import Note, OutputError
from ikpca_cli.formats.format import Output, Write
from ikpca_cli.formats.format_registry import output_format
from ikpca_cli.formats.layout import Layout
from ikpca_cli.formats.output import atomic_write

_NAMED = 5  # names of arrays that a line lists


@contextmanager
def open_output(
    target: str,
    n_samples: int,
    dtype: npt.DTypeLike,
    layout: Layout,
    *,
    force: bool = False,
    round_to_input: bool | None = None,
    with_missing: bool = False,
) -> Iterator[Write]:
    """Open an output that is written sample by sample, in the form of the array they came from.

    The target's suffix decides the format; with one that says nothing the input's is kept. Files
    are written in C order and native byte order. Memory does not grow with the number of samples,
    but for MATLAB's version 5, samples in the columns of a text table or npz file, and formats
    that a pipe does not take in order.

    Parameters
    ----------
    target
        Where to; ``"-"`` is the standard output.
    n_samples
        How many will come.
    dtype
        The type of their numbers.
    layout
        The form of the input.
    force
        Whether an existing file may be replaced.
    round_to_input
        Whether to give back integers, booleans and half precision as they came, rounded and
        limited to what the type holds; None leaves it to the format, as pictures do so.
    with_missing
        Whether NaN is written for values that are missing.

    Yields
    ------
    callable
        Takes the next samples, of shape (k, p), none of them infinite.

    Raises
    ------
    OutputError
        If the target exists without `force` or cannot be written, or a number is not finite; it
        is then as it was, as after any other error.
    """
    form = output_format(target, layout)
    rounds = form.rounds if round_to_input is None else round_to_input
    kind = np.dtype(dtype).newbyteorder("=")
    beside: Any = layout.beside
    packing = getattr(beside, "packing", None) if rounds and form.name == layout.format else None
    if packing is not None:
        kind, layout = packing.dtype, replace(layout, beside=beside.packed())
    elif rounds:
        kind = _rounded(np.empty(0, kind), layout.dtype).dtype
    sample = (int(np.prod(layout.sample_shape)),) if form.flat else layout.sample_shape
    with atomic_write(target, force=force) as handle:
        is_vector = layout.vector and n_samples == 1 and form.name == layout.format
        shape = sample if is_vector else (n_samples, *sample)
        output = Output(handle, target, shape, kind, layout, force)
        with form.writer(output) as write:
            done = 0

            def put(block: npt.NDArray[Any]) -> None:
                nonlocal done
                fine = ~np.isinf(block) if with_missing else np.isfinite(block)
                if not fine.all():
                    row, column = np.argwhere(~fine.reshape(len(block), -1))[0]
                    raise OutputError(
                        f"{target}: is not written: row {done + row + 1}, column {column + 1} of "
                        "the result is not finite; check the model, or scale the rows"
                    )
                has_fill = packing is not None and packing.fills.size
                if rounds and kind.kind in "iub" and not has_fill and np.isnan(block).any():
                    raise OutputError(
                        f"{target}: is not written: whole numbers have no missing values; give "
                        "--missing fill instead of keep"
                    )
                values = block
                if rounds:
                    values = (
                        _rounded(block, layout.dtype) if packing is None else packing.pack(block)
                    )
                write(values.reshape(len(block), *sample))
                done += len(block)

            yield put


def write_rows(
    target: str,
    values: npt.NDArray[Any],
    layout: Layout,
    *,
    force: bool = False,
    round_to_input: bool | None = None,
    with_missing: bool = False,
) -> None:
    """Write samples, an ndarray of shape (n, p), at once; the rest is as for `open_output`."""
    with open_output(
        target,
        len(values),
        values.dtype,
        layout,
        force=force,
        round_to_input=round_to_input,
        with_missing=with_missing,
    ) as write:
        write(values)


def output_notes(target: str, layout: Layout, digits: int | None = None) -> tuple[str, ...]:
    """Return what the user should know of an output: arrays left out, or under another name.

    Parameters
    ----------
    target
        Where it will be.
    layout
        The form of the input.
    digits
        Those that were asked for.

    Returns
    -------
    tuple of str
        Lines without the name of a file: they are the same for all of a batch.
    """
    form = output_format(target, layout)
    lines = form.notes(layout)
    table = layout.table
    if table is not None and not form.tabular and (table.names or table.labels):
        kinds = [
            kind
            for kind, found in (("names of columns", table.names), ("labels", table.labels))
            if found
        ]
        lines += (f"outputs hold the numbers alone, not the {' and '.join(kinds)}",)
    if digits is not None and not form.in_digits:
        lines += (Note("--digits is for text: numbers keep all of theirs in these outputs"),)
    if layout.others and not (form.keeps and form.name == layout.format):
        named = ", ".join(layout.others[:_NAMED]) + ", ..." * (len(layout.others) > _NAMED)
        lines += (f"outputs hold the cleaned array alone, not what else is in the input: {named}",)
    return lines


def _rounded(values: npt.NDArray[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return values in a type of the input, rounded and limited to its range."""
    native = dtype.newbyteorder("=")
    if dtype.kind == "b":
        return values >= 0.5
    if dtype.kind in "iu":
        info = np.iinfo(native)
        # float(info.max) may be one too large: compare first, convert what is in range.
        high = values >= float(info.max)
        low = values <= float(info.min)
        inner = np.where(high | low, 0, np.rint(values)).astype(native)
        inner[high], inner[low] = info.max, info.min
        return inner
    if dtype == np.float16:
        limit = float(np.finfo(np.float16).max)
        values = np.clip(values, -limit, limit).astype(np.float16)
    return values
