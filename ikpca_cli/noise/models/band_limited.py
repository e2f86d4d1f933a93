"""White noise on rows that were brought to more numbers than they were measured at.

Such rows, as of interpolated spectra or of beats of one length, hold noise up to some frequency
alone: their cosine coefficients are even below it, as those of white noise are, and hardly anything
beyond. Rows of smooth signals fall as well, but have no even part before they do.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.high_frequencies import powers_read, reading_of
from ikpca_cli.transforms.frequency_band import FrequencyBand

_STEPS = 24  # bands that are looked at, from nearly all frequencies down
_WIDEST, _NARROWEST = 0.95, 0.15  # of all of them
_TOP = 0.125  # of all frequencies, where such noise has nearly gone
_GONE = 0.1  # of its power
_ROUNDING = 1e-3  # of its power, that numbers of few digits have at all frequencies


def propose(rows: FloatArray) -> FrequencyBand | None:
    """Return the band that rows (n, p) have noise in, None where they have no such band."""
    from scipy.fft import dct

    n_features = rows.shape[1]
    coefficients = dct(rows - rows.mean(axis=0), norm="ortho", axis=1)
    powers = np.mean(coefficients**2, axis=0) * (len(rows) / (len(rows) - 1.0))
    top = float(powers[-max(1, int(_TOP * n_features)) :].mean())
    floor = reading_of(coefficients)
    for share in np.linspace(_WIDEST, _NARROWEST, _STEPS):
        band = int(share * n_features)
        # No level is higher than the power that it is read off.
        if top >= _GONE * max(powers_read(powers[:band]), default=0.0):
            continue
        reading = reading_of(coefficients[:, :band])
        if reading is None or top >= _GONE * reading.std**2:
            continue
        # Even noise at all frequencies is white noise, and what is beyond it in a band is signal.
        if floor is None or floor.std**2 < _ROUNDING * reading.std**2:
            beyond = float(powers[band:].sum()) / (band * reading.std**2)
            return FrequencyBand(n_features, band, reading.std, beyond)
    return None
