"""How good is what is chosen from noisy rows alone? Errors, estimates and targets on known data.

Run from the root of a checkout, with the `benchmark` extra installed:

    python tests/benchmarks/blind_choice.py [--splits 10] [--sets usps] [--methods pca] [--oracle]

For each data set, noise level and split: fit on noisy rows with everything automatic, clean other
noisy rows, and compare with the clean ones. Prints the mean error and its spread, the estimate made
from the noisy rows (its mean deviation and the largest, in units of the noise variance), the
estimated over the true noise level, seconds to fit, how many fits with everything given the choice
costs, and the target where there is one. With --oracle, also how far the error is above that of
the same candidates chosen by the clean rows, on average and at worst.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.estimators.methods import METHODS
from ikpca_cli.selection.choice import Oracle

USPS = Path(__file__).parents[3] / "shared/data/usps.h5"
SALT = 0x6265_6E63_686D  # the benchmark's own: no method draws from it


@dataclass(frozen=True)
class Data:
    """A source of clean rows, how many to fit on and to clean, and noise levels with targets."""

    draw: Callable[[np.random.Generator, int], np.ndarray]
    train: int
    test: int
    targets: dict[float, float | None]


def s_curve(rng: np.random.Generator, count: int) -> np.ndarray:
    t, w = 3 * np.pi * (rng.uniform(size=count) - 0.5), 2 * rng.uniform(size=count)
    return np.stack([np.sin(t), w, np.sign(t) * (np.cos(t) - 1)], axis=1)


def sines(rng: np.random.Generator, count: int) -> np.ndarray:
    time_ = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    return np.sin(time_ + rng.uniform(0, 2 * np.pi, (count, 1)))


def bumps(rng: np.random.Generator, count: int) -> np.ndarray:
    x = np.linspace(0, 1, 150)
    c, h = rng.uniform(0.2, 0.8, (count, 1)), rng.uniform(0.5, 2, (count, 1))
    return h * np.exp(-((x - c) ** 2) / 0.005) + 0.5 * np.exp(-((x - c / 2 - 0.1) ** 2) / 0.02)


def digits(rng: np.random.Generator, count: int) -> np.ndarray:
    from sklearn.datasets import load_digits

    rows = load_digits().data / 16.0
    return rows[rng.permutation(len(rows))[:count]]


def usps(rng: np.random.Generator, count: int) -> np.ndarray:
    """Rows of the USPS digits, each class as often as in the whole, classes shuffled together."""
    import h5py

    with h5py.File(USPS) as file:
        rows = np.concatenate([file[part]["data"][:] for part in ("train", "test")])
        labels = np.concatenate([file[part]["target"][:] for part in ("train", "test")])
    order = rng.permutation(len(rows))
    # Even places in a list sorted by class are a stratified sample.
    ordered = order[np.argsort(labels[order], kind="stable")]
    chosen = ordered[np.linspace(0, len(rows) - 1, count).round().astype(int)]
    return rows[rng.permutation(chosen)]


SETS = {
    "s-curve": Data(s_curve, 2000, 2000, {0.25: 0.0395, 0.5: 0.153}),
    "usps": Data(usps, 1000, 400, {0.25: 0.0222, 0.5: 0.0470}),
    "bumps": Data(bumps, 600, 200, {0.15: 0.0014}),
    "sines": Data(sines, 200, 40, {0.3: 0.0039}),
    "digits": Data(digits, 1200, 500, {0.2: None}),
}


def splits(name: str, noise: float, count: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield noisy rows to fit on, noisy rows to clean, and what these should become."""
    data = SETS[name]
    for split in range(count):
        rng = np.random.default_rng(np.random.SeedSequence([SALT, *name.encode(), split]))
        clean = data.draw(rng, data.train + data.test)
        noisy = clean + rng.normal(scale=noise, size=clean.shape)
        yield noisy[: data.train], noisy[data.train :], clean[data.train :]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--rff", default="auto", help="random features of ikpca")
    parser.add_argument(
        "--oracle", action="store_true", help="compare with the best that clean rows would choose"
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    table = Table(title=f"Chosen from noisy rows alone, {options.splits} splits")
    headings = "data|noise|noisy|method|MSE|target|estimate off|worst|noise level|fit [s]|choice"
    headings += "|over best|worst" if options.oracle else ""
    for heading in headings.split("|"):
        table.add_column(heading, no_wrap=True)
    for name in options.sets.split(","):
        if name == "usps" and not USPS.exists():
            print(f"skipped usps: {USPS} is not there", file=sys.stderr)
            continue
        for noise, target in SETS[name].targets.items():
            for method in options.methods.split(","):
                rff = {"n_rff": int(options.rff)} if options.rff.isdigit() else {}
                params = rff if method == "ikpca" else {}
                rows = [
                    measure(method, params, *split, oracle=options.oracle)
                    for split in splits(name, noise, options.splits)
                ]
                before, after, estimate, level, seconds, choice, best = np.array(rows).T
                over = after / best - 1.0
                bound = (f"{over.mean():+.1%}", f"{over.max():+.1%}") if options.oracle else ()
                off = (estimate - after) / noise**2
                table.add_row(
                    name,
                    f"{noise:g}",
                    f"{before.mean():.4f}",
                    method,
                    f"{after.mean():.5f} ± {after.std(ddof=1):.5f}",
                    "-" if target is None or method != "ikpca" else f"{target:g}",
                    f"{off.mean():+.3f}",
                    f"{off[np.argmax(np.abs(off))]:+.3f}",
                    f"{(level / noise).mean():.3f} ± {(level / noise).std(ddof=1):.3f}",
                    f"{np.median(seconds):.1f}",
                    f"{np.median(choice / (seconds - choice)):.0f}",
                    *bound,
                )
                print(f"{name} {noise:g} {method}: {after.mean():.5f}", file=sys.stderr, flush=True)
    Console(width=160).print(table)


class Clock:
    """A function that is called as it is, and how long that took."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.seconds = 0.0

    def __call__(self, *args: Any) -> Any:
        start = time.perf_counter()
        try:
            return self._function(*args)
        finally:
            self.seconds += time.perf_counter() - start


def measure(
    method: str,
    params: dict[str, int],
    train: np.ndarray,
    noisy: np.ndarray,
    clean: np.ndarray,
    *,
    oracle: bool,
) -> tuple[float, ...]:
    """Return error before and after, its estimate, noise level, seconds, and the best error.

    The seconds are those of the whole fit, and those of the choice in it.
    """
    model = load_method(method)(**params)
    clock = Clock(model._choose)
    model._choose = clock  # type: ignore[method-assign]
    start = time.perf_counter()
    model.fit(train)
    seconds = time.perf_counter() - start
    after = float(np.mean((model.denoise(noisy) - clean) ** 2))
    estimate = np.nan if model.estimated_mse_ is None else model.estimated_mse_
    level = np.nan if model.noise_std_ is None else model.noise_std_
    best = np.nan
    if oracle:
        bound = load_method(method)(**params).fit_up_to(train, oracle=Oracle(noisy, clean))
        best = float(np.mean((bound.denoise(noisy) - clean) ** 2))
    before = float(np.mean((noisy - clean) ** 2))
    return before, after, estimate, level, seconds, clock.seconds, best


if __name__ == "__main__":
    main()
