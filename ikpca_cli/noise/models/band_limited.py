"""White noise on rows that were brought to more numbers than they were measured at.

Such rows, as of interpolated spectra or of beats of one length, hold noise up to some frequency
alone: their cosine coefficients are even below it, as those of white noise are, and hardly anything
beyond; so are those of each channel, where several take turns along a row. Rows of smooth signals
fall as well, but have no even part before they do.
"""

from __future__ import annotations

import numpy as np

from ikpca_cli.data.row_source import FloatArray
from ikpca_cli.noise.estimate import Reading
from ikpca_cli.noise.high_frequencies import powers_read, reading_of
from ikpca_cli.transforms.frequency_band import FrequencyBand

_MOST_CHANNELS = 12
_SHORTEST = 64  # samples of a channel
_STEPS = 24  # bands that are looked at, from nearly all frequencies down
_WIDEST, _NARROWEST = 0.95, 0.15  # of all of them
_TOP = 0.125  # of all frequencies, where such noise has nearly gone
_GONE = 0.1  # of its power
_ROUNDING = 1e-3  # of its power, that numbers of few digits have at all frequencies


def propose(rows: FloatArray) -> FrequencyBand | None:
    """Return the band that rows (n, p) have noise in, None where they have no such band.

    They are one line, or else the fewest channels that take turns along it.
    """
    from scipy.fft import dct

    X = rows - rows.mean(axis=0)
    n_samples, n_features = rows.shape
    for channels in range(1, _MOST_CHANNELS + 1):
        length, spare = divmod(n_features, channels)
        if spare or (channels > 1 and (length < _SHORTEST or not _take_turns(X, channels))):
            continue
        found = _band_of(dct(X.reshape(n_samples, length, channels), norm="ortho", axis=1))
        if found is not None:
            return found
    return None


def _take_turns(X: FloatArray, channels: int) -> bool:
    """Tell whether neighbours along rows (n, p) differ more than those within a channel."""
    within, along = (float(np.mean((X[:, lag:] - X[:, :-lag]) ** 2)) for lag in (channels, 1))
    return within < along


def _band_of(coefficients: FloatArray) -> FrequencyBand | None:
    """Return the band of channels by their cosine coefficients (n, length, channels)."""
    n_samples, length, channels = coefficients.shape
    parts = [np.ascontiguousarray(coefficients[:, :, place]) for place in range(channels)]
    powers = [np.mean(part**2, axis=0) * (n_samples / (n_samples - 1.0)) for part in parts]
    tops = [float(one[-max(1, int(_TOP * length)) :].mean()) for one in powers]
    floors: list[Reading | None] = []
    for share in np.linspace(_WIDEST, _NARROWEST, _STEPS):
        band = int(share * length)
        # No level is higher than the power that it is read off.
        if any(
            top >= _GONE * max(powers_read(one[:band]), default=0.0)
            for top, one in zip(tops, powers, strict=True)
        ):
            continue
        stds = []
        for part, top in zip(parts, tops, strict=True):
            reading = reading_of(part[:, :band])
            if reading is None or top >= _GONE * reading.std**2:
                break
            stds.append(reading.std)
        if len(stds) < channels:
            continue
        floors = floors or [reading_of(part) for part in parts]
        # Even noise at all frequencies is white noise, and what is beyond it in a band is signal.
        if all(
            floor is None or floor.std**2 < _ROUNDING * std**2
            for floor, std in zip(floors, stds, strict=True)
        ):
            left = [
                float(one[band:].sum()) / (band * std**2)
                for one, std in zip(powers, stds, strict=True)
            ]
            return FrequencyBand(length * channels, band, tuple(stds), float(np.mean(left)))
    return None
