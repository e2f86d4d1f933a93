"""Every figure and table of the paper, one after another.

    python tests/benchmarks/paper/all.py [--quick] [--output DIR]

--quick takes small sizes and two runs, to see that everything works: two minutes or so. The full
sizes take some 35 minutes on one core.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from common import PICTURES

SCRIPTS = ("fig2_s_curve", "fig3_usps", "fig4_digits", "fig5_ecg", "fig_a_rff", "fig_a_noise")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    parser.add_argument("--output", type=Path, default=PICTURES, help="folder for pictures")
    asked = parser.parse_args()
    pictures = ["--output", str(asked.output)]
    commands = {name: [*pictures, *(["--quick"] if asked.quick else [])] for name in SCRIPTS}
    commands["table_a1"] = ["--runs", "20" if asked.quick else "500"]
    failed = []
    for name, words in commands.items():
        print(f"\n== {name}", flush=True)
        start = time.perf_counter()
        script = Path(__file__).with_name(f"{name}.py")
        done = subprocess.run([sys.executable, str(script), *words])
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
        if done.returncode:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
