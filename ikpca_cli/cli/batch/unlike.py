"""What is told of rows that are unlike all those that a model was fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ikpca_cli.errors import Note, about

if TYPE_CHECKING:
    from ikpca_cli.formats.arrays import Rows
    from ikpca_cli.noise.treatment import Treatment

_FEW = 0.02
"""Share of the rows that may be odd without a word: the table and JSON count them all the same."""

_NAMED = 5
"""Rows that a line names."""


def unlike_lines(
    rows: Rows, unlike: Sequence[int], treatment: Treatment, *, kept: bool
) -> tuple[str, ...]:
    """Return the line that names them, if they are many.

    It is a note where they are left alone, or where it may be their noise that is unlike.

    Parameters
    ----------
    rows : Rows
        Of the file.
    unlike : sequence of int
        Their numbers, from 1.
    treatment : Treatment
        How the file was cleaned.
    kept : bool
        Whether rows unlike those of the fit were left as they are.
    """
    if len(unlike) <= _FEW * rows.shape[0]:
        return ()
    named = ", ".join(map(str, unlike[:_NAMED])) + (", ..." if len(unlike) > _NAMED else "")
    done = "left as they are" if kept else "--keep-unlike leaves them as they are"
    line = (
        f"{len(unlike)} of {rows.shape[0]} rows are unlike those that the model was "
        f"fitted on ({named}), so it may not know what they should be: {done}"
    )
    caution = treatment.caution
    is_safe = kept or caution.strength == 0.0 or not caution.is_usual
    return (about(rows.name, Note(line) if is_safe else line),)
