"""How the error falls with the number of training rows, through the change of models.

Run from the root of a checkout, with the `benchmark` extra installed:

    python tests/benchmarks/ladder.py [--sets patches,vowels,usps,s-curve] [--db 10] [--splits 2]
        [--most 3001] [--noise-std]

The same rows are cleaned at each number, by a fit with nothing given on the first of others. Prints
the mean squared error over that of the noisy rows, its ratio to the step before (marked where it is
more than 2 % above), and processor seconds of a fit. With --noise-std the true level is given, so
that only the models differ.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings

import numpy as np
from blind_choice import s_curve
from denoisers import DATA, SETS

from ikpca_cli import IKPCA

SALT = 0x6C61_6464_6572  # the benchmark's own: no method draws from it
STEPS = (50, 100, 200, 400, 800, 1600, 3000, 3001, 5000, 7000, 20_000, 100_000)
TEST_ROWS = 500
TOLERANCE = 1.02


def clean_rows(name: str, rng: np.random.Generator, most: int) -> np.ndarray:
    """Return rows in random order, as many as there are up to a number."""
    draw = s_curve if name == "s-curve" else SETS[name][0]
    return draw(rng, most)


def errors(name: str, db: float, split: int, steps: list[int], *, given: bool) -> list[tuple]:
    """Return rows, error over that of the noisy rows, and seconds of each fit."""
    rng = np.random.default_rng(np.random.SeedSequence([SALT, *name.encode(), split]))
    clean = clean_rows(name, rng, TEST_ROWS + max(steps))
    level = float(np.sqrt(clean.var(axis=0).mean() * 10.0 ** (-db / 10.0)))
    noisy = clean + rng.normal(scale=level, size=clean.shape)
    test, wanted, train = noisy[:TEST_ROWS], clean[:TEST_ROWS], noisy[TEST_ROWS:]
    found = []
    for count in (step for step in steps if step <= len(train)):
        start = time.process_time()
        model = IKPCA(noise_std=level if given else "auto").fit(train[:count])
        seconds = time.process_time() - start
        after, before = (np.mean((rows - wanted) ** 2) for rows in (model.denoise(test), test))
        found.append((count, after / before, seconds))
    return found


def main() -> None:
    """Print a table for each set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default="patches,vowels,usps,s-curve")
    parser.add_argument("--db", type=float, default=10.0)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--most", type=int, default=3001)
    parser.add_argument("--noise-std", action="store_true", help="give the true noise level")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    steps = [step for step in STEPS if step <= options.most]
    for name in options.sets.split(","):
        if name != "s-curve" and not DATA.exists():
            print(f"skipped {name}: {DATA} is not there", file=sys.stderr)
            continue
        tables = [
            errors(name, options.db, split, steps, given=options.noise_std)
            for split in range(options.splits)
        ]
        print(f"{name}, {options.db:g} dB\n{'rows':>9}{'error':>9}{'ratio':>9}{'fit [s]':>9}")
        before = None
        for step in zip(*tables, strict=True):
            error = float(np.mean([one for _, one, _ in step]))
            seconds = float(np.mean([one for _, _, one in step]))
            ratio = 1.0 if before is None else error / before
            mark = " rises" if ratio > TOLERANCE else ""
            print(f"{step[0][0]:9,}{error:9.4f}{ratio:9.3f}{seconds:9.1f}{mark}", flush=True)
            before = error


if __name__ == "__main__":
    main()
