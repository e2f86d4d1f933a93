"""The ``ikpca`` program: signals, streams and exit codes around the commands."""

from __future__ import annotations

import os
import signal
import warnings
from typing import NoReturn, cast

from ikpca_cli.cli.streams import flush_results, open_standard_streams, say, unprintable
from ikpca_cli.data import signals

BLAS_THREADS = (
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""Variables in which linear algebra libraries look, as they are loaded, for their own threads."""


def main() -> None:
    """Run the command line."""
    code: int | str | None = 0
    try:
        _run()
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:
        # Before any command began; once one runs, it says so itself.
        if not signals.told.is_set():
            signals.told.set()
            say(signals.INTERRUPTED)
        code = signals.FIRST + signal.SIGINT
    except OSError as error:  # what typer itself prints, such as a help text, to a full disk
        say(unprintable(error))
        code = 1
    finally:
        # The work is done, or undone: an interrupt while the interpreter ends must not hide which.
        is_asked = isinstance(code, int) and code > signals.FIRST
        signals.ask_no_more(is_asked=is_asked)
        if not flush_results(told=bool(code)):
            code = code or 1
        if is_asked:
            signals.end_now(cast(int, code))
    raise SystemExit(code)


def _run() -> None:
    warnings.simplefilter("ignore")
    # Threads are started in one place (`ikpca_cli.data.threads`), by no library below it.
    os.environ.update(dict.fromkeys(BLAS_THREADS, "1"))
    open_standard_streams()
    signals.on_request_to_end(_stop)
    from ikpca_cli.cli.app import app
    from ikpca_cli.data.memory import keep_freed_memory
    from ikpca_cli.formats.temporary import discard_unfinished

    signals.end_in_time(discard_unfinished)
    signals.interrupt_once()
    keep_freed_memory()
    app()


def _stop(number: int, _frame: object) -> NoReturn:
    """Unwind, so that temporary files go, and leave with the signal's exit code."""
    raise SystemExit(signals.FIRST + number)


if __name__ == "__main__":
    main()
