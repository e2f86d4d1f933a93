"""A synthetic ECG with known R peaks: waves of Gaussian shape, wandering rate, ectopic beats."""

from __future__ import annotations

import numpy as np

# Height in mV, seconds from the R peak and width in seconds of P, Q, R, S and T; and of an early
# ventricular beat, broad and without a P wave.
NORMAL = (
    (0.15, -0.18, 0.025),
    (-0.12, -0.03, 0.010),
    (1.1, 0, 0.011),
    (-0.25, 0.03, 0.011),
    (0.3, 0.25, 0.045),
)
TALL_T = (NORMAL[0], (0.7, 0, 0.010), (-0.2, 0.03, 0.010), (0.75, 0.24, 0.045))
STRONG = (NORMAL[0], NORMAL[1], (2.2, 0, 0.012), (-0.8, 0.035, 0.014), (0.6, 0.25, 0.05))
ECTOPIC = ((1.4, 0.0, 0.030), (-0.5, 0.09, 0.035), (-0.35, 0.28, 0.055))


def ecg(seconds, fs, rng, ectopic=0.05, normal=NORMAL):
    """Return a clean ECG (n,) and its R peaks in samples."""
    times, kinds, at = [], [], 0.6
    early = False
    while at < seconds - 0.5:
        times.append(at)
        kinds.append(early)
        rate = 0.82 + 0.05 * np.sin(0.25 * 2 * np.pi * at) + rng.normal(0.0, 0.015)
        pause = 1.3 * rate if early else rate
        early = not early and rng.random() < ectopic
        at += 0.65 * rate if early else pause
    t = np.arange(round(seconds * fs)) / fs
    clean = np.zeros(len(t))
    for peak, odd in zip(times, kinds, strict=True):
        near = slice(max(0, round((peak - 0.6) * fs)), round((peak + 0.7) * fs))
        scale = 1.0 + rng.normal(0.0, 0.03)
        for height, shift, width in ECTOPIC if odd else normal:
            clean[near] += scale * height * np.exp(-0.5 * ((t[near] - peak - shift) / width) ** 2)
    return clean, np.array(times) * fs


P, Q, S = NORMAL[0], NORMAL[1], NORMAL[3]
WIDE = ((1.2, 0.0, 0.050), (-0.6, 0.13, 0.050), (-0.5, 0.34, 0.070))
OPPOSITE = ((-1.5, 0.0, 0.035), (0.6, 0.10, 0.040), (0.5, 0.30, 0.060))
RHYTHMS = {
    # The usual complex, another one and the beats that have it; seconds from beat to beat.
    "paced": (((1.2, -0.06, 0.0012), *WIDE), None, lambda k, rng: 0.86),
    "wide spikes": (((3.0, -0.05, 0.0012), *WIDE), None, lambda k, rng: 0.86),
    "left bundle": (
        ((0.12, -0.2, 0.025), (0.8, -0.025, 0.018), (0.85, 0.03, 0.02), (-0.25, 0.28, 0.06)),
        None,
        lambda k, rng: rng.normal(0.8, 0.02),
    ),
    "bigeminy": (NORMAL, (OPPOSITE, 2), lambda k, rng: (0.5, 1.0)[k % 2]),
    "wide bigeminy": (NORMAL, (WIDE, 2), lambda k, rng: (0.5, 1.0)[k % 2]),
    "fibrillation": (NORMAL[1:], None, lambda k, rng: np.clip(rng.normal(0.75, 0.18), 0.36, 1.6)),
    "tachycardia": (NORMAL, None, lambda k, rng: rng.normal(0.43, 0.006)),
    "slow": ((*NORMAL[:4], (0.35, 0.37, 0.055)), None, lambda k, rng: rng.normal(1.45, 0.05)),
    "salvoes": (NORMAL, (WIDE, 7), lambda k, rng: (0.8, 0.8, 0.8, 0.8, 0.8, 0.55, 1.1)[k % 7]),
}
"""Rhythms unlike that of `ecg`: complexes that are wide or point the other way, other intervals."""


def rhythm(name, seconds, fs, rng):
    """Return a clean ECG (n,) of one of `RHYTHMS`, and its R peaks in samples."""
    usual, other, interval = RHYTHMS[name]
    t = np.arange(round(seconds * fs)) / fs
    clean, peaks, at = np.zeros(len(t)), [], 0.7
    while at < seconds - 0.7:
        waves = other[0] if other and len(peaks) % other[1] == other[1] - 1 else usual
        near = slice(max(0, round((at - 0.6) * fs)), round((at + 0.7) * fs))
        scale = rng.normal(1.0, 0.04)
        for height, shift, width in waves:
            shown = max(width, 0.35 / fs)  # as a recorder shows a spike
            wave = np.exp(-0.5 * ((t[near] - at - shift) / shown) ** 2)
            clean[near] += scale * height * width / shown * wave
        peaks.append(at)
        at += interval(len(peaks) - 1, rng)
    return clean, np.array(peaks) * fs
