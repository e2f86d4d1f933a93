"""How time grows with rows, features and columns, beside what the paper says, and the crossover.

``python tests/benchmarks/costs.py`` takes some minutes, ``--quick`` half a one. Time is processor
time of one thread. An exponent is the slope of log time over log size, by least squares. Where two
terms add up, as in O(r^2 n + r^3), the exponent lies between theirs. Around r = n both routes are
timed, and the one that ``solver="auto"`` takes is marked.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time

import numpy as np

from ikpca_cli import IKPCA
from ikpca_cli.data import threads
from ikpca_cli.linalg.eigen import choose_route

START = {"n": 1000, "p": 16, "r": 500, "d": 10}
FITS = [
    # what grows, from, the others, route, what the paper says
    ("n", 20_000, {"r": 400}, "primal", "1 of O(r^2 n + r^3)"),
    ("r", 300, {"n": 20_000}, "primal", "2 of O(r^2 n + r^3)"),
    (
        "p",
        100,
        {"n": 10_000, "r": 1000, "d": 5},
        "primal",
        "0 of O(r^2 n), 1 of the angles' O(npr)",
    ),
    ("n", 250, {"r": 20_000}, "dual", "2 of O(r n^2 + n^3)"),
    ("r", 10_000, {"n": 500}, "dual", "1 of O(r n^2 + n^3)"),
]
CLEANINGS = [
    ("r", 1000, {"n": 2000}, "1 of O(pr + dr)"),
    ("p", 100, {"n": 2000, "r": 2000}, "1 of O(pr + dr), 0 of the sines' O(r)"),
    ("d", 20, {"n": 2000, "r": 1000}, "1 of O(pr + dr), 0 of the sines' O(r)"),
    ("n", 1000, {"r": 1000}, "1: rows by themselves"),
]


def timed(sizes: dict[str, int], solver: str, repeats: int) -> tuple[float, float]:
    """Return the median seconds to fit and to clean the rows of the fit."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(sizes["n"], sizes["p"]))
    given = {"gamma": 0.1 / sizes["p"], "ridge": 0.5, "noise_std": 0.5, "solver": solver}
    fits, cleanings = [], []
    for _ in range(repeats):
        model = IKPCA(sizes["d"], n_rff=sizes["r"], **given)
        with threads.jobs(1):
            start = time.process_time()
            model.fit(rows)
            fitted = time.process_time()
            model.denoise(rows)
        fits.append(fitted - start)
        cleanings.append(time.process_time() - fitted)
    return statistics.median(fits), statistics.median(cleanings)


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """Return the slope of log seconds over log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def main() -> None:
    """Print exponents of fits and of cleaning, and times around the crossover."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a quarter of the sizes, once each")
    chosen = parser.parse_args()
    shrink, repeats, steps = (4, 1, 3) if chosen.quick else (1, 3, 4)
    timed(START, "primal", 1)  # imports
    print(f"{'':10}{'grows':>6}  {'measured':>8}  paper")
    for index, table in enumerate((FITS, CLEANINGS)):
        for what, first, others, *route, paper in table:
            sizes = [max(2, first // shrink) * 2**step for step in range(steps)]
            seconds = []
            for size in sizes:
                case = START | {k: max(16, v // shrink) for k, v in others.items()} | {what: size}
                case["r"] = max(case["r"], case["p"])
                seconds.append(timed(case, *(route or ["auto"]), repeats)[index])
            kind = f"{route[0]} fit" if route else "denoise"
            print(f"{kind:10}{what:>6}  {exponent(sizes, seconds):8.2f}  {paper}", flush=True)
    rows = 1200 // shrink
    print(f"\n{rows} rows  {'primal [s]':>12}{'dual [s]':>10}")
    for share in (0.25, 0.5, 1.0, 2.0, 4.0):
        features = math.ceil(rows * share)
        case = START | {"n": rows, "r": features}
        times = {route: timed(case, route, repeats)[0] for route in ("primal", "dual")}
        marks = {route: "*" if route == choose_route(rows, features) else " " for route in times}
        print(
            f"r = {features:<7,}{times['primal']:10.3f}{marks['primal']}"
            f"{times['dual']:10.3f}{marks['dual']}"
        )


if __name__ == "__main__":
    main()
