"""The ``ikpca`` program: signals, streams and exit codes around the commands."""

from __future__ import annotations

import gc
import os
import signal
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:  # as `main` imports: all that takes time is where an interrupt is answered
    from typing import NoReturn

BLAS_THREADS = (
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""Variables in which linear algebra libraries look, as they are loaded, for their own threads."""


def main() -> None:
    """Run the command line."""
    try:
        from ikpca_cli.cli.streams import flush_results, say, unprintable
        from ikpca_cli.data import signals
    except KeyboardInterrupt:
        os._exit(128 + signal.SIGINT)
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
        gc.freeze()  # what is left ends with the process
        # The work is done, or undone: an interrupt while the interpreter ends must not hide which.
        asked = code if isinstance(code, int) and code > signals.FIRST else 0
        signals.ask_no_more(is_asked=bool(asked))
        if not flush_results(told=bool(code)):
            code = code or 1
        if asked:
            signals.end_now(asked)
    raise SystemExit(code)


def _run() -> None:
    warnings.simplefilter("ignore")
    gc.set_threshold(10_000)  # imports leave no garbage, and looking for it takes a tenth of them
    # Threads are started in one place (`ikpca_cli.data.threads`), by no library below it.
    os.environ.update(dict.fromkeys(BLAS_THREADS, "1"))
    from ikpca_cli.cli.streams import open_standard_streams
    from ikpca_cli.data import signals

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
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main()
