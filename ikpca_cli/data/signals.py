"""Requests from outside that a process end, and the promise that it does so in time.

Python answers a signal between two steps of the main thread, and at its end waits for its other
threads: a matrix being decomposed in either delays that by seconds. So a thread of its own is told
of signals by the C handler, gives the main thread a moment to undo what it is at, and else ends the
process itself.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

PATIENCE = 1.0
"""Seconds that unwinding may take after a signal; a second one ends it at once."""

INTERRUPTED = "interrupted: no output was left half-written"

_came = threading.Event()
told = threading.Event()
"""Set by what writes the line of an interrupt, so that it is written once."""


def on_request_to_end(handler: Callable[[int, Any], object]) -> None:
    """Call a handler for SIGTERM and SIGHUP, where there are such signals.

    One that is ignored from the start, as by nohup, stays so.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def end_in_time(discard: Callable[[], object]) -> None:
    """From now on end the process, with 128 + the signal's number, soon after a signal to end.

    Call it from the main thread, once, after the handlers are set.

    Parameters
    ----------
    discard
        Removes what is half-written. It may run beside the main thread.
    """
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(ours, discard), daemon=True).start()


def ignore_interrupts() -> None:
    """Let nothing hide that the work is done; if it was interrupted, one more ends it at once."""
    signal.signal(signal.SIGINT, _nothing if _came.is_set() else signal.SIG_IGN)


def _watch(pipe: int, discard: Callable[[], object]) -> None:
    number = _next_request(pipe)
    _came.set()
    if select.select([pipe], [], [], PATIENCE)[0]:
        _next_request(pipe)
    discard()
    if number == signal.SIGINT and not told.is_set():
        with suppress(OSError):
            os.write(2, f"{INTERRUPTED}\n".encode())
    os._exit(128 + number)


def _next_request(pipe: int) -> int:
    """Wait for a signal to end, and return its number; others have handlers that do all."""
    while True:
        number = os.read(pipe, 1)[0]
        if signal.Signals(number).name in ("SIGINT", "SIGTERM", "SIGHUP"):
            return number


def _nothing(*_: object) -> None:
    """Do nothing; the thread that watches is told all the same."""
