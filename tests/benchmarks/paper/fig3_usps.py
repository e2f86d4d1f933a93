"""Figure 3 and its companion in the appendix: USPS digits, error against components.

    python tests/benchmarks/paper/fig3_usps.py [--quick] [--output DIR]

Ridges 0, 0.1, 0.5 and 2 with 30,000 random features beside kPCA+SL and PCA, at noise 0.25 and 0.5;
1,000 digits to fit and 400 to clean, 20 runs: ten minutes each. Parameters are those of
the paper's authors; ridge 0 is ours, for what the paper says of it. Splits are random, where the
authors' keep the share of each digit.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from common import USPS, USPS_MODELS, compare, listed, options, print_curves, require, usps


def main() -> None:
    asked = options(__doc__, runs=20)
    require(USPS)
    components, rff, sizes = (5, 7, 9, 11, 13, 16, 18, 20, 22, 25), 30_000, (1000, 400)
    if asked.quick:
        components, rff, sizes = (5, 10, 15, 20, 25), 3000, (300, 100)
    with tempfile.TemporaryDirectory() as scratch:
        rows = usps(Path(scratch))
        for noise in asked.noises:
            # W'W grows with r, so the ridge has to for the same weight.
            ridges = [ridge * rff / 30_000 for ridge in (0.0, 0.1, 0.5, 2.0)]
            settings = (
                f"--noise {noise} --train-size {sizes[0]} --test-size {sizes[1]} --rff {rff} "
                f"--components {listed(components)} --ridge ikpca:{listed(ridges)} {USPS_MODELS}"
            )
            picture = asked.output / f"fig3_usps_{noise}.png"
            report = compare(rows, settings, asked.runs, picture)
            print_curves(f"USPS, noise {noise}", report, "n_components")


if __name__ == "__main__":
    main()
