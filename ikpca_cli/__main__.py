"""The ``ikpca`` program: signals, streams and exit codes around the commands."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from typing import NoReturn, TextIO, cast

from ikpca_cli.app import app


def main() -> None:
    """Run the command line."""
    warnings.simplefilter("ignore")
    for stream in (sys.stdout, sys.stderr):
        # A file name that the terminal's encoding does not know must not stop a batch.
        cast("TextIO", stream).reconfigure(errors="backslashreplace")  # type: ignore[attr-defined]
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _stop)
    try:
        app()
    finally:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader has seen enough; what is left must not complain at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _stop(number: int, _frame: object) -> NoReturn:
    """Unwind, so that temporary files go, and leave with the signal's exit code."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main()
