"""Our methods beside what else a user might pick, on rows as recorded and on made ones.

Run from the root of a checkout, with the `benchmark` extra installed:

    python tests/benchmarks/denoisers.py [--splits 3] [--sets gunpoint,coffee] [--db 10,0]
        [--methods ikpca,spline] [--beside FOLDER]

Rows are drawn anew for each split, white noise is added at some level in dB of their variance about
the column means, and each method learns from noisy rows alone and cleans others. Where a method
wants the noise level it gets our estimate. Prints the mean squared error of each method over that
of the noisy rows, in dB of gain, and marks the best that is blind. A method marked * was given the
clean rows to choose by, which nobody has. Methods whose package is missing are left out, and said.
BM3D is left out: its licence allows non-commercial use only. With --beside the default of another
version takes part, from its checkout (`git worktree add FOLDER COMMIT`), and the error of ours over
its own is printed as well, with the standard error of that over the splits.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from blind_choice import bumps, digits, s_curve, sines
from rich.console import Console
from rich.table import Table

from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.evaluation.ranking import best_of, rank
from ikpca_cli.linalg.shrinkage import optimal_weights

DATA = Path(__file__).parents[3] / "shared/data"
OTHER = "other version"
SALT = 0x6F75_7473_6964  # the benchmark's own: no method draws from it


@dataclass(frozen=True)
class Task:
    """Noisy rows to learn from and to clean, what these should become, and the level."""

    train: np.ndarray
    noisy: np.ndarray
    clean: np.ndarray
    level: float
    shape: tuple[int, ...]


def stored(file: str, name: str, *, transpose: bool = False) -> Callable[..., np.ndarray]:
    """Return what draws rows of a dataset."""

    def draw(rng: np.random.Generator, count: int) -> np.ndarray:
        with h5py.File(DATA / file) as found:
            rows = np.asarray(found[name][:], dtype=np.float64)
        rows = rows.T if transpose else rows
        return rows[rng.permutation(len(rows))[:count]]

    return draw


def spectra(rng: np.random.Generator, count: int) -> np.ndarray:
    """Twelve narrow lines of lognormal strengths on 400 points."""
    x, centres = np.linspace(0, 1, 400), np.linspace(0.06, 0.94, 12) ** 1.1
    lines = np.exp(-((x - centres[:, None]) ** 2) / (2 * 0.008**2))
    return rng.lognormal(0.0, 0.7, (count, 12)) @ lines


def chirps(rng: np.random.Generator, count: int) -> np.ndarray:
    """Chirps of random frequency, slope and phase on 200 points."""
    x = np.linspace(0, 1, 200)
    f, k, phase = rng.uniform([3, 0, 0], [20, 20, 2 * np.pi], (count, 3)).T[:, :, None]
    return np.sin(2 * np.pi * (f * x + k * x**2 / 2) + phase)


def steps(rng: np.random.Generator, count: int) -> np.ndarray:
    """Four jumps at random places on 128 points."""
    x, places = np.linspace(0, 1, 128), rng.uniform(0, 1, (4, count, 1))
    return np.sum(rng.normal(size=(4, count, 1)) * (x > places), axis=0)


SETS: dict[str, tuple[Callable[..., np.ndarray], int, int, tuple[int, ...]]] = {
    "gunpoint": (stored("real_rows.h5", "gunpoint"), 120, 80, (150,)),
    "coffee": (stored("real_rows.h5", "coffee"), 40, 20, (613,)),
    "patches": (stored("real_rows.h5", "patches"), 500, 500, (8, 8)),
    "vowels": (stored("real_rows.h5", "vowels"), 400, 500, (12,)),
    "ecg": (stored("cpsc_normal_beats.h5", "ecg4_lead0", transpose=True), 49, 21, (512,)),
    "usps": (stored("usps.h5", "train/data"), 1000, 400, (16, 16)),
    "spectra": (spectra, 100, 100, (400,)),
    "chirps": (chirps, 150, 100, (200,)),
    "steps": (steps, 200, 100, (128,)),
    "bumps": (bumps, 600, 200, (150,)),
    "sines": (sines, 200, 40, (60,)),
    "s-curve": (s_curve, 2000, 2000, (3,)),
    "digits": (digits, 1200, 500, (8, 8)),
}
"""Name to what draws rows, how many to learn from and to clean, and the shape of one."""

STORED = ("gunpoint", "coffee", "patches", "vowels", "ecg", "usps")
"""Those that are read from files."""


def spline(task: Task) -> np.ndarray:
    """Smoothing splines, the penalty of each row by generalised cross-validation (Garcia 2010)."""
    from scipy.fft import dct, idct

    Z = dct(task.noisy, norm="ortho")
    roughness = (2.0 - 2.0 * np.cos(np.pi * np.arange(Z.shape[1]) / Z.shape[1])) ** 2
    gains = 1.0 / (1.0 + 10.0 ** np.arange(-3, 9, 0.25)[:, None] * roughness)
    lost = (Z**2) @ ((1.0 - gains) ** 2).T
    best = np.argmin(lost / (1.0 - gains.mean(axis=1)) ** 2, axis=1)
    return idct(gains[best] * Z, norm="ortho")


def savitzky_golay(task: Task) -> np.ndarray:
    """The window and order that suit the clean rows best; none where rows are shorter."""
    from scipy.signal import savgol_filter

    windows = [w for w in (5, 7, 9, 13, 19, 27, 39, 57, 81) if w <= task.noisy.shape[1]]
    tried = [savgol_filter(task.noisy, w, order) for w in windows for order in (2, 3, 4)]
    return min([task.noisy, *tried], key=lambda rows: float(np.mean((rows - task.clean) ** 2)))


def wavelets(task: Task) -> np.ndarray:
    """Soft thresholds by BayesShrink (Chang, Yu and Vetterli 2000), in symlets of order 8."""
    import pywt

    found = pywt.wavedec(task.noisy, "sym8", mode="symmetric", axis=1)
    kept = [found[0]]
    for detail in found[1:]:
        signal = np.sqrt(np.maximum(np.mean(detail**2, axis=1) - task.level**2, 1e-300))
        kept.append(pywt.threshold(detail, (task.level**2 / signal)[:, None], "soft"))
    return pywt.waverec(kept, "sym8", mode="symmetric", axis=1)[:, : task.noisy.shape[1]]


def shrinkage(task: Task) -> np.ndarray:
    """Optimal shrinkage of the singular values of all rows together (Gavish and Donoho 2017)."""
    rows = np.concatenate([task.train, task.noisy])
    mean = rows.mean(axis=0)
    left, values, right = np.linalg.svd(rows - mean, full_matrices=False)
    weights = optimal_weights(values**2, len(rows) - 1, rows.shape[1], task.level**2)
    return ((left * (weights * values)) @ right + mean)[len(task.train) :]


def kernel_pca(task: Task) -> np.ndarray:
    """scikit-learn's KernelPCA, gamma by the median distance, components above the noise."""
    from sklearn.decomposition import KernelPCA

    mean = task.train.mean(axis=0)
    rows = task.train - mean
    distances = np.sum((rows[:200, None] - rows[None, :200]) ** 2, axis=2)
    edge = task.level**2 * (np.sqrt(len(rows)) + np.sqrt(rows.shape[1])) ** 2
    count = max(1, int(np.sum(np.linalg.svd(rows, compute_uv=False) ** 2 > edge)))
    model = KernelPCA(
        count, kernel="rbf", gamma=1.0 / np.median(distances), fit_inverse_transform=True, alpha=0.1
    ).fit(rows)
    return model.inverse_transform(model.transform(task.noisy - mean)) + mean


