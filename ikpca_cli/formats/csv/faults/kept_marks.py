"""Marks in numbers that a model kept, for a table that has others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ikpca_cli.errors import InputError
from ikpca_cli.formats.csv.form.dialect import Dialect, find_dialect
from ikpca_cli.formats.read_options import ReadOptions


def check_kept_marks(
    lines: Sequence[str], kept: Dialect, name: str, options: ReadOptions, hint: str | None
) -> None:
    """Refuse marks that a model kept from other tables where this one tells of others by itself.

    Parameters
    ----------
    lines
        The first lines that are neither blank nor comments.
    kept
        The form with those marks.
    name, options, hint
        As for `find_dialect`.

    Raises
    ------
    InputError
        Naming the first number that would be another one.
    """
    marks = [mark for mark in ("decimal", "thousands") if mark in options.kept]
    if not marks:
        return
    decimal = None if "decimal" in marks else options.decimal
    thousands = None if "thousands" in marks else options.thousands
    free = replace(options, decimal=decimal, thousands=thousands)
    try:
        own, found = find_dialect(lines, (), name, free, hint)
    except InputError:  # nothing tells
        return
    if not found.decided:
        return
    for line in lines:
        for one, other in zip(kept.cells(line), own.cells(line), strict=False):
            value, better = kept.grammar.number(one), own.grammar.number(other)
            if value is None or better is None or f"{value}" == f"{better}":
                continue
            said = " and ".join(f"--{mark} {getattr(options, mark)}" for mark in marks)
            raise InputError(
                f"{name}: {other!r} looks like {better:.10g}, and would be {value:.10g} with "
                f"{said} as in the training data; give --decimal . or --decimal ,"
            )
