"""Rows as a fit sees them: spikes left out, noise made white, block by block."""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray, RowSource, row_name
from ikpca_cli.noise.treatment import Treatment


class WhiteRows:
    """A row source whose noise a treatment makes white.

    Parameters
    ----------
    rows : RowSource, shape (n_samples, n_features)
    treatment : Treatment
        That may leave fewer columns.
    """

    def __init__(self, rows: RowSource, treatment: Treatment) -> None:
        self._rows, self._treatment = rows, treatment
        width = treatment.width_of(int(rows.shape[1]))
        self.shape = (int(rows.shape[0]), width)
        self.name = row_name(rows)

    def __getitem__(self, rows: slice) -> FloatArray:
        """Return some rows with white noise."""
        return self._treatment.forward(np.asarray(self._rows[rows], dtype=np.float64))
