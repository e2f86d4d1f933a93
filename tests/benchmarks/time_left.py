"""How near the time left that a fit tells is to the time that it takes.

Run from the root of a checkout, with the `benchmark` extra installed:

    python tests/benchmarks/time_left.py [--jobs 2] [--cpu] [--only 1 2]

For each of ten sizes, a fit with nothing given, and for three one with random features. Prints what
is shown over what is true when a fifth of the fit has gone and later, up to nine tenths, and the
least and the most of that in between.
With --cpu seconds are those of the processor, as on a machine where others work.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from typing import Literal

import numpy as np
from blind_choice import s_curve
from denoisers import DATA, SETS

from ikpca_cli import IKPCA
from ikpca_cli.cli.progress import TimeLeft
from ikpca_cli.data.threads import jobs
from ikpca_cli.selection.stages import Whole

SALT = 0x6C65_6674  # the benchmark's own: no method draws from it
DB = 5.0
SIZES: tuple[tuple[str, int, int | Literal["auto"]], ...] = (
    ("usps", 1000, "auto"),
    ("usps", 2000, "auto"),
    ("usps", 3000, "auto"),
    ("patches", 500, "auto"),
    ("patches", 2000, "auto"),
    ("patches", 4500, "auto"),
    ("vowels", 2500, "auto"),
    ("vowels", 3500, "auto"),
    ("s-curve", 2000, "auto"),
    ("s-curve", 20_000, "auto"),
    ("usps", 3000, 2000),
    ("vowels", 3500, 2000),
    ("patches", 5000, 4000),
)
SHARES = np.linspace(0.2, 0.9, 71)


def shown_over_true(
    model: IKPCA, rows: np.ndarray, clock: Callable[[], float]
) -> tuple[float, np.ndarray]:
    """Return the seconds of a fit, and what is shown over what is true at each share of it."""
    left = TimeLeft(clock)
    reports: list[tuple[float, float | None]] = []

    def report(stage: str, done: int, total: int) -> None:
        left.report(stage, done, total)
        reports.append((clock(), left.seconds()))

    begun = clock()
    model.fit(rows, progress=Whole(report, clock))
    seconds = clock() - begun
    ratios = []
    for share in SHARES:
        now = begun + share * seconds
        at, told = [one for one in reports if one[0] <= now][-1]
        shown = np.nan if told is None else max(told - (now - at), 0.0)
        ratios.append(shown / (seconds * (1.0 - share)))
    return seconds, np.array(ratios)


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, nargs="*", help="numbers of the sizes, from 0")
    parser.add_argument("--cpu", action="store_true", help="count processor seconds")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    shares = " ".join(f"{share:6.1f}" for share in SHARES[::10])
    print(f"{'rows':>26}{'fit [s]':>9}  {shares}   least  most")
    for number in options.only or range(len(SIZES)):
        name, count, n_rff = SIZES[number]
        if name != "s-curve" and not DATA.exists():
            print(f"skipped {name}: {DATA} is not there", file=sys.stderr)
            continue
        rng = np.random.default_rng(np.random.SeedSequence([SALT, *name.encode(), count]))
        clean = (s_curve if name == "s-curve" else SETS[name][0])(rng, count)
        level = float(np.sqrt(clean.var(axis=0).mean() * 10.0 ** (-DB / 10.0)))
        noisy = clean + rng.normal(scale=level, size=clean.shape)
        with jobs(options.jobs):
            clock = time.process_time if options.cpu else time.perf_counter
            seconds, ratios = shown_over_true(IKPCA(n_rff=n_rff), noisy, clock)
        size = f"{name} {count:,} x {noisy.shape[1]}" + (f", {n_rff}" if n_rff != "auto" else "")
        told = " ".join(f"{ratio:6.2f}" for ratio in ratios[::10])
        print(
            f"{size:>26}{seconds:9.1f}  {told} {np.nanmin(ratios):7.2f}{np.nanmax(ratios):6.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
