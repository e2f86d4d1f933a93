"""The ``ikpca`` program: signals, streams and exit codes around the commands."""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings
from typing import NoReturn

from ikpca_cli.cli.signals import end_in_time, ignore_interrupts, on_request_to_end


def main() -> None:
    """Run the command line."""
    try:
        _run()
        code: object = 0
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:
        # Before any command began; once one runs, it says so itself.
        code = 128 + signal.SIGINT
    except OSError as error:
        # Of typer, which prints helps and usage by itself.
        code = _lost(error)
    # The work is done, or undone: an interrupt while the interpreter ends must not hide which.
    ignore_interrupts()
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = code or _lost(error)
    raise SystemExit(code)


def _run() -> None:
    warnings.simplefilter("ignore")
    _open_streams()
    on_request_to_end(_stop)
    from ikpca_cli.cli.app import app
    from ikpca_cli.data.memory import keep_freed_memory
    from ikpca_cli.formats.temporary import discard_unfinished

    end_in_time(discard_unfinished)
    keep_freed_memory()
    app()


def _open_streams() -> None:
    """Put something in the place of standard streams that are closed, as by 2>&-."""
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)  # or else the next file would be taken for it
    if sys.stdout is None:  # what is written to it is lost, which has to be an error
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A file name that the terminal's encoding does not know must not stop a batch.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _lost(error: OSError) -> int:
    """Return the exit code where results could not be written, and say so."""
    if error.errno == errno.EPIPE:  # a reader that has seen enough must not make noise
        return 128 + signal.SIGPIPE
    reason = os.strerror(error.errno).lower() if error.errno else error
    sys.stderr.write(f"error: standard output: {reason}\n")
    return 1


def _stop(number: int, _frame: object) -> NoReturn:
    """Unwind, so that temporary files go, and leave with the signal's exit code."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main()
