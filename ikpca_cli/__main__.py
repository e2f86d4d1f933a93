"""The ``ikpca`` program: signals, streams and exit codes around the commands."""

from __future__ import annotations

import os
import sys
import warnings
from typing import NoReturn

from ikpca_cli.cli.signals import end_in_time, ignore_interrupts, on_request_to_end

INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    try:
        _run()
    except KeyboardInterrupt:
        # Before any command began; once one runs, it says so itself.
        raise SystemExit(INTERRUPTED) from None
    finally:
        # The work is done, or undone: an interrupt while the interpreter ends must not hide which.
        ignore_interrupts()
        _flush()


def _run() -> None:
    warnings.simplefilter("ignore")
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the shell: 2>&-
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        # A file name that the terminal's encoding does not know must not stop a batch.
        getattr(sys, name).reconfigure(errors="backslashreplace")
    on_request_to_end(_stop)
    from ikpca_cli.cli.app import app
    from ikpca_cli.data.memory import keep_freed_memory
    from ikpca_cli.formats.temporary import discard_unfinished

    end_in_time(discard_unfinished)
    keep_freed_memory()
    app()


def _flush() -> None:
    """Write out what is buffered; a reader that has seen enough must not make noise at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _stop(number: int, _frame: object) -> NoReturn:
    """Unwind, so that temporary files go, and leave with the signal's exit code."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main()
