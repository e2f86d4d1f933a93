"""What a model removed from the rows of a file, and whether it looks like noise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ikpca_cli.errors import Note, about

if TYPE_CHECKING:
    from ikpca_cli.data.row_source import FloatArray
    from ikpca_cli.formats.arrays import Rows
    from ikpca_cli.noise.treatment import Treatment

_LOOKED_AT = 1 << 22
"""Numbers that the look at a residual takes."""


class Removed:
    """What a model removes from rows; some of it is kept, to see whether it is noise."""

    def __init__(self, rows: Rows, treatment: Treatment) -> None:
        self._rows, self._treatment = rows, treatment
        self._step = max(1, math.ceil(rows.shape[0] * rows.shape[1] / _LOOKED_AT))
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
        import numpy as np

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