def means_across(task: Task) -> np.ndarray:
    """Non-local means over whole rows (Buades, Coll and Morel 2005)."""
    width, level = task.noisy.shape[1], task.level
    squares = np.sum(task.noisy**2, axis=1)[:, None] + np.sum(task.train**2, axis=1)
    distances = squares - 2.0 * task.noisy @ task.train.T
    far = np.maximum(distances - 2.0 * width * level**2, 0.0) / (0.4**2 * width * level**2)
    weights = np.exp(-far)
    own = np.maximum(weights.max(axis=1, keepdims=True), 1e-12)
    return (weights @ task.train + own * task.noisy) / (weights.sum(axis=1, keepdims=True) + own)


def image_means(task: Task) -> np.ndarray:
    """scikit-image's non-local means within each picture, with the settings of its manual."""
    from skimage.restoration import denoise_nl_means

    given = {"patch_size": 3, "patch_distance": 5, "h": 0.8 * task.level, "sigma": task.level}
    pictures = task.noisy.reshape(-1, *task.shape)
    found = [denoise_nl_means(picture, fast_mode=False, **given) for picture in pictures]
    return np.reshape(found, task.noisy.shape)


def total_variation(task: Task) -> np.ndarray:
    """scikit-image's total variation, weighed so that as much is removed as there is noise."""
    from skimage.restoration import denoise_tv_chambolle

    pictures = task.noisy.reshape(-1, *task.shape)
    tried = []
    for factor in (0.25, 0.5, 1.0, 1.5, 2.0, 3.0):
        weight = factor * task.level
        found = [denoise_tv_chambolle(picture, weight=weight) for picture in pictures]
        tried.append(np.reshape(found, task.noisy.shape))
    return min(tried, key=lambda rows: abs(np.std(rows - task.noisy) - task.level))


