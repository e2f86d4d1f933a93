"""Whether noise that was made white has one level, as an error that is promised needs.

That is asked more strictly than where noise is only to be removed. Noise of one level is alike in
most directions, and one that few of them tell may be that of the least part of another kind; rows
that were brought to one mean, or had a trend taken off, have no noise in some.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.evidence.loud_columns import has_loud_columns
from ikpca_cli.noise.few_columns import FEW_COLUMNS
from ikpca_cli.noise.models import counts
from ikpca_cli.noise.residual_statistics import ResidualStatistics

MANY_COLUMNS = 20
"""From this width on noise models are tried."""

_FEW_EVEN = 2.5  # times what squared lengths of rows of few columns vary by chance


def is_of_one_level(
    white: FloatArray, rows: FloatArray, spectrum: Eigenvalues | None = None
) -> bool:
    """Tell whether noise may be of one level.

    Parameters
    ----------
    white, rows : ndarray, shape (n, p)
        Centred rows with white noise, and the same rows as they came.
    spectrum : Eigenvalues, optional
        That of `white`, if it is known.
    """
    varying = np.ptp(white, axis=0) > 0.0
    n_features = int(np.count_nonzero(varying))
    spectrum = Eigenvalues.of(white) if spectrum is None else spectrum
    residual = ResidualStatistics.of(white, spectrum)
    if n_features < white.shape[1]:
        spectrum = Eigenvalues.of(white[:, varying], alone=True)
    if spectrum.empty:  # in some directions it has none
        return False
    if n_features <= FEW_COLUMNS:
        return residual.rows < _FEW_EVEN
    if not residual.is_even() or has_loud_columns(white):
        return False
    if 2 * spectrum.plateau() < len(spectrum.variances):
        return False
    return n_features >= MANY_COLUMNS or counts.propose(rows) is None
