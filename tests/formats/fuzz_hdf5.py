"""Mutate HDF5 files, and see that they are read or refused, and nothing else.

    python -m tests.formats.fuzz_hdf5 --kind attached --version latest --files 1000

Run it in a process of its own: what it guards against ends the process. The file that did so
remains in the current folder.
"""

import argparse
import collections
import json
import random
import signal
from pathlib import Path

import h5py
import numpy as np

from ikpca_cli.errors import InputError
from ikpca_cli.formats.arrays import ReadOptions, read_rows
from ikpca_cli.formats.hdf5 import trial

SECONDS = 2.0
"""After which a trial is given up."""

PATIENCE = 60
"""Seconds after which the reading of a file counts as hanging, on a busy machine as well."""

NUMBERS = (0, 1, 2, 127, 128, 255, 2**15, 2**16 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)


def plain(file):
    """Contiguous numbers, in a group."""
    file["x"] = np.arange(60.0).reshape(12, 5)
    file["group/t"] = np.arange(5.0)
    file["group/link"] = h5py.SoftLink("/x")


def chunked(file):
    """Compressed chunks that may grow along both axes."""
    form = {"chunks": (3, 5), "compression": "gzip", "maxshape": (None, None)}
    file.create_dataset("x", data=np.arange(60.0).reshape(12, 5), **form)


def attached(file):
    """Attributes, labels and dimension scales."""
    file["x"] = np.arange(60.0).reshape(12, 5)
    file["x"].attrs["units"] = "mV"
    file["x"].attrs["scale_factor"] = 2.0
    file["t"] = np.arange(5.0)
    file["t"].make_scale("t")
    file["x"].dims[1].attach_scale(file["t"])
    file["x"].dims[0].label = "sample"


def virtual(file):
    """A virtual dataset over another one."""
    file["stored"] = np.arange(60.0).reshape(12, 5)
    layout = h5py.VirtualLayout((12, 5), "f8")
    layout[:] = h5py.VirtualSource(".", "stored", (12, 5))
    file.create_virtual_dataset("x", layout)


KINDS = {make.__name__: make for make in (plain, chunked, attached, virtual)}


def mutate(random_, content):
    """Return a file with one to four changes; its signature stays."""
    data = bytearray(content)
    for _ in range(random_.choice((1, 1, 2, 4))):
        at = random_.randrange(8, len(data))
        match random_.randrange(5):
            case 0:
                data[at] ^= 1 << random_.randrange(8)
            case 1:
                data[at] = random_.choice((0, 1, 127, 128, 255))
            case 2:
                width = random_.choice((2, 4, 8))
                number = random_.choice(NUMBERS) % 256**width
                data[at : at + width] = number.to_bytes(width, "little")
            case 3:
                data[at] = random_.randrange(256)
            case 4:
                del data[at : at + random_.choice((1, 8, len(data)))]
    return bytes(data)


def outcome(path):
    """Read a file and name what came of it; anything but rows or a refusal is raised."""
    try:
        with read_rows(str(path), ReadOptions(dataset="x")) as rows:
            rows.read()
    except InputError as error:
        line = str(error)
    else:
        return "read"
    assert line.isprintable(), line
    assert line.startswith(f"{path}: "), line
    return "survived" if "crashes or never ends" in line else "refused"


def main():
    """Mutate, read, and print what came of it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", choices=KINDS, required=True)
    parser.add_argument("--version", choices=("earliest", "latest"), required=True)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    trial.SECONDS = SECONDS
    path = Path("mutated.h5")
    with h5py.File(path, "w", libver=options.version) as file:
        KINDS[options.kind](file)
    content = path.read_bytes()
    assert outcome(path) == "read"
    random_ = random.Random(options.seed)
    counts = collections.Counter()
    for _ in range(options.files):
        path.write_bytes(mutate(random_, content))
        signal.alarm(PATIENCE)  # ends the process, whatever the library is at
        counts[outcome(path)] += 1
        signal.alarm(0)
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
