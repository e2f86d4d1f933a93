"""Time and peak memory of reading a large CSV, ours beside the readers one would think of.

ikpca is measured with polars, where that is installed, and without. Each reader turns the file
into one C-ordered float64 matrix, in a process of its own; readers take turns, and the medians are
printed. ``python tests/benchmarks/read_csv.py --help`` shows the sizes. A reader that is not
installed is left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

OURS = "from ikpca_cli.formats.arrays import read_rows\nx = read_rows(path).read()"
READERS = {
    "ikpca": OURS,
    "ikpca-alone": (
        "from ikpca_cli.formats.csv.parsing import fast\nfast._has_polars = lambda: False\n" + OURS
    ),
    "numpy": "x = np.loadtxt(path, delimiter=',', skiprows=1)",
    "pandas": "import pandas\nx = np.ascontiguousarray(pandas.read_csv(path).to_numpy())",
    "polars": "import polars\nx = polars.read_csv(path).to_numpy(order='c')",
    "pyarrow": (
        "import pyarrow.csv\n"
        "t = pyarrow.csv.read_csv(path)\n"
        "x = np.empty(t.shape)\n"
        "for j, c in enumerate(t.itercolumns()): x[:, j] = c.to_numpy()"
    ),
}
PACKAGES = {"ikpca": "polars", "ikpca-alone": "numpy"}
TEMPLATE = """
import json, resource, sys, time
import numpy as np
path = sys.argv[1]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
{code}
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert x.dtype == np.float64 and x.flags.c_contiguous
print(json.dumps([seconds, (peak - before) * 1024 / x.nbytes, float(x.sum())]))
"""


def write_table(path: Path, megabytes: int, columns: int) -> None:
    """Write normal numbers with all their digits, as most programs do."""
    rng = np.random.default_rng(1)
    with path.open("w") as file:
        file.write(",".join(f"t{i}" for i in range(columns)) + "\n")
        while file.tell() < megabytes * 1_000_000:
            block = rng.normal(size=(1000, columns))
            file.writelines(",".join(map(repr, row)) + "\n" for row in block.tolist())


def main() -> None:
    """Run every reader in turn and print its medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--readers", nargs="*", choices=READERS, default=list(READERS))
    parser.add_argument("--file", type=Path, help="read this file instead of making one")
    chosen = parser.parse_args()
    readers = [r for r in chosen.readers if importlib.util.find_spec(PACKAGES.get(r, r))]
    with tempfile.TemporaryDirectory() as folder:
        path = chosen.file or Path(folder) / "table.csv"
        if chosen.file is None:
            write_table(path, chosen.megabytes, chosen.columns)
        runs: dict[str, list[list[float]]] = {reader: [] for reader in readers}
        for _ in range(chosen.repeats):
            for reader in readers:
                script = TEMPLATE.format(code=READERS[reader])
                done = subprocess.run(
                    [sys.executable, "-c", script, str(path)],
                    check=True,
                    capture_output=True,
                    text=True,
                )
                runs[reader].append(json.loads(done.stdout))
    print(f"{'reader':<12}{'seconds':>10}{'peak memory / array':>22}")
    for reader in readers:
        seconds = statistics.median(run[0] for run in runs[reader])
        peak = statistics.median(run[1] for run in runs[reader])
        print(f"{reader:<12}{seconds:>10.2f}{peak:>22.2f}")


if __name__ == "__main__":
    main()
