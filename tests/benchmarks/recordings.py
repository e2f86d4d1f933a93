"""Recordings and pictures beside what else knows nothing but the file, all settings blind.

    python tests/benchmarks/recordings.py            # all; --quick for one seed and short signals

Errors over the noise variance on four signals of Donoho and Johnstone at 7 dB, and on whole ECGs at
10 dB; peak signal-to-noise ratios on packaged photographs. PyWavelets and scikit-image are
compared with where they are installed, bm3d where its licence lets you (not for profit).
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from ikpca_cli.estimators.mixture import Mixture
from ikpca_cli.recordings.fitting import fit_beats, fit_windows
from ikpca_cli.recordings.roughness import channel_noise
from tests.recordings.ecg import NORMAL, STRONG, TALL_T, ecg
from tests.recordings.signals import noisy, signal


def bayes_shrink(rows):
    """Wavelet shrinkage with a threshold a level (Chang, Yu and Vetterli 2000)."""
    from skimage.restoration import denoise_wavelet

    return denoise_wavelet(rows, wavelet="sym8", mode="soft", rescale_sigma=False)


def translation_invariant(wavelet):
    """Return hard thresholding averaged over all shifts (Coifman and Donoho 1995)."""

    def clean(rows):
        import pywt

        std = float(channel_noise([rows[:, None]], "signal")[0])
        level = min(pywt.swt_max_level(len(rows)), 10)
        smooth, *details = pywt.swt(rows, wavelet, level, trim_approx=True)
        threshold = std * np.sqrt(2.0 * np.log(len(rows)))
        kept = [pywt.threshold(detail, threshold, "hard") for detail in details]
        return pywt.iswt([smooth, *kept], wavelet)

    return clean


def windows(rows):
    """Return what `fit --window auto` and `denoise` make of it."""
    return fit_windows(Mixture(), [rows[:, None]]).denoise(rows[:, None])[:, 0]


def signals(seeds, lengths):
    """Print the table of the signals."""
    ways = {
        "BayesShrink": bayes_shrink,
        "shift-invariant Haar": translation_invariant("haar"),
        "shift-invariant sym8": translation_invariant("sym8"),
        "--window auto": windows,
    }
    print("| signal, n | " + " | ".join(ways) + " |\n" + "|---" * (len(ways) + 1) + "|")
    for n in lengths:
        for name in ("blocks", "bumps", "heavisine", "doppler"):
            errors = np.zeros(len(ways))
            for seed in range(seeds):
                clean = signal(name, n)
                rows, std = noisy(clean, 7.0, np.random.default_rng(1000 + seed))
                errors += [np.mean((way(rows) - clean) ** 2) / std**2 for way in ways.values()]
            cells = " | ".join(f"{error:.4f}" for error in errors / seeds)
            print(f"| {name}, {n} | {cells} |", flush=True)


def photographs():
    """Return two photographs that libraries bring along, one in grey and in colour."""
    from skimage import data
    from sklearn.datasets import load_sample_image

    china = load_sample_image("china.jpg").astype(float)
    grey = {"cameraman": data.camera().astype(float), "temple": china @ [0.299, 0.587, 0.114]}
    return grey | {"temple in colour": china}


def decibels(found, clean):
    """Return the peak signal-to-noise ratio of a picture."""
    return 10.0 * np.log10(255.0**2 / np.mean((found - clean) ** 2))


def pictures(levels):
    """Print the table of the photographs; other methods are told the noise level."""
    from skimage.restoration import denoise_nl_means, denoise_tv_chambolle

    print(
        "\n| photograph, σ | NLM | TV | bm3d | --window 8x8 | seconds |\n|---|---|---|---|---|---|"
    )
    for name, clean in photographs().items():
        for std in levels:
            rng = np.random.default_rng(5)
            rows = clean + rng.normal(0.0, std, clean.shape)
            colours = {"channel_axis": -1 if clean.ndim == 3 else None}
            settings = ((5, 6, 0.8), (7, 11, 0.6), (5, 9, 0.6))
            # The best of some settings by the clean picture: more than a user has.
            means = max(
                decibels(denoise_nl_means(rows, size, reach, h * std, sigma=std, **colours), clean)
                for size, reach, h in settings
            )
            weights = (0.6, 0.8, 1.0, 1.3)
            total = max(
                decibels(denoise_tv_chambolle(rows, w * std, **colours), clean) for w in weights
            )
            try:
                import bm3d

                way = bm3d.bm3d if clean.ndim == 2 else bm3d.bm3d_rgb
                blocks = f"{decibels(way(rows, std), clean):.2f}"
            except ImportError:
                blocks = "-"
            start = time.process_time()
            row = rows.reshape(1, -1)
            model = fit_windows(Mixture(), [row], kind="image", window=(8, 8), shapes=[rows.shape])
            found = model.denoise(row, rows.shape).reshape(rows.shape)
            spent = time.process_time() - start
            own = decibels(found, clean)
            cells = f"{means:.2f} | {total:.2f} | {blocks} | {own:.2f} | {spent:.0f}"
            print(f"| {name}, {std} | {cells} |", flush=True)


def whole_ecg(seconds):
    """Print by how much the error of ECGs with ectopic beats falls."""
    shapes = {"usual": NORMAL, "tall T waves": TALL_T, "weaker ectopic beats": STRONG}
    rates = (100.0, 250.0, 360.0)
    names = " | ".join(f"{fs:.0f} Hz" for fs in rates)
    print(f"\n| ECG at 10 dB, error falls by | {names} |\n" + "|---" * (len(rates) + 1) + "|")
    for shape, waves in shapes.items():
        for way in ("beats", "auto")[: 1 + (shape == "usual")]:
            falls = []
            for fs in rates:
                clean, _ = ecg(seconds, fs, np.random.default_rng(0), normal=waves)
                rows, std = noisy(clean, 10.0, np.random.default_rng(1))
                if way == "beats":
                    model = fit_beats(Mixture(), [rows[:, None]], fs=fs)
                    found = model.denoise(rows[:, None])[:, 0]
                else:
                    found = windows(rows)
                falls.append(std**2 / np.mean((found - clean) ** 2))
            cells = " | ".join(f"{fall:.0f}" for fall in falls)
            print(f"| {shape}, --window {way} | {cells} |", flush=True)


def main():
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one seed, short signals")
    quick = parser.parse_args().quick
    signals(1 if quick else 3, (2048,) if quick else (2048, 32768))
    pictures((25,) if quick else (15, 25, 50))
    whole_ecg(120.0 if quick else 300.0)


if __name__ == "__main__":
    main()
