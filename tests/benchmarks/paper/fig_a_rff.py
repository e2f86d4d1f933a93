"""The appendix's figures on the number of random features.

    python tests/benchmarks/paper/fig_a_rff.py [--quick] [--output DIR]

Error against r for the S-curve (10 components) and USPS (25 components, ridge growing with r), both
at noise 0.25 and 0.5, beside kPCA+SL at the same number of components and, for r without end, the
limit in closed form with everything chosen from the noisy rows. Parameters are those of Figures 2
and 3; the numbers of components and of features are our choice.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from common import NOISES, S_CURVE_MODELS, USPS, compare, listed, options, print_curves

from common import USPS_MODELS, s_curve, usps  # isort: skip


def main() -> None:
    asked = options(__doc__, runs=20)
    curve_rff, curve_size = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000), 2000
    usps_rff, usps_sizes = (500, 1000, 2000, 5000, 10_000, 20_000), (1000, 400)
    if asked.quick:
        curve_rff, curve_size = (10, 50, 500), 400
        usps_rff, usps_sizes = (500, 2000), (300, 100)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for noise in NOISES:
            settings = (
                f"--noise {noise} --train-size {curve_size} --test-size {curve_size} "
                f"--methods ikpca,kpca --components 10 --rff {listed(curve_rff)} {S_CURVE_MODELS}"
            )
            picture = asked.output / f"fig_a_rff_s_curve_{noise}.png"
            report = compare(s_curve(folder), settings, asked.runs, picture)
            print_curves(f"S-curve, noise {noise}, 10 components", report, "n_rff")
        if not USPS.exists():
            print(f"skipped USPS: {USPS} is not there")
            return
        for noise in NOISES:
            settings = (
                f"--noise {noise} --train-size {usps_sizes[0]} --test-size {usps_sizes[1]} "
                f"--methods ikpca,kpca --components 25 --rff {listed(usps_rff)} "
                f"--ridge ikpca:0 {USPS_MODELS}"
            )
            picture = asked.output / f"fig_a_rff_usps_{noise}.png"
            report = compare(usps(folder), settings, asked.runs, picture)
            print_curves(f"USPS, noise {noise}, 25 components, ridge 0", report, "n_rff")


if __name__ == "__main__":
    main()
