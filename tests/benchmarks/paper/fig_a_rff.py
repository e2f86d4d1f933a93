"""The appendix's figures on the number of random features.

    python tests/benchmarks/paper/fig_a_rff.py [--quick] [--output DIR]

Error against r for the S-curve (10 components) and USPS (25 components, no ridge), both at noise
0.25 and 0.5, beside kPCA+SL with as many components. Parameters are those of Figures 2 and 3; the
numbers of components and of features are our choice. One more figure, not in the paper: with the
refined pre-image, how the error tends to that of infinitely many features (a quarter of the runs).
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from common import (
    S_CURVE_MODELS,
    USPS,
    USPS_MODELS,
    compare,
    listed,
    options,
    print_curves,
    s_curve,
    usps,
)


def main() -> None:
    asked = options(__doc__, runs=20)
    rff, limit_rff, size = (
        (10, 20, 50, 100, 200, 500, 1000, 2000, 5000),
        (50, 200, 1000, 4000),
        2000,
    )
    digits_rff, digits_sizes = (500, 1000, 2000, 5000, 10_000, 20_000), (1000, 400)
    if asked.quick:
        rff, limit_rff, size = (10, 50, 500), (50, 200, 500), 400
        digits_rff, digits_sizes = (500, 2000), (300, 100)
    with tempfile.TemporaryDirectory() as scratch:
        curve = s_curve(Path(scratch))
        sizes = f"--train-size {size} --test-size {size}"
        for noise in asked.noises:
            settings = (
                f"--noise {noise} {sizes} --methods ikpca,kpca --components 10 "
                f"--rff {listed(rff)} {S_CURVE_MODELS}"
            )
            picture = asked.output / f"fig_a_rff_s_curve_{noise}.png"
            report = compare(curve, settings, asked.runs, picture)
            print_curves(f"S-curve, noise {noise}, 10 components", report, "n_rff")
        settings = (
            f"--noise 0.25 {sizes} --methods ikpca --rff {listed(limit_rff)},exact "
            "--gamma 0.5 --inverse refined"
        )
        picture = asked.output / "fig_a_rff_limit.png"
        report = compare(curve, settings, max(2, asked.runs // 4), picture)
        print_curves("S-curve, noise 0.25, refined pre-image", report, "n_rff")
        if not USPS.exists():
            print(f"skipped USPS: {USPS} is not there")
            return
        digits = usps(Path(scratch))
        for noise in asked.noises:
            settings = (
                f"--noise {noise} --train-size {digits_sizes[0]} --test-size {digits_sizes[1]} "
                f"--methods ikpca,kpca --components 25 --rff {listed(digits_rff)} "
                f"--ridge ikpca:0 {USPS_MODELS}"
            )
            picture = asked.output / f"fig_a_rff_usps_{noise}.png"
            report = compare(digits, settings, asked.runs, picture)
            print_curves(f"USPS, noise {noise}, 25 components, ridge 0", report, "n_rff")


if __name__ == "__main__":
    main()
