"""Whether numbers are rounded so coarsely that their noise cannot be told.

An error of rounding is like noise of variance q^2 / 12, q being the step, where other noise is half
a step at least (Widrow and Kollar, "Quantization Noise", 2008). Beside less of it the error goes by
the signal, and no spectrum tells it from that.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.quiet_columns import least_steps

_FINE = 0.6  # of a step, that noise with rounding has at least where the latter is like noise


def is_rounded(X: FloatArray, noise_std: float) -> bool:
    """Tell whether the columns of X (n, p) have steps beside which noise of a level is small."""
    return bool(noise_std < _FINE * np.median(least_steps(X)))
