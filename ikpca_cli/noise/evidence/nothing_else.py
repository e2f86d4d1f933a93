"""Whether rows differ by nothing but noise, as far as anything in them tells.

Signal that is as strong in all directions, such as that of a table of unlike columns, is no other.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.eigenvalues import Eigenvalues
from ikpca_cli.noise.evidence.neighbours import neighbour_correlation

_MOST = 0.6  # share of what rows differ by that noise has where it is all, as far as it is told


def are_noise_alone(X: FloatArray, noise_std: float, spectrum: Eigenvalues | None = None) -> bool:
    """Tell whether centred rows (n, p) have no direction above noise, nor neighbours alike.

    In few columns a surface may fill all directions, so that the noise has to be what rows vary by.
    `spectrum` is theirs, if it is known.
    """
    if noise_std**2 < _MOST * np.mean(X**2):
        return False
    spectrum = Eigenvalues.of(X) if spectrum is None else spectrum
    return neighbour_correlation(X, spectrum) == 0.0 and spectrum.signal == 0
