"""The undecimated wavelet transform: at every scale a coefficient for each sample.

Filters of scale j have 2^j - 1 zeros between their taps (Holschneider et al. 1989), so that a
signal moved by one sample has coefficients moved by one. Rows are given with what lies beside them:
no edge is invented here, and what is cleaned in parts is what is cleaned as a whole, to the bit.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ikpca_cli.data.row_source import FloatArray

FILTERS = {
    "haar": (0.5**0.5, 0.5**0.5),
    # Sixteen taps, eight vanishing moments, as near to symmetric as these can be (Daubechies 1993).
    "sym8": (
        *(0.001889950332767688, -0.00030292051472413255, -0.0149522583370622),
        *(0.003808752013894483, 0.049137179673730304, -0.027219029917103496),
        *(-0.05194583810788184, 0.364441894836179, 0.777185751699628, 0.4813596512590532),
        *(-0.06127335906781107, -0.14329423835127264, 0.007607487324976596),
        *(0.03169508781152599, -0.0005421323318000097, -0.003382415951005001),
    ),
}
"""Low-pass filters of orthonormal wavelets, by name."""


def reach(name: str, depth: int) -> int:
    """Return how many samples on either side of one take part in it, down to a depth."""
    return (len(FILTERS[name]) - 1) * ((1 << depth) - 1)


def forward(rows: FloatArray, name: str, depth: int) -> tuple[list[FloatArray], FloatArray]:
    """Return the details of each scale, finest first, and what is left, along the first axis.

    A coefficient is at the first of the samples that it is made of, and white noise is as strong in
    all details as in the samples; each scale is shorter than that before by its filter.
    """
    low, high = _pair(name)
    details = []
    for level in range(depth):
        length = len(rows) - (len(low) - 1 << level)
        shifted = [rows[place << level : (place << level) + length] for place in range(len(low))]
        details.append(_sum(high, shifted))
        rows = _sum(low, shifted)
    return details, rows


def inverse(details: list[FloatArray], rows: FloatArray, name: str) -> FloatArray:
    """Return the samples that `forward` made this of, but for `reach` of them at both ends."""
    low, high = _pair(name)
    first, stop = 0, len(rows)
    for level in reversed(range(len(details))):
        margin = len(low) - 1 << level
        length = len(rows) - margin
        detail = details[level][first:stop]
        places = [margin - (place << level) for place in range(len(low))]
        smooth = _sum(low, [rows[place : place + length] for place in places])
        rows = (smooth + _sum(high, [detail[place : place + length] for place in places])) / 2.0
        first += margin
    return rows


def shrunk(rows: FloatArray, name: str, thresholds: FloatArray) -> FloatArray:
    """Return rows (n + 2 reach, c) without their small details, (n, c).

    A detail w becomes w (1 - (t / |w|)^4), and 0 below its threshold t: large ones are hardly
    changed, and none jumps.

    Parameters
    ----------
    rows : ndarray
    name : str
        Of the wavelet.
    thresholds : ndarray, shape (depth, c) or (depth, 1)
        Infinite where nothing of a scale is to be kept.
    """
    details, smooth = forward(rows, name, len(thresholds))
    kept = [_shrunk(one, some) for one, some in zip(details, thresholds, strict=True)]
    return inverse(kept, smooth, name)


def smoothed(rows: FloatArray, depth: int) -> FloatArray:
    """Return moving averages of rows (n + 2 (2^depth - 1), c), with triangular weights: (n, c)."""
    return shrunk(rows, "haar", np.full((depth, 1), np.inf))


@lru_cache(maxsize=16)
def level_stds(name: str, depth: int, colour: tuple[float, ...]) -> FloatArray:
    """Return how strong noise is in the details of each scale, over what it is in samples.

    Parameters
    ----------
    name, depth
        Of the transform.
    colour : tuple of float
        Correlations of the noise from one sample to the next on; none for white noise.

    Returns
    -------
    ndarray, shape (depth,)
    """
    margin = reach(name, depth)
    impulse = np.zeros(2 * margin + 1)
    impulse[margin] = 1.0
    powers = []
    for response in forward(impulse, name, depth)[0]:
        power = float(response @ response)
        for lag, correlation in enumerate(colour, 1):
            power += 2.0 * correlation * float(response[lag:] @ response[:-lag])
        powers.append(max(power, 0.0))
    stds: FloatArray = np.sqrt(np.array(powers))
    return stds


def _pair(name: str) -> tuple[FloatArray, FloatArray]:
    """Return the low-pass and the high-pass filter of a wavelet, scaled for `forward`."""
    low = np.array(FILTERS[name])
    high = low[::-1].copy()
    high[1::2] *= -1.0
    return low, high


def _sum(filters: FloatArray, shifted: list[FloatArray]) -> FloatArray:
    total: FloatArray = filters[0] * shifted[0]
    for factor, rows in zip(filters[1:], shifted[1:], strict=True):
        total += factor * rows
    return total


def _shrunk(detail: FloatArray, threshold: FloatArray) -> FloatArray:
    size = np.maximum(np.abs(detail), threshold)
    small = np.divide(
        threshold, size, out=np.ones_like(detail), where=np.isfinite(size) & (size > 0.0)
    )
    kept: FloatArray = detail * (1.0 - (small**2) ** 2)
    return kept
