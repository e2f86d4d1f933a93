"""Fuzz the reading of model files: mutate real models, and see that only refusals come out.

    python tests/modelfile/fuzz_models.py --files 100000

Each file is loaded in a process that may not allocate more than the stated bound (address space)
nor take longer than a few seconds (a signal ends it). A model or a ModelError is a pass; any other
exception, a killed process or the trace of something run is a failure, and the file is kept.
"""

import argparse
import collections
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import joblib
import numpy as np

from ikpca_cli.errors import ModelError
from ikpca_cli.estimators.ikpca import IKPCA
from ikpca_cli.estimators.kpca import KernelPCA
from ikpca_cli.estimators.pca import PCA
from ikpca_cli.modelfile.plain_joblib import OVERHEAD
from ikpca_cli.modelfile.storage import load_model, save_model

SECONDS = 5.0
SLACK = 4 * 2**20  # what the interpreter and numpy may take for themselves

FRAGMENTS = [
    b"\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x14touch ikpca_was_here\x94\x85\x94R\x94",
    b"cposix\nsystem\n(S'touch ikpca_was_here'\ntR",
    b"\x8c\x08builtins\x94\x8c\x04eval\x94\x93\x94",
    b"\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94",
    b"\x8c\x05numpy\x94\x8c\x06matrix\x94\x93\x94",
    b"\x8c\x13joblib.numpy_pickle\x94\x8c\x11NumpyArrayWrapper\x94\x93\x94)\x81\x94",
    b"\x8c\x02O8\x94\x89\x88\x87\x94R\x94",
    b"Pid\n",
    b"\x82\x01",
    b"(" * 200,
    b"}" * 200,
    b"\x85" * 200,
    b"h\x00" * 50,
    b"j\xff\xff\xff\xff",
    b"\x95\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"\x8d\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"X\xff\xff\xff\xff",
    b"\x8a\xff",
    b"\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01",
]
OPCODES = bytes(range(0x80, 0x99)) + b"()}ubtsRNKMJGhj.\x85\x86\x87cCXPQ0125BIVSgpqrdelao"
NUMBERS = [0, 1, 2, 127, 128, 255, 256, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1]


def real_models() -> list[bytes]:
    """Return models of each method, some of float32, of the other byte order, of protocol 5."""
    rows = np.random.default_rng(5).normal(size=(12, 3))
    models = [
        IKPCA(2, n_rff=6, gamma=0.1, ridge=0.1, noise_std=0.5, seed=2**100).fit(rows),
        KernelPCA(2, gamma=0.1, ridge=0.1, noise_std=0.5).fit(rows),
        PCA(2, noise_std=0.5).fit(rows),
    ]
    contents = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.joblib"
        for model in models:
            save_model(str(path), model, force=True)
            contents.append(path.read_bytes())
            envelope = joblib.load(path)
            del envelope["checksum"]
            for dtype, protocol in (("<f4", 4), (">f8", 5)):
                state = {
                    key: value.astype(dtype) if isinstance(value, np.ndarray) else value
                    for key, value in envelope["state"].items()
                }
                joblib.dump(envelope | {"state": state}, path, protocol=protocol)
                contents.append(path.read_bytes())
    return contents


def mutate(random_: random.Random, models: list[bytes]) -> bytes:
    """Return a model with one to five changes."""
    data = bytearray(random_.choice(models))
    for _ in range(random_.choice((1, 1, 1, 2, 5))):
        at = random_.randrange(len(data) + 1)
        match random_.randrange(10):
            case 0:  # flip bits
                for _ in range(random_.choice((1, 1, 8))):
                    if data:
                        data[random_.randrange(len(data))] ^= 1 << random_.randrange(8)
            case 1:  # cut the end
                del data[at:]
            case 2:  # cut something out
                del data[at : at + random_.choice((1, 2, 8, 100))]
            case 3:  # insert noise
                data[at:at] = random_.randbytes(random_.choice((1, 2, 8, 100)))
            case 4:  # insert opcodes
                data[at:at] = bytes(random_.choices(OPCODES, k=random_.choice((1, 1, 2, 5))))
            case 5:  # insert an attack
                data[at:at] = random_.choice(FRAGMENTS)
            case 6:  # replace an opcode
                data[at : at + 1] = random_.choices(OPCODES)
            case 7:  # a number, in any width: lengths, shapes, references
                width = random_.choice((1, 2, 4, 8))
                number = random_.choice(NUMBERS) % 256**width
                data[at : at + width] = number.to_bytes(width, "little")
            case 8:  # repeat or move a piece
                start = random_.randrange(len(data) + 1)
                data[at:at] = data[start : start + random_.choice((1, 10, 100, 500))]
            case 9:  # the rest of another model
                other = random_.choice(models)
                data[at:] = other[random_.randrange(len(other)) :]
    return bytes(data)


def outcome(path: Path) -> str:
    """Load a file and name what came out; anything but a model or a refusal is raised."""
    try:
        model = load_model(str(path))
    except ModelError as error:
        line = str(error)
        assert line.startswith(f"{path}: "), line
        assert line.isprintable(), line
        return re.match(r"[a-z ]+", line.removeprefix(f"{path}: "))[0].strip()
    assert model.mean_.shape == (model.n_features_in_,)
    return "loaded"


def work(seed: int, files: int) -> None:
    """Load mutated files under the limits; print what came out as JSON."""
    models = real_models()
    random_ = random.Random(seed)
    counts = collections.Counter()
    path = Path("mutated.joblib")
    for content in models:
        path.write_bytes(content)
        assert outcome(path) == "loaded"
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + OVERHEAD + SLACK
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    slowest = 0.0
    for _ in range(files):
        path.write_bytes(mutate(random_, models))
        signal.setitimer(signal.ITIMER_REAL, SECONDS)  # SIGALRM ends the process
        start = time.perf_counter()
        counts[outcome(path)] += 1
        slowest = max(slowest, time.perf_counter() - start)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        assert os.listdir() == [path.name]
    print(json.dumps({"counts": counts, "slowest": slowest}))


def main() -> int:
    """Run the workers, one after the other, and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.seed, options.files)
        return 0
    counts = collections.Counter()
    slowest = 0.0
    batch = 10_000
    for first in range(0, options.files, batch):
        seed = options.seed + first
        files = min(batch, options.files - first)
        folder = Path(tempfile.mkdtemp(prefix="fuzz-models-"))
        command = [sys.executable, str(Path(__file__).resolve()), "--worker"]
        command += ["--seed", str(seed), "--files", str(files)]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            print(run.stderr)
            print(f"failed ({run.returncode}) with seed {seed}; the file is in {folder}")
            return 1
        result = json.loads(run.stdout)
        counts.update(result["counts"])
        slowest = max(slowest, result["slowest"])
        (folder / "mutated.joblib").unlink()
        folder.rmdir()
    for kind, count in counts.most_common():
        print(f"{count:8} {kind}")
    print(f"{counts.total():8} files, the slowest in {1e3 * slowest:.1f} ms; no failure")
    return 0


if __name__ == "__main__":
    sys.exit(main())
