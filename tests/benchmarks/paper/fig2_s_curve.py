"""Figure 2 and its companion in the appendix: the S-curve, error against components.

    python tests/benchmarks/paper/fig2_s_curve.py [--quick] [--output DIR]

Random features r = 50, 500, 5,000 beside kPCA+SL, at noise 0.25 and 0.5; 2,000 points to fit and
2,000 to clean, 20 runs. Gamma and ridge are those of the paper's authors. Our runs draw their
points from 20,000 on the curve, where the authors draw new ones.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from common import NOISES, options, s_curve, s_curve_errors


def main() -> None:
    asked = options(__doc__, runs=20)
    components, rff, size = range(2, 21, 2), (50, 500, 5000), 2000
    if asked.quick:
        components, rff, size = (2, 6, 12, 20), (50, 500), 400
    with tempfile.TemporaryDirectory() as scratch:
        rows = s_curve(Path(scratch))
        for noise in NOISES:
            picture = asked.output / f"fig2_s_curve_{noise}.png"
            s_curve_errors(rows, noise, size, components, rff, asked.runs, picture)


if __name__ == "__main__":
    main()
