"""Figure 2 and its companion in the appendix: the S-curve, error against components.

    python tests/benchmarks/paper/fig2_s_curve.py [--quick] [--output DIR]

Random features r = 50, 500, 5,000 beside kPCA+SL, at noise 0.25 and 0.5; 2,000 points to fit and
2,000 to clean, 20 runs. Gamma and ridge are those of the paper's authors. Our runs draw their
points from 20,000 on the curve, where the authors draw new ones.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from common import NOISES, S_CURVE_MODELS, compare, listed, options, print_curves, s_curve


def main() -> None:
    asked = options(__doc__, runs=20)
    components, rff, size = range(2, 21, 2), (50, 500, 5000), 2000
    if asked.quick:
        components, rff, size = (2, 6, 12, 20), (50, 500), 400
    with tempfile.TemporaryDirectory() as scratch:
        rows = s_curve(Path(scratch))
        for noise in NOISES:
            settings = (
                f"--noise {noise} --train-size {size} --test-size {size} --methods ikpca,kpca "
                f"--components {listed(components)} --rff {listed(rff)} {S_CURVE_MODELS}"
            )
            picture = asked.output / f"fig2_s_curve_{noise}.png"
            report = compare(rows, settings, asked.runs, picture)
            print_curves(f"S-curve, noise {noise}", report, "n_components")


if __name__ == "__main__":
    main()