def ours(name: str) -> Callable[[Task], np.ndarray]:
    """Return one of our methods with everything automatic; "auto" takes the best by estimate."""

    def clean(task: Task) -> np.ndarray:
        chosen = name
        if name == "auto":
            every = [load_method(method)() for method in ("ikpca", "kpca", "pca")]
            chosen = best_of(rank(every, task.train, 0))
        return load_method(chosen)().fit(task.train).denoise(task.noisy)

    return clean


def of_checkout(folder: str) -> Callable[[Task], np.ndarray]:
    """Return the default of the version whose checkout is in a folder."""
    code = (
        "import io, sys, numpy as np\n"
        "from ikpca_cli import IKPCA\n"
        "rows = np.load(io.BytesIO(sys.stdin.buffer.read()))\n"
        "np.save(sys.stdout.buffer, IKPCA().fit(rows['train']).denoise(rows['noisy']))\n"
    )

    def clean(task: Task) -> np.ndarray:
        given = io.BytesIO()
        np.savez(given, train=task.train, noisy=task.noisy)
        command = [sys.executable, "-W", "ignore", "-c", code]
        # Its own folder comes first where modules are looked for.
        running = {"capture_output": True, "check": True, "cwd": folder}
        done = subprocess.run(command, input=given.getvalue(), **running)
        return np.load(io.BytesIO(done.stdout))

    return clean


LINES = {"spline": spline, "Savitzky-Golay *": savitzky_golay, "wavelets": wavelets}
PICTURES = {"image NLM": image_means, "TV": total_variation}
ROWS = {"shrinkage": shrinkage, "KernelPCA": kernel_pca, "NLM of rows": means_across}
OURS = {name: ours(name) for name in ("ikpca", "kpca", "pca", "auto")}


def tasks(name: str, db: float, splits: int) -> list[Task]:
    """Return the rows of each split."""
    draw, train, test, shape = SETS[name]
    found = []
    for split in range(splits):
        rng = np.random.default_rng(np.random.SeedSequence([SALT, *name.encode(), split]))
        clean = draw(rng, train + test)
        level = float(np.sqrt(clean.var(axis=0).mean() * 10.0 ** (-db / 10.0)))
        noisy = clean + rng.normal(scale=level, size=clean.shape)
        estimate = load_method("pca")().fit(noisy[:train]).noise_std_ or level
        found.append(Task(noisy[:train], noisy[train:], clean[train:], estimate, shape))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--db", default="10,0")
    parser.add_argument("--methods", help="of those that are printed; all by default")
    parser.add_argument("--beside", metavar="FOLDER", help="checkout of another version")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    methods = OURS | LINES | ROWS | PICTURES
    if options.methods:
        methods = {name: methods[name] for name in options.methods.split(",")}
    if options.beside:
        methods[OTHER] = of_checkout(options.beside)
    table = Table(title=f"Gain in dB, {options.splits} splits; * chosen by the clean rows")
    for heading in ("rows", "dB", *methods):
        table.add_column(heading, no_wrap=True)
    missing: set[str] = set()
    for name in options.sets.split(","):
        if not DATA.exists() and name in STORED:
            print(f"skipped {name}: {DATA} is not there", file=sys.stderr)
            continue
        for db in map(float, options.db.split(",")):
            drawn = tasks(name, db, options.splits)
            before = np.mean([np.mean((task.noisy - task.clean) ** 2) for task in drawn])
            gains: dict[str, float] = {}
            errors: dict[str, np.ndarray] = {}
            for label, method in methods.items():
                if label in PICTURES and len(drawn[0].shape) < 2:
                    continue
                try:
                    found = [np.mean((method(task) - task.clean) ** 2) for task in drawn]
                except ImportError as error:
                    missing.add(f"{label}: {error.name} is not installed")
                    continue
                errors[label] = np.array(found)
                gains[label] = 10.0 * float(np.log10(before / np.mean(found)))
            blind = [label for label in gains if not label.endswith("*")]
            best = max(blind, key=lambda label: gains[label])
            cells = [
                f"{gains[label]:.1f}{' ◂' if label == best else ''}" if label in gains else "-"
                for label in methods
            ]
            table.add_row(name, f"{db:g}", *cells)
            print(f"{name} {db:g}: best {best}", file=sys.stderr, flush=True)
            if OTHER in errors and "ikpca" in errors:
                one, other = errors["ikpca"], errors[OTHER]
                ratio = one.mean() / other.mean()
                scatter = np.std(one - ratio * other) / other.mean() / max(len(one) - 1, 1) ** 0.5
                print(f"{name} {db:g}: {ratio:.3f} ± {scatter:.3f} of the other version's error")
    Console(width=200).print(table)
    for line in sorted(missing):
        print(f"left out {line}", file=sys.stderr)


if __name__ == "__main__":
    main()
