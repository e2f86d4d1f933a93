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
