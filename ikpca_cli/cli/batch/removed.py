"""What cleaning did to the rows of a file: how much was removed, is it noise, which are unlike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.errors import Note, about

if TYPE_CHECKING:
    from ikpca_cli.formats.arrays import Rows
    from ikpca_cli.noise.treatment import Treatment

LOOKED_AT = 1 << 22
"""Numbers that are looked at, in rows spread evenly over the file."""

_FEW = 0.02
"""Share of the rows that may be odd without a word: the table and JSON count them all the same."""

_NAMED = 5
"""Rows that a line names."""


class Change:
    """Sums over rows before and after cleaning, block by block.

    Parameters
    ----------
    shape : (int, int)
        Of the file.
    columns : ndarray of int, optional
        Those that are cleaned; all by default.
    """

    def __init__(self, shape: tuple[int, int], columns: NDArray[np.intp] | None = None) -> None:
        self._columns = columns
        shape = shape if columns is None else (shape[0], len(columns))
        self._step = max(1, math.ceil(shape[0] * shape[1] / LOOKED_AT))
        self._count = 0
        self._removed = self._squares = 0.0
        self._sums = np.zeros(shape[1])
        self._origin: FloatArray | None = None

    def add(self, part: slice, noisy: FloatArray, cleaned: FloatArray) -> None:
        """Take in the rows of a block, (m, p) both."""
        some = slice(-part.start % self._step, None, self._step)
        before, after = noisy[some], cleaned[some]
        if self._columns is not None:
            before, after = before[:, self._columns], after[:, self._columns]
        if not len(before):
            return
        if self._origin is None:  # near the rows, so that no digits are lost far from zero
            self._origin = before[0].astype(np.float64)
        moved = before - self._origin
        removed = np.subtract(before, after, dtype=np.float64)
        self._removed += float(np.vdot(removed, removed))
        self._squares += float(np.vdot(moved, moved))
        self._sums += moved.sum(axis=0)
        self._count += len(before)

    def record(self) -> dict[str, float | None]:
        """Return what was removed.

        Returns
        -------
        dict
            removed_rms: its root mean square, in the unit of the data. removed_db: its power as
            a share of the rows' variance about their column means, in decibels; None if no share.
        """
        size = self._count * len(self._sums)
        variance = self._squares - float(self._sums @ self._sums) / max(self._count, 1)
        share = self._removed / variance if variance > 0.0 else 0.0
        return {
            "removed_rms": math.sqrt(self._removed / size) if size else 0.0,
            "removed_db": 10.0 * math.log10(share) if share > 0.0 else None,
        }


class Removed:
    """What a model removes from rows; some of it is kept, to see whether it is noise."""

    def __init__(self, rows: Rows, treatment: Treatment) -> None:
        self._rows, self._treatment = rows, treatment
        self._step = max(1, math.ceil(rows.shape[0] * rows.shape[1] / LOOKED_AT))
        self._noisy: list[FloatArray] = []
        self._cleaned: list[FloatArray] = []

    def add(self, part: slice, noisy: FloatArray, cleaned: FloatArray) -> None:
        """Take in some rows before and after."""
        some = slice(-part.start % self._step, None, self._step)
        self._noisy.append(noisy[some].copy())
        self._cleaned.append(cleaned[some].copy())

    def flaws(self, target: str | None) -> tuple[str, ...]:
        """Return a line if it does not look like noise: a warning if more signal than that went.

        Parameters
        ----------
        target
            Where it was written, None if it was not; then it takes more rows to say something.
        """
        from ikpca_cli.evaluation.diagnostics import FEW_COLUMNS, FEW_ROWS, Residual

        n_samples, n_features = self._rows.shape
        if target is None and (n_samples < FEW_ROWS or n_features < FEW_COLUMNS):
            return ()
        both = np.concatenate(self._noisy), np.concatenate(self._cleaned)
        residual, std = Residual.of(*self._treatment.both(*both)), self._treatment.caution.std
        flaw = residual.flaw(std)
        if flaw is None:
            return ()
        line = f"what was removed does not look like noise: {flaw}"
        harm = "the rows may be farther from clean ones than they were"
        look = f"look at {target}" if target else "--residual writes it to a file"
        told = f"{line}, and {harm}: {look}"
        if not residual.is_harmful(std, is_usual=self._treatment.caution.is_usual):
            told = Note(f"{line}; {look}")
        return (about(self._rows.name, told),)


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
