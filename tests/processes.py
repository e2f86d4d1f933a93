"""The program as a process: starting it, and waiting for what a test needs of it."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

PROGRAM = [sys.executable, "-m", "ikpca_cli"]

LONGEST = 120.0
"""Seconds after which something that has to happen counts as never happening."""


def words(line: object, *more: object) -> list[str]:
    """Return the arguments in a line as a shell would, and more of them as they are."""
    return [*shlex.split(str(line)), *map(str, more)]


def run(line: object, *more: object, code: int = 0, **options) -> subprocess.CompletedProcess:
    """Run the program to its end and check its exit code."""
    options = {"capture_output": True} | options
    done = subprocess.run([*PROGRAM, *words(line, *more)], **options)
    assert done.returncode == code, (done.stderr or b"").decode()
    return done


def start(line: object, *more: object, **options) -> subprocess.Popen:
    """Begin the program; what it says goes to a pipe."""
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE} | options
    return subprocess.Popen([*PROGRAM, *words(line, *more)], **options)


def wait_until(condition: Callable[[], object], process: subprocess.Popen | None = None) -> None:
    """Wait for a condition, as long as a busy machine may take; fail if a process ends first."""
    deadline = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < deadline
        assert process is None or process.poll() is None or condition()
        time.sleep(0.01)


def count(folder: Path, pattern: str = "*.npy") -> int:
    """Return the number of files in a folder that may not be there yet."""
    return len(list(folder.glob(pattern)))
