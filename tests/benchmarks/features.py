"""How the error comes nearer to that of the exact kernel with the number of random features.

Run from the root of a checkout, with the `benchmark` extra installed:

    python tests/benchmarks/features.py [--sets patches,s-curve] [--rows 1500] [--db 10]
        [--splits 2]

The same rows are cleaned by fits with more and more random features, by landmarks, and by the exact
kernel. Prints the mean squared error over that of the noisy rows, what the fit estimates it to be,
its ratio to that of the exact kernel, and processor seconds of a fit.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings

import numpy as np
from denoisers import DATA
from ladder import SALT, TEST_ROWS, clean_rows

from ikpca_cli import IKPCA

COUNTS = (500, 1000, 2000, 4000, 8000, "landmarks", "exact")


def errors(name: str, n_rows: int, db: float, split: int) -> np.ndarray:
    """Return error and estimate over the error of the noisy rows, and seconds, for each count."""
    rng = np.random.default_rng(np.random.SeedSequence([SALT, *name.encode(), split]))
    clean = clean_rows(name, rng, TEST_ROWS + n_rows)
    level = float(np.sqrt(clean.var(axis=0).mean() * 10.0 ** (-db / 10.0)))
    noisy = clean + rng.normal(scale=level, size=clean.shape)
    test, wanted, train = noisy[:TEST_ROWS], clean[:TEST_ROWS], noisy[TEST_ROWS:]
    before, found = np.mean((test - wanted) ** 2), []
    for count in COUNTS:
        start = time.process_time()
        model = IKPCA(n_rff=count, noise_std=level).fit(train)
        seconds = time.process_time() - start
        after = np.mean((model.denoise(test) - wanted) ** 2)
        told = model.estimated_mse_ if model.estimated_mse_ is not None else model.rough_mse_
        found.append((after / before, np.nan if told is None else told / before, seconds))
    return np.array(found)


def main() -> None:
    """Print a table for each set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default="patches,s-curve")
    parser.add_argument("--rows", type=int, default=1500)
    parser.add_argument("--db", type=float, default=10.0)
    parser.add_argument("--splits", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.sets.split(","):
        if name != "s-curve" and not DATA.exists():
            print(f"skipped {name}: {DATA} is not there", file=sys.stderr)
            continue
        given = name, options.rows, options.db
        table = np.mean([errors(*given, split) for split in range(options.splits)], axis=0)
        print(f"{name}, {options.rows:,} rows, {options.db:g} dB")
        print(f"{'features':>10}{'error':>9}{'estimate':>10}{'ratio':>8}{'fit [s]':>9}")
        for count, (error, told, seconds) in zip(COUNTS, table, strict=True):
            ratio = error / table[-1, 0]
            print(f"{count!s:>10}{error:9.4f}{told:10.4f}{ratio:8.3f}{seconds:9.1f}")


if __name__ == "__main__":
    main()
