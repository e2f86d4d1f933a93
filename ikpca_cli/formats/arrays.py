"""Any array a user owns, in and out: the one door to every format of the registry."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path, PurePath

from ikpca_cli.data.row_source import Progress, silent
from ikpca_cli.errors import IkpcaError, InputError, UsageError
from ikpca_cli.formats.file_rows import Rows
from ikpca_cli.formats.format import Format, Input
from ikpca_cli.formats.format_registry import format_of_suffix, sniff
from ikpca_cli.formats.layout import Layout, TableStyle
from ikpca_cli.formats.output import STDOUT, check_target
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.formats.rows.row_slices import plain_reason
from ikpca_cli.formats.writing import open_output, output_notes, write_rows

__all__ = [
    "Layout",
    "ReadOptions",
    "Rows",
    "TableStyle",
    "check_target",
    "default_output",
    "open_output",
    "output_notes",
    "read_rows",
    "write_rows",
]

STDIN = "-"


def read_rows(
    path: str,
    options: ReadOptions = ReadOptions(),  # noqa: B008
    progress: Progress = silent,
) -> Rows:
    """Open an array file, told by its content, whatever its name.

    Parameters
    ----------
    path
        The file; ``"-"`` is the standard input.
    options
        What cannot be known from the file.
    progress
        Told of a long text table that is parsed.

    Returns
    -------
    Rows
        Its samples.

    Raises
    ------
    InputError
        If the file is not there, is no stack of samples, or is damaged: whatever a reader makes of
        its bytes.
    UsageError
        If an option cannot be right.
    """
    file = Input(path, path)
    if path == STDIN:
        file = Input(path, "standard input", _standard_input())
    if not path:
        raise InputError("an input has an empty name; name a file")
    ended: list[BaseException] = []

    def told(stage: str, done: int, total: int) -> None:
        try:
            progress(stage, done, total)
        except Exception as error:  # the caller's own, which ends the reading
            ended.append(error)
            raise

    try:
        if file.data is None and Path(path).is_fifo():
            file = replace(file, data=Path(path).read_bytes())  # a pipe gives its bytes once
        form = sniff(_head(file), path, file.name)
        _check_options(file.name, form, options)
        rows = _read(form, file, options, told)
        if not form.tabular:  # which say so themselves, with their own options
            rows.warn_of_numbers()
        return rows
    except IkpcaError as error:
        if str(error).isprintable():
            raise
        raise type(error)(_printable(str(error))) from error  # names in files can be anything
    except FileNotFoundError as error:
        raise InputError(f"{file.name}: there is no such file; check its path") from error
    except OSError as error:
        reason = " ".join((error.strerror or str(error)).split()).lower()
        raise InputError(f"{file.name}: cannot be read: {reason}; check the file") from error
    except MemoryError as error:
        raise InputError(f"{file.name}: does not fit in memory; save it as .npy or .h5") from error
    except Exception as error:
        if ended:
            raise
        raise InputError(
            f"{file.name}: is damaged: {plain_reason(error)}; copy it again"
        ) from error


def default_output(path: str, directory: str | None = None, tag: str = "denoised") -> str:
    """Name the output for an input: ``noisy.csv.gz`` becomes ``noisy.denoised.csv.gz``.

    Parameters
    ----------
    path
        The input.
    directory
        The output's folder; that of the input if None.
    tag
        What is put before the suffix.

    Returns
    -------
    str
        The output's path; ``"-"`` for the standard input.

    Raises
    ------
    InputError
        If the input has no name of its own, as ``.`` has not.
    """
    if path == STDIN and directory is None:
        return STDOUT
    file = PurePath("stdin" if path == STDIN else path)
    if not file.name or file.name == "..":
        raise InputError(f"{path}: is a folder; name the files in it")
    suffix = file.suffix
    if suffix.lower() == ".gz":
        suffix = PurePath(file.stem).suffix + suffix
    own = format_of_suffix(path)
    joint = "." if own is None else own.joint
    name = f"{file.name.removesuffix(suffix)}{joint}{tag}{suffix}"
    return str(PurePath(directory) / name if directory is not None else file.with_name(name))


def is_default_output(name: str) -> bool:
    """Tell whether a file has the name that `default_output` gives to outputs."""
    own = format_of_suffix(name)
    joint = "." if own is None else own.joint
    return f"{joint}denoised." in name


def _standard_input() -> bytes:
    if sys.stdin is None:  # closed by the shell: <&-
        raise InputError("standard input is closed; name a file, or give it one")
    return sys.stdin.buffer.read()


def _head(file: Input) -> bytes:
    if file.data is None and Path(file.path).is_dir():
        os.scandir(file.path).close()  # one that cannot be read says why
        raise InputError(f"{file.name}: is a folder; name the files in it")
    with file.open() as stream:
        return stream.read(4096)


def _read(form: Format, file: Input, options: ReadOptions, progress: Progress) -> Rows:
    """Read a file; say of a text that is no table if it is called as a file of another format."""
    try:
        return form.read(file, options, progress)
    except InputError as error:
        other = format_of_suffix(file.path)
        if not form.tabular or other is None or other.tabular:
            raise
        reason = str(error).removeprefix(f"{file.name}: ")
        raise InputError(
            f"{file.name}: is no {other.title} file, though it is called so: copy or export it "
            f"again (read as a text table: {reason})"
        ) from error


def _check_options(name: str, form: Format, options: ReadOptions) -> None:
    """Refuse options that mean nothing for the format."""
    if form.recordings and options.transpose:
        raise InputError(
            f"{name}: its samples are rows and its signals columns: leave --transpose out"
        )
    given = options.of_tables()
    if given and not form.tabular:
        raise UsageError(f"{given[0]}: {name} is no text table: leave {given[0]} out")
    if options.dataset is not None and not form.named:
        raise UsageError(
            f"{name}: the arrays of {form.title} files have no names: leave --dataset out, or "
            f"give FILE::{options.dataset} to the file that has it"
        )


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
